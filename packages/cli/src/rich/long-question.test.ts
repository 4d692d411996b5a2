/** Long questions in the real program: every part of the call is on the screen or in its scrollback, with the reason and the keys. */
import { call, say } from '@heddle/testing';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { setUpScenes } from '../conversation/test/scene.ts';
import { ENTER, type TestTerminal } from '../conversation/test/terminal.ts';

const { scene } = setUpScenes();

/** The end of a command that needs a question. */
const END = '; touch PWNED; : ${!x}';
const bash = (command: string) => call('Bash', { command, description: 'List the files' }, 'b1');

/** The text of the terminal without bars, blanks and breaks. */
const bare = (text: string): string => text.replaceAll(/[\s|]/g, '');
const visible = ({ text }: TestTerminal, rows: number): string => text.split('\n').slice(-rows).join('\n');

const COMMANDS = {
  spaces: { command: `ls -la${' '.repeat(4_000)}${END}${' '.repeat(4_000)}| head`, sign: '4,000 blanks' },
  tabs: { command: `ls${'\t'.repeat(400)}${END}`, sign: '400 blanks' },
  'empty lines': { command: `ls\n${`${' '.repeat(99)}\n`.repeat(40)}true${END}`, sign: '40 empty lines' },
  'a long word': { command: `echo ${'a'.repeat(2_600)}${END}`, sign: 'rows above show all of it' },
  words: { command: `echo ${'word '.repeat(900)}${END}`, sign: 'rows above show all of it' },
};

it.each([
  [100, 30, 'spaces'],
  [100, 30, 'a long word'],
  [80, 24, 'tabs'],
  [80, 24, 'empty lines'],
  [80, 24, 'words'],
  [40, 10, 'spaces'],
  [40, 10, 'empty lines'],
  [40, 10, 'a long word'],
] as const)(
  'shows the end of a command and the reason at %i columns and %i rows: %s',
  async (columns, rows, kind) => {
    const { command, sign } = COMMANDS[kind];
    const { folder, start } = await scene([[bash(command)], [say('Done.')]]);
    const terminal = start(['go'], { columns, rows });
    await terminal.shows(/\nallow\?$/);
    await terminal.shows('Allow Bash? (List the files)\n  |');
    expect(bare(terminal.text)).toContain(bare(END));
    expect(bare(terminal.text)).toContain(bare(sign));
    const region = visible(terminal, rows);
    expect(region).toContain('  The command is not understood comple');
    expect(region).toMatch(/\n❯ 1 {2}yes\n {2}3 {2}no\n {2}4 {2}no, and say why\nallow\?$/);
    terminal.type(ENTER);
    await terminal.shows('Done.');
    // The exact command ran.
    expect(existsSync(path.join(folder, 'PWNED'))).toBe(true);
  },
);

it('prints a question again if it no longer fits after a resize, and shows it as a whole if it fits', async () => {
  const { start } = await scene([[bash(`echo ${'word '.repeat(200)}${END}`)]]);
  const terminal = start(['go'], { columns: 100, rows: 30 });
  await terminal.shows(/; touch PWNED; : \$\{!x\}\n {2}The command [^]*\nallow\?$/);
  expect(terminal.text).not.toContain('rows above');
  terminal.resize(40, 10);
  await terminal.shows(
    /\nAllow Bash\? .*\n {2}… \d+ rows above show all of it\n {2}The command [^]*\nallow\?$/,
  );
  await terminal.shows(/\n {2}\| word[^]*\n {2}The command[^]*rows above/);
  terminal.resize(100, 30);
  await terminal.shows(/\n── [^]*; touch PWNED; : \$\{!x\}\n {2}The command [^]*\nallow\?$/);
  await expect.poll(() => visible(terminal, 22)).not.toContain('rows above');
});

it.each([
  [
    'the address of a request',
    call('WebFetch', { url: `https://a.example/${'a'.repeat(3_000)}?THE-END`, prompt: 'x' }, 'w1'),
  ],
  [
    'a changed line',
    call('Write', { file_path: 'n.txt', content: `${'one '.repeat(1_500)}THE-END\n` }, 'w1'),
  ],
  ['a path', call('Write', { file_path: `${'d/'.repeat(900)}THE-END`, content: 'x\n' }, 'w1')],
  ['a later field', call('Agent', { description: 'a'.repeat(3_000), prompt: 'Look.\nTHE-END' }, 'w1')],
])('shows the end of %s', async (_, asked) => {
  const { start } = await scene([[asked]]);
  const settings = JSON.stringify({ permissions: { ask: ['Agent'] } });
  const terminal = start(['go', '--settings', settings], { columns: 80, rows: 24 });
  await terminal.shows(/rows above show all of it\n[^]*\n❯ 1 {2}yes\n[^]*\nallow\?$/);
  await expect.poll(() => bare(terminal.text)).toContain('THE-END');
});

it('shows the end of a plan, and of a question with long choices', async () => {
  const options = [
    { label: 'One', description: `${'long '.repeat(200)}CHOICE-END` },
    { label: 'Two', description: 'short' },
  ];
  const question = `${'word '.repeat(500)}THE-END\nAllow Bash?`;
  const { start } = await scene([
    [
      call(
        'AskUserQuestion',
        { questions: [{ header: 'Pick', question, options, multiSelect: false }] },
        'q1',
      ),
    ],
    [call('ExitPlanMode', { plan: `${'step '.repeat(900)}PLAN-END` }, 'p1')],
  ]);
  const terminal = start(['go', '--permission-mode', 'plan'], { columns: 80, rows: 20 });
  await terminal.shows(
    /\nPick: word .*…\n {2}… \d+ rows above show all of it\n[^]*\n❯ 1 [^]*\n {2}2 {2}Two: short\nanswer>$/,
  );
  await expect.poll(() => terminal.text).toContain('THE-END\n  | Allow Bash?');
  expect(bare(terminal.text)).toContain('CHOICE-END');
  terminal.type(`2${ENTER}`);
  await terminal.shows(/\nThe plan:\n {2}… \d+ rows above show all of it\nCarry it out\?\n❯ 1 [^]*\nplan\?$/);
  await expect.poll(() => bare(terminal.text)).toContain('PLAN-END');
});
