/**
 * The program is killed at a random stage of its subagents and resumed. Every call has exactly one result, every report
 * arrives exactly once, and no call with effects runs twice.
 *
 * A kill is a copy of the session's files before the Nth write: every write asks the clock first.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isToolResult, type Message, type ModelRequest, resultsOf } from '@heddle/core';
import { answer, call, fakeTool, say, scriptedModel } from '@heddle/testing';
import { expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../agents/built-in.ts';
import { createAgent } from '../create-agent.ts';
import { systemClock } from '@heddle/models';
import { newSession, type OpenSetup, resumeSession, type Session } from '../session/open/open.ts';

const PROVING = process.env['HEDDLE_PROVE'] === '1';
const TRIALS = PROVING ? 500 : 15;

/** The calls of a subagent. `Agent` starts another one below it, which changes something. */
type Step = 'Look' | 'Change' | 'Agent';

interface Child {
  readonly id: string;
  readonly steps: readonly Step[];
  readonly isBackground: boolean;
}

/** A small generator of numbers in [0, 1), so that each trial can be repeated by its seed. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function planOf(random: () => number, kinds: readonly Step[]): readonly Child[] {
  return Array.from({ length: 1 + Math.floor(random() * 4) }, (_, at) => ({
    id: `t${at}`,
    steps: Array.from(
      { length: Math.floor(random() * 4) },
      () => kinds[Math.floor(random() * kinds.length)] ?? 'Look',
    ),
    isBackground: random() < 0.3,
  }));
}

/** Answers by the content of the request, so that a resumed run continues the same plan. */
function modelFor(plan: readonly Child[]) {
  return scriptedModel((request) => {
    const text = JSON.stringify([...request.messages]);
    const child = plan.find(({ id }) => text.includes(`do ${id}.`));
    if (!isChild(request)) {
      if (text.includes('"tool_result"')) return say('Noted.');
      return answer(...plan.map(({ id, isBackground }) => startOf(id, isBackground)));
    }
    const done = countResults(request);
    const [, below] = /do (\S+) below\./.exec(JSON.stringify([...request.messages][0])) ?? [];
    if (below !== undefined)
      return done === 0 ? call('Change', { of: below }, `${below}-deep`) : say(`Deep report of ${below}.`);
    const step = child?.steps[done];
    if (!child || step === undefined) return say(`The report of ${child?.id ?? 'an unknown child'}.`);
    const id = `${child.id}-${done}`;
    if (step === 'Agent') return call(step, { description: id, prompt: `do ${id} below.` }, id);
    return call(step, { of: id }, id);
  });
}

function startOf(id: string, isBackground: boolean) {
  const background = isBackground ? { run_in_background: true } : {};
  return call('Agent', { description: id, prompt: `do ${id}.`, ...background }, id);
}

function isChild(request: ModelRequest): boolean {
  return JSON.stringify(request.system).includes('subagent of Heddle');
}

function countResults(request: ModelRequest): number {
  return [...request.messages].flatMap(({ content }) => content.filter(isToolResult)).length;
}

interface Machine {
  readonly folder: string;
  readonly plan: readonly Child[];
  /** The inputs of the calls with effects that ran. */
  readonly effects: string[];
  readonly now: () => number;
}

function agentFor({ plan, effects, now }: Machine, session: Session) {
  const change = fakeTool({
    name: 'Change',
    readOnly: false,
    run: ({ of }) => {
      effects.push(JSON.stringify(of));
      return 'changed';
    },
  });
  const model = modelFor(plan);
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [fakeTool({ name: 'Look' }), change],
    cwd: '/',
    session,
    clock: { ...systemClock, now },
    canUseTool: () => Promise.resolve({ allow: true }),
    subagents: { definitions: () => BUILT_IN_AGENTS, maxDepth: 2 },
  });
  return { agent, model };
}

