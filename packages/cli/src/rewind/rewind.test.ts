/** Rewinds with the real program: restores the files from before a message, and undoes that. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, linesOf } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

it('restores changed and new files, changes nothing in a dry run, and can be undone', async () => {
  const { folder, run, script } = homeFor(installed.program);
  const [old, fresh] = ['old.txt', 'new.txt'].map((name) => path.join(folder, name));
  if (old === undefined || fresh === undefined) throw new Error('unreachable');
  writeFileSync(old, 'before\n');
  const model = script([
    call('Read', { file_path: old }, 'r1'),
    [
      call('Write', { file_path: old, content: 'after\n' }, 'w1'),
      call('Write', { file_path: fresh, content: 'x\n' }, 'w2'),
    ],
    say('Changed.'),
  ]);
  const { stdout } = await run([
    '-p',
    'change it',
    '--model',
    model,
    '--permission-mode',
    'acceptEdits',
    '--output-format',
    'stream-json',
  ]);
  const session = String(linesOf(stdout).at(-1)?.['session_id']);
  const contents = (): unknown => [readFileSync(old, 'utf8'), existsSync(fresh)];
  expect(contents()).toEqual(['after\n', true]);

  const listed = await run(['rewind', session.slice(0, 8)]);
  const [, message = '', text] = /^(\S+) {2}(.*)\n$/.exec(listed.stdout) ?? [];
  expect(text).toBe('change it');
  expect((await run(['rewind', session, message, '--dry-run'])).stdout).toContain(
    '2 files would be restored',
  );
  expect(contents()).toEqual(['after\n', true]);

  const gone = await run(['rewind', session, message]);
  expect(contents()).toEqual(['before\n', false]);
  const [, undo = ''] = /heddle rewind \S+ (\S+)/.exec(gone.stdout) ?? [];
  await run(['rewind', session, undo]);
  expect(contents()).toEqual(['after\n', true]);
});

it('restores a file that was changed outside the session only with --force', async () => {
  const { folder, run, script } = homeFor(installed.program);
  const file = path.join(folder, 'note.txt');
  const model = script([call('Write', { file_path: file, content: 'agent\n' }, 'w1'), say('Changed.')]);
  await run(['-p', 'change it', '--model', model, '--permission-mode', 'acceptEdits']);
  const [{ id: session }] = JSON.parse((await run(['sessions', '--json'])).stdout);
  const [{ uuid }] = JSON.parse((await run(['rewind', session, '--json'])).stdout) as [{ uuid: string }];
  appendFileSync(file, 'mine\n');
  // The beginning of the message's id is enough.
  const careful = await run(['rewind', session, uuid.slice(0, 8)]);
  expect(careful).toMatchObject({ code: 1, stdout: '0 files restored, +0 -0 lines\n' });
  expect(careful.stderr).toContain(`not restored, because it was changed outside the session: ${file}\n`);
  expect(careful.stderr).toContain(`heddle rewind ${session} ${uuid} --force\n`);
  expect(readFileSync(file, 'utf8')).toBe('agent\nmine\n');

  const forced = await run(['rewind', session, uuid, '--force']);
  expect([forced.code, existsSync(file)]).toEqual([0, false]);
  const again = await run(['rewind', session, uuid]);
  expect(again.stdout).toBe('There is nothing to restore. The files have not changed since that message.\n');
  const [, undo = ''] = /to undo this: heddle rewind \S+ (\S+)/.exec(forced.stdout) ?? [];
  expect((await run(['rewind', session, undo])).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('agent\nmine\n');
});

it('lists the messages to rewind to as JSON', async () => {
  const { run, script } = homeFor(installed.program);
  await run(['-p', 'first', '--model', script([say('One.')])]);
  const [{ id }] = JSON.parse((await run(['sessions', '--json'])).stdout);
  const { stdout, code } = await run(['rewind', id, '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([{ uuid: expect.any(String), prompt: 'first' }]);
  expect((await run(['rewind', id, '--bogus'])).code).toBe(2);
});

it('reports wrong arguments', async () => {
  const { run } = homeFor(installed.program);
  expect(await run(['rewind'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('usage: heddle rewind'),
  });
  expect(await run(['rewind', 'nothing'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^heddle: There is no session nothing\. To list sessions, use: .*\n$/),
  });
});
