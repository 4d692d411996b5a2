/** A history ten times the window, against a model that rejects anything over it. */
import type { Gates, ModelRequest } from '@heddle/core';
import { answer, call, fail, say, type StepFunction } from '@heddle/testing';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { contextOptions, type LevelSwitches } from '../options.ts';
import { isSummaryRequest, playContext } from '../test/play.ts';
import { prose, work } from '../test/talk.ts';
import { thresholdsOf } from '../thresholds.ts';

const WINDOW = 5_000;
const HISTORY = work(104, 500);
const usable = thresholdsOf(contextOptions({ windowOf: () => WINDOW }), 'm').blocking;

const counts = new Map<string, number>();

/** The count of the server: o200k over the whole request. */
function tokensOf({ system, tools, messages }: ModelRequest): number {
  let tokens = count(JSON.stringify(system)) + count(JSON.stringify(tools));
  for (const message of messages) tokens += count(JSON.stringify(message));
  return tokens;
}

function count(json: string): number {
  const known = counts.get(json) ?? encode(json).length;
  counts.set(json, known);
  return known;
}

/** Ten times the window and a little. */
const TOKENS = HISTORY.reduce(
  (sum, message) => sum + count(JSON.stringify('content' in message ? message.content : '')),
  0,
);

const server =
  (summariserWorks: boolean): StepFunction =>
  (request) => {
    if (tokensOf(request) > WINDOW) return fail('overflow');
    if (!isSummaryRequest(request)) return answer(say('Done.'));
    return summariserWorks
      ? answer(say('## Intent\nFix the test.\n## Next step\nRun it.'))
      : fail('bad_request');
  };

const overflow = (levels: Partial<LevelSwitches>, gates: Partial<Gates>, summariserWorks: boolean) =>
  playContext(server(summariserWorks), {
    messages: HISTORY,
    gates,
    changes: { windowOf: () => WINDOW, levels },
  });

const SWITCHES = [
  'resultBudget',
  'snip',
  'microcompact',
  'collapse',
  'cachedMicrocompact',
  'reducer',
] as const;

type Levels = Readonly<Record<(typeof SWITCHES)[number], boolean>>;

/** All combinations of the levels. */
const combinations = Array.from({ length: 2 ** SWITCHES.length }, (_, bits): Levels => {
  const on = SWITCHES.map((name, place) => [name, (bits & (1 << place)) !== 0]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each switch
  return Object.fromEntries(on) as Levels;
});

/** The two levels that the machine switches. */
const GATES = [
  { autoCompact: true, reactiveCompact: true },
  { autoCompact: false, reactiveCompact: true },
  { autoCompact: true, reactiveCompact: false },
  { autoCompact: false, reactiveCompact: false },
];

/** Which ends may be: without a remedy, and where the last one is off, only what the light levels achieve. */
function mayEnd(levels: Levels, { autoCompact, reactiveCompact }: Partial<Gates>, works: boolean): string[] {
  if (!autoCompact && !reactiveCompact) return ['completed', 'blocking_limit'];
  return works || levels.reducer ? ['completed'] : ['completed', 'prompt_too_long', 'blocking_limit'];
}

/** Every combination meets one pair of gates; in the long proofs, all of them. */
const isProof = process.env['HEDDLE_PROVE'] === '1';

describe('a history ten times the window', () => {
  it('is one', () => expect(TOKENS).toBeGreaterThan(10 * WINDOW));

  for (const works of [true, false]) {
    for (const [row, gates] of GATES.entries()) {
      it(`fits after at most 4 requests: ${JSON.stringify(gates)}, the summarizer ${works ? 'works' : 'fails'}`, async () => {
        for (const [index, levels] of combinations.entries()) {
          if (!isProof && (index + (index >> 2) + (index >> 4)) % GATES.length !== row) continue;
          const { terminal, main, summaries } = await overflow(levels, gates, works);
          expect({ levels, ends: mayEnd(levels, gates, works) }).toEqual({
            levels,
            ends: expect.arrayContaining([terminal.reason]) as string[],
          });
          expect(main.length).toBeLessThanOrEqual(4);
          expect(summaries.length).toBeLessThanOrEqual(Math.ceil(TOKENS / usable) + 1);
        }
      });
    }
  }

  it('is stopped with a clear word where every remedy is switched off', async () => {
    const off = { autoCompact: false, reactiveCompact: false };
    const { terminal, main } = await overflow({}, off, true);
    expect([terminal.reason, main.length]).toEqual(['blocking_limit', 0]);
  });

  it('fails with a reason if the summarizer fails and the reducer is off', async () => {
    const { terminal, events } = await overflow({ reducer: false }, {}, false);
    expect(terminal.reason).toBe('prompt_too_long');
    const details = events.flatMap((event) => (event.type === 'context' ? [event.report.details] : []));
    expect(details).toContainEqual({
      trigger: 'auto',
      failed: expect.stringContaining('reducer') as string,
      failures: 0,
    });
  });
});

describe('a session that was healed', () => {
  it('can be healed again: what recovery has used up comes back with every good answer', async () => {
    const { terminal, main, events } = await playContext(
      (request, count) => {
        if (isSummaryRequest(request)) return answer(say('## Intent\nContinue.'));
        if (tokensOf(request) > WINDOW) return fail('overflow');
        if (count > 60) return answer(say('Done.'));
        // Each look brings what the client takes for half of it.
        return answer(call('Read', { file_path: `/${count}` }, `c${count}`));
      },
      {
        messages: work(2, 500),
        gates: { autoCompact: false, repetition: false },
        // The estimate never sees it coming: the server's word is all there is.
        changes: { windowOf: () => WINDOW, levels: { microcompact: false } },
        output: (at) => prose(700, at),
      },
    );
    expect(terminal.reason).toBe('completed');
    const healed = events.filter(
      (event) => event.type === 'context' && event.report.level === 'reactive_compact',
    );
    expect(healed.length).toBeGreaterThan(2);
    // A failure, a healed request: never two failures in a row.
    const sizes = main.map((request) => tokensOf(request) > WINDOW);
    expect(sizes.some((isOver, index) => isOver && sizes[index + 1] === true)).toBe(false);
  });
});

describe('a server that counts more than we do', () => {
  it('is not asked again and again where there is nothing to leave out', async () => {
    const { terminal, main, summaries } = await playContext(() => fail('overflow'), { messages: work(0, 0) });
    expect([terminal.reason, main.length, summaries.length]).toEqual(['prompt_too_long', 1, 0]);
  });

  it('is believed: what it refused is halved until it fits', async () => {
    const strict: StepFunction = (request) =>
      tokensOf(request) > WINDOW / 2 ? fail('overflow') : answer(say('Done, or summed up.'));
    const { terminal, main } = await playContext(strict, {
      messages: work(11, 500),
      changes: { windowOf: () => WINDOW },
    });
    expect(terminal.reason).toBe('completed');
    expect(main.length).toBeLessThanOrEqual(4);
  });
});
