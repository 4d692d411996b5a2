/** Recorded runs of every continue and every terminal, fed to the machine again. */
import {
  type ConfigChanges,
  type EntryBody,
  LocalMediaError,
  query,
  queryConfig,
  type QueryParams,
  replayLogEntries,
  TERMINAL_REASONS,
  type Tool,
  TRANSITION_REASONS,
} from '@heddle/core';
import {
  allowAll,
  call,
  contextOf,
  createClock,
  cut,
  fail,
  failingCompactor,
  fakeAttachments,
  fakeContext,
  fakeDeps,
  fakeTool,
  fakeToolHooks,
  fakeTurnEnd,
  hang,
  refuse,
  say,
  type Script,
  scriptedModel,
  stopMessage,
  unfinished,
  usage,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { StoredCosts } from '../../cost/stored-costs.ts';
import { decodeEntry } from './decode.ts';
import { encodeEntry } from './encode.ts';
import { entriesOf } from './entries.ts';

interface Case {
  readonly name: string;
  readonly script: Script;
  readonly config?: ConfigChanges;
  readonly params?: Partial<QueryParams>;
  readonly deps?: Parameters<typeof fakeDeps>[0];
  readonly tools?: readonly Tool[];
  /** Aborts when an event of this type was stored. */
  readonly abortAt?: string;
  /** The transitions and the terminal, in order. */
  readonly walks: readonly string[];
}

const look = fakeTool({ name: 'Look' });
const noEscalation = { gates: { outputEscalation: false } };
const collapsing = { gates: { contextCollapse: true } };

const CASES: readonly Case[] = [
  {
    name: 'tools',
    script: [call('Look', {}, 'l1'), call('Look', { at: 2 }, 'l2'), say('Done.')],
    walks: ['next_turn', 'next_turn', 'completed'],
  },
  {
    name: 'a cut answer, escalated',
    script: [[unfinished(say('A long story')), cut()], say('A short one.')],
    walks: ['max_output_tokens_escalate', 'completed'],
  },
  {
    name: 'a cut answer, escalated, resumed three times and given up',
    script: Array.from({ length: 5 }, () => [say('More.'), unfinished(say('and')), cut()]),
    walks: [
      'max_output_tokens_escalate',
      ...Array<string>(3).fill('max_output_tokens_recovery'),
      'completed',
    ],
  },
  {
    name: 'a cut answer, resumed',
    script: [[say('One.'), unfinished(say('Two')), cut()], say('Two.')],
    config: noEscalation,
    walks: ['max_output_tokens_recovery', 'completed'],
  },
  {
    name: 'a cut answer with complete calls',
    script: [[call('Look', {}, 'l1'), unfinished(say('and')), cut()], say('Done.')],
    walks: ['next_turn', 'completed'],
  },
  {
    name: 'an overflow, drained, then compacted',
    script: [fail('overflow'), fail('overflow'), say('Now it fits.')],
    config: collapsing,
    deps: { context: fakeContext({ staged: 2 }) },
    walks: ['collapse_drain_retry', 'reactive_compact_retry', 'completed'],
  },
  {
    name: 'media, compacted',
    script: [fail('media'), say('Without the picture.')],
    walks: ['reactive_compact_retry', 'completed'],
  },
  {
    name: 'stop hooks that block, and one that prevents',
    script: [say('Done.'), say('Really.'), say('Truly.')],
    deps: { turnEnd: fakeTurnEnd({ stopHooks: [{ block: 'no' }, { block: 'no' }, { prevent: 'enough' }] }) },
    walks: ['stop_hook_blocking', 'stop_hook_blocking', 'stop_hook_prevented'],
  },
  {
    name: 'a token budget',
    script: [
      [say('A.'), usage({ output_tokens: 400 })],
      [say('B.'), usage({ output_tokens: 300 })],
      [say('C.'), usage({ output_tokens: 300 })],
    ],
    params: { tokenBudget: 1_000 },
    walks: ['token_budget_continuation', 'token_budget_continuation', 'completed'],
  },
  { name: 'a refusal', script: [[say('I would rather'), refuse()]], walks: ['completed'] },
  { name: 'an error', script: [fail('auth')], walks: ['api_error'] },
  { name: 'an answer that is empty twice', script: [[], []], walks: ['api_error'] },
  {
    name: 'a retry and a fallback',
    script: [fail('network'), say('Here.')],
    walks: ['completed'],
  },
  {
    name: 'the turn limit',
    script: [call('Look', {}, 'l1'), call('Look', { at: 2 }, 'l2')],
    params: { maxTurns: 2 },
    walks: ['next_turn', 'max_turns'],
  },
  {
    name: 'an abort while streaming',
    script: [[say('One moment.'), hang()]],
    abortAt: 'assistant',
    walks: ['aborted_streaming'],
  },
  {
    name: 'an abort after tools',
    script: [call('Look', {}, 'l1'), say('never')],
    abortAt: 'outcome',
    walks: ['aborted_tools'],
  },
  {
    name: 'the blocking limit',
    script: [],
    config: { gates: { autoCompact: false, reactiveCompact: false } },
    deps: { context: fakeContext({ overLimit: true }) },
    walks: ['blocking_limit'],
  },
  {
    name: 'autocompaction that fails, then works',
    script: [call('Look', {}, 'l1'), say('Done.')],
    deps: { context: fakeContext({ autoCompact: ['failed', { id: 'c1', replacedTokens: 10 }] }) },
    walks: ['next_turn', 'completed'],
  },
  {
    name: 'a tool hook that stops the run',
    script: [call('Look', {}, 'l1'), say('never')],
    deps: { toolHooks: fakeToolHooks({ after: { Look: { stop: stopMessage('enough') } } }) },
    walks: ['hook_stopped'],
  },
  {
    name: 'an overflow that nothing helps',
    script: [fail('overflow')],
    deps: { context: fakeContext({ compact: failingCompactor() }) },
    walks: ['prompt_too_long'],
  },
  {
    name: 'media that nothing helps',
    script: [fail('media')],
    deps: { context: fakeContext({ compact: failingCompactor() }) },
    walks: ['image_error'],
  },
  {
    name: 'media that cannot be processed here',
    script: [],
    deps: {
      context: {
        ...fakeContext(),
        // oxlint-disable-next-line require-yield -- it never gets that far
        async *prepare() {
          throw new LocalMediaError('too large');
        },
      },
    },
    walks: ['image_error'],
  },
  {
    name: 'a bug of ours',
    script: [call('Look', {}, 'l1')],
    deps: {
      attachments: { ...fakeAttachments(), gather: () => Promise.reject(new Error('a bug')) },
    },
    walks: ['model_error'],
  },
  {
    name: 'repetition',
    script: Array.from({ length: 12 }, (_, index) => call('Look', {}, `l${index}`)),
    walks: [...Array<string>(11).fill('next_turn'), 'repetition_stopped'],
  },
  {
    name: 'repetition that the user allows to continue',
    script: [
      ...Array.from({ length: 12 }, (_, index) => call('Look', {}, `l${index}`)),
      say('Now I see it.'),
    ],
    config: { canAsk: true },
    deps: { askToContinue: () => Promise.resolve(true) },
    walks: [...Array<string>(12).fill('next_turn'), 'completed'],
  },
];

/** Plays a case and writes its log, through the lines of a file and back. */
async function record({ script, config, params, deps, tools = [look], abortAt }: Case): Promise<EntryBody[]> {
  const clock = createClock({ auto: true });
  const controller = new AbortController();
  const log: EntryBody[] = [];
  const store = (body: EntryBody): void => {
    const line = encodeEntry({ ...body, at: clock.now() }, FRAME, {
      parentUuid: null,
      bill: new StoredCosts(),
    });
    const decoded = decodeEntry(JSON.stringify(line));
    if (decoded.kind !== 'entry') throw new Error('The entry does not come back.');
    log.push(decoded.entry);
    if (body.type === abortAt) controller.abort('cancel');
  };
  const prompt = { type: 'user', uuid: 'u1', at: 0, content: 'go' } as const;
  store({ type: 'user', message: prompt });
  const model = scriptedModel(script, { clock });
  const run = query({
    messages: [prompt],
    systemPrompt: ['Be good.'],
    userContext: {},
    systemContext: {},
    authorizeCall: allowAll,
    toolUseContext: contextOf({ tools, signal: controller.signal }),
    querySource: 'sdk',
    ...params,
    config: { sessionId: 's', ...config },
    deps: fakeDeps({ random: () => 0.5, ...deps, model, clock }),
  });
  let next = await run.next();
  for (; !next.done; next = await run.next()) for (const body of entriesOf(next.value)) store(body);
  store({ type: 'end', terminal: next.value });
  model.assertNoViolations();
  return log;
}

const FRAME = { sessionId: 's', cwd: '/', version: 'test' };

function walked(log: readonly EntryBody[]): string[] {
  return log.flatMap((entry) => {
    if (entry.type === 'transition') return [entry.transition.reason];
    return entry.type === 'end' ? [entry.terminal.reason] : [];
  });
}

function configOf({ config, params }: Case): ReturnType<typeof queryConfig> {
  const { tokenBudget, maxTurns } = params ?? {};
  return queryConfig({ sessionId: 's', ...config, tokenBudget, maxTurns });
}

describe('a recorded run', () => {
  it.each(CASES)('is what the machine decides again: $name', async (given) => {
    const log = await record(given);
    expect(walked(log)).toEqual(given.walks);
    expect(replayLogEntries(log, configOf(given))).toEqual({
      runs: 1,
      confirmed: given.walks.length,
      undecided: 0,
      mismatches: [],
    });
  });

  it('is there for every continue and every terminal of the loop', () => {
    const seen = new Set(CASES.flatMap(({ walks }) => walks));
    const missing = [...TRANSITION_REASONS, ...TERMINAL_REASONS].filter((reason) => !seen.has(reason));
    // The engine's own end, which the machine knows nothing of.
    expect(missing).toEqual(['max_budget_usd']);
  });
});

describe('a log that is not a walk of the machine', () => {
  const tools = CASES[0] as Case;
  const escalated = CASES[1] as Case;

  async function forged(given: Case, change: (log: EntryBody[]) => EntryBody[]): Promise<string[]> {
    const { mismatches } = replayLogEntries(change(await record(given)), configOf(given));
    return mismatches.map(({ iteration, recorded }) => `${iteration}: ${recorded}`);
  }

  it('has an iteration that continued without a call', async () => {
    const changed = await forged(tools, (log) =>
      log.filter((entry) => entry.type !== 'assistant' || JSON.stringify(entry).includes('Done.')),
    );
    expect(changed).toEqual([expect.stringMatching(/^1: .*next_turn/)]);
  });

  it('counts its turns wrong', async () => {
    const changed = await forged(tools, (log) =>
      log.map((entry) => (entry.type === 'transition' ? { ...entry, turnCount: 7 } : entry)),
    );
    expect(changed).toEqual([expect.stringMatching(/^1: /)]);
  });

  it('uses a recovery twice that a guard allows once', async () => {
    const changed = await forged(escalated, (log) => {
      const at = log.findIndex(({ type }) => type === 'transition');
      return [...log.slice(0, at + 1), ...log.slice(1, at + 1), ...log.slice(at + 1)];
    });
    expect(changed).toEqual([expect.stringMatching(/^2: .*max_output_tokens_escalate/)]);
  });

  it('ends well after an error', async () => {
    const changed = await forged(CASES.find(({ walks }) => walks[0] === 'api_error') ?? tools, (log) =>
      log.map((entry) => (entry.type === 'end' ? { ...entry, terminal: { reason: 'completed' } } : entry)),
    );
    expect(changed).toEqual([expect.stringMatching(/^1: .*completed/)]);
  });

  it('stops for repetition that was none', async () => {
    const changed = await forged(tools, (log) =>
      log.map((entry) =>
        entry.type === 'end'
          ? { ...entry, terminal: { reason: 'repetition_stopped', calls: [{ tool: 'Look', count: 12 }] } }
          : entry,
      ),
    );
    expect(changed).toHaveLength(1);
  });
});

describe('a log that was edited', () => {
  it('may lack what a call is made of', async () => {
    const log = await record(CASES[0] as Case);
    const broken: EntryBody[] = JSON.parse(JSON.stringify(log), (key, value: unknown) =>
      key === 'name' || key === 'input' ? undefined : value,
    );
    expect(replayLogEntries(broken, configOf(CASES[0] as Case)).runs).toBe(1);
  });
});

describe('a log that breaks off', () => {
  it('is confirmed as far as it goes, and the next run is judged on its own', async () => {
    const log = await record(CASES[0] as Case);
    const cutOff = log.slice(0, log.findIndex(({ type }) => type === 'transition') + 2);
    expect(replayLogEntries([...cutOff, ...log], configOf(CASES[0] as Case))).toEqual({
      runs: 2,
      confirmed: 4,
      undecided: 1,
      mismatches: [],
    });
  });
});
