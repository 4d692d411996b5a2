import { describe, expect, it } from 'vitest';
import { hookMatcherOf, readHooks } from './registered.ts';

describe('a matcher', () => {
  it.each([
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['bash', 'Bash', false],
    ['Edit|Write', 'Write', true],
    ['Edit, Write', 'Write', true],
    ['mcp__.*', 'mcp__a__b', true],
    ['^Notebook', 'NotebookEdit', true],
    ['Book$', 'NotebookEdit', false],
    ['(', 'Bash', true],
  ])('%j and the tool %s: %s', (matcher, tool, matches) => {
    expect(hookMatcherOf(matcher)(tool)).toBe(matches);
  });
});

describe('the hooks of a host', () => {
  it('have a deadline each: their own, a prompt’s, or the usual one', () => {
    const hookCallbackIds = ['hook_0'];
    const { hooks } = readHooks({
      PreToolUse: [
        { hookCallbackIds, timeout: 5, onFailure: 'block' },
        { hookCallbackIds: ['hook_1', 'hook_2'] },
      ],
      UserPromptSubmit: [{ hookCallbackIds }],
    });
    expect(hooks.get('PreToolUse')).toMatchObject([
      { callbackId: 'hook_0', deadlineMs: 5_000, isNeeded: true },
      { callbackId: 'hook_1', deadlineMs: 600_000, isNeeded: false },
      { callbackId: 'hook_2' },
    ]);
    expect(hooks.get('UserPromptSubmit')).toMatchObject([{ deadlineMs: 30_000 }]);
  });

  it('may be registered for events that never come, and may be nonsense', () => {
    const { hooks, unheard } = readHooks({
      SubagentStop: [{ hookCallbackIds: ['hook_0'] }],
      Notification: [],
      Stop: 'x',
      PostToolUse: [7, { hookCallbackIds: [7] }],
    });
    expect([...hooks]).toEqual([]);
    expect(unheard).toEqual(['SubagentStop']);
    expect(readHooks(undefined).hooks.size).toBe(0);
  });
});
