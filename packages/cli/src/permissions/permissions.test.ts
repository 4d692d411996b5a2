/** `heddle permissions` in the real program, with its own home folder and project. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install, type Installed } from '../test/program.ts';

let program = '';
let installed: Installed;
beforeAll(async () => {
  installed = await install();
  ({ program } = installed);
});
afterAll(() => installed.remove());

function place() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-permissions-'));
  const [home, project] = [path.join(folder, 'home'), path.join(folder, 'project')];
  mkdirSync(home);
  mkdirSync(project);
  const write = (file: string, value: unknown) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), JSON.stringify(value));
  };
  const run = (...argv: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const { HEDDLE_CONFIG_DIR: _, CLAUDE_CONFIG_DIR: __, ...inherited } = process.env;
      const env = { ...inherited, HOME: home, NO_COLOR: '1' };
      execFile(program, ['permissions', ...argv], { cwd: project, env }, (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      });
    });
  const explain = async (tool: string, input: object, ...flags: string[]) =>
    JSON.parse((await run('explain', '--json', tool, JSON.stringify(input), ...flags)).stdout) as Record<
      string,
      unknown
    >;
  return { home, project, write, run, explain };
}

describe('heddle permissions explain', () => {
  it('accepts a command, a file or an address without JSON', async () => {
    const { run } = place();
    const asked = async (...words: string[]): Promise<unknown> =>
      JSON.parse((await run('explain', '--json', ...words)).stdout);
    const whole = await asked('Bash', JSON.stringify({ command: 'npm test' }));
    expect(await asked('Bash', 'npm test')).toEqual(whole);
    expect(await asked('npm test')).toEqual(whole);
    expect(await asked('Read', 'notes.txt')).toMatchObject({ decision: 'allow' });
  });

  it('allows a subagent as a session does, if no rule is against it and the provider stays', async () => {
    const { explain } = place();
    const task = { prompt: 'x', subagent_type: 'Explore' };
    for (const tool of ['Agent', 'Task']) {
      expect(await explain(tool, task)).toMatchObject({ decision: 'allow' });
      expect(await explain(tool, task, '--disallowed-tools', 'Agent(Explore)')).toMatchObject({
        decision: 'deny',
      });
      expect(await explain(tool, { ...task, model: 'x/y' })).toMatchObject({ decision: 'ask' });
    }
    expect(await explain('CronList', {})).toMatchObject({ decision: 'allow' });
    expect(await explain('CronCreate', { cron: '* * * * *', prompt: 'x' })).toMatchObject({
      decision: 'ask',
    });
  });

  it('knows whether the folder is trusted', async () => {
    const { explain, run, project } = place();
    const git = (...argv: string[]) => execFileSync('git', ['-C', project, ...argv]);
    git('init', '-q');
    git('config', 'core.fsmonitor', './x.sh');
    const decision = () => explain('Bash', { command: 'git status' }, '--allowed-tools', 'Bash(git status)');
    expect(await decision()).toMatchObject({ decision: 'ask' });
    await run('trust');
    expect(await decision()).toMatchObject({ decision: 'allow' });
  });

  it('escapes control characters, also in a pipe, and keeps the exact text in JSON', async () => {
    const { write, run } = place();
    const rule = 'Bash(make \u001b[2J\u202e\u007f *)';
    write('home/.claude/settings.json', { permissions: { deny: [rule] } });
    const shown = [await run('list'), await run('explain', 'make \u001b[2J\u202e\u007f x')];
    for (const { stdout } of shown) {
      expect(['\u001b', '\u202e', '\u007f'].filter((sign) => stdout.includes(sign))).toEqual([]);
    }
    expect(shown[0]?.stdout).toContain(String.raw`\x1b[2J\u202e\x7f`);
    const listed: unknown = JSON.parse((await run('list', '--json')).stdout);
    expect(listed).toMatchObject({ rules: { deny: [{ text: rule }] } });
  });

  it('prints the decision, the rule, its source, the reason and the parts, and runs nothing', async () => {
    const { write, explain, project } = place();
    write('project/.claude/settings.json', { permissions: { deny: ['Read(./secrets/**)'] } });
    expect(await explain('Bash', { command: 'touch ran; cat secrets/x' })).toMatchObject({
      decision: 'deny',
      rule: 'Read(./secrets/**)',
      source: 'project',
      file: path.join(project, '.claude/settings.json'),
      reason: expect.stringContaining('says deny'),
      parts: [
        { kind: 'command', part: 'touch ran', decision: 'ask' },
        { kind: 'write', part: 'ran' },
        { kind: 'command', part: 'cat secrets/x' },
        { kind: 'read', part: 'secrets/x', decision: 'deny' },
      ],
    });
    expect(readdirSync(project)).toEqual(['.claude']);
  });

  it('decides like a run with the same flags', async () => {
    const { explain, write } = place();
    write('home/.claude/settings.json', { permissions: { allow: ['Bash(npm run *)'] } });
    expect(await explain('Bash', { command: 'npm run a' })).toMatchObject({
      decision: 'allow',
      source: 'user',
      rule: 'Bash(npm run *)',
    });
    expect(await explain('Bash', { command: 'npm run a' }, '--setting-sources=')).toMatchObject({
      decision: 'ask',
      rule: null,
      source: null,
    });
    expect(await explain('Bash', { command: 'make a' }, '--allowed-tools', 'Bash(make *)')).toMatchObject({
      decision: 'allow',
      source: 'command line',
    });
    expect(
      await explain('Bash', { command: 'npm run a' }, '--disallowed-tools', 'Bash(npm *)'),
    ).toMatchObject({ decision: 'deny' });
    expect(
      await explain('Write', { file_path: 'a', content: '' }, '--permission-mode', 'acceptEdits'),
    ).toMatchObject({ decision: 'allow' });
    expect(
      await explain(
        'Write',
        { file_path: '/srv/a', content: '' },
        '--permission-mode',
        'acceptEdits',
        '--add-dir',
        '/srv',
      ),
    ).toMatchObject({ decision: 'allow' });
    expect(await explain('Read', { file_path: 'a' })).toMatchObject({ decision: 'allow' });
    expect(await explain('mcp__srv__tool', {})).toMatchObject({ decision: 'ask' });
  });

  it('uses the variables of the settings', async () => {
    const { explain, write, project } = place();
    mkdirSync(path.join(project, 'tools'));
    const edit = () =>
      explain('Write', { file_path: 'tools/npm', content: '' }, '--permission-mode', 'acceptEdits');
    expect(await edit()).toMatchObject({ decision: 'allow' });
    const PATH = `${project}/tools:${process.env['PATH']}`;
    write('home/.claude/settings.json', { env: { PATH } });
    expect(await edit()).toMatchObject({ decision: 'ask' });
  });

  it.each([
    [['explain', '--json', 'Bash', '{bad'], /as a JSON object/],
    [['explain', '--json', 'Bash', '[]'], /as a JSON object/],
    [['explain', 'Bash'], /TOOL INPUT_JSON/],
    [['explain', '--nonsense', 'Bash', '{}'], /unknown flag/],
    [['add', 'perhaps', 'Bash'], /allow, ask, deny/],
    [['add', 'allow', 'Bash', '--scope', 'moon'], /user, project, local/],
    [['add', 'allow', '*'], /names its tool/],
    [['dance'], /not a command/],
  ])('rejects wrong arguments: %j', async (argv, message) => {
    const { run } = place();
    const { code, stdout, stderr } = await run(...argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('accepts a shell command, and suggests a rule that allows it', async () => {
    const { run } = place();
    const { stdout } = await run('explain', 'cd x && npm test | tail -5');
    expect(stdout).toBe(`ask: Heddle would ask you first. No rule allows the command npm test.

Parts:
  allow run cd x
        It changes nothing.
  ask   run npm test
        No rule allows the command npm test.
  allow run tail -5
        It changes nothing.

To allow it in this project from now on:
  heddle permissions add allow 'Bash(npm test *)'
`);
    await run('add', 'allow', 'Bash(npm test *)');
    expect((await run('explain', 'cd x && npm test | tail -5')).stdout).toMatch(
      /^allow: Heddle would do this/,
    );
  });

  it('names the list of a rule that may match, so that its removal works', async () => {
    const { run } = place();
    await run('add', 'deny', 'Bash(git push *)');
    const { stdout } = await run('explain', 'echo push | xargs git');
    expect(stdout).toMatch(/^ask: /);
    expect(stdout).toContain("heddle permissions remove deny 'Bash(git push *)'");
    expect((await run('remove', 'deny', 'Bash(git push *)')).code).toBe(0);
  });

  it('suggests all rules that a script needs, and they are enough', async () => {
    const { run, explain } = place();
    const command = 'git add -A && git commit -m "a b" > log.txt';
    const { suggestions } = (await explain('Bash', { command })) as {
      suggestions: { rules: { toolName: string; ruleContent: string }[] }[];
    };
    const rules = suggestions.flatMap((update) =>
      update.rules.map((rule) => `${rule.toolName}(${rule.ruleContent})`),
    );
    expect(rules).toEqual(['Bash(git add *)', 'Bash(git commit *)', 'Edit(./log.txt)']);
    for (const rule of rules) await run('add', 'allow', rule);
    expect(await explain('Bash', { command })).toMatchObject({ decision: 'allow', suggestions: [] });
  });

  it('names the rule that denies a call, and how to remove it', async () => {
    const { run, write } = place();
    write('project/.claude/settings.json', { permissions: { deny: ['Read(./secrets/**)'] } });
    expect((await run('explain', 'cat secre*/*')).stdout).toMatch(
      /^deny: Heddle would deny this\. The project rule[\s\S]*remove deny 'Read\(\.\/secrets\/\*\*\)' --scope project\n$/,
    );
    expect((await run('explain', 'rm -rf /')).stdout).toMatch(
      /^ask: .* the root of the file system\.[\s\S]*No rule can allow this/,
    );
  });

  it('reports what an untrusted folder may not do, until it is trusted', async () => {
    const { run, write } = place();
    write('project/.claude/settings.json', { permissions: { allow: ['Bash(make *)'] } });
    const before = await run('explain', 'Bash', '{"command":"make a"}');
    expect(before.stdout).toMatch(/^ask:/);
    expect(before.stderr).toMatch(/the folder is not trusted: \S+settings\.json: 1 allow rule/);
    await run('trust');
    const after = await run('explain', 'Bash', '{"command":"make a"}');
    expect(after).toMatchObject({ stdout: expect.stringMatching(/^allow:/), stderr: '' });
    await run('trust', '--revoke');
    expect((await run('list')).stdout).toContain('no rules');
  });
});

