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

it('lists sessions of another tool, continues them in a copy, and never changes them', async () => {
  const { folder, run, script } = homeFor(installed.program);
  const cwd = realpathSync(folder);
  const projects = path.join(folder, '.claude/projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  const file = path.join(projects, `${ID}.jsonl`);
  const common = {
    isSidechain: false,
    cwd,
    sessionId: ID,
    version: '2.1',
    timestamp: '2026-11-15T10:00:00.000Z',
  };
  const line = (uuid: string, parentUuid: string | null, role: string, content: string): string =>
    `${JSON.stringify({ parentUuid, ...common, type: role, uuid, message: { id: uuid, role, model: 'm', content: role === 'user' ? content : [{ type: 'text', text: content }] } })}\n`;
  const original =
    line('u1', null, 'user', 'the first question') +
    line('a1', 'u1', 'assistant', 'the first answer') +
    line('u2', 'a1', 'user', 'a question that was rewound') +
    line('u3', 'a1', 'user', 'the second question') +
    line('a3', 'u3', 'assistant', 'the second answer');
  mkdirSync(projects, { recursive: true });
  writeFileSync(file, original);
  const env = { HEDDLE_CONFIG_DIR: '' };

  const listed = await run(['sessions', 'list', '--json'], { env });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: ID }]);

  const resumed = await run(['-p', '-c', '--model', script([[say('Continued.')]]), 'continue'], { env });
  expect(resumed).toMatchObject({ code: 0, stdout: 'Continued.\n' });
  expect(readFileSync(file, 'utf8')).toBe(original);
  const own = path.join(folder, '.heddle/projects', path.basename(projects), `${ID}.jsonl`);
  expect(readFileSync(own, 'utf8')).toContain('Continued.');
  const shown = await run(['sessions', 'show', ID], { env });
  expect(shown.stdout).toContain('the second answer');
  expect(shown.stdout).not.toContain('rewound');

  expect(await run(['sessions', 'delete', ID, '--yes'], { env })).toMatchObject({ code: 0 });
  expect(await run(['sessions', 'delete', ID, '--yes'], { env })).toMatchObject({ code: 1 });
  expect(existsSync(file)).toBe(true);
});
