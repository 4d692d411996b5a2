import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestOf, type ShortMessage } from '../request-of.ts';
import { bodyOf } from '../request-body.ts';
import {
  bestCacheCostOf,
  type CacheCost,
  cacheCostOf,
  sessionCacheCost,
  minimumCacheable,
  shareRead,
} from './bill.ts';
import { type CacheBlock, cacheBlocks, cacheBlocksOf } from './blocks.ts';

/** `'s a* b'`: three blocks of 1,000 tokens each, the middle one marked. */
function blocks(words: string, tokens = 1_000): CacheBlock[] {
  return cacheBlocks(
    words.split(' ').map((word) => ({ name: word.replace('*', ''), tokens, marked: word.endsWith('*') })),
  );
}

function short({ cacheRead, cacheCreation, input }: CacheCost): string {
  return `${cacheRead / 1_000}/${cacheCreation / 1_000}/${input / 1_000}`;
}

function billed(...requests: readonly string[]): string[] {
  return cacheCostOf(requests.map((words) => blocks(words))).map(short);
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `b${from + index}`);

describe('the bill, read/written/neither in thousands', () => {
  it('writes up to the last mark and reads it the next time', () => {
    expect(billed('s a b*', 's a b* c d*', 's a b c d* e')).toEqual(['0/3/0', '3/2/0', '5/0/1']);
  });

  it('writes nothing without a mark, and reads nothing either', () => {
    expect(billed('s a b', 's a b', 's a b*', 's a b')).toEqual(['0/0/3', '0/0/3', '0/3/0', '0/0/3']);
  });

  it('reads what lies behind an older mark that moved, by looking back', () => {
    expect(billed('s a b*', 's a b c d*')).toEqual(['0/3/0', '3/2/0']);
  });

  it('pays again for everything behind a changed block', () => {
    expect(billed('s t* a b*', 's t* x b*')).toEqual(['0/4/0', '2/2/0']);
  });

  it('looks back over 20 positions and not one more', () => {
    const grown = (added: number) => ['s', 't*', ...numbered(added).slice(0, -1), `b${added - 1}*`].join(' ');
    const prefix = 's t*';
    expect(billed(prefix, `s t ${numbered(18).join(' ')} end*`)).toEqual(['0/2/0', '2/19/0']);
    expect(billed(prefix, `s t ${numbered(19).join(' ')} end*`)).toEqual(['0/2/0', '0/22/0']);
    expect(billed(prefix, grown(24))).toEqual(['0/2/0', '2/24/0']);
  });

  it('a turn of 24 new blocks loses the history, unless the mark of the request before is kept', () => {
    const history = numbered(30).join(' ');
    const turn = numbered(23, 30).join(' ');
    expect(billed(`s t* ${history} a*`, `s t* ${history} a ${turn} z*`)[1]).toBe('2/55/0');
    expect(billed(`s t* ${history} a*`, `s t* ${history} a* ${turn} z*`)[1]).toBe('33/24/0');
  });

  it('does not cache what is below the minimum', () => {
    const requests = [blocks('s* a*', 600), blocks('s* a* b*', 600)];
    expect(cacheCostOf(requests, { minimum: 1_024 })).toEqual([
      { cacheRead: 0, cacheCreation: 1_200, input: 0 },
      { cacheRead: 1_200, cacheCreation: 600, input: 0 },
    ]);
    expect(cacheCostOf(requests, { minimum: 4_096 })).toEqual([
      { cacheRead: 0, cacheCreation: 0, input: 1_200 },
      { cacheRead: 0, cacheCreation: 0, input: 1_800 },
    ]);
    expect([minimumCacheable('claude-sonnet-4-5'), minimumCacheable('claude-opus-4-6')]).toEqual([
      1_024, 4_096,
    ]);
  });
});

