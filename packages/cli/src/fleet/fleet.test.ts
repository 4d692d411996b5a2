/** `heddle fleet` through the program: one command runs a fleet, others submit, watch, answer and cancel. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findPrograms, openDatabase } from '@heddle/fleet';
import { call, say, type ScriptStep } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { type Ended, install, type Installed, linesOf, runProgram } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
}, 60_000);
afterAll(() => installed.remove());

it('explains what is missing without a database', async () => {
  const ended = await homeFor(installed.program).run(['fleet', 'list']);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('No fleet is known. Start one with heddle fleet up');
});

it('rejects unknown commands and missing words', async () => {
  const { run } = homeFor(installed.program);
  expect((await run(['fleet', 'dance'])).stderr).toContain('fleet dance is not a command');
  expect((await run(['fleet', 'submit', 's1'])).stderr).toContain('fleet submit takes SESSION PROMPT');
  expect((await run(['fleet', 'help'])).stdout).toContain('heddle fleet submit SESSION PROMPT');
});

const isInstalled = (await findPrograms()) !== undefined;
if (!isInstalled) console.log('No embedded PostgreSQL for this platform: heddle fleet up is not tested.');

/** The key of a model in the environment of the worker. A command of the model prints it. */
const PLANTED_KEY = 'sk-ant-planted-0123456789abcdefghijklmnop';

/** Every row of every table, as text. */
const DUMP = `select query_to_xml(format('select t::text from %I.%I t', table_schema, table_name), true, true, '')::text as text
  from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')`;

