import { describe, expect, it } from 'vitest';
import { ChildPermissions } from '../subagents/child-permissions.ts';
import { LivePermissions, permissionUpdates } from './live-permissions.ts';
import type { Rules } from './rules/rule.ts';
import { isToolDenied } from './rules/tool-names.ts';

const rules: Rules = {
  deny: [],
  ask: [],
  allow: [
    { text: 'Bash(a)', source: 'session' },
    { text: 'Bash(b)', source: 'user' },
  ],
};
const texts = (live: LivePermissions) => live.rules.allow.map(({ text, source }) => `${source} ${text}`);

describe('rules that change while a session runs', () => {
  it('exclude the tools of a server from bypassPermissions, and never widen a mode', () => {
    const live = new LivePermissions(rules);
    const child = new ChildPermissions(live, () => 'bypassPermissions', undefined, {
      cwd: '/',
      parentCwd: '/',
    });
    live.setBypassed('mcp__calc__', false);
    expect(live.modeFor('mcp__calc__add', 'bypassPermissions')).toBe('default');
    expect(child.modeFor('mcp__calc__add', 'bypassPermissions')).toBe('default');
    expect(live.modeFor('mcp__calc__add', 'plan')).toBe('plan');
    expect(live.modeFor('mcp__other__add', 'bypassPermissions')).toBe('bypassPermissions');
    live.setBypassed('mcp__calc__', true);
    expect(child.modeFor('mcp__calc__add', 'bypassPermissions')).toBe('bypassPermissions');
  });

  it('are added, replaced and removed by their destination', () => {
    const live = new LivePermissions(rules);
    live.apply([
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'c' }],
        behavior: 'allow',
        destination: 'session',
      },
    ]);
    expect(texts(live)).toEqual(['session Bash(a)', 'user Bash(b)', 'session Bash(c)']);
    live.apply([
      {
        type: 'removeRules',
        rules: [
          { toolName: 'Bash', ruleContent: 'a' },
          { toolName: 'Bash', ruleContent: 'b' },
        ],
        behavior: 'allow',
        destination: 'session',
      },
    ]);
    expect(texts(live)).toEqual(['user Bash(b)', 'session Bash(c)']);
    live.apply([
      { type: 'replaceRules', rules: [{ toolName: 'Read' }], behavior: 'allow', destination: 'session' },
    ]);
    expect(texts(live)).toEqual(['user Bash(b)', 'session Read']);
  });

  it('reject a rule that could never match', () => {
    const live = new LivePermissions(rules);
    live.apply([{ type: 'addRules', rules: [{ toolName: '*' }], behavior: 'allow', destination: 'session' }]);
    expect(texts(live)).toHaveLength(2);
  });

  it('set a mode and folders', () => {
    const live = new LivePermissions(rules, ['/a']);
    live.apply([
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      { type: 'addDirectories', directories: ['/b'], destination: 'session' },
      { type: 'removeDirectories', directories: ['/a'], destination: 'session' },
    ]);
    expect([live.mode, live.directories]).toEqual(['acceptEdits', ['/b']]);
  });

  it('do not switch to bypassPermissions unless the start allowed it', () => {
    const bypass = { type: 'setMode', mode: 'bypassPermissions', destination: 'session' } as const;
    const [careful, agreed] = [
      new LivePermissions(rules),
      new LivePermissions(rules, [], { mayBypass: true }),
    ];
    for (const live of [careful, agreed]) live.apply([bypass]);
    expect([careful.mode, agreed.mode]).toEqual([undefined, 'bypassPermissions']);
  });
});

