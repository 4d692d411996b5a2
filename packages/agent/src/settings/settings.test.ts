/** Settings of all scopes: which count, in which order, and what is said about those that do not. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { appliedSettings } from './applied-settings.ts';
import { addRuleTo, removeRuleFrom } from './change-scope.ts';
import { addRule, removeRule, setSettings } from './edit.ts';
import { mergeSettings } from './merge-settings.ts';
import { configDirs, projectRoot } from './scopes.ts';
import { createSettingsHome } from './test/settings-home.ts';
import { trustFolder } from './trust.ts';
import { validateSettings } from './validate-settings.ts';

const allowing = (...allow: string[]) => ({ permissions: { allow } });

describe('settings', () => {
  it('come from all scopes, the highest first', async () => {
    const { write, permissions, load, trust } = createSettingsHome();
    trust();
    write('managed/managed-settings.json', { permissions: { deny: ['Bash(m)'] }, model: 'managed' });
    write('managed/managed-settings.d/10.json', { permissions: { deny: ['Bash(d)'] } });
    write('home/.claude/settings.json', {
      permissions: { allow: ['Bash(u)'], ask: ['Bash(a)'] },
      model: 'user',
      x: { user: 1, both: 1 },
    });
    write('project/.claude/settings.local.json', {
      permissions: { allow: ['Bash(l)'] },
      model: 'local',
      x: { both: 2 },
    });
    const { rules } = await permissions({ settings: JSON.stringify(allowing('Bash(c)')) });
    expect(rules.allow.map(({ text, source }) => `${source} ${text}`)).toEqual([
      'command line Bash(c)',
      'local Bash(l)',
      'user Bash(u)',
    ]);
    expect(rules.deny.map(({ text, source }) => `${source} ${text}`)).toEqual([
      'managed Bash(m)',
      'managed Bash(d)',
    ]);
    expect(rules.ask).toMatchObject([{ source: 'user', file: expect.stringContaining('settings.json') }]);
    expect(mergeSettings(load().files)).toMatchObject({ model: 'managed', x: { user: 1, both: 2 } });
  });

  it('join lists without repeating, except those that have an order', () => {
    const { write, load, trust } = createSettingsHome();
    trust();
    write('home/.claude/settings.json', { list: ['a', 'b'], fallbackModel: ['u'] });
    write('project/.claude/settings.local.json', { list: ['b', 'c'], fallbackModel: ['l'] });
    expect(mergeSettings(load().files)).toEqual({ list: ['b', 'c', 'a'], fallbackModel: ['l'] });
  });

  it.each([
    ['not JSON', '{', /not JSON/],
    ['a list', '[]', /not a JSON object/],
  ])('that are %s are skipped whole and reported', async (_, text, problem) => {
    const { write, permissions, trust } = createSettingsHome();
    trust();
    write('home/.claude/settings.json', text);
    write('project/.claude/settings.local.json', allowing('Bash(l)'));
    const { rules, problems } = await permissions();
    expect(rules.allow.map((rule) => rule.text)).toEqual(['Bash(l)']);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems[0]).toMatch(/home\/\.claude\/settings\.json was skipped/);
  });

  it('with invalid values are reported with file, line and key, and the rest counts', async () => {
    const { write, permissions, load } = createSettingsHome();
    const lines = [
      '{',
      '  "model": 5,',
      '  "effortLevel": "huge",',
      '  "limits": { "toolConcurrency": -1, "stopHookBlocks": 3 },',
      '  "env": { "A": "1", "B": [] },',
      '  "permissions": {',
      '    "allow": ["Bash(ls)", 7],',
      '    "deny": "Bash(rm *)",',
      '    "ask": [',
      '      "Bash(git push)",',
      '      "# Bash((("',
      '    ]',
      '  }',
      '}',
    ];
    const file = write('home/.claude/settings.json', lines.join('\n'));
    const { rules, problems } = await permissions();
    expect(problems).toEqual([
      `${file}:2: model takes a text, not 5. It is ignored.`,
      `${file}:3: effortLevel takes one of low, medium, high, xhigh, max, not "huge". It is ignored.`,
      `${file}:5: env takes an object of texts, not {"A":"1","B":[]}. Only its valid part counts.`,
      `${file}:7: permissions.allow takes a list of texts, not ["Bash(ls)",7]. Only its valid part counts.`,
      `${file}:8: permissions.deny takes a list of texts, not "Bash(rm *)". Only its valid part counts.`,
      `${file}:4: limits.toolConcurrency takes a whole number over 0, not -1. It is ignored.`,
      expect.stringContaining(`${file}:11: `),
    ]);
    expect(rules.allow.map(({ text }) => text)).toEqual(['Bash(ls)']);
    expect(rules.deny.map(({ text }) => text)).toEqual(['Bash(rm *)']);
    expect(mergeSettings(load().files)).toMatchObject({ limits: { stopHookBlocks: 3 }, env: { A: '1' } });
  });

  it('that cannot be opened are reported', async () => {
    const { write, permissions, home } = createSettingsHome();
    write('home/.claude/x', '');
    symlinkSync(path.join(home, '.claude'), path.join(home, '.claude/settings.json'));
    expect((await permissions()).problems).toEqual([expect.stringMatching(/was skipped: EISDIR/)]);
  });

  it('are limited to the sources a host names', async () => {
    const { write, permissions, trust } = createSettingsHome();
    trust();
    write('home/.claude/settings.json', allowing('Bash(u)'));
    write('project/.claude/settings.local.json', allowing('Bash(l)'));
    write('managed/managed-settings.json', { permissions: { deny: ['Bash(m)'] } });
    expect((await permissions({ sources: ['local'] })).rules.allow.map(({ text }) => text)).toEqual([
      'Bash(l)',
    ]);
    const none = await permissions({ sources: [] });
    expect([none.rules.allow.length, none.rules.deny.length]).toEqual([0, 1]);
  });

  it('are read from a file named on the command line, and a missing one is reported', async () => {
    const { write, permissions, project } = createSettingsHome();
    write('project/more.json', allowing('Edit(/x/**)'));
    expect((await permissions({ settings: 'more.json' })).rules.allow).toMatchObject([
      { source: 'command line', base: project },
    ]);
    expect((await permissions({ settings: 'none.json' })).problems).toEqual([
      expect.stringMatching(/no such file/),
    ]);
  });

  it('lie where the environment says', () => {
    const env = (value: object) => configDirs({ env: { ...value }, home: '/h' });
    expect(env({})).toEqual(['/h/.heddle', '/h/.claude']);
    expect(env({ CLAUDE_CONFIG_DIR: '/c' })).toEqual(['/c']);
    expect(env({ CLAUDE_CONFIG_DIR: '/c', HEDDLE_CONFIG_DIR: '/ours' })).toEqual(['/ours']);
  });

  it('of a project are found from below, up to the top of its repository', () => {
    const { write, project } = createSettingsHome();
    write('project/.git/HEAD', 'ref: refs/heads/x\n');
    for (const name of ['objects/x', 'refs/x']) write(`project/.git/${name}`, '');
    write('project/a/b/x', '');
    expect(projectRoot(path.join(project, 'a/b'))).toBe(project);
    write('project/a/.claude/settings.json', {});
    expect(projectRoot(path.join(project, 'a/b'))).toBe(path.join(project, 'a'));
    write('project/a/b/.heddle/settings.local.json', {});
    expect(projectRoot(path.join(project, 'a/b'))).toBe(path.join(project, 'a/b'));
  });

  it('in .heddle win over those in .claude, with the same trust', async () => {
    const { write, load, permissions, trust } = createSettingsHome();
    const settings = (name: string) => ({ model: name, env: { [name]: '1' }, ...allowing(`Bash(${name})`) });
    for (const folder of ['.claude', '.heddle'])
      for (const scope of ['', '.local'])
        write(`project/${folder}/settings${scope}.json`, settings(`${folder.slice(1)}${scope}`));
    const untrusted = await permissions();
    expect(untrusted.rules.allow).toEqual([]);
    expect(untrusted.leftOut[0]).toMatch(/\.heddle\/settings\.local\.json: 1 allow rule, model, env;/);
    expect(appliedSettings(load())).toMatchObject({ model: undefined, env: {} });
    trust();
    const names = ['heddle.local', 'claude.local', 'heddle', 'claude'];
    const applied = appliedSettings(load());
    expect([applied.model, Object.keys(applied.env).sort()]).toEqual(['heddle.local', names.toSorted()]);
    const { rules } = await permissions();
    expect(rules.allow.map(({ text }) => text)).toEqual(names.map((name) => `Bash(${name})`));
  });

  it('of a project are written to .heddle if it has the file, and removed from both folders', () => {
    const { write, read, project, home } = createSettingsHome();
    const places = { cwd: project, home, env: {}, projectRoot: project };
    addRuleTo('project', 'deny', 'Bash(x)', places);
    expect(read('project/.claude/settings.json')).toEqual({ permissions: { deny: ['Bash(x)'] } });
    write('project/.heddle/settings.json', {});
    expect(addRuleTo('project', 'deny', 'Bash(x)', places)).toMatchObject({ ok: true, changed: true });
    expect(read('project/.heddle/settings.json')).toEqual({ permissions: { deny: ['Bash(x)'] } });
    expect(removeRuleFrom('project', 'deny', 'Bash(x)', places)).toMatchObject({ ok: true, changed: true });
    for (const folder of ['.heddle', '.claude'])
      expect(read(`project/${folder}/settings.json`)).toEqual({ permissions: { deny: [] } });
  });
});

describe('a mode', () => {
  it('comes from the highest scope, and a project cannot raise its own', async () => {
    const { write, permissions, trust, project } = createSettingsHome();
    execFileSync('git', ['init', '-q', project]);
    const mode = (defaultMode: string) => ({ permissions: { defaultMode } });
    write('home/.claude/settings.json', mode('plan'));
    for (const value of ['acceptEdits', 'bypassPermissions', 'dontAsk', 'default']) {
      write('project/.claude/settings.json', mode(value));
      write('project/.claude/settings.local.json', mode(value));
      const { defaultMode, leftOut } = await permissions();
      expect(defaultMode).toBe('plan');
      expect(leftOut).toEqual([expect.stringContaining(`settings.local.json: the mode ${value};`)]);
    }
    trust();
    write('project/.claude/settings.local.json', {});
    for (const escalating of ['acceptEdits', 'bypassPermissions']) {
      write('project/.claude/settings.json', mode(escalating));
      const { defaultMode, problems } = await permissions();
      expect(defaultMode).toBe('plan');
      expect(problems).toEqual([expect.stringMatching(/cannot raise its own mode/)]);
    }
    write('project/.claude/settings.json', mode('dontAsk'));
    expect((await permissions()).defaultMode).toBe('dontAsk');
    write('project/.claude/settings.local.json', mode('acceptEdits'));
    expect((await permissions()).defaultMode).toBe('acceptEdits');
    write('project/.claude/settings.local.json', mode('manual'));
    expect((await permissions()).defaultMode).toBe('default');
  });

  it.each(['.claude/settings.local.json', 'shared', '.claude'])(
    'is not raised by a local file that git tracks (%s)',
    async (tracked) => {
      const { project, write, permissions, trust } = createSettingsHome();
      const git = (...args: string[]): unknown => execFileSync('git', ['-C', project, ...args]);
      trust();
      write('project/other.txt', {});
      write('project/shared/x', {});
      if (!tracked.endsWith('.json')) symlinkSync('shared', path.join(project, '.claude'));
      git('init', '-q');
      git('add', 'other.txt');
      for (const mode of ['acceptEdits', 'bypassPermissions', 'dontAsk']) {
        write('project/.claude/settings.local.json', { permissions: { defaultMode: mode } });
        git('rm', '-rqf', '--cached', '--ignore-unmatch', tracked);
        expect((await permissions()).defaultMode).toBe(mode);
        git('add', '-f', tracked);
        expect((await permissions()).defaultMode).toBe(mode === 'dontAsk' ? mode : undefined);
      }
    },
  );

  it('bypassPermissions can be switched off by any scope', async () => {
    const { write, permissions } = createSettingsHome();
    write('project/.claude/settings.json', { permissions: { disableBypassPermissionsMode: 'disable' } });
    expect((await permissions()).bypassDisabled).toBe(true);
  });
});

describe('an untrusted folder', () => {
  const settings = {
    permissions: {
      allow: ['Bash', 'Edit'],
      deny: ['Bash(rm *)'],
      ask: ['Bash(git push *)'],
      additionalDirectories: ['/srv'],
    },
    env: { A: 'b' },
    hooks: { Stop: [] },
    apiKeyHelper: 'evil',
    outputStyle: 'short',
  };

  it('can forbid and not allow, and one line says what was left out', async () => {
    const { write, permissions, load } = createSettingsHome();
    write('project/.claude/settings.json', settings);
    const { rules, directories, leftOut } = await permissions();
    expect([rules.allow.length, rules.deny.length, rules.ask.length, directories.length]).toEqual([
      0, 1, 1, 0,
    ]);
    expect(leftOut).toEqual([
      expect.stringMatching(
        /^Left out, because the folder is not trusted: \S+settings\.json: 2 allow rules, 1 additional directory, env, hooks, apiKeyHelper\. If you trust it: heddle permissions trust$/,
      ),
    ]);
    expect(mergeSettings(load().files)).toEqual({
      permissions: { deny: ['Bash(rm *)'], ask: ['Bash(git push *)'] },
    });
  });

  it('counts in full once it is trusted', async () => {
    const { write, permissions, load, home, project } = createSettingsHome();
    write('project/.claude/settings.json', settings);
    expect(trustFolder({ cwd: project, home, env: {} })).toEqual({ ok: true, folder: realpathSync(project) });
    const { rules, directories, leftOut } = await permissions();
    expect([rules.allow.length, directories, leftOut]).toEqual([2, ['/srv'], []]);
    expect(mergeSettings(load().files)).toMatchObject({ env: { A: 'b' } });
  });

  it('does not run its hooks, even if a host named the sources', () => {
    const { write, load } = createSettingsHome();
    write('project/.claude/settings.json', settings);
    expect(mergeSettings(load({ sources: ['project'] }).files)).not.toHaveProperty('hooks');
    expect(mergeSettings(load({ sources: ['project'] }).files)).not.toHaveProperty('env');
  });

  it('is trusted by its real path and the top of its repository, and keeps what else is known of it', () => {
    const { write, read, home, project } = createSettingsHome();
    write('project/.git/HEAD', 'ref: refs/heads/x\n');
    for (const name of ['objects/x', 'refs/x']) write(`project/.git/${name}`, '');
    write('project/sub/x', '');
    write('home/.claude.json', { projects: { [project]: { history: [1] } }, theme: 'dark' });
    trustFolder({ cwd: path.join(project, 'sub'), home, env: {} });
    expect(read('home/.claude.json')).toEqual({
      projects: { [project]: { history: [1], hasTrustDialogAccepted: true } },
      theme: 'dark',
    });
  });

  it('is not trusted at the price of what other programs keep in the same file', () => {
    const { write, home, project } = createSettingsHome();
    const file = write('home/.claude.json', '{"theme": "dark", ');
    expect(trustFolder({ cwd: project, home, env: {} })).toEqual({
      ok: false,
      message: `${file} cannot be changed: it cannot be read`,
    });
    expect(readFileSync(file, 'utf8')).toBe('{"theme": "dark", ');
    write('home/.claude.json', '\uFEFF{"theme": "dark"}');
    expect(trustFolder({ cwd: project, home, env: {} }).ok).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('dark');
  });

  it('cannot hide behind the name of a prototype', () => {
    const { write, load } = createSettingsHome();
    write(
      'project/.claude/settings.json',
      '{"__proto__": {"env": {"EVIL": "1"}, "model": "evil"}, "sandbox": {"__proto__": {"enabled": false}}}',
    );
    write('home/.claude/settings.json', { permissions: { deny: ['Read(.env)'] } });
    expect(appliedSettings(load())).toMatchObject({ env: {}, model: undefined });
  });
});

describe("a rule's own examples", () => {
  const withExamples = (list: string, rule: string, match: string[], not_match: string[]) => ({
    permissions: { [list]: [rule], examples: { [rule]: { match, not_match } } },
  });

  it.each([
    ['allow', 'Bash(npm run *)', ['npm run a', 'npm run'], ['npm runner', 'npm run a && rm b']],
    ['deny', 'Bash(rm *)', ['rm a', 'sudo rm a', 'ls && rm a'], ['rmdir2', 'echo rm']],
    ['deny', 'Read(./secrets/**)', ['secrets/a'], ['a']],
    ['allow', 'Edit(src/**)', ['src/a'], ['a']],
    ['allow', 'WebFetch(domain:example.com)', ['example.com', 'https://example.com/a'], ['evil.org']],
    ['deny', 'mcp__srv', ['mcp__srv__tool'], ['mcp__other__tool']],
    ['allow', 'Agent(explorer)', ['explorer'], ['other']],
  ])('%s %s: are checked and hold', async (list, rule, match, notMatch) => {
    const { write, permissions } = createSettingsHome();
    write('home/.claude/settings.json', withExamples(list, rule, match, notMatch));
    expect((await permissions()).problems).toEqual([]);
  });

  it('that fail are reported; the rule no longer allows, but still forbids', async () => {
    const { write, permissions } = createSettingsHome();
    write('home/.claude/settings.json', withExamples('allow', 'Bash(npm *)', ['npm test'], ['npm publish']));
    write('project/.claude/settings.local.json', withExamples('deny', 'Bash(rm *)', ['rmdir a'], []));
    const { rules, problems } = await permissions();
    expect(problems.map((problem) => problem.replace(/^.*json:\d+: /, ''))).toEqual([
      'Bash(rm *) does not match its own example rmdir a.',
      'Bash(npm *) matches its own example npm publish.',
    ]);
    expect([rules.allow.length, rules.deny.length]).toEqual([0, 1]);
  });

  it('are not needed for a rule that could never match to be reported', async () => {
    const { write, permissions } = createSettingsHome();
    write('home/.claude/settings.json', {
      permissions: { allow: ['Write(src/**)', '*', 'Bash()', 'Bash(a) b'] },
    });
    const { rules, problems } = await permissions();
    expect(rules.allow).toEqual([]);
    expect(problems).toHaveLength(4);
  });
});

describe('a rule for an unknown tool', () => {
  it('is kept and remarked on, with the name that was probably meant', async () => {
    const { write, permissions } = createSettingsHome();
    const file = write('home/.claude/settings.json', {
      permissions: { allow: ['bash(ls)', 'mcp__srv__tool'], deny: ['Raed(.env)'], ask: ['SlashCommand'] },
    });
    const { rules, problems, doubts } = await permissions();
    expect(rules.allow.map(({ text }) => text)).toEqual(['bash(ls)', 'mcp__srv__tool']);
    expect(problems).toEqual([]);
    expect(doubts).toEqual([
      `${file}:1: Raed(.env): no tool is named Raed; did you mean Read?`,
      `${file}:1: bash(ls): no tool is named bash; did you mean Bash?`,
    ]);
  });
});

describe('a change of rules', () => {
  it('keeps everything else in the file', () => {
    const { write, read } = createSettingsHome();
    const file = write('project/.claude/settings.json', {
      $schema: 'x',
      unknown: { a: [1] },
      permissions: { allow: ['Bash(a)'], other: true },
    });
    expect(addRule(file, 'allow', 'Bash(b)')).toEqual({ ok: true, changed: true });
    expect(addRule(file, 'deny', 'Read(.env)')).toEqual({ ok: true, changed: true });
    expect(addRule(file, 'allow', 'Bash(b)')).toEqual({ ok: true, changed: false });
    expect(removeRule(file, 'allow', 'Bash(a)')).toEqual({ ok: true, changed: true });
    expect(removeRule(file, 'allow', 'Bash(z)')).toEqual({ ok: true, changed: false });
    expect(read(file)).toEqual({
      $schema: 'x',
      unknown: { a: [1] },
      permissions: { allow: ['Bash(b)'], deny: ['Read(.env)'], other: true },
    });
    expect(readdirSync(path.dirname(file))).toEqual(['settings.json']);
  });

  it('is refused for a file that cannot be read, and for a rule that could never match', () => {
    const { write, project } = createSettingsHome();
    const broken = write('project/.claude/settings.json', '{');
    expect(addRule(broken, 'allow', 'Bash(b)')).toMatchObject({
      ok: false,
      message: /cannot be changed: it is not JSON/,
    });
    expect(addRule(path.join(project, 'new.json'), 'allow', '*')).toMatchObject({ ok: false });
    expect(readdirSync(project)).toEqual(['.claude']);
  });

  it('goes through a link to where the file really is', () => {
    const { write, read, home, project } = createSettingsHome();
    write('project/.claude/x', '');
    const kept = write('home/kept.json', {});
    const link = path.join(project, '.claude/settings.json');
    symlinkSync(path.join(home, 'kept.json'), link);
    addRule(link, 'ask', 'Bash(a)');
    expect(read(kept)).toEqual({ permissions: { ask: ['Bash(a)'] } });
  });

  it('goes through a link to a file that is not there yet', () => {
    const { write, read, home, project } = createSettingsHome();
    write('project/.claude/x', '');
    const link = path.join(project, '.claude/settings.json');
    symlinkSync('../../home/kept.json', link);
    addRule(link, 'ask', 'Bash(a)');
    expect(read(path.join(home, 'kept.json'))).toEqual({ permissions: { ask: ['Bash(a)'] } });
  });

  it('that the disk refuses is an answer', () => {
    const { write } = createSettingsHome();
    const file = path.join(write('project/file', ''), 'settings.json');
    expect(setSettings(file, [[['model'], 'haiku']])).toMatchObject({
      ok: false,
      message: expect.stringMatching(/settings\.json cannot be changed: ENOTDIR|EEXIST/),
    });
  });

  it('keeps private settings out of commits', () => {
    const { project } = createSettingsHome();
    addRule(path.join(project, '.claude/settings.local.json'), 'allow', 'Bash(a)');
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', project, ...args], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: project },
      });
    git('init', '-q');
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe('');
  });
});

describe('a list of MCP servers', () => {
  it.each([
    ['denied', 'deniedMcpServers', 'tracker', ['tracker']],
    ['denied', 'deniedMcpServers', [1, { serverName: 'tracker' }, {}], [{ serverName: 'tracker' }]],
    ['allowed', 'allowedMcpServers', 7, []],
    ['allowed', 'allowedMcpServers', [{ serverCommand: 'npx' }, 'notes'], ['notes']],
    ['switched off', 'disabledMcpServers', 'notes', ['notes']],
  ])('that are %s keeps its usable part and is reported: %s %j', (_, key, value, kept) => {
    const { settings, problems } = validateSettings({ [key]: value });
    expect(settings[key]).toEqual(kept);
    expect(problems).toMatchObject([{ path: [key] }]);
  });
});
