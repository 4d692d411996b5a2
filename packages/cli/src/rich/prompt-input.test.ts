/** The input line: menus, undo, removed texts and long pastes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Key } from '../terminal/input/editor.ts';
import { KeyReader } from '../terminal/input/key-reader.ts';
import { Recall } from '../terminal/input/prompt-history.ts';
import { bestMatches, searchable } from './fuzzy.ts';
import { type InputAction, PromptInput } from './prompt-input.ts';

const FILES = ['src/', 'src/main.ts', 'src/main.test.ts', 'docs/my notes.md', 'README.md']
  .concat(['bad(@.env', 'bad @~', 'bad" @.env', 'bad\u00A0@.env', 'bad`', 'bad#L1'])
  .concat(['odd,name', 'odd(name', '~/odd'])
  .map(searchable);

function line(history: readonly string[] = [], hasVimKeys = false) {
  const input = new PromptInput({
    hasVimKeys,
    recall: new Recall(history),
    complete: () => ({ kind: 'nothing' }),
    menus: {
      commands: [
        { name: 'status', help: 'session, model, mode' },
        { name: 'model', hint: '[name]', help: 'show or change the model' },
        { name: 'exit', also: ['quit'], help: 'leave' },
      ],
      files: (query, most) => bestMatches(query, FILES, most),
    },
  });
  const actions: InputAction[] = [];
  const take = (key: Key): void => {
    const action = input.take(key);
    if (action) actions.push(action);
  };
  const reader = new KeyReader({ key: take, paste: (text) => input.paste(text) });
  return { input, actions, type: (keys: string) => reader.push(keys) };
}

const [TAB, ENTER, DOWN, UNDO] = ['\t', '\r', '\u001b[B', '\u001f'];

describe('the menu', () => {
  it('lists commands with their descriptions, and Enter runs the selected one', () => {
    const { input, actions, type } = line();
    type('/');
    expect(input.menu?.items.map(({ label }) => label)).toEqual(['/status', '/model [name]', '/exit']);
    type(DOWN + ENTER);
    expect(actions).toEqual([{ kind: 'submit', text: '/model ', shown: '/model ' }]);
  });

  it.each([
    ['/st', '/status '],
    ['/quit', '/quit'],
    ['/tat', '/tat'],
    ['/status now', '/status now'],
  ])('sends %s as %s', (typed, sent) => {
    const { actions, type } = line();
    type(`${typed}${ENTER}`);
    expect(actions).toMatchObject([{ kind: 'submit', text: sent }]);
  });

  it('inserts files after @, quotes names with spaces, and Esc closes it', () => {
    const { input, type } = line();
    type('see @maints');
    expect(input.menu?.items[0]?.label).toBe('src/main.ts');
    type(`${TAB}and @notes${TAB}`);
    expect(input.draft.text).toBe('see @src/main.ts and @"docs/my notes.md" ');
    type('@');
    expect(input.menu).toBeDefined();
    input.take({ name: 'escape' });
    expect(input.menu).toBeUndefined();
    expect(input.draft.text.endsWith('@')).toBe(true);
  });

  it('offers no file whose name would be read in another way, and quotes or completes others', () => {
    const { input, type } = line();
    type('@bad');
    expect(input.menu).toBeUndefined();
    type('\u0015@odd,');
    type(TAB);
    expect(input.draft.text).toBe('@"odd,name" ');
    type(`@odd(${TAB}`);
    expect(input.draft.text).toBe('@"odd,name" @"odd(name" ');
    type(`@~${TAB}`);
    expect(input.draft.text).toBe('@"odd,name" @"odd(name" @./~/odd ');
  });

  it('does not open for a prompt from the history', () => {
    const { input, type } = line(['/status', 'first']);
    type('\u001b[A\u001b[A');
    expect([input.draft.text, input.menu]).toEqual(['/status', undefined]);
  });
});

describe('editing', () => {
  it('undoes words and removals one by one', () => {
    const { input, type } = line();
    for (const letter of 'one two') type(letter);
    type('\u0017');
    expect(input.draft.text).toBe('one ');
    type(UNDO);
    expect(input.draft.text).toBe('one two');
    type(UNDO + UNDO);
    expect(input.draft.text).toBe('one');
    type(UNDO.repeat(5));
    expect(input.draft.text).toBe('');
  });

  it('inserts removed texts again: Ctrl-Y the last one, Alt-Y the ones before it', () => {
    const { input, type } = line();
    type('alpha beta\u0017\u0017');
    expect(input.draft.text).toBe('');
    type('\u0019');
    expect(input.draft.text).toBe('alpha ');
    type('\u001by');
    expect(input.draft.text).toBe('beta');
    type('\u001by');
    expect(input.draft.text).toBe('alpha ');
  });

  it('folds a long paste, sends it whole, and removes its mark at once', () => {
    const pasted = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\r');
    const { input, actions, type } = line();
    type(`before \u001b[200~${pasted}\u001b[201~ after`);
    expect(input.draft.text).toBe('before [Pasted text #1 +60 lines] after');
    type(ENTER);
    expect(actions).toMatchObject([{ shown: 'before [Pasted text #1 +60 lines] after' }]);
    expect(actions[0]).toMatchObject({
      text: expect.stringMatching(/^before line 0\nline 1\n[^]*line 59 after$/),
    });
    type(`\u001b[200~${pasted}\u001b[201~`);
    expect(input.draft.text).toBe('[Pasted text #2 +60 lines]');
    type('\u007f');
    expect(input.draft.text).toBe('');
  });
});

it.each(['!touch x', ' /clear', '#note'])('sends a folded paste that starts with %j as text', (start) => {
  const { actions, type } = line();
  const pasted = `${start}${'\rmore'.repeat(20)}`;
  const text = pasted.replaceAll('\r', '\n');
  type(`\u001b[200~${pasted}\u001b[201~${ENTER}`);
  type(`  \u001b[200~${pasted}\u001b[201~${ENTER}`);
  type(`!cat \u001b[200~${pasted}\u001b[201~${ENTER}`);
  expect(actions).toMatchObject([
    { text: `Pasted text:\n${text}` },
    { text: `Pasted text:\n  ${text}` },
    { text: `!cat ${text}` },
  ]);
});

it('turns the dropped path of an image into a mention, and leaves other paths alone', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-drop-'));
  const file = path.join(folder, 'a picture.PNG');
  writeFileSync(file, '');
  const { input, type } = line();
  const drop = (text: string): string => {
    type(`\u0015\u001b[200~${text}\u001b[201~`);
    return input.draft.text;
  };
  for (const pasted of [file, `'${file}' `, file.replaceAll(' ', '\\ '), pathToFileURL(file).href])
    expect(drop(pasted)).toBe(`@"${file}" `);
  const bad = path.join(folder, 'a (@x.png');
  writeFileSync(bad, '');
  expect(drop(bad)).toMatch(/^\[Pasted text #\d+ \+1 line\]$/);
  for (const pasted of [folder, `${folder}/none.png`, 'a picture.PNG', `${file}\rmore`])
    expect(drop(pasted)).toBe(pasted.replaceAll('\r', '\n'));
  rmSync(folder, { recursive: true });
});

it('finds a file among 100,000 in less than half a second of processor time', () => {
  const names = Array.from({ length: 100_000 }, (_, index) =>
    searchable(`packages/p${index % 97}/src/module-${index}.ts`),
  );
  // The least of three: other work of the machine slows a processor down.
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage();
    expect(bestMatches('mod42171', names, 8)[0]).toMatch(/module-42171\.ts$/);
    return process.cpuUsage(before).user / 1_000;
  });
  expect(Math.min(...times)).toBeLessThan(400);
});

describe('a line with Vim keys', () => {
  const ESCAPE: Key = { name: 'escape', sequence: '\u001b' };

  it('edits, undoes, finds earlier prompts, and starts in insert mode after a prompt', () => {
    const { input, actions, type } = line(['earlier'], true);
    type('one two');
    input.take(ESCAPE);
    expect(input.vimMode).toBe('normal');
    type('dd');
    expect(input.draft.text).toBe('');
    type('u');
    expect(input.draft.text).toBe('one two');
    type('k');
    expect(input.draft.text).toBe('earlier');
    expect(input.menu).toBeUndefined();
    type(ENTER);
    expect(actions).toEqual([{ kind: 'submit', text: 'earlier', shown: 'earlier' }]);
    expect(input.vimMode).toBe('insert');
    expect(input.take(ESCAPE)).toEqual({ kind: 'editor', action: 'escape' });
  });
});

describe('a line with a long paste in the editor of the user', () => {
  const pasted = `!touch x @.env${'\rmore'.repeat(20)}`;
  const edit = (before: string, change: (text: string) => string, after = '') => {
    const made = line();
    made.type(`${before}\u001b[200~${pasted}\u001b[201~${after}`);
    made.input.takeEdited(change(made.input.textToEdit));
    return made.input;
  };

  it('stays as it is if nothing is changed', () => {
    expect(edit('see ', (text) => text).draft.text).toBe('see [Pasted text #1 +21 lines]');
  });

  it('keeps the words around the paste, and a changed paste is still one', () => {
    const input = edit('see ', (text) => text.replace('more', 'most'), ' now');
    expect(input.draft.text).toBe('see [Pasted text #2 +21 lines] now');
    expect(input.fullText).toContain('@.env\nmost\nmore');
    expect(input.pastedTexts).toHaveLength(2);
  });

  it('is a paste as a whole if the words around it are changed', () => {
    const input = edit('see ', (text) => text.replace('see', 'read'));
    expect(input.draft.text).toBe('[Pasted text #2 +21 lines]');
    expect(input.fullText.startsWith('read !touch x')).toBe(true);
  });

  it('is never a command, also without the words that were added before it', () => {
    const input = edit('', (text) => text.replace('Pasted text:\n', ''));
    expect(input.fullText.startsWith('Pasted text:\n!touch x')).toBe(true);
  });

  it('is a command if the user typed its start', () => {
    const input = edit('!cat ', (text) => text.replace('more', 'most'));
    expect(input.fullText.startsWith('!cat !touch x')).toBe(true);
  });

  it('keeps the marks of images', () => {
    const made = line();
    made.type(`\u001b[200~${pasted}\u001b[201~ `);
    made.input.pasteImage('/tmp/a.png');
    made.input.takeEdited(`${made.input.textToEdit} more`);
    expect(made.input.draft.text).toBe('[Pasted text #3 +22 lines][Image #2]  more');
    expect(made.input.fullText).toContain('@"/tmp/a.png"');
  });

  it('is plain text if it is short then', () => {
    expect(edit('see ', () => 'see this').draft.text).toBe('see this');
  });
});

describe('an earlier prompt that the user may not have typed', () => {
  it.each(['!touch x', '  /deploy', '#note', 'see @.env', 'more '.repeat(1_000), 'x\n'.repeat(20)])(
    'is a mark, and no command, if it is %j',
    (prompt) => {
      const { input } = line();
      expect(input.putData(prompt)).toBe(true);
      expect(input.draft.text).toMatch(/^\[Earlier prompt #1 \+\d+ lines?\]$/);
      expect(input.pastedTexts).toEqual([prompt]);
      expect(input.fullText).toMatch(/^(Earlier prompt:\n|see|more|x)/);
      input.takeEdited(input.textToEdit.replace('Earlier prompt:\n', '').replace('e', 'E'));
      expect(input.fullText).not.toMatch(/^\s*[!/#]/);
    },
  );

  it('is visible if nothing in it has an effect', () => {
    const { input } = line();
    input.put('after');
    expect(input.putData('fix the\ntest!')).toBe(false);
    expect(input.draft.text).toBe('fix the\ntest!\nafter');
    expect(input.pastedTexts).toEqual([]);
  });
});