describe('heddle permissions trust', () => {
  const hook = (command: string) => ({ hooks: [{ type: 'command', command }] });
  const SETTINGS = {
    permissions: {
      allow: [
        'Bash(a *)',
        'Bash(b\n  9 hooks:\u001b[2J *)',
        ...Array.from({ length: 9 }, (_, at) => `Bash(c${at})`),
      ],
      deny: ['Bash(rm *)'],
      additionalDirectories: ['/srv'],
      defaultMode: 'plan',
    },
    hooks: { PreToolUse: [hook(`./check.sh ${'x'.repeat(200)}`)], Stop: [hook('make test')] },
    env: { A: '1' },
    apiKeyHelper: './key.sh',
    statusLine: { type: 'command', command: './status.sh' },
    model: 'm',
    unknownKey: 1,
  };
  const made = () => {
    const own = place();
    own.write('project/.claude/settings.json', SETTINGS);
    own.write('project/.mcp.json', { mcpServers: { s: { command: 'run-me', args: ['x'] } } });
    own.write('project/.claude/agents/a.md', '');
    return own;
  };

  it('lists what it switches on, in lines that the project cannot forge', async () => {
    const { run, project } = made();
    const { stdout, code } = await run('trust');
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 10)).toEqual([
      expect.stringMatching(/project is trusted now, with its subfolders\.$/),
      'Trust switches on:',
      '  1 mode:',
      '    plan',
      '  11 allow rules:',
      '    Bash(a *)',
      '    Bash(b 9 hooks:\\x1b[2J *)',
      '    Bash(c0)',
      '    Bash(c1)',
      '    Bash(c2)',
    ]);
    const rest = ['1 additional folder', '/srv', '2 hooks', 'Stop: make test', '1 MCP server', 's: run-me x'];
    const more = [
      '1 variable',
      'A=1',
      '2 helper commands',
      'statusLine: ./status.sh',
      '1 other setting',
      'model',
    ];
    for (const text of ['and 6 more', ...rest, ...more, path.join(project, '.claude/agents')])
      expect(stdout).toContain(text);
    expect(stdout).not.toMatch(/rm \*|unknownKey|x{100}/);
    expect(stdout).not.toContain('\u001b');
    expect((await run('trust')).stdout).toBe(stdout);
  });

  it('prints the same as JSON, and nothing for a folder without settings', async () => {
    const { run } = made();
    expect(JSON.parse((await run('trust', '--json')).stdout)).toMatchObject({
      trusted: true,
      switchesOn: { modes: ['plan'], allowRules: SETTINGS.permissions.allow, variables: ['A=1'] },
    });
    expect(JSON.parse((await run('trust', '--revoke', '--json')).stdout)).toMatchObject({
      trusted: false,
      switchesOn: null,
    });
    expect((await place().run('trust')).stdout).toMatch(/contain nothing that needs trust\.\n$/);
  });
});

