/** One trial: kill, perhaps cut the file, resume, kill again, resume. Then it checks every promise. */
import { readFileSync, truncateSync } from 'node:fs';
import { decodeEntry } from '@heddle/agent';
import type { Ended } from '../program.ts';
import { brokenPromises, type Excused, wasAccepted } from './promises.ts';
import { openCrashSetup, type CrashSetup } from './scene.ts';
import type { StoryMeasure, Plan } from './trigger.ts';

export interface TrialResult {
  readonly plan: Plan;
  readonly broken: readonly string[];
  /** The number of runs that were killed. A run may end before its trigger. */
  readonly kills: number;
  readonly accepted: boolean;
}

export async function tryPlan(program: string, plan: Plan): Promise<TrialResult> {
  const scene = await openCrashSetup(program, plan.models);
  try {
    return await play(scene, plan);
  } finally {
    await scene.close();
  }
}

async function play(scene: CrashSetup, plan: Plan): Promise<TrialResult> {
  const [firstKill, ...otherKills] = plan.kills;
  const first = await scene.live('first', firstKill);
  const journal = scene.journal();
  const accepted = wasAccepted(first, journal === undefined ? undefined : readFileSync(journal, 'utf8'));
  const excused =
    plan.cut === undefined || journal === undefined ? NOTHING : cutLastRecord(journal, plan.cut);
  const lives: Ended[] = [first];
  for (const kill of otherKills) lives.push(await scene.live('resumed', kill));
  lives.push(await scene.live('resumed'));
  const kills = lives.filter(({ signal }) => signal === 'SIGKILL').length;
  const report = { plan, kills, accepted };
  const isPromptExcused = excused.uuids.size > 0 && !readFileSync(journal ?? '', 'utf8').includes('[prompt]');
  if (!accepted || isPromptExcused) return { ...report, broken: nothingToResume(lives) };
  const after = scene.journal();
  if (after === undefined) return { ...report, broken: ['the log is gone'] };
  const broken = brokenPromises({
    lives,
    journal: after,
    effects: scene.effects(),
    lastRequest: lastMessages(scene),
    excused,
  });
  if (plan.cut !== undefined) broken.push(...(await resumedAgain(scene)));
  return { ...report, broken: [...broken, ...scene.api.problems.map(({ message }) => message)] };
}

/** Resumes once more. The next request must start with the last request, byte for byte. */
async function resumedAgain(scene: CrashSetup): Promise<string[]> {
  const before = JSON.stringify(withoutMarks(lastMessages(scene))).slice(0, -1);
  const known = scene.api.requests.length;
  const { code } = await scene.live('resumed');
  const next = JSON.stringify(withoutMarks(messagesOf(scene.api.requests[known]?.body)));
  if (code !== 0) return [`resumed twice, it ended with ${code}`];
  return next.startsWith(before) ? [] : ['resumed twice, the next request does not begin with the last one'];
}

/** Removes cache marks, because their position differs between requests. */
function withoutMarks(messages: unknown): unknown {
  return JSON.parse(JSON.stringify(messages), (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
}

export const NOTHING: Excused = { uuids: new Set(), effects: new Set() };

/** A run that was killed before it accepted the prompt leaves no session. Resuming it must report that. */
function nothingToResume(lives: readonly Ended[]): string[] {
  const last = lives.at(-1);
  if (last?.code === 0) return [];
  return last?.code === 1 && last.stderr.includes('No conversation found')
    ? []
    : [`nothing was accepted, and the next life ended with ${last?.code}: ${last?.stderr}`];
}

/** Cuts the file inside its last record, like a power failure. Returns the contents of that record. */
function cutLastRecord(journal: string, share: number): Excused {
  const bytes = readFileSync(journal);
  const end = bytes.lastIndexOf(0x0a);
  if (end !== bytes.length - 1 || end < 0) return NOTHING;
  const start = bytes.lastIndexOf(0x0a, end - 1) + 1;
  const decoded = decodeEntry(bytes.toString('utf8', start, end));
  truncateSync(journal, start + Math.floor(share * (end - start)));
  if (decoded.kind !== 'entry') return NOTHING;
  const { entry } = decoded;
  return {
    uuids: new Set('message' in entry && typeof entry.message === 'object' ? [entry.message.uuid] : []),
    effects: new Set(entry.type === 'intent' ? [entry.toolUseId] : []),
  };
}

export function lastMessages({ api }: CrashSetup): unknown {
  return messagesOf(api.requests.at(-1)?.body);
}

function messagesOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'messages' in body ? body.messages : undefined;
}

/** Measures a run without a kill, to find the possible points for kills. */
export async function measureStory(program: string): Promise<StoryMeasure> {
  const scene = await openCrashSetup(program);
  try {
    const { stdout, code, stderr } = await scene.live('first');
    const journal = scene.journal();
    if (code !== 0 || journal === undefined) throw new Error(`The story does not play: ${stdout}${stderr}`);
    scene.api.assertNoViolations();
    return {
      journal: readFileSync(journal).length,
      stdout: Buffer.byteLength(stdout),
      stream: scene.streamed,
      requests: scene.api.requests.length,
    };
  } finally {
    await scene.close();
  }
}
