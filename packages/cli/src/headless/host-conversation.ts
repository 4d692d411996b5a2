/** Prompt after prompt in one session: each is taken up, refused or answered as a command, and has exactly one result. */
import { type Agent, failedStart, newUuid, type Prompt, type SdkMessage } from '@heddle/agent';
import type { Terminal } from '@heddle/core';
import { readMilliseconds } from '@heddle/models';
import type { StartedSession } from '../start/start-agent.ts';
import { slashText } from '../slash/slash-commands.ts';
import { warn } from '../terminal/write-message.ts';
import { pluralize } from '../terminal/amounts.ts';
import type { HeadlessChat } from './headless-chat.ts';
import type { Host, TakenPrompt } from './host/host.ts';
import type { Service } from './host/service.ts';
import { type SessionStateReporter, TurnAnnotator } from './host/turn-lines.ts';
import type { HeadlessOutput } from './output/output.ts';
import type { TranscriptMirror } from './output/transcript-mirror.ts';

interface HostConversation {
  readonly chat: HeadlessChat;
  readonly output: HeadlessOutput;
  readonly host: Host;
  /** Aborts when the program is to end. */
  readonly ending: AbortSignal;
  readonly service: Service | undefined;
  readonly state: SessionStateReporter;
  /** The host keeps a copy of the session. */
  readonly mirror?: TranscriptMirror | undefined;
}

/** A host that has one prompt and says no more. `verbatim`: see `Prompt`. */
export function singlePrompt(content: string, verbatim: boolean): Host {
  return {
    prompts: (async function* () {
      yield { content, verbatim };
    })(),
  };
}

/** The last result decides the exit code. */
export async function runHostConversation({
  chat,
  output,
  host,
  ending,
  service,
  state,
  mirror,
}: HostConversation): Promise<number> {
  const { agent, team } = chat.started;
  const stop = (): void => {
    agent.abort(ending.reason);
    service?.giveUpWaiting();
    host.end?.();
    output.hurry();
  };
  if (ending.aborted) stop();
  else ending.addEventListener('abort', stop, { once: true });
  let code: number | undefined;
  const annotator = new TurnAnnotator();
  // A host that sends prompts reads the reports of subagents in the background with a later one.
  const isOnly = host.requests === undefined;
  const prompts = isOnly ? host.prompts : withTeamPrompts(host.prompts, team);
  for await (const prompt of prompts) {
    if (ending.aborted) break;
    if (prompt.isQuiet) {
      code = add(agent, prompt);
      continue;
    }
    state.begin(agent.sessionId);
    const instead = (await service?.insteadOf(prompt)) ?? (await commandIn(prompt, chat));
    const annotate = annotator.forTurn(prompt.isNamed ? prompt.uuid : undefined, () => host.waiting?.() ?? 0);
    const lines = isOnly ? submitAndWait({ agent, team }, prompt, ending) : agent.submit(prompt);
    code = await answer(instead ?? lines, output, async (line) => {
      service?.note(line);
      await mirror?.copyTo(output);
      return annotate(line);
    });
    // The end of a turn is stored behind its last line.
    await mirror?.copyTo(output);
    state.end();
  }
  if (!ending.aborted) await host.settled?.();
  const unbegun = ending.aborted ? ENDED_EARLY : host.misread;
  const why = code === undefined ? unbegun : undefined;
  if (why === undefined) return code ?? 0;
  await output.write(failedStart(why, { uuid: newUuid(), session_id: agent.sessionId }));
  return 1;
}

/** Adds the messages of the team while the host has no prompt. Ends with the prompts of the host. */
async function* withTeamPrompts(
  prompts: Host['prompts'],
  team: StartedSession['team'],
): AsyncGenerator<TakenPrompt> {
  const own = prompts[Symbol.asyncIterator]();
  let next = own.next();
  while (true) {
    const waiting = new AbortController();
    const mail = team.leads ? team.untilPrompt(waiting.signal, { keepsWaiting: true }) : undefined;
    const first = await Promise.race([next, ...(mail ? [mail] : [])]);
    waiting.abort();
    const content = first === true ? team.takePrompt() : undefined;
    if (content !== undefined) yield { content, verbatim: true };
    // The mail can be gone. Without a prompt the team has ended, and only the host has prompts.
    else if (first !== true) {
      const taken = first || (await next);
      if (taken.done) return;
      yield taken.value;
      next = own.next();
    }
  }
}