describe.runIf(isInstalled)('heddle fleet up', () => {
  let folder: string;
  let upOutput = '';
  let up: ChildProcess;
  const run = (...argv: readonly string[]): Promise<Ended> =>
    runProgram(installed.program, ['fleet', ...argv], { cwd: folder });
  const script = (steps: readonly ScriptStep[]): string => {
    const file = path.join(folder, 'script.json');
    writeFileSync(file, JSON.stringify(steps));
    return `scripted:${file}`;
  };

  beforeAll(async () => {
    // Root runs the server as another user, who must be able to enter the folder.
    folder = mkdtempSync(path.join(process.getuid?.() === 0 ? '/tmp' : os.tmpdir(), 'heddle-up-'));
    chmodSync(folder, 0o755);
    const command = 'echo "KEY=$(cat key.txt)" | tee made.txt';
    writeFileSync(path.join(folder, 'key.txt'), PLANTED_KEY);
    const model = script([[call('Bash', { command }, 'b1')], [say('All is done.')]]);
    const flags = ['--json', '--data', path.join(folder, 'data'), '--', '--model', model];
    const started = Promise.withResolvers<void>();
    void runProgram(installed.program, ['fleet', 'up', ...flags], {
      cwd: folder,
      onStart: (child) => {
        up = child;
      },
      env: { ANTHROPIC_API_KEY: PLANTED_KEY },
      onOutput: (text) => {
        upOutput = text;
        if (text.includes('takes turns')) started.resolve();
      },
    }).then(({ stderr }) => started.reject(new Error(stderr)));
    await started.promise;
  }, 90_000);
  afterAll(async () => {
    const over = once(up, 'close');
    if (up.kill('SIGTERM')) await over;
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  async function openQuestion(): Promise<string> {
    for (;;) {
      const { stdout } = await run('questions', '--json');
      const question = /"id":"([^"]+)"/.exec(stdout)?.[1];
      if (question !== undefined) return question;
    }
  }

  it('runs a prompt that asks a question, and shows it to the end', async () => {
    const watching = run('submit', 'fix-1', 'Do it.', '--watch', '--json');
    const question = await openQuestion();
    expect((await run('questions')).stdout).toContain(`\n    in: ${folder}\n`);
    expect((await run('answer', question, 'allow', '--by', 'ann')).code).toBe(0);
    expect((await run('answer', question, 'deny')).code).toBe(1);
    const ended = await watching;
    expect(ended.code).toBe(0);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({ result: { result: 'All is done.' } });
    const listed = await run('list');
    expect(listed.stdout).toContain('fix-1  default  idle  1 turns');
    expect((await run('doctor')).stdout).toMatch(/worker 1 on .*: 0 turns/);
  }, 90_000);

  it('serves tokens of a tenant over HTTP, and prints neither tokens nor keys', async () => {
    const made = await run('token', 'ci', '--rights', 'submit,watch', '--json');
    const token = /"token":"([^"]+)"/.exec(made.stdout)?.[1] ?? '';
    expect((await run('token', 'ci', '--rights', 'everything')).stderr).toContain('A token needs --rights');
    const address = Promise.withResolvers<string>();
    let gateway: ChildProcess | undefined;
    const serving = runProgram(installed.program, ['fleet', 'serve'], {
      cwd: folder,
      onStart: (child) => {
        gateway = child;
      },
      onOutput: (text) => {
        const found = /listens on (\S+)/.exec(text)?.[1];
        if (found !== undefined) address.resolve(found);
      },
    });
    const base = await address.promise;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const submitted = await fetch(`${base}/v1/sessions/web-1/turns`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ prompt: 'Do it.' }),
    });
    expect(await submitted.json()).toEqual({ session: 'web-1', turn: 1 });
    const watched = await fetch(`${base}/v1/sessions/web-1/events?untilTurn=1`, { headers });
    expect((await run('answer', await openQuestion(), 'allow')).code).toBe(0);
    expect(await watched.text()).toMatch(/event: line\nid: 1\n[\s\S]*event: end\n/);
    expect((await fetch(`${base}/v1/questions`, { headers })).status).toBe(403);
    expect((await run('list')).stdout).toContain('default~web-1');
    gateway?.kill('SIGTERM');
    const { code, stdout, stderr } = await serving;
    expect(code).toBe(0);
    expect(stdout).toContain('POST /v1/sessions/{session}/turns 202');
    const leak = await run('submit', 'leak', 'Do it.', '--repo', `https://${PLANTED_KEY}@git.example/a.git`);
    expect(leak).toMatchObject({ code: 1, stdout: '' });
    const described: unknown = JSON.parse((await run('openapi')).stdout);
    expect(described).toMatchObject({ openapi: '3.1.0' });
    const database = openDatabase(readFileSync(path.join(folder, 'config/fleet/address'), 'utf8').trim(), 1);
    const { rows } = await database.pool.query<{ text: string }>(DUMP);
    await database.end();
    const everything = [...rows.map(({ text }) => text), upOutput, stdout, stderr, leak.stderr].join('\n');
    expect(everything).toContain('default~web-1');
    expect(everything).toContain('KEY=');
    const secret = /^hdl_[^_]+_(.{43})$/.exec(token)?.[1] ?? '';
    expect(secret).not.toBe('');
    for (const planted of [PLANTED_KEY, secret]) expect(everything).not.toContain(planted);
  }, 90_000);

  it('moves a local session into the fleet and back', async () => {
    const answering = (text: string): string => {
      const file = path.join(folder, 'local.json');
      writeFileSync(file, JSON.stringify([[say(text)]]));
      return `scripted:${file}`;
    };
    const local = (...argv: readonly string[]) =>
      runProgram(installed.program, ['-p', ...argv, '--output-format', 'json'], { cwd: folder });
    const first = await local('First.', '--model', answering('One.'));
    const id = /"session_id":"([^"]+)"/.exec(first.stdout)?.[1] ?? '';
    expect((await run('import', 'moved', id)).stdout).toContain('lines stored');
    const watching = run('submit', 'moved', 'Second.', '--watch');
    expect((await run('answer', await openQuestion(), 'allow')).code).toBe(0);
    expect((await watching).code).toBe(0);
    const [file = ''] = globSync(`config/projects/**/${id}.jsonl`, { cwd: folder });
    expect((await run('export', 'moved', path.join(folder, file))).code).toBe(0);
    const third = await local('Third.', '--resume', id, '--model', answering('Three.'));
    expect(third.stdout).toContain('Three.');
    const lines = readFileSync(path.join(folder, file), 'utf8');
    const places = ['First.', 'One.', 'Second.', 'All is done.', 'Third.', 'Three.'].map((text) =>
      lines.indexOf(text),
    );
    expect(places).toEqual([...places].sort((one, two) => one - two));
    expect(places[0]).toBeGreaterThan(0);
    expect(
      (await runProgram(installed.program, ['replay', path.join(folder, file)], { cwd: folder })).code,
    ).toBe(0);
  }, 90_000);

  it('exports a session that continues on this machine', async () => {
    const file = path.join(folder, 'fix-1.jsonl');
    expect((await run('export', 'fix-1', file)).code).toBe(0);
    const replayed = await runProgram(installed.program, ['replay', file], { cwd: folder });
    expect(replayed.code).toBe(0);
    expect((await run('import', 'copy-1', file)).stdout).toContain('lines stored');
    expect((await run('list')).stdout).toContain('copy-1');
  }, 60_000);
});
