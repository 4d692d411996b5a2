import { describe, expect, it } from 'vitest';
import { isToolDenied } from './rules/tool-names.ts';
import { permissionUpdates } from './live-permissions.ts';

describe('updates of a host', () => {
  it('are applied if they are valid, and ignored otherwise', () => {
    const good = [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'ls *' }],
        behavior: 'allow',
        destination: 'session',
      },
      { type: 'setMode', mode: 'plan', destination: 'session' },
      { type: 'addDirectories', directories: ['/a'], destination: 'localSettings' },
    ];
    const bad = [
      null,
      1,
      {},
      { type: 'setMode', mode: 'x', destination: 'session' },
      { type: 'addRules', rules: 1, behavior: 'allow', destination: 'session' },
      { ...good[0], destination: 'moon' },
    ];
    expect(permissionUpdates([...bad, ...good])).toEqual(good);
    expect(permissionUpdates('x')).toEqual([]);
  });
});

describe('a tool denied as a whole', () => {
  it.each([
    ['Bash', 'Bash', true],
    ['Bash(*)', 'Bash', true],
    ['Bash(rm *)', 'Bash', false],
    ['mcp__srv', 'mcp__srv__tool', true],
    ['mcp__*', 'mcp__srv__tool', true],
    ['*', 'Read', true],
    ['Edit', 'Write', true],
    ['Task', 'Agent', true],
    ['Read', 'Bash', false],
  ])('by %s is %s: %s', (text, tool, denied) => {
    expect(isToolDenied(tool, { deny: [{ text, source: 'user' }], ask: [], allow: [] })).toBe(denied);
  });
});
