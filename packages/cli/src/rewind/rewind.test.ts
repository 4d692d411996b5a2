/** Going back with the real program: the files as they were before a message, and the way back from there. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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

it('puts changed and new files back, only says so in a dry run, and can be taken back', async () => {
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
  expect((await run(['rewind', session, message, '--dry-run'])).stdout).toContain('2 files would go back');
  expect(contents()).toEqual(['after\n', true]);

  const gone = await run(['rewind', session, message]);
  expect(contents()).toEqual(['before\n', false]);
  const [, undo = ''] = /heddle rewind \S+ (\S+)/.exec(gone.stdout) ?? [];
  await run(['rewind', session, undo]);
  expect(contents()).toEqual(['after\n', true]);
});

it('says what is wrong with its words', async () => {
  const { run } = homeFor(installed.program);
  expect(await run(['rewind'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('usage: heddle rewind'),
  });
  expect(await run(['rewind', 'nothing'])).toMatchObject({
    code: 1,
    stderr: 'heddle: there is no session nothing\n',
  });
});
