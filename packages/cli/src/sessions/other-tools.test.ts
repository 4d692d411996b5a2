/** Sessions of another tool in the home folder of the user. */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { say } from '@heddle/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

const ID = '5f0e5d1e-2f5b-4c1d-9c57-9d1b3a0c7e11';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const env = { HEDDLE_CONFIG_DIR: '' };

/** A home folder in which another tool has written a session. */
function homeWithSession(change: (lines: readonly string[]) => string) {
  const home = homeFor(installed.program);
  const cwd = realpathSync(home.folder);
  const projects = path.join(home.folder, '.claude/projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  const file = path.join(projects, `${ID}.jsonl`);
  const common = {
    isSidechain: false,
    cwd,
    sessionId: ID,
    version: '2.1',
    timestamp: '2026-11-15T10:00:00.000Z',
  };
  const line = (uuid: string, parentUuid: string | null, role: string, content: string): string =>
    JSON.stringify({
      parentUuid,
      ...common,
      type: role,
      uuid,
      message: {
        id: uuid,
        role,
        model: 'm',
        content: role === 'user' ? content : [{ type: 'text', text: content }],
      },
    });
  const original = change([
    line('u1', null, 'user', 'the first question'),
    line('a1', 'u1', 'assistant', 'the first answer'),
    line('u2', 'a1', 'user', 'a question that was rewound'),
    line('u3', 'a1', 'user', 'the second question'),
    line('a3', 'u3', 'assistant', 'the second answer'),
  ]);
  mkdirSync(projects, { recursive: true });
  writeFileSync(file, original);
  const own = path.join(home.folder, '.heddle/projects', path.basename(projects), `${ID}.jsonl`);
  return { ...home, file, original, own };
}

it('lists sessions of another tool, continues them in a copy, and never changes them', async () => {
  const { run, script, file, original, own } = homeWithSession((lines) => `${lines.join('\n')}\n`);

  const listed = await run(['sessions', 'list', '--json'], { env });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: ID }]);

  const resumed = await run(['-p', '-c', '--model', script([[say('Continued.')]]), 'continue'], { env });
  expect(resumed).toMatchObject({ code: 0, stdout: 'Continued.\n' });
  expect(readFileSync(file, 'utf8')).toBe(original);
  expect(readFileSync(own, 'utf8')).toContain('Continued.');
  const shown = await run(['sessions', 'show', ID], { env });
  expect(shown.stdout).toContain('the second answer');
  expect(shown.stdout).not.toContain('rewound');

  expect(await run(['sessions', 'delete', ID, '--yes'], { env })).toMatchObject({ code: 0 });
  expect(await run(['sessions', 'delete', ID, '--yes'], { env })).toMatchObject({ code: 1 });
  expect(existsSync(file)).toBe(true);
});

it.each([
  ['a byte order mark', (lines: readonly string[]) => `\ufeff${lines.join('\n')}\n`, ''],
  ['Windows line ends', (lines: readonly string[]) => `${lines.join('\r\n')}\r\n`, ''],
  ['all objects on one line', (lines: readonly string[]) => `${lines.join('')}\n`, ''],
  ['every line twice', (lines: readonly string[]) => `${[...lines, ...lines].join('\n')}\n`, ''],
  [
    'an unfinished last line',
    (lines: readonly string[]) => `${lines.join('\n')}\n{"type":"us`,
    /never finished/,
  ],
  [
    'lines of NUL and other text',
    (lines: readonly string[]) => `${lines.join('\n')}\n\0\0\nx\n`,
    /2 lines .* could not be read/,
  ],
] as const)('continues a session of another tool with %s', async (_what, change, notice) => {
  const { run, script, file, original, own } = homeWithSession(change);
  const resumed = await run(['-p', '-r', ID, '--model', script([[say('Continued.')]]), 'continue'], { env });
  expect(resumed).toMatchObject({ code: 0, stdout: 'Continued.\n' });
  expect(resumed.stderr).toMatch(notice);
  expect(readFileSync(file, 'utf8')).toBe(original);
  expect(readFileSync(own, 'utf8')).toContain('Continued.');
  const { stdout } = await run(['sessions', 'show', ID], { env });
  for (const text of ['the first answer', 'the second answer']) expect(stdout.split(text)).toHaveLength(2);
  expect(stdout).not.toContain('rewound');
});