describe('texts of a project', () => {
  const rule = 'Bash(a\nallow Bash(forged)\u001b[2J)';

  it('form no lines of their own in lists of rules and explanations', async () => {
    const { run, write } = place();
    write('project/.claude/settings.json', {
      permissions: { ask: [rule], deny: ['Bash(b\nheddle: forged *)'] },
    });
    for (const argv of [['list'], ['explain', 'b'], ['explain', 'a\nallow Bash(forged)'], ['trust']]) {
      const { stdout, stderr } = await run(...argv);
      expect(`${stdout}${stderr}`).not.toMatch(/^(allow Bash\(forged|heddle: forged)/m);
      expect(`${stdout}${stderr}`).not.toContain('\u001b');
    }
    expect((await run('list')).stdout).toContain('ask   Bash(a\\nallow Bash(forged)\\x1b[2J)');
    expect((await run('add', 'ask', rule)).stdout).toMatch(/^ask Bash\(a\\nallow.*added/);
  });

  it.each(['a\nheddle: forged', 'a\rb', 'a\u001b[2J', 'a\u202eb', 'a\u2028b', 'a\tb', 'a\u0085b', 'a\u0000'])(
    'a server with the name %j is reported and left out',
    async (name) => {
      const { run, write } = place();
      write('project/.mcp.json', {
        mcpServers: { [name]: { command: '${UNSET_VARIABLE}' }, good: { command: 'x' } },
      });
      const { stdout } = await run('trust');
      expect(stdout).toContain('  1 MCP server:\n    good: x\n');
    },
  );
});

describe('heddle permissions', () => {
  it('adds, lists and removes rules in the file of their scope', async () => {
    const { run, home, project } = place();
    expect((await run('add', 'allow', 'Bash(make *)')).stdout).toContain(
      path.join(project, '.claude/settings.local.json'),
    );
    expect((await run('add', 'deny', 'Read(.env)', '--scope', 'user')).code).toBe(0);
    expect((await run('add', 'ask', 'Bash(git push *)', '--scope=project')).code).toBe(0);
    const { rules } = JSON.parse((await run('list', '--json')).stdout) as {
      rules: Record<string, { text: string; source: string }[]>;
    };
    expect(rules).toMatchObject({
      deny: [{ text: 'Read(.env)', source: 'user' }],
      ask: [{ text: 'Bash(git push *)', source: 'project' }],
      allow: [{ text: 'Bash(make *)', source: 'local' }],
    });
    expect((await run('remove', 'deny', 'Read(.env)', '--scope', 'user')).code).toBe(0);
    expect((await run('remove', 'deny', 'Read(.env)', '--scope', 'user')).code).toBe(1);
    expect(JSON.parse(readFileSync(path.join(home, '.heddle/settings.json'), 'utf8'))).toEqual({
      permissions: { deny: [] },
    });
    expect(existsSync(path.join(home, '.claude'))).toBe(false);
    expect(existsSync(path.join(home, '.claude.json'))).toBe(false);
  });

  it('checks the examples of all files', async () => {
    const { run, write } = place();
    const settings = (rule: string) => ({
      permissions: {
        allow: [rule],
        examples: { [rule]: { match: ['npm run a'], not_match: ['npm publish'] } },
      },
    });
    write('home/.claude/settings.json', settings('Bash(npm run *)'));
    expect(await run('test')).toMatchObject({ code: 0, stdout: '2 examples, 0 failed\n' });
    write('home/.claude/settings.json', settings('Bash(npm *)'));
    expect(await run('test')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('matches its own example npm publish'),
    });
  });

  it('warns about an unknown tool, and keeps the rule', async () => {
    const { run } = place();
    const { code, stderr } = await run('add', 'allow', 'Bsh(ls)');
    expect([code, stderr]).toEqual([0, 'heddle: Bsh(ls): no tool is named Bsh; did you mean Bash?\n']);
    const listed = await run('list');
    expect(listed.stdout).toContain('allow Bsh(ls)');
    expect(listed.stderr).toMatch(
      /settings\.local\.json:4: Bsh\(ls\): no tool is named Bsh; did you mean Bash\?/,
    );
    const tested = await run('test');
    expect([tested.code, tested.stderr]).toEqual([0, expect.stringContaining('did you mean Bash?')]);
    expect((await run('add', 'allow', 'mcp__srv__tool')).stderr).toBe('');
  });

  it('warns about a pattern that may match nothing, and keeps the rule', async () => {
    const { run } = place();
    const { code, stderr } = await run('add', 'deny', 'Read(.env,*.pem)');
    expect([code, stderr]).toEqual([0, expect.stringContaining('a comma is a part of the pattern')]);
    const ofUser = await run('add', 'deny', 'Read(/etc/shadow)', '--scope', 'user');
    expect(ofUser.stderr).toContain('etc/shadow does not exist; write / twice for the root');
    expect((await run('add', 'deny', 'Read(//etc/shadow)', '--scope', 'user')).stderr).toBe('');
    const listed = await run('list');
    expect(listed.stderr).toContain('a comma is a part of the pattern');
    expect(listed.stderr).toContain('Read(/etc/shadow): / means the folder of these settings');
    expect(listed.stderr.trim().split('\n')).toHaveLength(2);
    expect((await run('test')).stderr).toContain('write one rule for each path');
  });

  it('warns about a rule that spans several commands, and keeps it', async () => {
    const { run } = place();
    const { code, stderr } = await run('add', 'deny', 'Bash(curl * | bash:*)');
    expect([code, stderr]).toEqual([0, expect.stringContaining('no command contains |')]);
    const listed = await run('list');
    expect(listed.stdout).toContain('deny  Bash(curl * | bash:*)');
    expect(listed.stderr).toContain('no command contains |');
  });

  it('prints its usage', async () => {
    expect((await place().run('help')).stdout).toContain('heddle permissions explain');
  });
});
