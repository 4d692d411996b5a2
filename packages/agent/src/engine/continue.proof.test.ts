/**
 * Cuts random runs off after each of their entries and continues them. The result is that of the uninterrupted run. The only
 * exception is a writing call that had begun: its result names the uncertainty.
 */
import { SUMMARY_MARK } from '@heddle/context';
import {
  type Entry,
  type EntryBody,
  type JsonObject,
  type Message,
  type ModelRequest,
  queryConfig,
  replayLogEntries,
  resultsOf,
  textOf,
} from '@heddle/core';
import {
  answer,
  call,
  createClock,
  cut,
  fail,
  fakeTool,
  say,
  scriptedModel,
  type ScriptedModel,
  type ScriptStep,
  think,
  unfinished,
} from '@heddle/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { SdkResult } from '../sdk/message.ts';
import { memorySession } from '../session/open/memory.ts';
import type { Session } from '../session/open/open.ts';

const PROVING = process.env['HEDDLE_PROVE'] === '1';
const RUNS = PROVING ? 2_000 : 12;
const TIMEOUT = PROVING ? 60 * 60_000 : 60_000;
const SEED = Number(process.env['HEDDLE_SEED'] ?? 3);

interface PlannedTurn {
  readonly thinks: boolean;
  readonly says: boolean;
  readonly calls: readonly ('Look' | 'Write' | 'Fail' | 'Denied')[];
  /** The answer is cut at the usual output cap, and complete with the raised one. */
  readonly isCut: boolean;
}

interface RunPlan {
  /** The turns with calls. A turn without calls ends the run. */
  readonly turns: readonly PlannedTurn[];
  /** From this turn on, the first model does not exist. */
  readonly fallsBackAt: number;
  /** At this turn, the request is too long until the conversation is compacted. */
  readonly overflowsAt: number;
  /** A stop hook sends the run back once. */
  readonly hookBlocks: boolean;
  readonly maxTurns: number;
  readonly startsEarly: boolean;
}

const anyTurn: fc.Arbitrary<PlannedTurn> = fc.record({
  thinks: fc.boolean(),
  says: fc.boolean(),
  calls: fc.array(fc.constantFrom('Look', 'Write', 'Fail', 'Denied'), { minLength: 1, maxLength: 3 }),
  isCut: fc.boolean(),
});
const anyPlan: fc.Arbitrary<RunPlan> = fc.record({
  turns: fc.array(anyTurn, { maxLength: 4 }),
  fallsBackAt: fc.nat(8),
  overflowsAt: fc.nat(8),
  hookBlocks: fc.boolean(),
  maxTurns: fc.constantFrom(0, 0, 2),
  startsEarly: fc.boolean(),
});

const FIRST_MODEL = 'first';
const OBJECTION = 'Not yet: check it.';
const HANDOFF = 'Finished turns:';

/** The request contains everything that the model needs to know, so a repeated request gets the same answer. */
function respond(plan: RunPlan, request: ModelRequest): ScriptStep {
  const conversation = JSON.stringify([...request.messages]);
  const turn = finishedTurns(conversation);
  if (request.model === FIRST_MODEL && turn >= plan.fallsBackAt) return answer(fail('not_found'));
  if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
    return answer(say(`${HANDOFF} ${'x'.repeat(turn)}.`));
  if (turn === plan.overflowsAt && !conversation.includes(HANDOFF)) return answer(fail('overflow'));
  const planned = plan.turns[turn];
  if (!planned) return answer(say(conversation.includes(OBJECTION) ? 'Done again.' : 'Done.'));
  const parts = [
    ...(planned.thinks ? [think(`About turn ${turn}.`)] : []),
    ...(planned.says ? [say(`This is turn ${turn}.`)] : []),
  ];
  if (planned.isCut && request.max_tokens <= 8_192)
    return answer(...parts, unfinished(say('This takes a while')), cut());
  return answer(...parts, ...planned.calls.map((tool, at) => call(tool, { turn, at }, `c${turn}_${at}`)));
}

function finishedTurns(conversation: string): number {
  const summary = /Finished turns: (x*)\./.exec(conversation)?.[1]?.length ?? 0;
  const ids = Array.from(conversation.matchAll(/"c(\d)_\d"/g), ([, turn]) => Number(turn) + 1);
  return Math.max(summary, ...ids, 0);
}

interface Played {
  readonly entries: readonly Entry[];
  readonly messages: readonly Message[];
  readonly result: SdkResult | undefined;
  /** The writing calls that ran, by their ids. */
  readonly written: readonly string[];
}

