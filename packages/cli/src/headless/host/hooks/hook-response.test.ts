import { describe, expect, it } from 'vitest';
import type { HostReply } from '../requests.ts';
import { type HookAnswer, combineHookAnswers, ignoredFieldsIn } from './hook-response.ts';

const hook = { callbackId: 'h', matches: () => true, deadlineMs: 1, isNeeded: false };
const said = (response: Readonly<Record<string, unknown>>): HookAnswer => ({
  hook,
  reply: { ok: true, response },
});
const before = (fields: object): HookAnswer =>
  said({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } });
const failed = (why: Extract<HostReply, { ok: false }>['why'], isNeeded = false): HookAnswer => ({
  hook: { ...hook, isNeeded },
  reply: { ok: false, why, message: why },
});

describe('what several hooks say', () => {
  it('is as strict as the strictest of them', () => {
    const [allow, ask, deny] = ['allow', 'ask', 'deny'].map((permissionDecision) =>
      before({ permissionDecision, permissionDecisionReason: `${permissionDecision}!` }),
    );
    if (!allow || !ask || !deny) throw new Error('unreachable');
    expect(combineHookAnswers([allow, deny, ask])).toMatchObject({ decision: 'deny', reason: 'deny!' });
    expect(combineHookAnswers([allow, ask])).toMatchObject({ decision: 'ask' });
    expect(combineHookAnswers([said({}), allow])).toMatchObject({ decision: 'allow' });
  });

  it('may be in older words', () => {
    expect(combineHookAnswers([said({ decision: 'approve' })])).toMatchObject({ decision: 'allow' });
    expect(combineHookAnswers([said({ decision: 'block', reason: 'No.' })])).toMatchObject({
      decision: 'deny',
      block: 'No.',
    });
  });

  it('is put together: remarks for the model, messages for people, the end of the run', () => {
    const answers = [
      before({ additionalContext: 'One.', updatedInput: { a: 1 } }),
      before({ additionalContext: 'Two.' }),
      said({ systemMessage: 'Look.', continue: false, stopReason: 'Enough.' }),
    ];
    expect(combineHookAnswers(answers)).toMatchObject({
      context: 'One.\n\nTwo.',
      updatedInput: { a: 1 },
      messages: ['Look.'],
      stop: 'Enough.',
    });
  });

  it('is nothing where it is nonsense, or will be said later', () => {
    const nonsense = [said({ async: true }), said({ hookSpecificOutput: 7, decision: null, continue: 'no' })];
    expect(combineHookAnswers(nonsense)).toEqual({ messages: [], failures: [] });
  });

  it('is a wish to be asked where a decision is not understood', () => {
    for (const answer of [said({ decision: 9 }), before({ permissionDecision: 'DENY' })])
      expect(combineHookAnswers([answer])).toMatchObject({ decision: 'ask' });
  });

  it('is cut where it is a document', () => {
    const long = 'x'.repeat(50_000);
    const { context, reason, block } = combineHookAnswers([
      before({ additionalContext: long, permissionDecisionReason: long }),
      said({ decision: 'block', reason: long }),
    ]);
    for (const text of [context, reason, block]) expect(text?.length).toBeLessThan(10_100);
  });
});

it.each([
  ['error', false, undefined],
  ['error', true, 'error'],
  ['late', false, 'late'],
  ['gone', false, 'gone'],
] as const)('a hook that ends with %s (needed: %s) leaves %s unheard', (why, isNeeded, unheard) => {
  expect(ignoredFieldsIn(combineHookAnswers([failed(why, isNeeded)]))).toBe(unheard);
});
