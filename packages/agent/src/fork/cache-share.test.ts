/**
 * Suggestions, extractions and summaries read the conversation from the cache, wherever they start. The caching calculator of the
 * test kit decides. `fork.test.ts` has side questions of the user; `compactions.test.ts` has summaries between prompts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SUMMARY_MARK } from '@heddle/context';
import type { ModelRequest } from '@heddle/core';
import {
  answer,
  bodyOf,
  call,
  createTestGate,
  fakeTool,
  say,
  scriptedModel,
  sessionCacheCost,
  type StepFunction,
  usage,
} from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { AgentOptions } from '../engine/options.ts';
import { newSession, type OpenSetup, resumeSession } from '../session/open/open.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-cache-share-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const look = fakeTool({ name: 'Look', run: (_input, _context, at) => `line ${at} `.repeat(300) });
const glance = fakeTool({ name: 'Glance', run: () => 'nothing new' });

interface Kind {
  /** Words of the question. */
  readonly words: string;
  readonly reply: string;
  readonly options: () => Partial<AgentOptions>;
}

const SUGGESTION: Kind = {
  words: 'Predict the next prompt',
  reply: 'run the tests',
  options: () => ({ promptSuggestions: true }),
};
const EXTRACTION: Kind = {
  words: 'Decide what a later session',
  reply: '[]',
  options: () => ({ memory: path.join(folder, 'memory') }),
};
const SUMMARY: Kind = {
  words: SUMMARY_MARK,
  reply: '## Intent\nContinue.',
  options: () => ({
    context: { windowOf: () => 64_000, reservedOutput: 2_000, levels: { microcompact: false } },
  }),
};

const isOf =
  ({ words }: Kind) =>
  (request: ModelRequest): boolean =>
    JSON.stringify(request.messages.last()?.content).includes(words);

/** So many calls in one answer that no look-back over twenty blocks reaches over the turn. */
const looks = (turn: number) =>
  Array.from({ length: 24 }, (_, index) => call('Look', { at: index }, `c${turn}-${index}`));

/** Looks around, then answers. Other requests get the answer that their kind expects. */
const work =
  (kind: Kind): StepFunction =>
  (request, count) => {
    if (isOf(kind)(request)) return say(kind.reply);
    const isAnswered = request.messages.last()?.content.some(({ type }) => type === 'tool_result');
    return isAnswered ? say('Done.') : looks(count);
  };

function agentOf(kind: Kind, script: StepFunction, options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(script);
  const common = { model, modelName: 'scripted', tools: [look, glance], cwd: folder };
  const agent = createAgent({ ...common, ...kind.options(), ...options });
  const run = async (prompt: string): Promise<void> => {
    for await (const line of agent.submit(prompt)) void line;
  };
  return { agent, model, run, requests: () => model.calls.map(({ request }) => request) };
}

/** The share of each request of the kind that comes from the cache. */
function sharesOf(kind: Kind, requests: readonly ModelRequest[]): readonly number[] {
  const { bills } = sessionCacheCost(requests.map(bodyOf), { minimum: 100 });
  return bills.flatMap(({ cacheRead, cacheCreation, input }, index) => {
    const request = requests[index];
    return request && isOf(kind)(request) ? [cacheRead / (cacheRead + cacheCreation + input)] : [];
  });
}

function expectCached(kind: Kind, requests: readonly ModelRequest[], count: number): void {
  const shares = sharesOf(kind, requests);
  expect(shares).toHaveLength(count);
  expect(Math.min(...shares)).toBeGreaterThan(0.95);
}