async function play(plan: RunPlan, model: ScriptedModel, stored: readonly EntryBody[]): Promise<Played> {
  const clock = createClock({ auto: true });
  const session = sessionWith(stored, clock.now);
  const written: string[] = [];
  const write = (_input: JsonObject, { toolUseId }: { toolUseId: string }): string => {
    written.push(toolUseId);
    return `wrote ${toolUseId}`;
  };
  const agent = createAgent({
    model,
    modelName: FIRST_MODEL,
    fallbackModel: 'second',
    tools: [
      fakeTool({ name: 'Look', run: (input) => `saw ${JSON.stringify(input)}` }),
      fakeTool({ name: 'Fail', fails: 'It failed.' }),
      fakeTool({ name: 'Write', readOnly: false, run: write }),
      fakeTool({ name: 'Denied', readOnly: false, run: write }),
    ],
    cwd: '/',
    clock,
    session,
    maxTurns: plan.maxTurns,
    rules: { allow: rule('Write'), deny: rule('Denied'), ask: [] },
    config: { gates: { streamingToolExecution: plan.startsEarly } },
    hooks: {
      stop: async ({ stopHookActive }) => (plan.hookBlocks && !stopHookActive ? { block: OBJECTION } : {}),
    },
  });
  let result: SdkResult | undefined;
  const lines = stored.length === 0 ? agent.submit('Do the work.') : agent.continue();
  for await (const line of lines) if (line.type === 'result') result = line;
  model.assertNoViolations();
  return { entries: session.journal.entries, messages: [...agent.messages], result, written };
}

const rule = (text: string) => [{ text, source: 'user' as const }];

function sessionWith(
  stored: readonly EntryBody[],
  now: () => number,
): Session & Pick<ReturnType<typeof memorySession>, 'journal'> {
  const session = memorySession('s1', now);
  const [first] = stored;
  for (const entry of stored) {
    session.journal.append(entry);
    session.projection.apply(entry);
  }
  return first?.type === 'session' ? { ...session, snapshot: first.snapshot } : session;
}

/** The handoff of a compaction lists uncertain calls, too. */
const FAILED_CALLS = /## Calls that failed[\s\S]*?\n\n/;

/** The conversation without ids and times, and the result. Results are listed by call, because their order may differ. */
function outcomeOf({ messages, result }: Played, uncertain: ReadonlySet<string>) {
  const results: Record<string, unknown> = {};
  const uncertainResults: unknown[] = [];
  const others: unknown[] = [];
  for (const message of messages) {
    if (message.type === 'assistant') others.push(message.content);
    if (message.type === 'attachment') others.push(message.attachment);
    if (message.type !== 'user') continue;
    for (const { tool_use_id: id, content } of resultsOf(message))
      if (uncertain.has(id)) uncertainResults.push(content);
      else results[id] = content;
    if (resultsOf(message).length === 0) others.push(textOf(message.content).replace(FAILED_CALLS, ''));
  }
  const { terminal_reason: reason, num_turns: turns, result: text } = result ?? {};
  return { results, uncertainResults, others, reason, turns, text };
}

/** Writing calls that had begun when the run was cut off, and have no stored result. */
function uncertainCalls(entries: readonly EntryBody[]): string[] {
  const ended = new Set(
    entries.flatMap((entry) =>
      entry.type === 'user' ? resultsOf(entry.message).map(({ tool_use_id: id }) => id) : [],
    ),
  );
  return entries.flatMap((entry) =>
    entry.type === 'intent' && entry.effect === 'writing' && !ended.has(entry.toolUseId)
      ? entry.toolUseId
      : [],
  );
}

async function checkEveryCut(plan: RunPlan): Promise<{ readonly cuts: number; readonly uncertain: number }> {
  // One model for all processes: it recognizes the signatures of its thinking.
  const model = scriptedModel((request) => respond(plan, request));
  const whole = await play(plan, model, []);
  const config = queryConfig({ sessionId: 's1', maxTurns: plan.maxTurns });
  const start = whole.entries.findIndex(({ type }) => type === 'user') + 1;
  let uncertainties = 0;
  for (let length = start; length < whole.entries.length; length++) {
    const prefix = whole.entries.slice(0, length);
    const after = await play(plan, model, prefix);
    const uncertain = new Set(uncertainCalls(prefix));
    uncertainties += uncertain.size;
    const begun = new Set(prefix.flatMap((entry) => (entry.type === 'intent' ? entry.toolUseId : [])));
    const expected = outcomeOf(whole, uncertain);
    const seen = {
      cutAfter: prefix.at(-1),
      ...outcomeOf(after, uncertain),
      repeatedWrites: after.written.filter((id) => begun.has(id)),
      missingWrites: whole.written.filter((id) => !begun.has(id) && !after.written.includes(id)),
      mismatches: replayLogEntries(after.entries, config).mismatches,
    };
    expect(seen).toEqual({
      ...expected,
      cutAfter: prefix.at(-1),
      // A later compaction may have replaced the result.
      uncertainResults: seen.uncertainResults.map((): unknown =>
        expect.stringContaining('may or may not have taken'),
      ),
      repeatedWrites: [],
      missingWrites: [],
      mismatches: [],
    });
  }
  return { cuts: whole.entries.length - start, uncertain: uncertainties };
}

it(
  `continues ${RUNS} random runs after each of their entries`,
  async () => {
    const seen = { cuts: 0, uncertain: 0 };
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const { cuts, uncertain } = await checkEveryCut(plan);
        seen.cuts += cuts;
        seen.uncertain += uncertain;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    console.log(`${seen.cuts} cuts, ${seen.uncertain} uncertain calls`);
    expect(seen.cuts).toBeGreaterThan(RUNS * 5);
    expect(seen.uncertain).toBeGreaterThan(RUNS / 10);
  },
  TIMEOUT,
);
