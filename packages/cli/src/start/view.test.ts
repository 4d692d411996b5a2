/** The program runs in the read-only view what only proof or the view itself allows. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createReadOnlyView } from '@heddle/agent/sandbox';
import { call, say, type ScriptStep } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, runProgram } from '../test/program.ts';

const isHere = (await createReadOnlyView().readiness()).ready;
let installed: Installed;

beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const bash = (command: string, id: string): ScriptStep => call('Bash', { command }, id);
const STREAM = ['-p', 'go', '--output-format', 'stream-json', '--verbose'];
const VIEW_OFF = ['--settings', JSON.stringify({ sandbox: { readOnlyView: 'off' } })];
/** Prints the folder for temporary files of a command. In the view, it is a separate folder. */
const WHERE = 'printenv TMPDIR';
const NOTE = 'The command ran in a read-only view, in which nothing can be written.';

async function ran(steps: readonly ScriptStep[], flags: readonly string[] = []) {
  const { run, script, folder } = homeFor(installed.program);
  writeFileSync(path.join(folder, 'a'), 'one\n');
  const { stdout } = await run([...STREAM, '--model', script([...steps, say('Done.')]), ...flags], {
    env: { TMPDIR: '/tmp' },
  });
  return { stdout, made: existsSync(path.join(folder, 'made')) };
}

it.runIf(process.platform === 'linux').each([
  ['with the view', []],
  ['without the view', VIEW_OFF],
  ['with a rule', ['--allowedTools', 'Bash(cat *)']],
  ['without rules', ['--dangerously-skip-permissions']],
])('a command cannot write to files that the caller of the program has open, %s', async (_, flags) => {
  const { script, folder } = homeFor(installed.program);
  writeFileSync(path.join(folder, 'a'), 'one\n');
  const steps = [20, 200].map((descriptor) => bash(`cat a >&${descriptor}`, `b${descriptor}`));
  const argv = [...STREAM, '--model', script([...steps, say('Done.')]), ...flags];
  const open = 'exec 20>>lock 200>>lock; exec "$@"';
  const { stdout } = await runProgram('bash', ['-c', open, 'bash', installed.program, ...argv], {
    cwd: folder,
  });
  expect(stdout).toMatch(/20: Bad file descriptor[^]*200: Bad file descriptor/);
  expect(readFileSync(path.join(folder, 'lock'), 'utf8')).toBe('');
});

it.runIf(process.platform === 'linux')('hooks and servers cannot write to them either', async () => {
  const { script, folder } = homeFor(installed.program);
  const write = 'for n in 20 200; do echo written >/proc/self/fd/$n; done 2>/dev/null';
  const hook = { hooks: [{ type: 'command', command: `${write}; touch hooked` }] };
  const steps = [call('Grep', { pattern: 'x' }, 'g1'), say('Done.')];
  const settings = JSON.stringify({ hooks: { PreToolUse: [hook] } });
  const server = { command: 'sh', args: ['-c', `${write}; touch served`] };
  const servers = JSON.stringify({ mcpServers: { s: server } });
  const argv = [...STREAM, '--model', script(steps), '--settings', settings, '--mcp-config', servers];
  const open = 'exec 20>>lock 200>>lock; exec "$@"';
  await runProgram('bash', ['-c', open, 'bash', installed.program, ...argv], {
    cwd: folder,
  });
  expect(['hooked', 'served'].filter((name) => existsSync(path.join(folder, name)))).toHaveLength(2);
  expect(readFileSync(path.join(folder, 'lock'), 'utf8')).toBe('');
});

// Each test starts the program several times.
describe.runIf(isHere)('the program', () => {
  it('runs a proven command in the read-only view, and others as they are', async () => {
    const inView = expect.stringContaining('heddle-view-');
    expect(await ran([bash(WHERE, 'b1')])).toMatchObject({ stdout: inView });
    expect(await ran([bash(WHERE, 'b1')], ['--permission-mode', 'plan'])).toMatchObject({ stdout: inView });
    for (const flags of [
      VIEW_OFF,
      ['--allowedTools', 'Bash(printenv *)'],
      ['--dangerously-skip-permissions'],
    ])
      expect((await ran([bash(WHERE, 'b1')], flags)).stdout).not.toContain('heddle-view-');
  });

  it('runs a reading program unasked in the view, and asks about it without the view', async () => {
    const reads = [bash('awk --re-interval \'$1 > "a" { print "found", $1 }\' a', 'b1')];
    expect((await ran(reads)).stdout).toContain('found one');
    expect((await ran(reads, VIEW_OFF)).stdout).toContain('No rule allows the command');
  });

  it('keeps a write in the view from taking effect, and asks when the same command comes again', async () => {
    const writes = `awk 'BEGIN { print 1 > "made" }'`;
    const { stdout, made } = await ran([bash(writes, 'b1'), bash(writes, 'b2')]);
    expect(stdout).toContain(NOTE);
    expect(stdout).toContain('Permission denied. No rule allows the command awk');
    expect(made).toBe(false);
  });

  it('says in heddle doctor and permissions explain which of the two holds', async () => {
    const { run } = homeFor(installed.program);
    expect((await run(['doctor'])).stdout).toContain('proven to only read run in a read-only view');
    expect((await run(['permissions', 'explain', 'scc .'])).stdout).toContain('It runs in a read-only view.');
    await run(['config', 'set', 'sandbox.readOnlyView', 'off']);
    expect((await run(['doctor'])).stdout).toContain('the read-only view is switched off');
    expect((await run(['permissions', 'explain', 'scc .'])).stdout).toContain(
      'No rule allows the command scc .',
    );
  });
});
