/** A history ten times the window, against a model that rejects anything over it. */
import { answer, fail, say, type StepFunction } from '@heddle/testing';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import type { Gates, ModelRequest } from '../../index.ts';
import { contextOptions, type LevelSwitches } from '../options.ts';
import { isSummaryRequest, playContext } from '../test/play.ts';
import { work } from '../test/talk.ts';
import { thresholdsOf } from '../thresholds.ts';

const WINDOW = 5_000;
const HISTORY = work(104, 500);
const usable = thresholdsOf(contextOptions({ windowOf: () => WINDOW }), 'm').blocking;

const counts = new Map<string, number>();

/** What the server counts: o200k over everything it is sent. */
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

const SWITCHES = ['resultBudget', 'snip', 'microcompact', 'collapse'] as const;

/** All combinations of the light levels. */
const combinations = Array.from({ length: 2 ** SWITCHES.length }, (_, bits) =>
  Object.fromEntries(SWITCHES.map((name, place) => [name, (bits & (1 << place)) !== 0])),
);

describe('a history ten times the window', () => {
  it('is one', () => expect(TOKENS).toBeGreaterThan(10 * WINDOW));

  for (const gates of [
    { autoCompact: true, reactiveCompact: true },
    { autoCompact: false, reactiveCompact: true },
    { autoCompact: true, reactiveCompact: false },
  ]) {
    for (const works of [true, false]) {
      it(`fits after at most 4 requests: ${JSON.stringify(gates)}, the summariser ${works ? 'works' : 'fails'}`, async () => {
        for (const levels of combinations) {
          const { terminal, main, summaries } = await overflow(levels, gates, works);
          expect({ levels, terminal }).toEqual({ levels, terminal: { reason: 'completed' } });
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

  it('fails where the summariser fails and the reducer is off, and says so', async () => {
    const { terminal, events } = await overflow({ reducer: false }, {}, false);
    expect(terminal.reason).toBe('prompt_too_long');
    const details = events.flatMap((event) => (event.type === 'context' ? [event.report.details] : []));
    expect(details).toContainEqual({ trigger: 'auto', failed: expect.stringContaining('reducer') as string });
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
