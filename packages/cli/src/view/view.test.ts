import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Place, placeFor, user } from '../sessions/test/place.ts';
import { install, type Installed, linesOf } from '../test/program.ts';

const ID = 'abcd1234-62a5-4f0e-9d5b-5f0b1c2d3e4f';
const KEY = 'sk-ant-view-test-0123456789abcdef';
let installed: Installed;
let place: Place;

beforeAll(async () => {
  installed = await install();
  place = placeFor(installed.program);
  place.store(ID, [
    {
      type: 'session',
      snapshot: { cwd: place.folder, model: 'm', systemPrompt: ['p'], userContext: {}, systemContext: {} },
    },
    user(`</script><script>alert(1)</script> and the key ${KEY}`),
    { type: 'end', terminal: { reason: 'completed' } },
  ]);
});

afterAll(() => installed.remove());

test('serves the page and the session with the printed link, until it is interrupted', async () => {
  let answered: Promise<readonly [number, string, string]> | undefined;
  const ended = await place.run(['view', 'abcd'], {
    env: { ANTHROPIC_API_KEY: KEY },
    onOutput: (stdout, child) => {
      answered ??= visit(stdout.trim()).finally(() => child.kill('SIGINT'));
    },
  });
  const [status, page, facts] = (await answered) ?? [0, '', ''];
  expect(ended).toMatchObject({ code: 0, signal: null });
  expect(status).toBe(200);
  expect(page).toContain('/page.js');
  expect(facts).toContain('[redacted]');
  expect(facts).not.toContain(KEY);
});

async function visit(link: string): Promise<readonly [number, string, string]> {
  const { origin, hash } = new URL(link);
  const key = await (
    await fetch(`${origin}/api/login`, { method: 'POST', body: hash.replace('#token=', '') })
  ).text();
  const facts = await fetch(`${origin}/api/sessions/${ID}/facts?from=0`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return [facts.status, await (await fetch(origin)).text(), await facts.text()];
}

test('with --allow-fork, the page starts a new session from a message', async () => {
  const first = await place.run(['-p', '--model', 'rehearsal', '--output-format', 'json', 'Hello']);
  const { session_id: id } = linesOf(first.stdout)[0] ?? {};
  const session = String(id);
  let forked: Promise<string> | undefined;
  const ended = await place.run(['view', session, '--allow-fork'], {
    onOutput: (stdout, child) => {
      forked ??= fork(stdout.trim(), session).finally(() => child.kill('SIGINT'));
    },
  });
  expect(ended.code).toBe(0);
  const created = await forked;
  expect(created).toMatch(/^[0-9a-f-]{36}$/);
  const file = path.join(path.dirname(place.file(session)), `${created}.jsonl`);
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('Another way');
});

async function fork(link: string, session: string): Promise<string> {
  const { origin, hash } = new URL(link);
  const login = await fetch(`${origin}/api/login`, { method: 'POST', body: hash.replace('#token=', '') });
  const headers = { authorization: `Bearer ${await login.text()}` };
  const rows = await (await fetch(`${origin}/api/sessions/${session}/rows?from=0&to=50`, { headers })).text();
  const [, uuid = ''] = /"uuid":"([0-9a-f-]{36})"/.exec(rows) ?? [];
  const body = JSON.stringify({ uuid, prompt: 'Another way' });
  const answer = await fetch(`${origin}/api/sessions/${session}/fork`, { method: 'POST', headers, body });
  return (await answer.text()).replaceAll('"', '');
}

test('exports one file that loads nothing and runs no script of the transcript', async () => {
  const output = path.join(place.folder, 'run.html');
  const ended = await place.run(['view', ID, '--export', output], { env: { ANTHROPIC_API_KEY: KEY } });
  expect(ended).toMatchObject({ code: 0, stdout: '', stderr: `heddle: ${output} was written\n` });
  const html = readFileSync(output, 'utf8');
  expect(statSync(output).mode & 0o777).toBe(0o600);
  expect(html).toContain("default-src 'none'; script-src 'sha256-");
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html).not.toMatch(/ src=| href="(?!data:,")/);
  expect(html).not.toContain(KEY);
});

test.each([
  [['--wrong'], 2, 'unknown flag --wrong'],
  [['--export', 'x.html'], 2, '--export needs a session'],
  [['--port', 'many'], 2, '--port takes a port, not many'],
  [['nosuch'], 1, 'There is no session nosuch'],
])('reports a mistake in heddle view %s', async (argv, code, message) => {
  const ended = await place.run(['view', ...argv]);
  expect(ended.code).toBe(code);
  expect(ended.stderr).toContain(message);
});
