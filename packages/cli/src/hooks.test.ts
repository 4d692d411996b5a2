/** Hooks of settings through the program: on every surface, and never from a folder that is not trusted. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from './test/home.ts';
import { install, type Installed, linesOf } from './test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

/** The hook leaves a mark, and denies the call. */
const GUARD = {
  hooks: {
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [{ type: 'command', command: 'echo ran >> mark; echo forbidden here >&2; exit 2' }],
      },
    ],
  },
};
const USER_LINE = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } })}\n`;
const STREAM = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const BASH = call('Bash', { command: 'ls' }, 'b1');

function place() {
  const home = homeFor(installed.program);
  const write = (name: string, settings: object): void => {
    mkdirSync(path.dirname(path.join(home.folder, name)), { recursive: true });
    writeFileSync(path.join(home.folder, name), JSON.stringify(settings));
  };
  const mark = () => existsSync(path.join(home.folder, 'mark'));
  return { ...home, write, mark };
}

describe('a PreToolUse hook of the settings', () => {
  it.each([
    ['user settings', 'config/settings.json', ['-p', 'go']],
    ['a trusted project', '.claude/settings.json', ['-p', 'go']],
    ['local settings of a trusted project', '.claude/settings.local.json', ['-p', 'go']],
    ['settings as JSON', undefined, ['-p', 'go', '--settings', JSON.stringify(GUARD)]],
    ['managed settings', undefined, ['-p', 'go', '--managed-settings', JSON.stringify(GUARD)]],
    ['a host', 'config/settings.json', [...STREAM]],
    ['a conversation', 'config/settings.json', ['--plain']],
  ] as const)('runs and denies the call: %s', async (_, file, flags) => {
    const { run, script, write, mark } = place();
    if (file !== undefined) write(file, GUARD);
    if (file?.startsWith('.claude') === true) await run(['permissions', 'trust']);
    const input = flags.some((flag) => flag === '--input-format')
      ? USER_LINE
      : flags[0] === '--plain'
        ? 'go\n'
        : '';
    const { stdout } = await run([...flags, '--model', script([BASH, say('Done.')])], { input });
    expect(mark()).toBe(true);
    expect(stdout).toContain('Done.');
  });

  it.each([
    ['an untrusted project', '.claude/settings.json', ['-p', 'go'], 'not trusted'],
    [
      'an untrusted project that a host names',
      '.claude/settings.json',
      ['-p', 'go', '--setting-sources', 'project'],
      'not trusted',
    ],
    ['a bare start', 'config/settings.json', ['-p', 'go', '--bare'], ''],
    [
      'settings that disable all hooks',
      'config/settings.json',
      ['-p', 'go', '--settings', '{"disableAllHooks":true}'],
      'do not run',
    ],
  ] as const)('does not run: %s', async (_, file, flags, note) => {
    const { run, script, write, mark } = place();
    write(file, GUARD);
    const { stdout, stderr } = await run([...flags, '--model', script([BASH, say('Done.')])]);
    expect(mark()).toBe(false);
    expect(stdout).toContain('Done.');
    expect(stderr).toContain(note);
  });
});

describe('hooks under --setting-sources', () => {
  it('run if their source is named, and no others', async () => {
    const { run, write, folder } = place();
    const marks = path.join(folder, 'marks');
    for (const [file, source] of [
      ['config/settings.json', 'user'],
      ['.claude/settings.json', 'project'],
      ['.claude/settings.local.json', 'local'],
    ] as const) {
      const hooks = [{ type: 'command', command: `echo ${source} >> ${marks}` }];
      write(file, { hooks: { SessionStart: [{ hooks }] } });
    }
    await run(['permissions', 'trust']);
    const given = (...flags: string[]): string => JSON.stringify(flags);
    const expected = {
      [given()]: 'local project user',
      [given('--setting-sources', 'user')]: 'user',
      [given('--setting-sources=user')]: 'user',
      [given('--setting-sources', 'project')]: 'project',
      [given('--setting-sources', 'local')]: 'local',
      [given('--setting-sources', 'user,project')]: 'project user',
      [given('--setting-sources', 'project, local')]: 'local project',
      [given('--setting-sources', 'local,project,user')]: 'local project user',
      [given('--setting-sources', 'user,user')]: 'user',
      [given('--setting-sources', '')]: '',
      [given('--setting-sources=')]: '',
      [given('--setting-sources', '', '--settings', path.join(folder, '.claude/settings.json'))]: 'project',
    };
    const ran: Record<string, string> = {};
    for (const flags of Object.keys(expected)) {
      writeFileSync(marks, '');
      const ended = await run(['--init-only', '--model', 'rehearsal', ...(JSON.parse(flags) as string[])]);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      ran[flags] = readFileSync(marks, 'utf8').split('\n').filter(Boolean).sort().join(' ');
    }
    expect(ran).toEqual(expected);
    // A misspelled source is refused, so that no hook is lost silently.
    expect(
      await run(['--init-only', '--model', 'rehearsal', '--setting-sources', 'user,projct']),
    ).toMatchObject({ code: 2 });
  });
});

describe('hooks of the settings', () => {
  const commands = (event: string, ...texts: readonly string[]) => ({
    hooks: { [event]: [{ hooks: texts.map((command) => ({ type: 'command', command })) }] },
  });

  it('block a prompt with a reason, and no model is called', async () => {
    const { run, script, write } = place();
    write('config/settings.json', commands('UserPromptSubmit', 'echo not today >&2; exit 2'));
    const { stdout, code } = await run(['-p', 'go', '--model', script([say('Done.')])]);
    expect(stdout).toContain('A hook blocked this prompt: not today');
    expect(stdout).not.toContain('Done.');
    expect(code).toBe(0);
  });

  it('run at the start and at the end of a session', async () => {
    const { run, script, write, folder } = place();
    write('config/settings.json', {
      hooks: {
        SessionStart: [{ hooks: [{ type: 'command', command: 'cat > start.json; echo remember the milk' }] }],
        SessionEnd: [{ hooks: [{ type: 'command', command: 'cat > end.json' }] }],
      },
    });
    await run(['-p', 'go', '--model', script([say('Done.')])]);
    const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
    expect(read('start.json')).toMatchObject({ hook_event_name: 'SessionStart', source: 'startup' });
    expect(read('end.json')).toMatchObject({ hook_event_name: 'SessionEnd', reason: 'other' });
  });

  it('let the model continue until its work passes', async () => {
    const { run, script, write } = place();
    const check = 'test -e tried || { touch tried; echo tests fail >&2; exit 2; }';
    write('config/settings.json', commands('Stop', check));
    const { stdout } = await run(['-p', 'go', '--model', script([say('First.'), say('Second.')])]);
    expect(stdout).toContain('Second.');
  });

  it('end the run with their name if they never let it stop', async () => {
    const { run, script, write } = place();
    write('config/settings.json', commands('Stop', 'echo never >&2; exit 2'));
    const answers = Array.from({ length: 12 }, (_, at) => say(`Answer ${at}.`));
    const { stdout } = await run([
      '-p',
      'go',
      '--output-format',
      'stream-json',
      '--verbose',
      '--model',
      script(answers),
    ]);
    expect(stdout).toContain('stop_hook_prevented');
    expect(stdout).toContain('echo never');
    expect(stdout).toContain('Answer 8.');
  });

  it.each([
    ['a setting', { limits: { stopHookBlocks: 2 } }, {}],
    ['a variable', { limits: { stopHookBlocks: 5 } }, { HEDDLE_STOP_HOOK_BLOCKS: '2' }],
  ] as const)('block as often as the user allows: %s', async (_, settings, env) => {
    const { run, script, write } = place();
    write('config/settings.json', { ...settings, ...commands('Stop', 'echo never >&2; exit 2') });
    const answers = Array.from({ length: 12 }, (_, at) => say(`Answer ${at}.`));
    const { stdout } = await run(['-p', 'go', '--model', script(answers)], { env });
    expect(stdout).toContain('Answer 2.');
    expect(stdout).not.toContain('Answer 3.');
  });

  it('answer a permission question in place of the user', async () => {
    const { run, script, write, folder } = place();
    const decision = { behavior: 'allow' };
    const output = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
    write('config/settings.json', commands('PermissionRequest', `echo '${output}'`));
    const touch = call('Bash', { command: 'touch made' }, 'b1');
    await run(['-p', 'go', '--model', script([touch, say('Done.')])]);
    expect(existsSync(path.join(folder, 'made'))).toBe(true);
  });

  it('in the background give the model their answer later', async () => {
    const { run, script, write, folder } = place();
    const hook = { type: 'command', command: 'echo late news >&2; touch told; exit 2', asyncRewake: true };
    write('config/settings.json', { hooks: { PostToolUse: [{ matcher: 'Bash', hooks: [hook] }] } });
    const wait = call('Bash', { command: 'while [ ! -e told ]; do sleep 0.05; done; sleep 0.2' }, 'b2');
    const answers = [BASH, wait, call('Bash', { command: 'ls' }, 'b3'), say('Done.')];
    await run(['-p', 'go', '--allowed-tools', 'Bash', '--model', script(answers)]);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const logs = files.filter((file) => file.endsWith('.jsonl'));
    expect(logs.map((log) => readFileSync(path.join(folder, log), 'utf8')).join('')).toContain('late news');
  });

  it('may name the session', async () => {
    const { run, script, write } = place();
    const output = {
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', sessionTitle: 'A fine title' },
    };
    write('config/settings.json', commands('UserPromptSubmit', `echo '${JSON.stringify(output)}'`));
    await run(['-p', 'go', '--model', script([say('Done.')])]);
    expect((await run(['sessions', 'list'])).stdout).toContain('A fine title');
  });

  it('run only for calls that their rule matches', async () => {
    const { run, script, write, mark } = place();
    const guard = { type: 'command', command: 'touch mark', if: 'Bash(git *)' };
    write('config/settings.json', { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [guard] }] } });
    await run(['-p', 'go', '--model', script([BASH, say('Done.')])]);
    expect(mark()).toBe(false);
    await run(['-p', 'go', '--model', script([call('Bash', { command: 'git status' }, 'b2'), say('Done.')])]);
    expect(mark()).toBe(true);
  });

  it('that fail are reported, and the run continues', async () => {
    const { run, script, write } = place();
    write('config/settings.json', commands('PreToolUse', 'echo broken >&2; exit 1'));
    const { stdout, stderr } = await run(['-p', 'go', '--model', script([BASH, say('Done.')])]);
    expect(stdout).toContain('Done.');
    expect(stderr).toContain('A PreToolUse hook failed');
    expect(stderr).toContain('exit code 1: broken');
  });

  it.each([
    ['a long reason', 'x'.repeat(1_200_000), 0],
    ['a reason just over the limit', 'x'.repeat(999_960), 0],
    ['a quotation mark', 'a "b', 0],
    ['a line break', 'a\nb', 0],
    ['a backslash', 'a\\', 0],
    ['a quotation mark, with exit code 1', 'a "b', 1],
  ])(
    'ask about a call if their denial repeats its content and cannot be read: %s',
    async (_, content, code) => {
      const { run, script, write, folder } = place();
      // A program that writes JSON without quoting.
      const guard = `let t = ''; process.stdin.on('data', (d) => (t += d)).on('end', () => {
      process.stdout.write('{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",' +
        '"permissionDecisionReason":"Refused: ' + JSON.parse(t).tool_input.content + '"}}');
      process.exitCode = ${code};
    });`;
      writeFileSync(path.join(folder, 'guard.mjs'), guard);
      const hook = { type: 'command', command: `${process.execPath} guard.mjs` };
      write('config/settings.json', { hooks: { PreToolUse: [{ matcher: 'Write', hooks: [hook] }] } });
      const calls = [call('Write', { file_path: 'a.txt', content }, 'w1'), say('Done.')];
      for (const mode of ['acceptEdits', 'bypassPermissions']) {
        const ran = await run(['-p', 'go', '--permission-mode', mode, '--model', script(calls)]);
        expect(ran.stderr).toContain('A PreToolUse hook failed');
        expect(existsSync(path.join(folder, 'a.txt'))).toBe(false);
      }
    },
  );

  it('that cannot be read take away the allow of another hook of PermissionRequest', async () => {
    const { run, script, write, folder } = place();
    const allow =
      '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}';
    write('config/settings.json', commands('PermissionRequest', `echo '${allow}'`, `echo '{"hookSpec'`));
    const touch = call('Bash', { command: 'touch made' }, 'b1');
    await run(['-p', 'go', '--model', script([touch, say('Done.')])]);
    expect(existsSync(path.join(folder, 'made'))).toBe(false);
  });

  it.each([
    ['exit 7', {}, {}],
    ['sleep 60', { timeout: 0.2 }, { timeout: 0.2 }],
    ['sleep 0.5; exit 2', { timeout: 0.01 }, {}],
    ['/no/such/program', { args: [] }, { args: [] }],
  ])('fail closed if one of two declarations requires it: %s', async (command, project, user) => {
    const hook = { type: 'command', command };
    const guard = (more: object) => ({
      hooks: { PreToolUse: [{ matcher: 'Write|Read', hooks: [{ ...hook, ...more }] }] },
    });
    for (const [inProject, inUser] of [
      [project, { ...user, onFailure: 'block' }],
      [{ ...project, onFailure: 'block' }, user],
    ] as const) {
      const { run, script, write, folder } = place();
      write('.claude/settings.json', guard(inProject));
      write('config/settings.json', guard(inUser));
      await run(['permissions', 'trust']);
      const calls = [call('Write', { file_path: 'a.txt', content: 'x' }, 'w1'), say('Done.')];
      await run(['-p', 'go', '--permission-mode', 'acceptEdits', '--model', script(calls)]);
      expect(existsSync(path.join(folder, 'a.txt'))).toBe(false);
    }
  });

  it('keep their own time if another file declares them with less', async () => {
    const { run, script, write, folder } = place();
    const guard = (more: object) => ({
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'sleep 0.5; exit 2', ...more }] }] },
    });
    write('.claude/settings.json', guard({ timeout: 0.01 }));
    write('config/settings.json', guard({}));
    await run(['permissions', 'trust']);
    const calls = [call('Write', { file_path: 'a.txt', content: 'x' }, 'w1'), say('Done.')];
    await run(['-p', 'go', '--permission-mode', 'acceptEdits', '--model', script(calls)]);
    expect(existsSync(path.join(folder, 'a.txt'))).toBe(false);
  });

  it('that are malformed are reported with file and place', async () => {
    const { run, script, write } = place();
    write('config/settings.json', { hooks: { PreToolUse: [{ hooks: [{ type: 'ftp' }] }], Nonsense: [] } });
    const { stderr } = await run(['-p', 'go', '--model', script([say('Done.')])]);
    expect(stderr).toContain('settings.json:1: hooks.PreToolUse[0].hooks[0]: unknown type "ftp", ignored.');
    expect(stderr).toContain('hooks.Nonsense: unknown event, ignored.');
  });
});

it('a stop hook that runs the tests of a project blocks until they pass', async () => {
  const { run, script, write, folder } = place();
  const file = (name: string) => path.join(folder, name);
  writeFileSync(file('sum.mjs'), 'export const sum = (a, b) => a - b;\n');
  writeFileSync(
    file('sum.test.mjs'),
    "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './sum.mjs';\n" +
      "test('adds', () => assert.equal(sum(1, 2), 3));\n",
  );
  const command =
    'node --test sum.test.mjs > report.txt 2>&1 || { grep -m1 "not ok\\|✖" report.txt >&2; exit 2; }';
  write('config/settings.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
  const fix = call(
    'Write',
    { file_path: file('sum.mjs'), content: 'export const sum = (a, b) => a + b;\n' },
    'w1',
  );
  const read = call('Read', { file_path: file('sum.mjs') }, 'r1');
  const { stdout } = await run([
    '-p',
    'make it work',
    '--permission-mode',
    'acceptEdits',
    '--output-format',
    'stream-json',
    '--verbose',
    '--model',
    script([say('It works.'), read, fix, say('Now it works.'), say('Not reached.')]),
  ]);
  expect(linesOf(stdout).at(-1)).toMatchObject({ result: 'Now it works.', is_error: false });
  expect(readFileSync(file('report.txt'), 'utf8')).toMatch(/pass 1/);
});

it('a call does not hide its file from a hook in a field with a special name', async () => {
  const { run, script, write, folder } = place();
  writeFileSync(path.join(folder, 'key'), 'The private key.');
  const command = 'if grep -q key; then exit 2; fi';
  write('config/settings.json', {
    hooks: { PreToolUse: [{ matcher: 'Read', hooks: [{ type: 'command', command }] }] },
  });
  const read = { ...call('Read', {}, 'r1'), pieces: ['{"limit":"9","__proto__":{"file_path":"key"}}'] };
  const { stdout } = await run([...STREAM, '--model', script([read, say('Done.')])], { input: USER_LINE });
  expect(stdout).toContain('"is_error":true');
  expect(stdout).not.toContain('The private key.');
});

it('an untrusted project with hooks, servers, rules, variables and a status line runs nothing, and one line says so', async () => {
  const { run, script, write, folder } = place();
  const touch = (name: string) => `touch ${path.join(folder, name)}`;
  write('.claude/settings.json', {
    hooks: { SessionStart: [{ hooks: [{ type: 'command', command: touch('hook-ran') }] }] },
    permissions: { allow: ['Bash(touch *)'] },
    env: { FROM_PROJECT: '1' },
    statusLine: { type: 'command', command: touch('status-ran') },
    enableAllProjectMcpServers: true,
  });
  write('.mcp.json', { mcpServers: { evil: { command: 'touch', args: [path.join(folder, 'server-ran')] } } });
  const steps = [call('Bash', { command: 'touch made' }, 'b1'), say('Done.')];
  const before = await run(['-p', 'go', '--model', script(steps)]);
  expect(readdirSync(folder).filter((name) => name.endsWith('-ran') || name === 'made')).toEqual([]);
  const lines = before.stderr.split('\n').filter((line) => line.includes('not trusted'));
  expect(lines).toHaveLength(1);
  for (const left of ['hooks', '1 allow rule', 'env', 'statusLine', '.mcp.json'])
    expect(lines[0]).toContain(left);
  await run(['permissions', 'trust']);
  await run(['-p', 'go', '--model', script(steps)]);
  expect(existsSync(path.join(folder, 'hook-ran'))).toBe(true);
  expect(existsSync(path.join(folder, 'made'))).toBe(true);
});