describe.each([
  ['a suggestion', SUGGESTION],
  ['an extraction', EXTRACTION],
])('%s reads more than nineteen twentieths from the cache', (_, kind) => {
  it('in a run: a stop hook lets the model continue after it was asked for', async () => {
    const asked = Promise.withResolvers<void>();
    const steps = work(kind);
    const script: StepFunction = (request, count) => {
      if (isOf(kind)(request)) asked.resolve();
      return steps(request, count);
    };
    let stops = 0;
    const stop = async () => {
      await asked.promise;
      return stops++ === 0 ? { block: 'Look again.' } : {};
    };
    const { agent, run, requests } = agentOf(kind, script, { hooks: { stop } });
    await run('go');
    await agent.settle();
    const kinds = requests().map(isOf(kind));
    // The conversation continued behind the first question.
    expect(kinds.slice(kinds.indexOf(true))).toContain(false);
    expectCached(kind, requests(), kinds.filter(Boolean).length);
  });

  it('after a resume: nothing is asked before the first prompt, and its end reads the cache', async () => {
    const place = { configDir: folder, cwd: folder };
    const setup: OpenSetup = { place, version: '0', durability: 'process', now: () => 1 };
    const opened = newSession(setup, 's1');
    if (!opened.ok) throw new Error(opened.message);
    const first = agentOf(kind, work(kind), { session: opened.session });
    await first.run('go');
    await first.agent.settle();
    opened.session.journal.close();
    const resumed = resumeSession(setup, 's1');
    if (!resumed.ok) throw new Error(resumed.message);
    const second = agentOf(kind, work(kind), { session: resumed.session });
    await second.agent.settle();
    expect(second.requests()).toEqual([]);
    await second.run('again');
    await second.agent.settle();
    resumed.session.journal.close();
    expectCached(kind, [...first.requests(), ...second.requests()], 2);
  });
});

describe('at the start of a prompt', () => {
  /** Holds the prompt with this number before its first request. */
  function holdPrompt(at: number) {
    const gate = createTestGate();
    let prompts = 0;
    const onAccepted = async (): Promise<void> => {
      if (++prompts === at) await gate.pass();
    };
    return { onAccepted, gate };
  }

  it('an extraction that waited for an earlier one reads more than 95 % from the cache', async () => {
    const { onAccepted, gate: prompt } = holdPrompt(3);
    const earlier = createTestGate();
    const later = createTestGate();
    const gates = [earlier, later];
    const steps = work(EXTRACTION);
    const script: StepFunction = (request, count) => {
      const gate = isOf(EXTRACTION)(request) ? gates.shift() : undefined;
      return gate ? say(gate, EXTRACTION.reply) : steps(request, count);
    };
    const { agent, run, requests } = agentOf(EXTRACTION, script, { onAccepted });
    await run('one');
    await earlier.reached;
    await run('two');
    const running = run('three');
    await prompt.reached;
    const before = requests().length;
    earlier.open();
    await later.reached;
    expect(requests().slice(before).map(isOf(EXTRACTION))).toEqual([true]);
    later.open();
    prompt.open();
    await running;
    await agent.settle();
    expectCached(EXTRACTION, requests(), 3);
  });

  it('no suggestion is asked for: the prompt cancels an open one, because the user has typed', async () => {
    const { onAccepted, gate: prompt } = holdPrompt(2);
    const open = createTestGate();
    const steps = work(SUGGESTION);
    const script: StepFunction = (request, count) =>
      isOf(SUGGESTION)(request) ? say(open, SUGGESTION.reply) : steps(request, count);
    const { model, agent, run } = agentOf(SUGGESTION, script, { onAccepted });
    await run('one');
    await open.reached;
    const running = run('two');
    await prompt.reached;
    const suggestions = model.calls.filter(({ request }) => isOf(SUGGESTION)(request));
    expect(suggestions.map(({ ended }) => ended)).toEqual(['aborted']);
    prompt.open();
    await running;
    open.open();
    await agent.settle();
    // The end of the second prompt asks again, and reads the cache.
    expectCached(
      SUGGESTION,
      model.calls.map(({ request }) => request),
      2,
    );
  });
});

describe('a summary reads more than 95 % from the cache', () => {
  it('in a run, when the window fills between two answers', async () => {
    const script: StepFunction = (request, count) => {
      if (isOf(SUMMARY)(request)) return say(SUMMARY.reply);
      // The window is nearly full after the second answer.
      if (count === 1) return looks(1);
      return count === 2 ? answer(usage({ input_tokens: 60_000 }), call('Glance', {}, 'last')) : say('Done.');
    };
    const { run, requests } = agentOf(SUMMARY, script);
    await run('go');
    expect(requests().map(isOf(SUMMARY))).toEqual([false, false, true, false]);
    expectCached(SUMMARY, requests(), 1);
  });
});
