/** Monitor through the shipped program: the lines of a command are in the conversation, once, and the command ends with the program. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

it('asks about the command as for Bash', async () => {
  const home = homeFor(installed.program);
  const model = home.script([call('Monitor', { command: 'touch made' }, 'm1'), say('Denied.')]);
  const argv = ['-p', 'Watch it.', '--model', model, '--tools', 'Bash,Monitor', '--output-format', 'json'];
  expect((await home.run(argv)).stdout).toContain('"tool_name":"Monitor"');
});

it('gives the model the new lines of a command between two calls', async () => {
  const home = homeFor(installed.program);
  const wait = 'until [ -s marks ]; do sleep 0.05; done; sleep 0.3';
  const model = home.script([
    call(
      'Monitor',
      { command: 'echo alpha; echo beta; echo $$ > marks; sleep 600', contains: 'alpha' },
      'm1',
    ),
    call('Bash', { command: wait }, 'b1'),
    call('Bash', { command: 'true' }, 'b2'),
    say('Seen.'),
  ]);
  const argv = ['-p', 'Watch it.', '--model', model, '--tools', 'Bash,Monitor', '--output-format', 'json'];
  const ended = await home.run([...argv, '--allowed-tools', 'Bash']);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const { session_id: id } = JSON.parse(ended.stdout) as { session_id: string };
  const file = readdirSync(home.folder, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith(`${id}.jsonl`),
  );
  const log = readFileSync(path.join(home.folder, file ?? ''), 'utf8');
  expect(
    [...log.matchAll(/<monitor-output>\\n([^<]*)\\n<\/monitor-output>/g)].map(([, lines]) => lines),
  ).toEqual(['alpha']);
  const pid = readFileSync(path.join(home.folder, 'marks'), 'utf8').trim();
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
});
