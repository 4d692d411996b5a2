/** Hooks in settings are not run yet. Every start that finds hooks reports this on standard error. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { say } from '@heddle/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const HOOKS = {
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'exit 2' }] }] },
};
const USER_LINE = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'go' } })}\n`;
const STREAM = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

const cases: readonly (readonly [title: string, file: string | undefined, flags: readonly string[]])[] = [
  ['project settings', '.claude/settings.json', ['-p', 'go']],
  [
    'project settings that a host names',
    '.claude/settings.json',
    ['-p', 'go', '--setting-sources', 'project'],
  ],
  ['all sources named', '.claude/settings.json', ['-p', 'go', '--setting-sources=user,project,local']],
  ['local settings', '.claude/settings.local.json', ['-p', 'go', '--setting-sources', 'local']],
  ['user settings', 'config/settings.json', ['-p', 'go', '--setting-sources', 'user']],
  ['a bare start', '.claude/settings.json', ['-p', 'go', '--bare', '--setting-sources', 'project']],
  [
    'json output',
    '.claude/settings.json',
    ['-p', 'go', '--setting-sources=project', '--output-format', 'json'],
  ],
  ['a host', '.claude/settings.json', [...STREAM, '--setting-sources=project']],
  ['a settings file of the command line', undefined, ['-p', 'go', '--settings', 'more.json']],
  ['settings as JSON', undefined, ['-p', 'go', '--setting-sources=', '--settings', JSON.stringify(HOOKS)]],
  [
    'managed settings',
    undefined,
    ['-p', 'go', '--setting-sources=', '--managed-settings', JSON.stringify(HOOKS)],
  ],
  ['a conversation', '.claude/settings.json', ['--plain', '--setting-sources', 'project']],
];

it.each(cases)('reports that hooks are not run: %s', async (_, file, flags) => {
  const { folder, run, script } = homeFor(installed.program);
  const write = (name: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), JSON.stringify(HOOKS));
  };
  if (file !== undefined) write(file);
  if (flags.includes('more.json')) write('more.json');
  const input = flags.includes('--input-format') ? USER_LINE : flags.includes('--plain') ? 'go\n' : '';
  const { stdout, stderr } = await run([...flags, '--model', script([say('Done.')])], { input });
  expect(stderr).toContain('Hooks in settings are not run yet. Use a deny or ask rule instead');
  if (file !== undefined) expect(stderr).toContain(file);
  expect(stdout).toContain('Done.');
});

it('reports nothing if there are no hooks', async () => {
  const { folder, run, script } = homeFor(installed.program);
  mkdirSync(path.join(folder, '.claude'));
  writeFileSync(path.join(folder, '.claude/settings.json'), '{"hooks":{}}');
  const { stderr } = await run(['-p', 'go', '--setting-sources=project', '--model', script([say('Done.')])]);
  expect(stderr).toBe('');
});
