/** The login of a fleet's database reaches neither the commands of the model nor the stored lines. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findPrograms, Fleet, startEmbedded } from '@heddle/fleet';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install } from '../test/program.ts';

const isInstalled = (await findPrograms()) !== undefined;

/** Prints the variables of commands and of the worker. The pattern does not match itself. */
function lookFor(password: string): string {
  const pattern = `[${password.slice(0, 1)}]${password.slice(1)}`;
  return [
    'echo "variables: <$DATABASE_URL> <$PGPASSWORD> <$COPY> <$OTHER>"',
    `echo "repeated: $(env | grep -c '${pattern}')"`,
    'echo "of the worker: <$(grep -zasE "^(DATABASE_URL|PGPASSWORD)=" /proc/$(cat pid)/environ | wc -c)>"',
  ].join('; ');
}

it.runIf(isInstalled)(
  'a worker keeps the login of its database from commands, and redacts its password',
  async () => {
    const { program } = await install();
    const home = homeFor(program);
    // Root runs the server as another user, who must be able to enter the folder.
    chmodSync(home.folder, 0o755);
    const starting = await startEmbedded(path.join(home.folder, 'postgres'), { settings: { fsync: 'off' } });
    if (!starting.ok) throw new Error(starting.message);
    const { url } = starting.server;
    const { password } = new URL(url);
    const fleet = await Fleet.connect(url);
    const model = home.script([
      [call('Bash', { command: lookFor(password) }, 'b1')],
      [call('Bash', { command: 'cat saved; base64 -w0 saved' }, 'b2')],
      [say('Done.')],
    ]);
    writeFileSync(path.join(home.folder, 'saved'), url);
    const started = Promise.withResolvers<ChildProcess>();
    const flags = ['--model', model, '--permission-mode', 'bypassPermissions'];
    const named = new URL(url);
    named.password = '';
    const ended = home.run(['fleet', 'worker', '--', ...flags], {
      env: { DATABASE_URL: named.href, PGPASSWORD: password, COPY: url, OTHER: 'kept' },
      onStart: ({ pid }) => writeFileSync(path.join(home.folder, 'pid'), String(pid)),
      onOutput: (text, child) => void (text.includes('takes turns') && started.resolve(child)),
    });
    void ended.then(({ stderr }) => started.reject(new Error(stderr)));
    const worker = await started.promise;
    expect((await home.run(['fleet', 'submit', 's', 'Look.'], { env: { DATABASE_URL: url } })).code).toBe(0);
    let lines = '';
    // The input of the call contains the pattern with the password.
    for await (const { line } of fleet.watch('s', { untilTurn: 1 })) lines += line;
    expect(lines).toContain('variables: <> <> <> <kept>');
    expect(lines).toContain('repeated: 0');
    expect(lines).toContain('of the worker: <0>');
    expect(lines).toContain('[redacted]');
    expect(lines).not.toContain(password);
    const closed = once(worker, 'close');
    worker.kill('SIGTERM');
    await closed;
    expect((await ended).code).toBe(0);
    await fleet.close();
    await starting.server.stop();
  },
  120_000,
);

it('other runs leave DATABASE_URL to the commands of the user', async () => {
  const { program } = await install();
  const home = homeFor(program);
  const model = home.script([[call('Bash', { command: 'echo "at $DATABASE_URL"' }, 'b1')], [say('Done.')]]);
  const run = ['-p', 'go', '--model', model, '--output-format', 'stream-json'];
  const { stdout } = await home.run(run, { env: { DATABASE_URL: 'postgres://app@db/app' } });
  expect(stdout).toContain('at postgres://app@db/app');
});

it('a stored address of a fleet is not printed without a question', async () => {
  const { program } = await install();
  const home = homeFor(program);
  const file = path.join(home.folder, 'config/fleet/address');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, 'postgres://heddle:0123456789abcdef@127.0.0.1:5/postgres\n');
  const model = home.script([
    [call('Bash', { command: 'cat config/fleet/address' }, 'b1')],
    [call('Read', { file_path: 'config/fleet/address' }, 'r1')],
    [call('Grep', { pattern: 'heddle:', output_mode: 'content' }, 'g1')],
    [call('Bash', { command: 'rev config/fleet/a*' }, 'b2')],
    [say('Done.')],
  ]);
  const { stdout } = await home.run(['-p', 'go', '--model', model, '--output-format', 'stream-json']);
  expect(stdout.match(/a login of Heddle/g)?.length).toBeGreaterThanOrEqual(3);
  expect(stdout).toContain('Done.');
  expect(stdout).not.toMatch(/0123456789abcdef|fedcba9876543210/);
});
