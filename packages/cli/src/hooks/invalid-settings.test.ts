/** Settings of the user that are invalid for a moment while a session runs: what they protected stays in force. */
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
const BACK = 'rm -rf settings.json; cp next.json settings.json';
const ALLOW = '"allow":["Bash","Bash(touch:*)"]';

it.each([
  ['is empty', to('')],
  ['lacks a comma', to('{"permissions":{"allow":["Bash"] "deny":[]}}')],
  ['is cut', to('{"permissions":{"allow":["Bash"],"deny":')],
  ['is a folder', 'mv settings.json old.json; mkdir settings.json'],
  ['is a pipe', 'rm settings.json; mkfifo settings.json'],
  ['is a link to itself', 'rm settings.json; ln -s settings.json settings.json'],
])('a settings file that %s keeps its last valid content until it is valid again', async (_, command) => {
  const { made, stderr } = await changing(command, BACK);
  expect(made).toEqual(['zero', 'one', 'kept']);
  expect(stderr.match(/settings\.json is not valid: .*its last valid content stays in force/gi)).toHaveLength(
    1,
  );
});

const STRICTER = /settings\.json is not valid: .*the stricter rules of its last valid and its new content/gi;

it.each([
  ['a list of rules that is not a list', `{"permissions":{${ALLOW},"deny":5}}`],
  ['an unreadable rule', `{"permissions":{${ALLOW},"ask":["Bash(touch tw"]}}`],
  [
    'an unreadable hook',
    `{"permissions":{${ALLOW}},"hooks":{"PreToolUse":[{"hooks":[{"type":"command"}]}]}}`,
  ],
])('a settings file with %s allows what it allowed before, and forbids the same', async (_, text) => {
  const { made, stderr } = await changing(to(text), BACK);
  expect(made).toEqual(['zero', 'one', 'kept']);
  expect(stderr.match(STRICTER)).toHaveLength(1);
});

const guard = JSON.stringify(hooks('grep -q kept && exit 2; exit 0'));

it.each([
  ['an allow rule is removed beside an unreadable rule', '{"permissions":{"deny":["Bash(curl"]}}'],
  ['the permissions are not an object', '{"permissions":5}'],
  ['an allow rule is replaced by a wider one', '{"permissions":{"allow":["Bash"],"deny":["Bash(curl"]}}'],
  ['a deny rule is new', `{"permissions":{${ALLOW},"deny":["Bash(touch kept)","Bash(curl"]}}`],
  ['an ask rule is new', `{"permissions":{${ALLOW},"ask":["Bash(touch kept)"],"deny":5}}`],
  [
    'a hook is new beside one with an unknown type',
    `{"permissions":{${ALLOW}},"hooks":{"PreToolUse":${guard},"Stop":[{"hooks":[{"type":"comand"}]}]}}`,
  ],
  [
    'a hook is new in the list of one with an unknown type',
    `{"permissions":{${ALLOW}},"hooks":{"PreToolUse":[{"hooks":[{"type":"comand"}]},${guard.slice(1)}}}`,
  ],
])('what a settings file with an unreadable part forbids counts at once: %s', async (_, text) => {
  const { made, stderr } = await changing(to(text), BACK);
  expect(made).toEqual(['zero']);
  expect(stderr.match(STRICTER)).toHaveLength(1);
});

it('the content of a removed settings file ends', async () => {
  const { made, stderr } = await changing('rm settings.json', 'true');
  expect(made).toEqual(['zero']);
  expect(stderr).not.toContain('is not valid');
});
