/**
 * A whole conversation on the rich screen: the real program in a pty, at three widths and in two themes. Each step waits for
 * the cells that the user would see. One process serves both themes of a width.
 */
import { breakOff, call, createTestGate, hang, say } from '@heddle/testing';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PROMPT, setUpScenes } from '../conversation/test/scene.ts';
import { ENTER, type TestTerminal } from '../conversation/test/terminal.ts';

const { scene } = setUpScenes();
const ESC = '\u001b';
const DOWN = '\u001b[B';
const TABLE = '| name | value |\n|---|---:|\n| one | 1 |\n';

/** The colors of `code`, and of an added line of a diff. */
const THEMES = [
  { name: 'dark', code: 6, added: 2 },
  { name: 'light', code: 25, added: 28 },
] as const;

/** Matches a text that may be broken into rows at its spaces. */
function words(text: string): RegExp {
  return new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/ +/g, '\\s+'));
}

it.each([40, 80, 200])(
  'shows every state of a conversation at %i columns, light and dark',
  async (columns) => {
    const gates = THEMES.map(() => createTestGate());
    const steps = gates.flatMap((gate, turn) => [
      [say(`Uses \`code\` here.\n\n${TABLE}\nThe end of ${turn}.`)],
      [call('Read', { file_path: 'notes.txt' }, `r${turn}`)],
      [
        call(
          'Edit',
          { file_path: 'notes.txt', old_string: `line ${turn}`, new_string: `row ${turn}` },
          `e${turn}`,
        ),
      ],
      [say('Changed it, ', gate, 'and done.')],
      [say('Joined.')],
      [say('Wrong words.'), breakOff()],
      [say('Right words.')],
      [say('Half an answer '), hang()],
    ]);
    const { folder, start } = await scene([
      ...steps,
      [say('A summary of it all.')],
      [say('After resuming.')],
    ]);
    mkdirSync(path.join(folder, 'src'));
    writeFileSync(path.join(folder, 'src', 'found me.txt'), 'text');
    writeFileSync(path.join(folder, 'notes.txt'), 'before\nline 0\nline 1\nafter\n');
    const terminal = start([], { columns });
    await terminal.sees(PROMPT);
    for (const [turn, theme] of THEMES.entries()) {
      if (theme.name === 'light') await chooseTheme(terminal, theme.name);
      await answerWithTable(terminal, theme.code, turn);
      await permissionAndQueue(terminal, theme.added, turn, gates[turn]);
      await menus(terminal);
      await retractedText(terminal);
      await interrupt(terminal);
    }
    expect(readFileSync(path.join(folder, 'notes.txt'), 'utf8')).toBe('before\nrow 0\nrow 1\nafter\n');
    terminal.type(`/compact ${ENTER}`);
    await terminal.sees(/\(compacting the\s+conversation…\)/);
    await terminal.sees(PROMPT);
    terminal.type(`/clear ${ENTER}`);
    await terminal.sees('A new session.');
    await terminal.sees(PROMPT);
    terminal.type(`/resume ${ENTER}`);
    await terminal.shows(/\n❯ 1 +show 0[^]*\nsession>$/);
    terminal.type(ENTER);
    await terminal.sees(PROMPT);
    terminal.type(`last${ENTER}`);
    await terminal.sees('After resuming.');
    await terminal.sees(PROMPT);
    expect(terminal.raw).not.toContain('\u001b[2J');
    expect(terminal.raw).not.toContain('\u001b[3J');
    const widest = Math.max(...terminal.text.split('\n').map((row) => row.length));
    expect(widest).toBeLessThanOrEqual(columns);
  },
);

async function chooseTheme(terminal: TestTerminal, name: string): Promise<void> {
  terminal.type(`/theme ${ENTER}`);
  await terminal.shows(/\ntheme>$/);
  terminal.type(`${name}${ENTER}`);
  await terminal.sees(`The theme is ${name}.`);
  await terminal.sees(PROMPT);
}

async function answerWithTable(terminal: TestTerminal, color: number, turn: number): Promise<void> {
  terminal.type(`show ${turn}${ENTER}`);
  await terminal.sees('│ one  │     1 │\n└──────┴───────┘');
  await terminal.sees(`The end of ${turn}.`);
  await terminal.sees(PROMPT);
  expect(terminal.lookOf('code here')).toMatchObject({ color });
}

/** A question with a diff, one line after the answer, and a prompt that waits in the queue and joins the turn. */
async function permissionAndQueue(
  terminal: TestTerminal,
  color: number,
  turn: number,
  gate: { open(): void } | undefined,
): Promise<void> {
  terminal.type(`edit ${turn}${ENTER}`);
  await terminal.sees(/\nallow\?$/);
  await terminal.shows(new RegExp(`\\| +${turn + 2} - line ${turn}\\n +\\| +${turn + 2} \\+ row ${turn}\\n`));
  expect(terminal.lookOf(`+ row ${turn}`)).toMatchObject({ color });
  terminal.type(ENTER);
  await terminal.sees(words('(allow? Edit notes.txt: yes)'));
  await terminal.sees('Changed it,');
  terminal.type(`and then${ENTER}`);
  await terminal.sees('(queued: and then)');
  gate?.open();
  await terminal.sees('and done.');
  await terminal.sees('Joined.');
  await terminal.sees(PROMPT);
}

async function menus(terminal: TestTerminal): Promise<void> {
  terminal.type('/c');
  await terminal.sees(/❯ \/clear[^]*\n> \/c$/);
  terminal.type(DOWN);
  await terminal.sees(/\n❯ \/continue/);
  terminal.type('\u0015see @foundme');
  await terminal.sees(/❯ src\/found me\.txt/);
  terminal.type('\t');
  await terminal.sees(/> see @"src\/found me\.txt"$/);
  terminal.type('\u0015');
  await terminal.sees(PROMPT);
}

async function retractedText(terminal: TestTerminal): Promise<void> {
  terminal.type(`try${ENTER}`);
  await terminal.sees('Right words.');
  await terminal.sees(PROMPT);
  expect(terminal.text).not.toContain('Wrong words.');
}

async function interrupt(terminal: TestTerminal): Promise<void> {
  terminal.type(`stop${ENTER}`);
  await terminal.sees('Half an answer');
  terminal.type(ESC);
  await terminal.sees('Interrupted.');
  await terminal.sees(PROMPT);
  expect(terminal.text).not.toContain('Esc interrupts');
}
