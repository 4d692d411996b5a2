/** Rules for tools other than the shell. */
import { toolName, uniqueName } from '@heddle/mcp/names';
import { describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { NO_RULES } from './rules/rule.ts';
import { decided, type RuleTexts, type Setting } from './test/ask.ts';
import { ROOT, worldOf } from './test/world.ts';

const reads = (file_path: string, setting: Setting = {}) =>
  decided('Read', { file_path }, { readOnly: true, ...setting }).decision;
const edits = (file_path: string, setting: Setting = {}) => decided('Edit', { file_path }, setting).decision;
const deny = (...rules: string[]): { rules: RuleTexts } => ({ rules: { deny: rules } });
const allow = (...rules: string[]): { rules: RuleTexts } => ({ rules: { allow: rules } });

const LONG_TOOL = `mcp__srv__${'d'.repeat(66)}`;
const LONG_SERVER = 's.'.repeat(33);
const TAKEN = new Set(['mcp__srv__danger_x']);

describe('a path rule', () => {
  it.each([
    ['Read(./.env)', '.env', 'deny'],
    ['Read(./.env)', 'a/.env', 'allow'],
    ['Read(.env)', 'a/b/.env', 'deny'],
    ['Read(.env)', '/elsewhere/.env', 'allow'],
    ['Read(*.pem)', 'a/b/key.pem', 'deny'],
    ['Read(secrets/**)', 'secrets/a', 'deny'],
    ['Read(secrets/**)', 'deep/secrets/a', 'deny'],
    ['Read(secrets/**)', 'secrets', 'deny'],
    ['Read(secrets)', 'secrets/a/b', 'deny'],
    ['Read(secrets/)', 'secrets/a', 'deny'],
    ['Read(./secrets/**)', 'deep/secrets/a', 'allow'],
    ['Read(/secrets/**)', 'secrets/a', 'deny'],
    ['Read(/secrets/**)', '/secrets/a', 'allow'],
    ['Read(//secrets/**)', '/secrets/a', 'deny'],
    ['Read(//**)', '/anything', 'deny'],
    ['Read(~/.ssh/**)', '/people/user/.ssh/id', 'deny'],
    ['Read(~/.ssh/**)', '~/.ssh/id', 'deny'],
    ['Read(~/*)', '/people/user/a', 'deny'],
    ['Read(**/key)', 'a/b/key', 'deny'],
    ['Read(**/key)', 'key', 'deny'],
    ['Read(a/**/b)', 'a/x/y/b', 'deny'],
    ['Read(a/**/b)', 'a/b', 'deny'],
    ['Read(a?c)', 'abc', 'deny'],
    ['Read(a[bc]d)', 'acd', 'deny'],
    ['Read(a[!bc]d)', 'acd', 'allow'],
    ['Read(a.b)', 'axb', 'allow'],
    ['Read(../x/**)', '../x/y', 'deny'],
    ['Read', 'anything', 'deny'],
    ['*', 'anything', 'deny'],
    ['Read(a b)', 'a b', 'deny'],
    ['Write(a)', 'a', 'allow'],
  ])('%s: reading %s is %s', (rule, file, decision) => {
    expect(reads(file, deny(rule))).toBe(decision);
  });

  it.each(['Edit', 'Write', 'NotebookEdit', 'MultiEdit'])(
    'for %s is about all tools that change files, and about commands',
    (tool) => {
      const rules = { rules: { deny: [`${tool}(./.env)`], allow: ['Edit', 'Bash'] } };
      for (const used of ['Edit', 'Write', 'MultiEdit'])
        expect(decided(used, { file_path: '.env' }, rules).decision).toBe('deny');
      expect(decided('NotebookEdit', { notebook_path: '.env' }, rules).decision).toBe('deny');
      expect(decided('Bash', { command: 'echo x > .env' }, rules).decision).toBe('deny');
      expect(reads('.env', rules)).toBe('allow');
      expect(edits('a/.env', rules)).toBe('allow');
      expect(edits('.env', { rules: { ask: [`${tool}(.env)`], allow: ['Edit'] } })).toBe('ask');
    },
  );

  it.each(['Read', 'Grep', 'Glob', 'LS', 'LSP', 'NotebookRead'])(
    'for %s is about all tools that read files, and about commands',
    (tool) => {
      const rules = { rules: { deny: [`${tool}(./secrets/**)`], allow: ['Edit', 'Bash'] } };
      expect(reads('secrets/a', rules)).toBe('deny');
      expect(edits('secrets/a', rules)).toBe('deny');
      expect(decided('Grep', { pattern: 'x', path: 'secrets' }, rules).decision).toBe('deny');
      expect(decided('Bash', { command: 'cat secrets/a' }, rules).decision).toBe('deny');
      expect(reads('deep/secrets/a', rules)).toBe('allow');
    },
  );

  it('of a single tool is about that tool if it names a field', () => {
    const rules = { rules: { deny: ['Grep(pattern:key)', 'Write(content:*x*)'], allow: ['Edit'] } };
    expect(decided('Grep', { pattern: 'key' }, { ...rules, readOnly: true }).decision).toBe('deny');
    expect(decided('Grep', { pattern: 'a' }, { ...rules, readOnly: true }).decision).toBe('allow');
    expect(decided('Write', { file_path: 'a', content: 'axb' }, rules).decision).toBe('deny');
    expect(decided('Write', { file_path: 'a', content: 'b' }, rules).decision).toBe('allow');
    expect(reads('pattern:key', rules)).toBe('allow');
  });

  it.each(['Write(*)', 'Grep(*)'])('%s is about the tool', (rule) => {
    const decision = (tool: string) => decided(tool, { file_path: 'a' }, deny(rule)).decision;
    expect(decision(rule.replace('(*)', ''))).toBe('deny');
    expect(decision('Read')).not.toBe('deny');
    expect(decision('Edit')).not.toBe('deny');
  });

  it.each([
    ['Edit(src/**)', 'src/a/b', 'allow'],
    ['Edit(src/**)', 'deep/src/a', 'ask'],
    ['Edit(src)', 'src/a', 'allow'],
    ['Edit(src/*)', 'src/a', 'allow'],
    ['Edit(src/*)', 'src/a/b', 'ask'],
    ['Edit(*.md)', 'a/b/c.md', 'allow'],
    ['Edit(/docs/**)', 'docs/a', 'allow'],
    ['Edit(./docs/**)', 'docs/a', 'allow'],
    ['Edit(//srv/**)', '/srv/a', 'allow'],
    ['Edit(~/notes/**)', '~/notes/a', 'allow'],
    ['Edit', 'a', 'allow'],
    ['Edit', '/srv/a', 'ask'],
    ['Edit(*)', '/srv/a', 'ask'],
    ['Edit(**)', 'src/../../x', 'ask'],
    ['Edit(src/**)', 'src/../x', 'ask'],
    ['Edit(//**)', '.git/config', 'ask'],
    ['Edit(.claude/**)', '.claude/settings.json', 'ask'],
    ['Write(src/**)', 'src/a', 'ask'],
    ['Read(src/**)', 'src/a', 'ask'],
    ['*', 'a', 'ask'],
    ['Ed*', 'a', 'ask'],
  ])('%s: editing %s is %s', (rule, file, decision) => {
    expect(edits(file, allow(rule))).toBe(decision);
  });

  it('is anchored in the folder of its settings file', () => {
    const rule = { text: 'Edit(/docs/**)', source: 'user' as const, base: '/people/user/settings' };
    const ask = (file_path: string) =>
      authorize(
        { tool: 'Edit', input: { file_path }, readOnly: false, hookDecision: undefined },
        { ...NO_RULES, allow: [rule] },
        'default',
        worldOf({ directories: ['/people/user/settings'] }),
      ).decision;
    expect(ask('docs/a')).toBe('ask');
    expect(ask('/people/user/settings/docs/a')).toBe('allow');
  });

  it('applies to all tools that read or change files', () => {
    for (const tool of ['Grep', 'Glob', 'LSP']) {
      expect(
        decided(tool, { path: 'secrets' }, { ...deny('Read(secrets/**)'), readOnly: true }).decision,
      ).toBe('deny');
    }
    for (const [tool, field] of [
      ['Write', 'file_path'],
      ['NotebookEdit', 'notebook_path'],
      ['Edit', 'file_path'],
    ] as const) {
      expect(decided(tool, { [field]: 'src/a' }, deny('Edit(src/**)')).decision).toBe('deny');
      expect(decided(tool, { [field]: 'src/a' }, allow('Edit(src/**)')).decision).toBe('allow');
      expect(decided(tool, { [field]: 'src/a' }, deny('Read(src/**)')).decision).toBe('deny');
    }
  });

  it('finds a search by its pattern, and asks about one that walks over a denied folder', () => {
    expect(
      decided('Glob', { pattern: 'secrets/*' }, { ...deny('Read(secrets/**)'), readOnly: true }).decision,
    ).toBe('deny');
    const world = { files: [`${ROOT}/secrets`] };
    expect(
      decided('Grep', { pattern: 'x' }, { ...deny('Read(./secrets/**)'), readOnly: true, world }).decision,
    ).toBe('ask');
  });

  it('applies to a search if it names a hidden file, because searches include hidden files', () => {
    const world = { files: [`${ROOT}/.env`] };
    expect(
      decided('Grep', { pattern: 'x' }, { ...deny('Read(./.env)'), readOnly: true, world }).decision,
    ).toBe('ask');
  });

  it('allows a search that leaves out denied files, and asks about one that would show files of an ask rule', () => {
    const world = { files: [`${ROOT}/secrets`] };
    const setting = { readOnly: true, leavesOutDenied: true, world };
    const search = (rules: object, path?: string) =>
      decided('Grep', { pattern: 'x', ...(path ? { path } : {}) }, { ...setting, rules }).decision;
    expect(search({ deny: ['Read(./secrets/**)'] })).toBe('allow');
    expect(search({ deny: ['Read(./secrets/**)'] }, 'secrets')).toBe('deny');
    expect(search({ ask: ['Read(./secrets/**)'] })).toBe('ask');
  });

  it.each([
    ['Read(./secrets/**)', { glob: 'k' }],
    ['Read(./secrets/**)', { glob: '!a' }],
    ['Read(./secrets/**)', { glob: './k' }],
    ['Read(./secrets/**)', { glob: '!src/a' }],
    ['Read(./secrets/**)', { glob: '/secrets/k' }],
    ['Read(./secrets/**)', { glob: '@(secrets|src)/k' }],
    ['Read(./secrets/**)', { glob: 's\\ecrets/k' }],
    ['Read(./secrets/**)', { glob: 'src/../secrets/k' }],
    ['Read(./secrets/**)', { glob: 'src/a|secrets/k' }],
    ['Read(./secrets/**)', { glob: '{src/a,secrets/k}' }],
    ['Read(./secrets/**)', { path: 'secrets/k', glob: 'src/*' }],
    ['Read(secrets/k)', { path: 'secrets' }],
    ['Read(sub/.env)', { path: 'sub' }],
    ['Read(sub/.env)', { glob: 'sub/**/.e*' }],
    ['Read(k)', {}],
    ['Read(k)', { path: '.' }],
    ['Read(./sub/*.pem)', { path: 'sub' }],
    ['Read(./sub/**/*.pem)', { path: 'sub' }],
    ['Read(./sub/.e*)', { path: 'sub' }],
    ['Read(./link/.e*)', { path: 'link' }],
  ])('asks about a search that may show a file of the ask rule %s: %j', (rule, input) => {
    const files = ['secrets/k', 'sub/.env', 'sub/a.pem', 'src/a'].map((file) => `${ROOT}/${file}`);
    const world = { files, links: { [`${ROOT}/link`]: `${ROOT}/sub` } };
    const setting = { rules: { ask: [rule] }, readOnly: true, leavesOutDenied: true, world };
    const search = (given: object) => decided('Grep', { pattern: '.', ...given }, setting).decision;
    expect(search(input)).toBe('ask');
    expect(search({ path: 'src' })).toBe('allow');
    expect(search({ glob: 'src/*' })).toBe('allow');
    expect(search({ path: 'src/a' })).toBe('allow');
  });

  it('needs a link and its target to be allowed, and either to be denied', () => {
    const world = { links: { [`${ROOT}/src/link`]: `${ROOT}/other` } };
    expect(edits('src/link/a', { ...allow('Edit(src/**)'), world })).toBe('ask');
    expect(edits('src/link/a', { rules: { allow: ['Edit(src/**)', 'Edit(**)'] }, world })).toBe('allow');
    expect(edits('src/link/a', { rules: { allow: ['Edit(**)'], deny: ['Edit(other/**)'] }, world })).toBe(
      'deny',
    );
    expect(reads('src/link/a', { ...deny('Read(other/**)'), world })).toBe('deny');
    expect(reads('src/link/a', { ...deny('Read(src/**)'), world })).toBe('deny');
  });

  it('ignores case like the disk, for denying and never for allowing', () => {
    const world = { foldsCase: true };
    expect(reads('SECRETS/a', { ...deny('Read(secrets/**)'), world })).toBe('deny');
    expect(reads('SECRETS/a', deny('Read(secrets/**)'))).toBe('allow');
    expect(edits('SRC/a', { ...allow('Edit(src/**)'), world })).toBe('ask');
  });
});

describe('a rule for another tool', () => {
  it.each([
    ['WebFetch(domain:example.com)', 'https://example.com/a', 'allow'],
    ['WebFetch(domain:example.com)', 'https://EXAMPLE.com/a', 'allow'],
    ['WebFetch(domain:example.com)', 'https://sub.example.com/', 'ask'],
    ['WebFetch(domain:example.com)', 'https://example.com.evil.org/', 'ask'],
    ['WebFetch(domain:example.com)', 'https://example.com@evil.org/', 'ask'],
    ['WebFetch(domain:*.example.com)', 'https://sub.example.com/', 'allow'],
    ['WebFetch(domain:*.example.com)', 'https://example.com/', 'ask'],
    ['WebFetch', 'https://anything.org/', 'allow'],
    ['WebFetch(domain:*)', 'https://anything.org/', 'allow'],
  ])('%s: fetching %s is %s', (rule, url, decision) => {
    expect(decided('WebFetch', { url }, allow(rule)).decision).toBe(decision);
  });

  it.each([
    ['mcp__srv', 'mcp__srv__tool', 'allow'],
    ['mcp__srv__*', 'mcp__srv__tool', 'allow'],
    ['mcp__srv__tool', 'mcp__srv__tool', 'allow'],
    ['mcp__srv__get*', 'mcp__srv__get_a', 'allow'],
    ['mcp__srv__tool', 'mcp__srv__tool2', 'ask'],
    ['mcp__srv', 'mcp__srv2__tool', 'ask'],
    ['mcp__srv', 'mcp__srv__evil__tool', 'ask'],
    ['mcp__srv', 'mcp__srv___tool', 'ask'],
    ['mcp__srv', 'mcp__srv____tool', 'ask'],
    ['mcp__srv', 'mcp__SRV__tool', 'ask'],
    ['mcp__srv', 'mcp__srv', 'allow'],
    ['mcp__srv', 'mcp__srv_', 'ask'],
    ['mcp__srv__*', 'mcp__srv__evil__tool', 'ask'],
    ['mcp__srv__get*', 'mcp__srv__get__tool', 'ask'],
    ['mcp__srv__evil__tool', 'mcp__srv__evil__tool', 'allow'],
    ['mcp__srv__tool', 'mcp__srv__tool__more', 'ask'],
    ['mcp__srv_', 'mcp__srv___tool', 'ask'],
    ['mcp__srv__evil', 'mcp__srv__evil__tool', 'ask'],
    ['mcp__*', 'mcp__srv__tool', 'ask'],
    ['*', 'mcp__srv__tool', 'ask'],
    ['WebSearch', 'WebSearch', 'allow'],
    ['mcp__my.srv', 'mcp__my_srv__tool', 'allow'],
    ['mcp__srv__danger.x', 'mcp__srv__danger_x', 'allow'],
    [LONG_TOOL, toolName('srv', 'd'.repeat(66)), 'allow'],
    [LONG_TOOL, toolName('srv', 'd'.repeat(67)), 'ask'],
    ['mcp__a..b', 'mcp__a__b', 'ask'],
    [`mcp__${LONG_SERVER}`, toolName(LONG_SERVER, 'tool'), 'ask'],
  ])('%s: calling %s is %s', (rule, tool, decision) => {
    expect(decided(tool, {}, allow(rule)).decision).toBe(decision);
  });

  it.each([
    ['mcp__*', 'mcp__srv__tool', {}, 'deny'],
    ['mcp__srv', 'mcp__srv__evil__tool', {}, 'deny'],
    ['mcp__srv__evil', 'mcp__srv__evil__tool', {}, 'deny'],
    ['mcp__srv__*', 'mcp__srv__evil__tool', {}, 'deny'],
    ['mcp__*__tool', 'mcp__srv__evil__tool', {}, 'deny'],
    ['mcp__srv', 'mcp__srv2__tool', {}, 'ask'],
    ['mcp__srv__danger.x', 'mcp__srv__danger_x', {}, 'deny'],
    ['mcp__srv__danger.x', uniqueName('mcp__srv__danger_x', 'srv', 'danger.x', TAKEN), {}, 'deny'],
    ['mcp__srv__danger.x', 'mcp__srv__danger_y', {}, 'ask'],
    ['mcp__srv__danger.*', 'mcp__srv__danger_x', {}, 'deny'],
    ['mcp__my.srv__danger', 'mcp__my_srv__danger', {}, 'deny'],
    ['mcp__my.srv', 'mcp__my_srv__danger', {}, 'deny'],
    [LONG_TOOL, toolName('srv', 'd'.repeat(66)), {}, 'deny'],
    [LONG_TOOL, toolName('srv', 'd'.repeat(67)), {}, 'ask'],
    [`mcp__${LONG_SERVER}`, toolName(LONG_SERVER, 'tool'), {}, 'deny'],
    [`mcp__${LONG_SERVER}__*`, toolName(LONG_SERVER, 'tool'), {}, 'deny'],
    [`mcp__${LONG_SERVER}__tool`, toolName(LONG_SERVER, 'tool'), {}, 'deny'],
    [`mcp__${LONG_SERVER}__tool`, toolName(LONG_SERVER, 'other'), {}, 'ask'],
    ['*', 'Anything', {}, 'deny'],
    ['Task(explorer)', 'Agent', { subagent_type: 'explorer' }, 'deny'],
    ['Agent(explorer)', 'Task', { subagent_type: 'explorer' }, 'deny'],
    ['Agent(explorer)', 'Agent', { subagent_type: 'other' }, 'ask'],
    ['Skill(deploy)', 'Skill', { skill: 'deploy' }, 'deny'],
    ['Skill(deploy *)', 'Skill', { skill: 'deploy', args: 'now' }, 'deny'],
    ['Skill(deploy)', 'Skill', { skill: 'deploy', args: 'now' }, 'deny'],
    ['Skill(deploy)', 'Skill', { skill: '/deploy' }, 'deny'],
    ['Skill(deploy)', 'Skill', { skill: 'DEPLOY', args: 'now' }, 'deny'],
    ['Skill(Deploy *)', 'Skill', { skill: '/deploy', args: 'now' }, 'deny'],
    ['Skill(deploy prod)', 'Skill', { skill: 'deploy', args: 'test' }, 'ask'],
    ['Skill(deploy)', 'Skill', { skill: 'deployer' }, 'ask'],
    ['Skill(git:*)', 'Skill', { skill: 'git', args: 'now' }, 'deny'],
    ['Skill(git:*)', 'Skill', { skill: '/Git:commit', args: 'now' }, 'deny'],
    ['Skill(git:*)', 'Skill', { skill: 'github:commit' }, 'ask'],
    ['Agent(git:*)', 'Agent', { subagent_type: 'git:reviewer' }, 'deny'],
    ['Agent(explorer)', 'Agent', { subagent_type: 'Explorer' }, 'deny'],
    ['Agent(subagent_type:explorer)', 'Agent', { subagent_type: 'explorer' }, 'deny'],
    ['Agent(subagent_type:explorer)', 'Agent', { subagent_type: 'Explorer' }, 'deny'],
    ['Task(subagent_type:expl*)', 'Agent', { subagent_type: 'explorer' }, 'deny'],
    ['Agent(subagent_type:explorer)', 'Agent', { subagent_type: 'other' }, 'ask'],
    ['Skill(skill:deploy)', 'Skill', { skill: '/Deploy', args: 'now' }, 'deny'],
    ['WebSearch(query:*price*)', 'WebSearch', { query: 'the price of it' }, 'deny'],
    ['WebFetch(url:*/admin*)', 'WebFetch', { url: 'https://example.com/admin' }, 'deny'],
    ['Grep(path:src)', 'Grep', { pattern: 'x', path: 'src' }, 'deny'],
    ['Agent(model:opus*)', 'Agent', { subagent_type: 'x', model: 'opus-5' }, 'deny'],
    ['Bash(run_in_background:true)', 'Bash', { command: 'ls', run_in_background: true }, 'deny'],
    ['Bash(run_in_background:true)', 'Bash', { command: 'ls', run_in_background: false }, 'allow'],
    ['KillShell', 'TaskStop', {}, 'deny'],
    ['WebFetch(domain:evil.org)', 'WebFetch', { url: 'https://evil.org/x' }, 'deny'],
    ['WebFetch(domain:böse.org)', 'WebFetch', { url: 'https://BÖSE.org./x' }, 'deny'],
    ['WebFetch(domain:10.0.0.1)', 'WebFetch', { url: 'http://[::ffff:10.0.0.1]/' }, 'deny'],
    ['WebFetch(domain:10.0.0.1)', 'WebFetch', { url: 'http://167772161/' }, 'deny'],
    ['WebFetch(domain:0xa.0.0.1)', 'WebFetch', { url: 'http://10.0.0.1./' }, 'deny'],
    ['WebFetch(domain:10.0.0.1)', 'Bash', { command: 'curl http://[::ffff:a00:1]/' }, 'ask'],
    ['WebFetch(domain:böse.org)', 'WebFetch', { url: 'https://xn--bse-sna.org/x' }, 'deny'],
    ['WebFetch(domain:evil.org)', 'WebFetch', { url: 'https://ev\u00adil.org/x' }, 'deny'],
    ['WebFetch(domain:evil.org)', 'WebFetch', { url: 'https://\u24d4v%C2%ADil\u3002org/x' }, 'deny'],
    ['WebFetch(domain:evil.org)', 'WebFetch', { url: 'https://ev\u200dil.org/x' }, 'ask'],
  ] as const)('deny %s: calling %s with %j is %s', (rule, tool, input, decision) => {
    expect(decided(tool, input, deny(rule)).decision).toBe(decision);
  });

  it('asks if a pattern may match the whole name of a tool whose name was shortened', () => {
    const bypass = (rule: string, tool: string) =>
      decided(tool, {}, { ...deny(rule), mode: 'bypassPermissions' }).decision;
    const cut = toolName('srv', `${'d'.repeat(66)}_x`);
    const hashed = uniqueName('mcp__srv__danger_x', 'srv', 'danger.x', TAKEN);
    for (const rule of ['mcp__srv__*_x', 'mcp__*_x', 'mcp__srv__dd*_x', `mcp__srv__${'d'.repeat(60)}*`])
      expect([rule, bypass(rule, cut)]).toEqual([rule, 'ask']);
    expect(bypass('mcp__srv__*_x', hashed)).toBe('ask');
    expect(bypass('mcp__srv__*.x', hashed)).toBe('ask');
    for (const rule of ['mcp__other__*_x', 'mcp__srv__e*_x', 'Read*'])
      expect([rule, bypass(rule, cut)]).toEqual([rule, 'allow']);
    expect(bypass('mcp__srv__*_y', hashed)).toBe('allow');
    expect(bypass('mcp__srv__*_y', 'mcp__srv__danger_x')).toBe('allow');
  });

  it('covers no other protocol by a rule about a host', () => {
    for (const url of [
      'ftp://example.com/',
      'file://example.com/etc',
      'ws://example.com',
      'javascript:1',
      'x',
    ])
      for (const rule of ['WebFetch(domain:example.com)', 'WebFetch(domain:*)'])
        expect([url, decided('WebFetch', { url }, allow(rule)).decision]).toEqual([url, 'ask']);
    expect(
      decided(
        'WebFetch',
        { url: 'ftp://evil.org' },
        { ...deny('WebFetch(domain:evil.org)'), mode: 'bypassPermissions' },
      ).decision,
    ).toBe('ask');
  });

  it('does not allow by a field', () => {
    expect(decided('Agent', { subagent_type: 'x', model: 'opus' }, allow('Agent(model:opus)')).decision).toBe(
      'ask',
    );
  });

  it('asks before a web search, also in plan mode, unless a rule applies', () => {
    const search = (setting: object) => decided('WebSearch', { query: 'x' }, setting).decision;
    expect(search({})).toBe('ask');
    expect(search({ mode: 'plan' })).toBe('ask');
    expect(search({ rules: { allow: ['WebSearch'] } })).toBe('allow');
    expect(search({ rules: { allow: ['WebSearch'], deny: ['WebSearch'] } })).toBe('deny');
    expect(search({ rules: { allow: ['WebFetch'] } })).toBe('ask');
  });

  it('leaves questions to the user in every mode but dontAsk', () => {
    for (const mode of ['default', 'acceptEdits', 'plan', 'bypassPermissions'] as const) {
      expect(decided('AskUserQuestion', { questions: [] }, { mode, readOnly: true }).decision).toBe('ask');
    }
    expect(decided('ExitPlanMode', {}, { mode: 'dontAsk' }).decision).toBe('deny');
  });
});

describe('an explanation', () => {
  it('names the rule, its source and the matched part', () => {
    const verdict = decided(
      'Bash',
      { command: 'npm test && cat secrets/x' },
      { rules: { allow: ['Bash(npm test)'], deny: ['Read(./secrets/**)'] } },
    );
    expect(verdict).toMatchObject({ decision: 'deny', rule: 'Read(./secrets/**)', source: 'user' });
    expect(verdict.parts).toMatchObject([
      { kind: 'command', part: 'npm test', decision: 'allow', rule: 'Bash(npm test)' },
      { kind: 'command', part: 'cat secrets/x', decision: 'allow' },
      { kind: 'read', part: 'secrets/x', decision: 'deny', rule: 'Read(./secrets/**)' },
    ]);
  });

  it("accepts a hook's allow only instead of a question", () => {
    expect(decided('Bash', { command: 'make' }, { hook: 'allow' })).toMatchObject({
      decision: 'allow',
      reason: 'A hook allowed it.',
    });
    expect(decided('Bash', { command: 'echo x > .git/config' }, { hook: 'allow' }).decision).toBe('ask');
    expect(decided('Bash', { command: 'make' }, { hook: 'allow', mode: 'plan' }).decision).toBe('deny');
    expect(decided('Bash', { command: 'ls' }, { hook: 'ask' }).decision).toBe('ask');
  });
});

describe('a rule about a server', () => {
  it.each(['mcp__srv', 'mcp__srv__*', 'mcp__*srv*', 'mcp__*'])(
    '%s in ask also asks about its resources',
    (rule) => {
      const rules = { allow: ['ReadMcpResourceTool'], ask: [rule] };
      const names = [{ tool: 'mcp__srv__', name: 'test://text' }];
      expect(decided('ReadMcpResourceTool', { server: 'srv' }, { rules, names }).decision).toBe('ask');
      const others = [{ tool: 'mcp__other__', name: 'test://text' }];
      if (rule !== 'mcp__*')
        expect(decided('ReadMcpResourceTool', { server: 'other' }, { rules, names: others }).decision).toBe(
          'allow',
        );
    },
  );
});

describe("a file tool that reads git's data", () => {
  const rules = { deny: ['Read(./secrets/**)'] };
  const world = { files: ['/repo/project/.git/.', '/repo/project/.git/ADD_EDIT.patch'] };

  it.each([
    ['Read', { file_path: '.git/ADD_EDIT.patch' }, 'ask'],
    ['Read', { file_path: '.git/lost-found/other/1a2b' }, 'ask'],
    ['Read', { file_path: '.git/HEAD' }, 'allow'],
    ['Read', { file_path: '.git/refs/heads/main' }, 'allow'],
    ['Grep', { pattern: 'x', path: '.git' }, 'ask'],
    ['Grep', { pattern: 'x', path: '.git/ADD_EDIT.patch' }, 'ask'],
    ['Glob', { pattern: '.git/*' }, 'allow'],
  ])('decides about %s %j beside a rule: %s', (tool, input, decision) => {
    expect(decided(tool, input, { rules, world, readOnly: true }).decision).toBe(decision);
    expect(decided(tool, input, { world, readOnly: true }).decision).toBe('allow');
  });
});