const ENDED_EARLY = 'The program was ended before it had taken up a prompt.';

/** Joins the conversation; the model is asked with the next prompt. */
function add(agent: Agent, prompt: Prompt): number {
  const added = agent.add(prompt);
  if (!added.ok) warn(added.message);
  return added.ok ? 0 : 1;
}

/** Returns the output that replaces a turn if the prompt is a command. */
async function commandIn(prompt: Prompt, chat: HeadlessChat): Promise<readonly SdkMessage[] | undefined> {
  if (slashText(prompt) === undefined) return undefined;
  return (await import('./slash-result.ts')).slashLines(prompt, chat);
}

async function answer(
  lines: AsyncIterable<SdkMessage> | Iterable<SdkMessage>,
  output: HeadlessOutput,
  annotate: (line: SdkMessage) => Promise<SdkMessage>,
): Promise<number> {
  let code = 1;
  for await (const line of lines) {
    await output.write(await annotate(line));
    if (line.type === 'result') code = line.is_error ? 1 : 0;
  }
  return code;
}

/** Subagents that still run then are ended with the program. The next run of the session reports them. */
const MAX_WAIT_MS = 10 * 60_000;

const ENDED = 'The agents in the background have ended. Read their reports, and finish your answer.';

/**
 * A prompt of which no other follows: its result waits for the subagents in the background and for the team, and includes
 * their reports. Returns the lines of the prompt. Results before the last one are held back.
 */
async function* submitAndWait(
  { agent, team }: Pick<StartedSession, 'agent' | 'team'>,
  prompt: Prompt,
  ending: AbortSignal,
): AsyncGenerator<SdkMessage> {
  const waitMs = readMilliseconds(process.env, 'HEDDLE_BACKGROUND_WAIT_MS') ?? MAX_WAIT_MS;
  const deadline = AbortSignal.any([ending, AbortSignal.timeout(waitMs)]);
  let next = prompt;
  while (true) {
    let result: SdkMessage | undefined;
    const terminal = yield* withoutResult(agent.submit(next), (line) => (result = line));
    // Reports that a hook does not let through would be submitted again and again.
    const isBlocked = next !== prompt && terminal.reason === 'hook_stopped';
    const isFailed = isBlocked || result?.type !== 'result' || result.is_error;
    const content = isFailed ? undefined : await nextReport(agent, team, deadline);
    if (content === undefined) {
      if (deadline.aborted && !ending.aborted) reportUnfinished(agent);
      if (result) yield result;
      return;
    }
    next = { content, verbatim: true };
  }
}

/** Yields the lines except the result, and returns the end of the prompt. */
async function* withoutResult(
  lines: AsyncGenerator<SdkMessage, Terminal>,
  take: (result: SdkMessage) => void,
): AsyncGenerator<SdkMessage, Terminal> {
  try {
    for (;;) {
      const step = await lines.next();
      if (step.done) return step.value;
      if (step.value.type === 'result') take(step.value);
      else yield step.value;
    }
  } finally {
    await lines.return({ reason: 'aborted_streaming' });
  }
}

/** The time is over, and the program ends. */
function reportUnfinished({ subagents, sessionId }: Agent): void {
  const running = (subagents?.list() ?? []).filter(({ isRunning }) => isRunning);
  if (running.length === 0) return;
  const names = running.map(({ record }) => record.description).join(', ');
  const agents = pluralize(running.length, 'agent');
  warn(
    `${agents} in the background did not finish in time: ${names}. To continue: heddle --resume ${sessionId}`,
  );
}

/** Undefined: nothing is left to wait for. */
async function nextReport(
  agent: Agent,
  team: StartedSession['team'],
  deadline: AbortSignal,
): Promise<string | undefined> {
  if (agent.hasBackgroundSubagents) await agent.untilSubagentsEnd(deadline);
  if (deadline.aborted) return undefined;
  if (agent.hasBackgroundSubagents) return ENDED;
  return (await team.untilPrompt(deadline, { keepsWaiting: false })) ? team.takePrompt() : undefined;
}
