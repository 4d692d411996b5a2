/** Vim keys for the input line: a normal and an insert mode. Pure: a key returns a new draft, or the key to handle instead. */
import {
  type Draft,
  endOfLine,
  isTyped,
  type Key,
  nextCharacter,
  previousCharacter,
  startOfLine,
} from './editor.ts';

export interface VimState {
  readonly mode: 'insert' | 'normal';
  /** The operator that waits for a motion. */
  readonly operator?: Operator | undefined;
  /** The text that was removed or copied last. */
  readonly copied: Copied;
}

interface Copied {
  readonly text: string;
  /** The text consists of whole lines. */
  readonly isLine: boolean;
}

type Operator = 'd' | 'c' | 'y';

export type VimPressed =
  | { readonly kind: 'draft'; readonly vim: VimState; readonly draft: Draft }
  /** The usual handling of this key applies. */
  | { readonly kind: 'key'; readonly vim: VimState; readonly key: Key };

export const NEW_VIM: VimState = { mode: 'insert', copied: { text: '', isLine: false } };

export function pressVim(vim: VimState, draft: Draft, key: Key): VimPressed {
  if (vim.mode === 'insert') {
    // In an empty line, Esc interrupts as usual.
    if (key.name !== 'escape' || draft.text === '') return { kind: 'key', vim, key };
    return moved({ ...vim, mode: 'normal' }, { ...draft, cursor: left(draft) });
  }
  const idle: VimState = { ...vim, operator: undefined };
  if (vim.operator !== undefined && key.name === 'escape') return moved(idle, draft);
  const { sequence = '' } = key;
  if (!isTyped(key) || key.ctrl || key.meta) return { kind: 'key', vim: idle, key };
  return vim.operator === undefined
    ? command(idle, draft, sequence)
    : operate(idle, draft, vim.operator, sequence);
}

function command(vim: VimState, draft: Draft, letter: string): VimPressed {
  const { text, cursor } = draft;
  const target = motion(draft, letter);
  if (target !== undefined) return moved(vim, { text, cursor: target });
  const insertAt = (at: number): VimPressed => inserting(vim, { text, cursor: at });
  switch (letter) {
    case 'j':
      return { kind: 'key', vim, key: { name: 'down' } };
    case 'k':
      return { kind: 'key', vim, key: { name: 'up' } };
    case 'u':
      return { kind: 'key', vim, key: { name: '_', ctrl: true } };
    case 'i':
      return insertAt(cursor);
    case 'a':
      return insertAt(Math.min(nextCharacter(draft), endOfLine(draft)));
    case 'I':
      return insertAt(startOfLine(draft));
    case 'A':
      return insertAt(endOfLine(draft));
    case 'o': {
      const end = endOfLine(draft);
      return inserting(vim, { text: `${text.slice(0, end)}\n${text.slice(end)}`, cursor: end + 1 });
    }
    case 'x':
      return operate(vim, draft, 'd', 'l');
    case 'D':
      return operate(vim, draft, 'd', '$');
    case 'C':
      return operate(vim, draft, 'c', '$');
    case 'p':
      return paste(vim, draft);
    case 'd':
    case 'c':
    case 'y':
      return moved({ ...vim, operator: letter }, draft);
    default:
      return moved(vim, draft);
  }
}

/** Applies an operator to the text up to the target of a motion, or to the line if the operator is repeated. */
function operate(vim: VimState, draft: Draft, operator: Operator, letter: string): VimPressed {
  if (letter === operator) return operateOnLine(vim, draft, operator);
  const { text, cursor } = draft;
  // Changing a word keeps the space after it.
  const meant = operator === 'c' && letter === 'w' ? 'e' : letter;
  const target = motion(draft, meant);
  if (target === undefined) return moved(vim, draft);
  const from = Math.min(cursor, target);
  const isInclusive = meant === 'e' || meant === '$' || (meant === 'l' && target === cursor);
  const last = Math.max(cursor, target);
  const to = isInclusive ? Math.min(nextCharacter({ text, cursor: last }), endOfLine(draft)) : last;
  const next: VimState =
    from === to ? vim : { ...vim, copied: { text: text.slice(from, to), isLine: false } };
  if (operator === 'y') return moved(next, { text, cursor: from });
  const rest: Draft = { text: text.slice(0, from) + text.slice(to), cursor: from };
  return operator === 'c' ? inserting(next, rest) : moved(next, rest);
}

