/** The program with the sandbox switched on. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkSandbox } from '@heddle/agent/sandbox';
import { call, say, type ScriptStep } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, linesOf, type OutputLine } from '../test/program.ts';

const check = await checkSandbox();
let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const bash = (command: string, more: object = {}): ScriptStep => call('Bash', { command, ...more }, 'b1');
const on = (more: object = {}): string[] => [
  '--settings',
  JSON.stringify({ sandbox: { enabled: true, ...more } }),
];
const STREAM = ['-p', 'go', '--output-format', 'stream-json', '--verbose'];

/** Programs that everything needs, and no others. */
function withoutBubblewrap(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-path-'));
  for (const name of [
    'bash',
    'sh',
    'mkfifo',
    'git',
    'dirname',
    'readlink',
    'find',
    'uname',
    'env',
    'touch',
  ]) {
    const file = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    if (file.startsWith('/')) symlinkSync(file, path.join(folder, name));
  }
  symlinkSync(process.execPath, path.join(folder, 'node'));
  return folder;
}

describe.runIf(check.available)('a command in the sandbox', () => {
  it('needs no question and no rule, and cannot write outside', async () => {
    const { run, script, folder } = homeFor(installed.program);
    const outside = `${path.basename(folder)}-outside`;
    const model = script([bash(`touch made ../${outside}; pwd`), say('Done.')]);
    const ended = await run([...STREAM, '--model', model, ...on()]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain(`The sandbox refused: writing ../${outside}.`);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({ permission_denials: [] });
    expect(existsSync(path.join(folder, '..', outside))).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['config', 'made', 'script.json']);
  });

  it('leaves nothing behind that git would run outside, later or meanwhile', async () => {
    const { run, script, folder } = homeFor(installed.program);
    const marker = path.join(folder, 'marker');
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
    git('init', '-q');
    git('config', 'core.hooksPath', '.hooks');
    git('config', 'include.path', '../included');
    const config = String.raw`[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch ${marker}\n`;
    const ways = [
      `cp -r .git shared; printf '${config}' > shared/config; echo ../shared > .git/commondir`,
      `printf '${config}' > .git/config.worktree; git config extensions.worktreeConfig true`,
      `printf '${config}' >> .git/config`,
      `printf '${config}' > x; mv x .git/config`,
      `printf '${config}' > included`,
      `mkdir -p .hooks; printf '#!/bin/sh\\ntouch ${marker}' > .hooks/post-index-change; chmod +x .hooks/*`,
      `mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch ${marker}' > .git/hooks/post-index-change; chmod +x .git/hooks/*`,
      `mv .git old; git init -q; printf '${config}' >> .git/config`,
      `rm -rf .git/hooks; ln -s ../x .git/hooks`,
      `mkdir -p .git/info; echo '* filter=x' > .git/info/attributes`,
      `mkdir -p evil/objects evil/refs; printf '${config}' > evil/config; echo 'ref: refs/heads/x' > evil/HEAD; echo 'gitdir: evil' > .git`,
      `git config --local core.fsmonitor 'touch ${marker}'`,
      `echo 1 > a; git add a; git -c user.name=a -c user.email=a@b commit -qm kept; git log --format=%s`,
    ];
    const steps = ways.map((command, index) => call('Bash', { command }, `b${index}`));
    const ended = await run([...STREAM, '--model', script([...steps, say('Done.')]), ...on()]);
    expect(ended.stdout).toContain('"kept');
    for (const command of [['status'], ['diff'], ['log', '-p']]) git(...command);
    expect(existsSync(marker)).toBe(false);
    expect(existsSync(path.join(folder, '.git/commondir'))).toBe(false);
  });

  it('is still bound by deny and ask rules, and asked about where it leaves', async () => {
    for (const [step, flags, reason] of [
      [bash('touch a'), ['--disallowed-tools', 'Bash(touch *)'], 'Bash(touch *)'],
      [bash('touch a', { dangerouslyDisableSandbox: true }), [], 'No rule allows the command touch a'],
      [bash('git init'), [], 'No rule allows the command git init'],
      [bash('touch a'), on({ autoAllowBashIfSandboxed: false }), 'No rule allows the command touch a'],
      [bash('touch a'), on({ excludedCommands: ['touch'] }), 'No rule allows the command touch a'],
    ] as const) {
      const { run, script, folder } = homeFor(installed.program);
      const ended = await run([...STREAM, '--model', script([step, say('So be it.')]), ...on(), ...flags]);
      expect(ended.stdout).toContain(reason);
      expect(existsSync(path.join(folder, 'a'))).toBe(false);
    }
  });
});

describe('without bubblewrap', () => {
  const PATH = withoutBubblewrap();

  it('commands are refused with a message that tells how to repair it, and the user is warned once', async () => {
    const { run, script, folder } = homeFor(installed.program);
    const model = script([bash('touch a'), call('Bash', { command: 'touch b' }, 'b2'), say('Done.')]);
    const ended = await run([...STREAM, '--model', model, '--allowed-tools', 'Bash', ...on()], {
      env: { PATH },
    });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain('The sandbox needs bubblewrap and socat, which are not installed.');
    expect(ended.stderr.match(/The sandbox needs bubblewrap/g)).toHaveLength(1);
    expect(existsSync(path.join(folder, 'a'))).toBe(false);
  });

  it('nothing starts where the settings insist on it', async () => {
    const { run, script } = homeFor(installed.program);
    const ended = await run(
      [...STREAM, '--model', script([say('Never.')]), ...on({ failIfUnavailable: true })],
      {
        env: { PATH },
      },
    );
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('sandbox.failIfUnavailable does not allow a start without it');
    expect(linesOf(ended.stdout)).toMatchObject([{ type: 'result', is_error: true }]);
  });

  it('a host is asked what to do, and may let the session continue without the sandbox', async () => {
    const { run, script, folder } = homeFor(installed.program);
    const model = script([bash('touch a'), say('Done.')]);
    const json = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    const asked: OutputLine[] = [];
    let seen = 0;
    const ended = await run([...json, '--model', model, '--permission-prompt-tool', 'stdio', ...on()], {
      env: { PATH },
      input: null,
      onStart: ({ stdin }) =>
        void stdin?.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } })}\n`),
      onOutput(stdout, { stdin }) {
        const lines = linesOf(stdout);
        for (const line of lines.slice(seen)) {
          if (line['type'] === 'result') stdin?.end();
          if (line['type'] !== 'control_request') continue;
          asked.push(line);
          const response = {
            subtype: 'success',
            request_id: line['request_id'],
            response: { behavior: 'allow' },
          };
          stdin?.write(`${JSON.stringify({ type: 'control_response', response })}\n`);
        }
        seen = lines.length;
      },
    });
    expect(ended.code).toBe(0);
    expect(asked).toMatchObject([
      { request: { tool_name: 'RunWithoutSandbox', input: { command: 'touch a' } } },
      { request: { tool_name: 'Bash', input: { command: 'touch a' } } },
    ]);
    expect(existsSync(path.join(folder, 'a'))).toBe(true);
  });
});
