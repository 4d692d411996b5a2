import { describe, expect, it } from 'vitest';
import { answer, build, image, linesOf, odd, say, think, user } from '../test/samples.ts';
import { MediaBudget } from './media.ts';

describe('thinking', () => {
  const asked = (...blocks: Parameters<typeof answer>[1]) => [user('go'), answer('r', blocks), user('on')];

  it('is sent to the model that wrote it, also under its alias', () => {
    expect(linesOf(asked(think('hm'), say('ok')))).toContain('A thinking');
    const dated = [
      user('go'),
      answer('r', [think('hm'), say('ok')], { model: 'model-one-20260101' }),
      user('on'),
    ];
    expect(linesOf(dated)).toContain('A thinking');
  });

  it('is not sent to another model', () => {
    const { request, repairs } = build(asked(think('hm'), say('ok')), { model: 'model-two' });
    expect(request.messages.at(1)?.content).toEqual([say('ok')]);
    expect(repairs).toEqual(['message 1: thinking of another model was left out']);
  });

  it('is left out without its signature, or if its text is not well-formed', () => {
    expect(linesOf(asked(think('hm', ''), think('\ud800'), say('ok')))).toEqual(['U go', 'A ok', 'U on']);
  });

  it('is left out at the end of an answer', () => {
    expect(linesOf(asked(say('ok'), think('hm')))).toEqual(['U go', 'A ok', 'U on']);
    expect(linesOf(asked(think('hm')))).toEqual(['U go', 'A (no content)', 'U on']);
  });
});

describe('blocks of a beta', () => {
  const advised = [
    user('go'),
    answer('r', [
      odd({ type: 'server_tool_use', id: 's1', name: 'advisor', input: {} }),
      odd({ type: 'advisor_tool_result', tool_use_id: 's1', content: [] }),
      say('ok'),
    ]),
    user('on'),
  ];

  it('are left out while it is off', () => expect(linesOf(advised)).toEqual(['U go', 'A ok', 'U on']));

  it('are sent when they are allowed, or when the beta is on', () => {
    const all = ['U go', 'A server_tool_use', 'A advisor_tool_result', 'A ok', 'U on'];
    expect(linesOf(advised, { allowedBetaBlocks: ['advisor', 'advisor_tool_result'] })).toEqual(all);
    expect(linesOf(advised, { options: { betas: ['advisor-tool-2026-03-01'] } })).toEqual(all);
  });
});

describe('media beyond the limit', () => {
  const pictures = (count: number) => [user(Array.from({ length: count }, () => image()))];
  const left = (count: number) => linesOf(pictures(count)).filter((line) => line === 'U image').length;

  it('are left out without a report, the oldest first, several at once', () => {
    expect([left(100), left(101), left(120), left(121)]).toEqual([100, 80, 99, 100]);
    expect(linesOf(pictures(101))[0]).toMatch(/An image was left out: there were too many/);
    expect(build(pictures(101)).repairs).toEqual([]);
  });

  it('also have a limit in characters, and the newest stays', () => {
    const megabytes = (...sizes: number[]) => sizes.map((size) => size * 1024 * 1024);
    const budget = new MediaBudget();
    expect(budget.excess(megabytes(28))).toBe(0);
    budget.add(megabytes(8, 8, 8));
    expect(budget.excess(megabytes(4))).toBe(0);
    expect(budget.excess(megabytes(5))).toBe(2);
    expect(budget.excess(megabytes(28))).toBe(3);
  });

  it('are the same for a growing history and for a loaded one', () => {
    const sizes = Array.from({ length: 400 }, (_, index) => ((index * 7919) % 5) * 700_000);
    const bitByBit = new MediaBudget();
    for (const [index, size] of sizes.entries()) {
      expect(bitByBit.excess([size])).toBe(new MediaBudget().excess(sizes.slice(0, index + 1)));
      bitByBit.add([size]);
    }
  });
});