describe('after settings files changed', () => {
  const [inFile, given] = [
    { text: 'Bash(f)', source: 'local' },
    { text: 'Bash(g)', source: 'command line' },
  ] as const;
  const read: Rules = { deny: [inFile], ask: [inFile], allow: [inFile, given] };
  const nothing = { added: [], removed: [] };
  const rule = (ruleContent: string) => [{ toolName: 'Bash', ruleContent }];
  const F = 'local Bash(f)';
  const G = 'command line Bash(g)';

  it.each([
    ['an added deny rule', 'addRules', 'x', 'deny', 'cliArg', [F, 'command line Bash(x)']],
    ['an added deny rule of the session', 'addRules', 'x', 'deny', 'session', [F, 'session Bash(x)']],
    ['an unwritten deny rule', 'addRules', 'x', 'deny', 'localSettings', [F, 'local Bash(x)']],
    [
      'an unwritten deny rule of a project',
      'addRules',
      'x',
      'deny',
      'projectSettings',
      [F, 'project Bash(x)'],
    ],
    ['an unwritten ask rule', 'addRules', 'x', 'ask', 'userSettings', [F, 'user Bash(x)']],
    ['a replacing deny rule', 'replaceRules', 'x', 'deny', 'localSettings', [F, 'local Bash(x)']],
    ['a written deny rule', 'addRules', 'f', 'deny', 'localSettings', [F]],
    ['an added allow rule', 'addRules', 'x', 'allow', 'cliArg', [F, G, 'command line Bash(x)']],
    ['an allow rule that the file lacks', 'addRules', 'x', 'allow', 'localSettings', [F, G]],
    ['a removed allow rule', 'removeRules', 'g', 'allow', 'cliArg', [F]],
    ['a removed allow rule of a file', 'removeRules', 'f', 'allow', 'localSettings', [G]],
    ['a replaced allow rule', 'replaceRules', 'x', 'allow', 'cliArg', [F, 'command line Bash(x)']],
    ['a removed deny rule of a file', 'removeRules', 'f', 'deny', 'localSettings', [F]],
  ] as const)('%s counts, unless it widens a file', (_, type, content, behavior, destination, expected) => {
    const live = new LivePermissions(read);
    live.apply([{ type, rules: rule(content), behavior, destination }]);
    for (let time = 0; time < 2; time += 1) {
      live.replaceSettings(read, nothing);
      expect(live.rules[behavior].map(({ text, source }) => `${source} ${text}`)).toEqual(expected);
    }
  });

  it('a rule that the files of the user contained belongs to them', () => {
    const live = new LivePermissions(read);
    live.apply([{ type: 'addRules', rules: rule('x'), behavior: 'deny', destination: 'userSettings' }]);
    live.replaceSettings({ ...read, deny: [inFile, { text: 'Bash(x)', source: 'user' }] }, nothing);
    live.replaceSettings(read, nothing);
    expect(live.rules.deny).toEqual([inFile]);
  });

  it.each(['project', 'local'] as const)(
    'deny and ask rules of %s settings stay, others do not',
    (source) => {
      const [path, other] = [
        { text: 'Read(/a)', source, base: '/p' },
        { text: 'Read(/a)', source, base: '/p/sub' },
      ];
      const live = new LivePermissions({ deny: [path], ask: [path], allow: [path] });
      live.replaceSettings({ deny: [], ask: [other], allow: [] }, nothing);
      expect(live.rules).toEqual({ deny: [path], ask: [other, path], allow: [] });
      live.replaceSettings({ deny: [path], ask: [path], allow: [path] }, nothing);
      expect(live.rules.deny).toEqual([path]);
      const destination = `${source}Settings` as const;
      const removed = [{ toolName: 'Read', ruleContent: '/a' }];
      live.apply([{ type: 'removeRules', rules: removed, behavior: 'deny', destination }]);
      live.replaceSettings({ deny: [], ask: [], allow: [] }, nothing);
      expect(live.rules.deny).toEqual([]);
    },
  );

  it('a removed folder stays removed until the files agree', () => {
    const live = new LivePermissions(read, ['/a', '/b']);
    live.apply([{ type: 'removeDirectories', directories: ['/a'], destination: 'localSettings' }]);
    for (let time = 0; time < 2; time += 1) {
      live.replaceSettings(read, { added: ['/a', '/b'], removed: ['/a', '/b'] });
      expect(live.directories).toEqual(['/b']);
    }
    live.replaceSettings(read, { added: ['/b'], removed: ['/a', '/b'] });
    // Now the user adds it to the file.
    live.replaceSettings(read, { added: ['/a', '/b'], removed: ['/b'] });
    expect(live.directories).toEqual(['/a', '/b']);
  });

  it('a folder that was removed and added again counts', () => {
    const live = new LivePermissions(read, ['/a']);
    live.apply([
      { type: 'removeDirectories', directories: ['/a'], destination: 'session' },
      { type: 'addDirectories', directories: ['/a'], destination: 'session' },
    ]);
    live.replaceSettings(read, { added: ['/a'], removed: ['/a'] });
    expect(live.directories).toEqual(['/a']);
  });

  it('the newest update of a rule counts', () => {
    const live = new LivePermissions(read);
    const update = { rules: rule('g'), behavior: 'allow', destination: 'cliArg' } as const;
    live.apply([
      { type: 'removeRules', ...update },
      { type: 'addRules', ...update },
    ]);
    live.replaceSettings(read, nothing);
    expect(texts(live)).toEqual([F, G]);
  });
});

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