describe('properties of the bill', () => {
  const request = fc.array(
    fc.record({ name: fc.constantFrom('a', 'b'), tokens: fc.constant(500), marked: fc.boolean() }),
    { minLength: 1, maxLength: 30 },
  );
  const session = fc.array(request, { minLength: 1, maxLength: 6 });
  const rules = fc.record({
    minimum: fc.constantFrom(0, 1_024, 4_096),
    lookBack: fc.integer({ min: 1, max: 25 }),
  });

  it('adds up, and never beats the best', () => {
    fc.assert(
      fc.property(session, rules, (given, rules) => {
        const requests = given.map((blocks) => cacheBlocks(blocks));
        const best = bestCacheCostOf(requests, rules);
        for (const [index, bill] of cacheCostOf(requests, rules).entries()) {
          const total = (requests[index]?.length ?? 0) * 500;
          expect(bill.cacheRead + bill.cacheCreation + bill.input).toBe(total);
          expect(Math.min(bill.cacheRead, bill.cacheCreation, bill.input)).toBeGreaterThanOrEqual(0);
          expect(bill.cacheRead).toBeLessThanOrEqual(best[index]?.cacheRead ?? -1);
        }
      }),
    );
  });

  it('agrees with the rules spelled out one by one', () => {
    fc.assert(
      fc.property(session, rules, (given, { minimum, lookBack }) => {
        const bills = cacheCostOf(
          given.map((blocks) => cacheBlocks(blocks)),
          { minimum, lookBack },
        );
        expect(bills.map(({ cacheRead }) => cacheRead)).toEqual(
          given.map((request, index) => longestRead(request, given.slice(0, index), minimum, lookBack)),
        );
      }),
    );
  });

  it('is the best possible where the end and the mark before are marked', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }), (growth) => {
        let [before, length] = [0, 0];
        const requests = growth.map((added) => {
          [before, length] = [length, length + added];
          return cacheBlocks(
            numbered(length).map((name, place) => ({
              name,
              tokens: 100,
              marked: place === before - 1 || place === length - 1,
            })),
          );
        });
        expect(shareRead(cacheCostOf(requests))).toBe(shareRead(bestCacheCostOf(requests)));
      }),
    );
  });
});

describe('the bill of a session', () => {
  const long = 'words '.repeat(1_000);
  const messages: ShortMessage[] = [
    ['user', long],
    ['assistant', 'ok'],
    ['user', 'more'],
  ];
  const marked = (count: number) =>
    bodyOf(requestOf(messages.slice(0, count), { marks: [{ message: count - 1, block: 0 }] }));

  it('is made from recorded bodies, whose marks take no part in the comparison', () => {
    const { bills, share, bestShare } = sessionCacheCost([marked(1), marked(3)]);
    expect(bills[0]?.cacheRead).toBe(0);
    expect(bills[1]?.cacheRead).toBe(bills[0]?.cacheCreation);
    expect(share).toBe(bestShare);
  });

  it('shares nothing with another model, and no messages with another way of thinking', () => {
    const system = [{ type: 'text' as const, text: long, cache_control: { type: 'ephemeral' as const } }];
    const marks = [{ message: 0, block: 0 }];
    const request = requestOf([['user', long]], { system, marks });
    const thinking = { ...request, options: { thinking: { type: 'adaptive' as const } } };
    const reads = (second: typeof request) =>
      sessionCacheCost([bodyOf(request), bodyOf(second)]).bills[1]?.cacheRead ?? -1;
    expect(reads(request)).toBeGreaterThan(3_000);
    expect(reads({ ...request, model: 'other' })).toBe(0);
    expect(reads(thinking)).toBeGreaterThan(1_500);
    expect(reads(thinking)).toBeLessThan(1_600);
  });

  it('takes text and a single block for the same, and finds a mark within a result', () => {
    const body = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] });
    const keys = (content: unknown) =>
      cacheBlocksOf(body(content)).map(({ prefix, marked }) => [prefix, marked]);
    expect(keys('a')).toEqual(keys([{ type: 'text', text: 'a' }]));
    const inner = (more: object) => [
      { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'a', ...more }] },
    ];
    const [plain, withMark] = [keys(inner({})), keys(inner({ cache_control: { type: 'ephemeral' } }))];
    expect(withMark).toEqual(plain.map(([prefix]) => [prefix, true]));
  });
});

interface Plain {
  readonly name: string;
  readonly tokens: number;
  readonly marked: boolean;
}

/** Tries every mark, every position behind it, every mark of every earlier request, and compares block by block. */
function longestRead(
  request: readonly Plain[],
  earlier: readonly (readonly Plain[])[],
  minimum: number,
  lookBack: number,
): number {
  let best = 0;
  for (const [mark, { marked }] of request.entries()) {
    if (!marked || (mark + 1) * 500 < minimum) continue;
    for (let position = Math.max(0, mark - lookBack + 1); position <= mark; position++) {
      const hit = earlier.some((other) =>
        other.some(
          (block, place) =>
            block.marked &&
            place === position &&
            (place + 1) * 500 >= minimum &&
            other.slice(0, place + 1).every(({ name }, index) => name === request[index]?.name),
        ),
      );
      if (hit) best = Math.max(best, (position + 1) * 500);
    }
  }
  return best;
}
