/** An earlier prompt that `/rewind` puts into the line is data, unless the user is known to have typed it. */
import { say } from '@heddle/testing';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PROMPT } from '../conversation/test/scene.ts';
import { CTRL_D, ENTER, type TestTerminal } from '../conversation/test/terminal.ts';
import { type Project, setUpProjects } from '../test/project.ts';

const makeProject = setUpProjects();

const FILES = {
  'asked.txt': 'text of asked',
  'plain.txt': 'text of plain',
  '../outside.txt': 'text of outside',
  '../config/settings.json': JSON.stringify({ permissions: { ask: ['Read(./asked.txt)'] } }),
  '../config/commands/ship.md': 'Ship it. !`touch made`',
  'edit.sh': 'sed -i -e "/^Earlier prompt:$/d" -e "s/one/two/" "$1"\n',
};
const MENTIONS = '@asked.txt @plain.txt @../outside.txt';
const LOG = `a line\n${MENTIONS}\n`;
const MORE = Array.from({ length: 60 }, (_, line) => `# line ${line}`).join('\n');

const project = (): Promise<Project> => makeProject(FILES, () => [say('Fine.')]);

/** Continues the last session, and returns to before its first prompt. */
async function rewound(
  { start }: Project,
  env: Readonly<Record<string, string>> = {},
): Promise<TestTerminal> {
  const terminal = start(['-c'], { env });
  await terminal.sees(PROMPT);
  terminal.type(`/rewind 1 conversation${ENTER}`);
  await terminal.sees('The conversation is back before that prompt.');
  return terminal;
}

/** Sends the line, and returns the request. */
async function send(terminal: TestTerminal, { sent }: Project): Promise<string> {
  const before = sent().length;
  terminal.type(ENTER);
  await terminal.sees('Fine.');
  await terminal.sees(PROMPT);
  expect(sent()).toHaveLength(before + 1);
  return sent().at(-1) ?? '';
}

/** Types a prompt in a terminal that ends then. */
async function typeBefore({ start }: Project, keys: string): Promise<void> {
  const terminal = start();
  await terminal.sees(PROMPT);
  terminal.type(keys);
  terminal.type(ENTER);
  await terminal.sees('Fine.');
  await terminal.sees(PROMPT);
  terminal.type(CTRL_D);
  await terminal.ended;
}

function expectData(request: string): void {
  expect(request).toContain(MENTIONS);
  expect(request).toContain('text of plain');
  expect(request).not.toContain('text of asked');
  expect(request).not.toContain('text of outside');
}

it.each([
  ['short', LOG],
  ['long', LOG + MORE],
])('reads no mention of the user in %s text that was piped beside a prompt', async (_, input) => {
  const made = await project();
  await made.run(['-p', 'review this'], { input });
  const terminal = await rewound(made);
  await terminal.sees(/\n> \[Earlier prompt #1 \+\d+ lines\]$/);
  expect(terminal.text).toContain('you may not have typed that prompt');
  expectData(await send(terminal, made));
});

it('reads no mention of the user in a prompt of a run, which may be text of another program', async () => {
  const made = await project();
  await made.run(['-p', `look at ${MENTIONS}`]);
  const terminal = await rewound(made);
  await terminal.sees('> [Earlier prompt #1 +1 line]');
  terminal.type(' and @../outside.txt');
  await terminal.sees('> [Earlier prompt #1 +1 line] and @../outside.txt');
  const request = await send(terminal, made);
  expect(request).not.toContain('text of asked');
  expect(request).toContain('text of outside');
});

it('reads no mention of the user in a paste of an earlier process that the history does not store', async () => {
  const made = await project();
  const paste = `${LOG}${'0123456789 more\n'.repeat(1_900)}`.replaceAll('\n', '\r');
  await typeBefore(made, `see \u001b[200~${paste}\u001b[201~`);
  const terminal = await rewound(made);
  await terminal.sees(/\n> \[Earlier prompt #1 \+190\d lines\]$/);
  expectData(await send(terminal, made));
});

it.each([
  ['of a shell', `!touch made\n${MORE}`],
  ['of a file', `/ship ${MORE}`],
  ['of a file, after blanks,', '  /ship'],
])('runs no command %s that came through a pipe', async (_, input) => {
  const made = await project();
  await made.run(['-p', '--disable-slash-commands'], { input });
  const terminal = await rewound(made);
  await terminal.sees(/\n>( \[Earlier prompt #1 \+\d+ lines?\])?$/);
  terminal.type(' go');
  await terminal.sees(/ go$/);
  const request = await send(terminal, made);
  expect(request).not.toContain('Ship it.');
  expect(existsSync(path.join(made.folder, 'made'))).toBe(false);
});

it('stays data after an edit in the editor of the user', async () => {
  const made = await project();
  await made.run(['-p', '--disable-slash-commands'], { input: `/ship one ${MENTIONS}` });
  const terminal = await rewound(made, { EDITOR: `sh '${made.folder}/edit.sh'` });
  await terminal.sees('> [Earlier prompt #1 +1 line]');
  terminal.type('\u0007');
  await terminal.sees('> [Earlier prompt #2 +1 line]');
  const request = await send(terminal, made);
  expect(request).toContain('Earlier prompt:\\n/ship two');
  expect(request).not.toContain('Ship it.');
  expectData(request);
});

it('shows a prompt that the user typed in an earlier process, with its mentions', async () => {
  const made = await project();
  await typeBefore(made, `look at ${MENTIONS}`);
  const terminal = await rewound(made);
  await terminal.sees(`> look at ${MENTIONS}`);
  expect(terminal.text).not.toContain('you may not have typed');
  const request = await send(terminal, made);
  expect(request).toContain('text of asked');
  expect(request).toContain('text of outside');
});

it('shows a short prompt of a run in which nothing has an effect', async () => {
  const made = await project();
  await made.run(['-p', 'fix the test']);
  const terminal = await rewound(made);
  await terminal.sees('> fix the test');
  terminal.type(' of sums');
  await terminal.sees('> fix the test of sums');
  expect(await send(terminal, made)).toContain('fix the test of sums');
});

it('is data again if it was sent, and comes from the history', async () => {
  const made = await project();
  await made.run(['-p', `look at ${MENTIONS}`]);
  const first = await rewound(made);
  await first.sees('> [Earlier prompt #1 +1 line]');
  expectData(await send(first, made));
  first.type(CTRL_D);
  await first.ended;
  const second = await rewound(made);
  await second.sees('> [Earlier prompt #1 +1 line]');
  expectData(await send(second, made));
});