function operateOnLine(vim: VimState, draft: Draft, operator: Operator): VimPressed {
  const { text } = draft;
  const [start, end] = [startOfLine(draft), endOfLine(draft)];
  const next: VimState = { ...vim, copied: { text: text.slice(start, end), isLine: true } };
  switch (operator) {
    case 'y':
      return moved(next, draft);
    case 'c':
      return inserting(next, { text: text.slice(0, start) + text.slice(end), cursor: start });
    case 'd': {
      const isLast = end === text.length;
      const rest = text.slice(0, isLast ? Math.max(0, start - 1) : start) + text.slice(end + 1);
      const cursor = isLast ? startOfLine({ text: rest, cursor: rest.length }) : start;
      return moved(next, { text: rest, cursor });
    }
  }
}

/** Inserts the copied text after the cursor, or below the line. */
function paste(vim: VimState, draft: Draft): VimPressed {
  const { text } = draft;
  const { text: copied, isLine } = vim.copied;
  if (copied === '' && !isLine) return moved(vim, draft);
  const end = endOfLine(draft);
  const at = isLine ? end : Math.min(nextCharacter(draft), end);
  const added = isLine ? `\n${copied}` : copied;
  const pasted = text.slice(0, at) + added + text.slice(at);
  const cursor = isLine ? at + 1 : previousCharacter({ text: pasted, cursor: at + added.length });
  return moved(vim, { text: pasted, cursor });
}

// Combining marks and joiners belong to the character before them.
const MARKS = String.raw`[\p{M}\p{Cf}]*`;
const WORD = String.raw`(?:[\p{L}\p{N}_]${MARKS})+`;
const SIGNS = String.raw`(?:[^\p{L}\p{N}_\s\p{M}\p{Cf}]${MARKS})+`;
const SPACES = String.raw`(?:\s${MARKS})*`;
const WORD_START = new RegExp(`^${MARKS}(?:${WORD}|${SIGNS})?${SPACES}`, 'u');
const WORD_END = new RegExp(`^${SPACES}(?:${WORD}|${SIGNS})`, 'u');

/** Returns the position that a motion leads to. Undefined if the letter is not a motion. */
function motion(draft: Draft, letter: string): number | undefined {
  const { text, cursor } = draft;
  switch (letter) {
    case 'h':
      return left(draft);
    case 'l':
    case ' ':
      return Math.min(nextCharacter(draft), lastInLine(draft));
    case '0':
      return startOfLine(draft);
    case '$':
      return lastInLine(draft);
    case 'w':
      return cursor + (WORD_START.exec(text.slice(cursor))?.[0].length ?? 0);
    case 'b':
      return wordBefore(draft);
    case 'e': {
      const from = nextCharacter(draft);
      const end = from + (WORD_END.exec(text.slice(from))?.[0].length ?? 0);
      return end === from ? cursor : previousCharacter({ text, cursor: end });
    }
    default:
      return undefined;
  }
}

/** Searches from the cursor, because the text may be long. */
function wordBefore({ text, cursor }: Draft): number {
  let start = cursor;
  let before = characterBefore(text, start);
  for (; before?.kind === 'space'; before = characterBefore(text, start)) start = before.start;
  const kind = before?.kind;
  for (; before && before.kind === kind; before = characterBefore(text, start)) start = before.start;
  return start;
}

interface CharacterKind {
  readonly start: number;
  readonly kind: 'space' | 'word' | 'sign';
}

/** Returns the character that ends at a position, with its marks. Undefined at the start of the text. */
function characterBefore(text: string, end: number): CharacterKind | undefined {
  if (end === 0) return undefined;
  let start = end;
  let character: string;
  do {
    const isPair = /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(Math.max(0, start - 2), start));
    start -= isPair ? 2 : 1;
    character = String.fromCodePoint(text.codePointAt(start) ?? 0);
  } while (start > 0 && /[\p{M}\p{Cf}]/u.test(character));
  const kind = /\s/.test(character) ? 'space' : /[\p{L}\p{N}_]/u.test(character) ? 'word' : 'sign';
  return { start, kind };
}

function left(draft: Draft): number {
  return Math.max(previousCharacter(draft), startOfLine(draft));
}

/** The position of the last character of the line. */
function lastInLine(draft: Draft): number {
  const end = endOfLine(draft);
  return Math.max(startOfLine(draft), previousCharacter({ ...draft, cursor: end }));
}

/** In normal mode, the cursor is on a character, not behind the last one. */
function moved(vim: VimState, draft: Draft): VimPressed {
  return { kind: 'draft', vim, draft: { ...draft, cursor: Math.min(draft.cursor, lastInLine(draft)) } };
}

function inserting(vim: VimState, draft: Draft): VimPressed {
  return { kind: 'draft', vim: { ...vim, mode: 'insert' }, draft };
}
