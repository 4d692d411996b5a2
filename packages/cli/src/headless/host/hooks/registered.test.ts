import { describe, expect, it } from 'vitest';
import { callbackResult, readHostHooks } from './registered.ts';

describe('the hooks of a host', () => {
  it('have a time limit each: their own, that of a prompt, or the default', () => {
    const hookCallbackIds = ['hook_0'];
    const { hooks } = readHostHooks({
      PreToolUse: [
        { hookCallbackIds, timeout: 5, onFailure: 'block' },
        { hookCallbackIds: ['hook_1', 'hook_2'] },
      ],
      UserPromptSubmit: [{ hookCallbackIds }],
    });
    expect(hooks).toMatchObject([
      { event: 'PreToolUse', handler: { callbackId: 'hook_0' }, timeoutMs: 5_000, failsClosed: true },
      { handler: { callbackId: 'hook_1' }, timeoutMs: 600_000, failsClosed: false },
      { handler: { callbackId: 'hook_2' } },
      { event: 'UserPromptSubmit', timeoutMs: 30_000 },
    ]);
  });

  it('may be registered for unknown events, and may be malformed', () => {
    const { hooks, unknown } = readHostHooks({
      Nonsense: [{ hookCallbackIds: ['hook_0'] }],
      Notification: [],
      Stop: 'x',
      PostToolUse: [7, { hookCallbackIds: [7] }],
    });
    expect(hooks).toEqual([]);
    expect(unknown).toEqual(['Nonsense']);
    expect(readHostHooks(undefined).hooks).toEqual([]);
  });

  it.each([
    ['error', 'error'],
    ['late', 'timeout'],
    ['withdrawn', 'aborted'],
    ['gone', 'unreachable'],
  ] as const)('that end with %s failed with %s', (why, kind) => {
    expect(callbackResult({ ok: false, why, message: 'm' })).toEqual({
      kind: 'failed',
      failure: { kind, message: 'm' },
    });
  });
});
