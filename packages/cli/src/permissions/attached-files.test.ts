/**
 * Files that a request contains without a call. Git's data may contain copies of files that a rule forbids to read, and files of
 * processes contain keys.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { say, startFakeApi } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

const MODEL = 'claude-sonnet-4-5';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

/** The plain copies of files that git makes, by the way in which they reach a request. */
const COPIES: Readonly<Record<string, string>> = {
  import: '.git/COMMIT_EDITMSG',
  'deeper import': '.git/rr-cache/1a/preimage',
  'linked rule': '.git/ADD_EDIT.patch',
  'linked skill': '.git/rebase-merge/patch',
  'mention in a command': '.git/lost-found/other/1a',
  'mention of the user': '.git/rebase-apply/patch',
};
const MENTION = COPIES['mention of the user'] ?? '';

/** Returns the names of the copies that the first request contains. */
async function copiesSent(permissions: object): Promise<string[]> {
  const api = await startFakeApi([say('Done.')], { models: [MODEL] });
  onTestFinished(() => api.close());
  const { folder, run } = homeFor(installed.program);
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  const link = (name: string, target: string): void => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    symlinkSync(path.relative(path.dirname(name), target), path.join(folder, name));
  };
  execFileSync('git', ['init', '-q'], { cwd: folder });
  for (const [name, file] of Object.entries(COPIES))
    write(file, `---\ndescription: "copy of the ${name}"\n---\ncopy of the ${name}\n`);
  write('CLAUDE.md', `The instructions.\n@${COPIES['import']}\n@docs/more.md\n`);
  write('docs/more.md', `@../${COPIES['deeper import']}\n`);
  link('.claude/rules/a.md', COPIES['linked rule'] ?? '');
  link('.claude/skills/s/SKILL.md', COPIES['linked skill'] ?? '');
  write('.claude/commands/c.md', `Look at @${COPIES['mention in a command']} and $ARGUMENTS.\n`);
  const flags = ['--settings', JSON.stringify({ permissions }), '--model', `anthropic/${MODEL}`];
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url };
  expect(await run(['-p', `/c @${MENTION}`, ...flags], { env })).toMatchObject({ code: 0 });
  const sent = JSON.stringify(api.requests.find(({ path: at }) => at === '/v1/messages')?.body);
  expect(sent).toContain('The instructions.');
  return Object.keys(COPIES).filter((name) => sent.includes(`copy of the ${name}`));
}

describe('the first request in a folder without trust', () => {
  it.each([
    ['no rule', {}, Object.keys(COPIES)],
    ['a deny rule about a file of the repository', { deny: ['Read(./.env)'] }, []],
    ['an ask rule about it', { ask: ['Read(./.env)'] }, ['mention of the user']],
    ['a rule about another place', { deny: ['Read(//elsewhere/**)'] }, Object.keys(COPIES)],
  ])('contains the copies of git that may be shown beside %s', async (_, permissions, expected) => {
    expect(await copiesSent(permissions)).toEqual(expected);
  });
});

it('imports of a trusted project do not show the environment of a process', async () => {
  const api = await startFakeApi([say('Done.')], { models: [MODEL] });
  onTestFinished(() => api.close());
  const { folder, run } = homeFor(installed.program);
  writeFileSync(
    path.join(folder, 'CLAUDE.md'),
    'The instructions.\n@/proc/self/environ\n@environ\n@/proc/version\n@../outside-of-it.md\n',
  );
  symlinkSync('/proc/self/environ', path.join(folder, 'environ'));
  const outside = path.join(folder, '../outside-of-it.md');
  writeFileSync(outside, 'The text outside.\n');
  onTestFinished(() => rmSync(outside));
  expect(await run(['permissions', 'trust'])).toMatchObject({ code: 0 });
  const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: api.url, SOME_TOKEN: 'value-of-the-token' };
  const argv = ['-p', 'go', '--model', `anthropic/${MODEL}`];
  expect(await run(argv, { env })).toMatchObject({ code: 0 });
  const sent = JSON.stringify(api.requests.find(({ path: at }) => at === '/v1/messages')?.body);
  expect(sent).toContain('The instructions.');
  expect(sent).toContain('The text outside.');
  expect(sent).not.toContain('value-of-the-token');
});