const setupOf = (folder: string, now: () => number): OpenSetup => ({
  place: { configDir: folder, cwd: '/project' },
  version: '0',
  durability: 'process',
  now,
});

async function runAll(agent: ReturnType<typeof createAgent>, prompts: readonly string[]): Promise<void> {
  for (const prompt of prompts) {
    for await (const _line of agent.submit(prompt)) void _line;
    await agent.untilSubagentsEnd();
  }
}

/** Runs the plan and copies its files before the write with this number. Returns the number of writes. */
async function runUntil(machine: Omit<Machine, 'now'>, copy: string, killAt: number): Promise<number> {
  let writes = 0;
  const effectsAtKill: string[] = [];
  const now = (): number => {
    if (++writes === killAt) {
      cpSync(machine.folder, copy, { recursive: true });
      effectsAtKill.push(...machine.effects);
    }
    return writes;
  };
  const opened = newSession(setupOf(machine.folder, now), 's1');
  if (!opened.ok) throw new Error(opened.message);
  await runAll(agentFor({ ...machine, now }, opened.session).agent, ['go', 'and?']);
  opened.session.journal.close();
  // Later effects belong to the process that was killed in the copy.
  if (killAt <= writes) machine.effects.splice(0, machine.effects.length, ...effectsAtKill);
  return writes;
}

function occurrences(messages: Iterable<Message>, text: string): number {
  return [...messages].filter((message) => JSON.stringify(message).includes(text)).length;
}

async function trial(seed: number, kinds: readonly Step[]): Promise<void> {
  const random = randomOf(seed);
  const plan = planOf(random, kinds);
  const root = mkdtempSync(path.join(tmpdir(), 'heddle-subagents-'));
  try {
    const writes = await runUntil({ folder: `${root}/dry`, plan, effects: [] }, '', 0);
    const effects: string[] = [];
    const killAt = 4 + Math.floor(random() * (writes - 4));
    await runUntil({ folder: `${root}/first`, plan, effects }, `${root}/second`, killAt);

    const now = (): number => 1_000_000;
    const opened = resumeSession(setupOf(`${root}/second`, now), 's1');
    // The kill may have come before the first prompt was stored.
    if (!opened.ok) return;
    const { agent, model } = agentFor({ folder: `${root}/second`, plan, effects, now }, opened.session);
    await runAll(agent, ['continue', 'and?', 'more?']);
    opened.session.journal.close();
    const { messages } = agent;
    const context = `seed ${seed}, kill at ${killAt} of ${writes}`;
    for (const { id } of plan) {
      const results = [...messages].flatMap(resultsOf).filter((result) => result.tool_use_id === id);
      const isStarted = occurrences(messages, `"id":"${id}"`) > 0;
      expect(results, `results of ${id}, ${context}`).toHaveLength(isStarted ? 1 : 0);
      const reports = occurrences(messages, `The report of ${id}.`);
      const notes = reports + interruptions(messages, id);
      if (isStarted) expect(notes, `reports of ${id}, ${context}`).toBe(1);
    }
    expect(new Set(effects).size, `effects, ${context}`).toBe(effects.length);
    model.assertNoViolations();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The model was told that this subagent in the background was interrupted, or that its call never began. */
function interruptions(messages: Iterable<Message>, id: string): number {
  const notices = [...messages].filter((message) => {
    const text = JSON.stringify(message);
    return (
      text.includes(`(${id}) was interrupted when`) ||
      (text.includes(`"tool_use_id":"${id}"`) && text.includes('before this call began'))
    );
  });
  return notices.length;
}

it(`no result of a subagent is lost or doubled, over ${TRIALS} kills`, async () => {
  for (let seed = 1; seed <= TRIALS; seed++) await trial(seed, ['Look', 'Change']);
});

it(`no result of a subagent below another one is lost or doubled, over ${TRIALS} kills`, async () => {
  for (let seed = 1; seed <= TRIALS; seed++) await trial(seed, ['Look', 'Change', 'Agent']);
});
