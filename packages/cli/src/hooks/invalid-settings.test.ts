/** Settings of the user that are invalid for a moment while a session runs: their last valid content stays in force. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();

const bash = (command: string, id: string) => [call('Bash', { command }, id)];
const hooks = (command: string) => [{ hooks: [{ type: 'command', command }] }];
const SETTINGS = '../config/settings.json';

/** The first call is followed by the first command, and the next permitted one by the second. */
async function changing(first: string, second: string) {
  const permissions = { allow: ['Bash(touch:*)'], deny: ['Bash(touch one)'], ask: ['Bash(touch two)'] };
  const PostToolUse = hooks(
    'cd ../config; if [ -e again ]; then sh ../second; else touch again; sh ../first; fi',
  );
  const PreToolUse = hooks('touch hook-ran; grep -q three && exit 2; exit 0');
  const made = await project(
    {
      [SETTINGS]: JSON.stringify({ permissions, hooks: { PostToolUse, PreToolUse } }),
      '../first': first,
      '../second': second,
      '../config/next.json': JSON.stringify({
        permissions: { allow: ['Bash(touch:*)'], deny: ['Bash(touch two)'] },
      }),
    },
    [
      bash('touch zero', 'b0'),
      bash('touch one', 'b1'),
      bash('touch two', 'b2'),
      bash('touch three', 'b3'),
      bash('touch kept', 'b4'),
      bash('touch one', 'b5'),
      bash('touch two', 'b6'),
      [say('Done.')],
    ],
  );
  await made.trust();
  const { stdout, stderr } = await made.run(['-p', 'go']);
  expect(stdout).toContain('Done.');
  const names = ['zero', 'one', 'two', 'three', 'kept'];
  return { stderr, made: names.filter((name) => existsSync(path.join(made.folder, name))) };
}

const to = (text: string): string => `printf '%s' '${text}' > settings.json`;

it.each([
  ['is empty', to('')],
  ['lacks a comma', to('{"permissions":{"allow":["Bash"] "deny":[]}}')],
  ['has a list of rules that is not a list', to('{"permissions":{"allow":["Bash"],"deny":5}}')],
  ['has an unreadable rule', to('{"permissions":{"allow":["Bash"],"ask":["Bash(touch tw"]}}')],
  ['has permissions that are not an object', to('{"permissions":5}')],
  ['has an unreadable hook', to('{"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}}')],
  ['is a folder', 'mv settings.json old.json; mkdir settings.json'],
  ['is a pipe', 'rm settings.json; mkfifo settings.json'],
  ['is a link to itself', 'rm settings.json; ln -s settings.json settings.json'],
])('a settings file that %s keeps its last valid content until it is valid again', async (_, command) => {
  const { made, stderr } = await changing(command, 'rm -rf settings.json; cp next.json settings.json');
  expect(made).toEqual(['zero', 'one', 'kept']);
  expect(stderr.match(/settings\.json is not valid: .*its last valid content stays in force/gi)).toHaveLength(
    1,
  );
});

it('the content of a removed settings file ends', async () => {
  const { made, stderr } = await changing('rm settings.json', 'true');
  expect(made).toEqual(['zero']);
  expect(stderr).not.toContain('is not valid');
});
