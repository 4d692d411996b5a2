/** Files that the user names for the program to write, if a link of the project leads elsewhere. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed, runProgram } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

/** A repository with links to another folder, and a session in its subfolder. */
function repository() {
  const { folder: home, script } = homeFor(installed.program);
  const outside = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-outside-')));
  const top = path.join(home, 'repo');
  const sub = path.join(top, 'sub');
  mkdirSync(sub, { recursive: true });
  execFileSync('git', ['init', '-q', top]);
  symlinkSync(path.join(outside, 'out'), path.join(top, 'out'));
  symlinkSync(path.join(outside, 'out'), path.join(sub, 'out'));
  symlinkSync(outside, path.join(sub, 'folder'));
  const model = script([[say('Yes.')]]);
  const start = (...argv: string[]) => runProgram(installed.program, argv, { cwd: sub, env: { HOME: home } });
  const run = (...argv: string[]) => start(...argv, '--model', model);
  return { home, sub, outside, start, run };
}

describe.each(['out', '../out', 'folder/out', './folder/../out', '../sub/out'])(
  'a link of a project without trust: %s',
  (name) => {
    it('does not lead the debug log elsewhere', async () => {
      const { run, outside } = repository();
      const { stdout, stderr } = await run('-p', 'x', '--debug', '--debug-file', name);
      expect(stdout).toBe('Yes.\n');
      expect(stderr.match(/debug log cannot be written: it is a link to/g)).toHaveLength(1);
      expect(readdirSync(outside)).toEqual([]);
    });

    it('does not lead a recording elsewhere', async () => {
      const { run, outside } = repository();
      const { stderr, code } = await run('-p', 'x', '--record', name);
      expect(stderr).toContain(`--record: ${name} cannot be written: it is a link to`);
      expect(code).not.toBe(0);
      expect(readdirSync(outside)).toEqual([]);
    });

    it('does not lead an exported session elsewhere', async () => {
      const { start, run, outside } = repository();
      await run('-p', 'x');
      const listed: unknown = JSON.parse((await start('sessions', '--json')).stdout);
      const [, id = ''] = /"id":"([^"]+)"/.exec(JSON.stringify(listed)) ?? [];
      const { stderr, code } = await start('sessions', 'export', id, '--output', name);
      expect(stderr).toContain(`${name} cannot be written: it is a link to`);
      expect(code).toBe(1);
      expect(readdirSync(outside)).toEqual([]);
    });
  },
);

it('writes through a link that is not in the project, and to an ordinary file', async () => {
  const { run, home, outside, sub } = repository();
  symlinkSync(path.join(outside, 'log'), path.join(home, 'log'));
  writeFileSync(path.join(outside, 'log'), '');
  await run('-p', 'x', '--debug', '--debug-file', '../../log', '--record', '../own.jsonl');
  expect(readFileSync(path.join(outside, 'log'), 'utf8')).toContain('answer_end');
  expect(readFileSync(path.join(sub, '../own.jsonl'), 'utf8')).toContain('heddle_recording');
});
