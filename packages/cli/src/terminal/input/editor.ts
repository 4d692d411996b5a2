/** Edits the input line. Pure: a key returns a new draft or an action. */
import { escapeControls } from '../escape-controls.ts';
import { cellsOf, charactersOf, widthOf } from '../width.ts';

export interface Draft {
  readonly text: string;
  /** Index into the text. */
  readonly cursor: number;
}

export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
  readonly shift?: boolean | undefined;
}

export type EditorAction =
  | 'submit'
  | 'interrupt'
  | 'leave'
  | 'escape'
  | 'older'
  | 'newer'
  | 'search'
  | 'complete'
  | 'put back'
  | 'put back older'
  | 'undo'
  | 'show output'
  | 'next mode'
  | 'edit outside'
  | 'paste image'
  | 'clear'
  | 'suspend';

export type Pressed =
  /** `cut`: the text that the key removed. Ctrl-Y inserts it again. */
  | { readonly kind: 'draft'; readonly draft: Draft; readonly cut?: string }
  | { readonly kind: 'wish'; readonly wish: EditorAction };

export const EMPTY: Draft = { text: '', cursor: 0 };

export function draftOf(text: string): Draft {
  return { text, cursor: text.length };
}

export function press(draft: Draft, key: Key): Pressed {
  const changed = change(draft, key);
  if (typeof changed === 'string') return { kind: 'wish', wish: changed };
  return cuts(key)
    ? { kind: 'draft', draft: changed, cut: between(draft, changed) }
    : { kind: 'draft', draft: changed };
}

function cuts({ ctrl, meta, name = '' }: Key): boolean {
  return (ctrl === true && /^[ukw]$/.test(name)) || (meta === true && /^(d|backspace)$/.test(name));
}

/** Returns the removed text. */
function between(before: Draft, after: Draft): string {
  return before.text.slice(after.cursor, after.cursor + before.text.length - after.text.length);
}

function change(draft: Draft, key: Key): Draft | EditorAction {
  const { name = '' } = key;
  if (key.ctrl) return controlled(draft, name);
  if (key.meta) return altered(draft, name);
  switch (name) {
    case 'return':
      if (key.shift) return insert(draft, '\n');
      // A backslash at the end continues the prompt on another line.
      return draft.text.endsWith('\\') && draft.cursor === draft.text.length
        ? insert(erase(draft, previousCharacter(draft)), '\n')
        : 'submit';
    case 'enter':
      return insert(draft, '\n');
    case 'escape':
      return 'escape';
    case 'tab':
      return key.shift ? 'next mode' : 'complete';
    case 'backspace':
      return erase(draft, previousCharacter(draft));
    case 'delete':
      return erase(draft, nextCharacter(draft));
    case 'left':
      return at(draft, previousCharacter(draft));
    case 'right':
      return at(draft, nextCharacter(draft));
    case 'home':
      return at(draft, startOfLine(draft));
    case 'end':
      return at(draft, endOfLine(draft));
    case 'up':
      return startOfLine(draft) === 0 ? 'older' : at(draft, lineAbove(draft));
    case 'down':
      return endOfLine(draft) === draft.text.length ? 'newer' : at(draft, lineBelow(draft));
    default:
      return isTyped(key) ? insert(draft, key.sequence ?? '') : draft;
  }
}

function controlled(draft: Draft, name: string): Draft | EditorAction {
  switch (name) {
    case 'c':
      return 'interrupt';
    case 'd':
      return draft.text === '' ? 'leave' : erase(draft, nextCharacter(draft));
    case 'j':
    case 'return':
      return insert(draft, '\n');
    case 'a':
      return at(draft, startOfLine(draft));
    case 'e':
      return at(draft, endOfLine(draft));
    case 'b':
      return at(draft, previousCharacter(draft));
    case 'f':
      return at(draft, nextCharacter(draft));
    case 'h':
      return erase(draft, previousCharacter(draft));
    case 'u':
      return erase(draft, startOfLine(draft));
    case 'k':
      return erase(draft, endOfLine(draft));
    case 'w':
      return erase(draft, wordBefore(draft));
    case 'p':
      return 'older';
    case 'n':
      return 'newer';
    case 'y':
      return 'put back';
    case '_':
    case '/':
      return 'undo';
    case 'o':
      return 'show output';
    case 'r':
      return 'search';
    case 'g':
      return 'edit outside';
    case 'v':
      return 'paste image';
    case 'l':
      return 'clear';
    case 'z':
      return 'suspend';
    case 'left':
      return at(draft, wordBefore(draft));
    case 'right':
      return at(draft, wordAfter(draft));
    default:
      return draft;
  }
}

function altered(draft: Draft, name: string): Draft | EditorAction {
  switch (name) {
    case 'return':
    case 'enter':
      return insert(draft, '\n');
    case 'escape':
      return 'escape';
    case 'b':
    case 'left':
      return at(draft, wordBefore(draft));
    case 'f':
    case 'right':
      return at(draft, wordAfter(draft));
    case 'd':
      return erase(draft, wordAfter(draft));
    case 'y':
      return 'put back older';
    case 'backspace':
      return erase(draft, wordBefore(draft));
    default:
      return draft;
  }
}

/** Inserts text, and makes control characters visible, because pasted text may contain them. */
export function insert({ text, cursor }: Draft, added: string): Draft {
  const clean = escapeControls(added.replaceAll(/\r\n?/g, '\n'));
  return { text: text.slice(0, cursor) + clean + text.slice(cursor), cursor: cursor + clean.length };
}

/** The key is text. */
export function isTyped({ sequence = '' }: Key): boolean {
  return sequence !== '' && !/^\p{Cc}/u.test(sequence);
}

function at(draft: Draft, cursor: number): Draft {
  return { ...draft, cursor };
}

/** Removes the text between the cursor and this position. */
function erase({ text, cursor }: Draft, to: number): Draft {
  const [start, end] = to < cursor ? [to, cursor] : [cursor, to];
  return { text: text.slice(0, start) + text.slice(end), cursor: start };
}

/** Longer than any character. Only this part around the cursor is split into characters, because a paste may be long. */
const MAX_CHARACTER_LENGTH = 128;

export function previousCharacter({ text, cursor }: Draft): number {
  const near = text.slice(Math.max(0, cursor - MAX_CHARACTER_LENGTH), cursor);
  return cursor - (charactersOf(near).at(-1)?.length ?? 0);
}

export function nextCharacter({ text, cursor }: Draft): number {
  return cursor + (charactersOf(text.slice(cursor, cursor + MAX_CHARACTER_LENGTH))[0]?.length ?? 0);
}

/** Searches from the cursor, because a paste may be long. */
function wordBefore({ text, cursor }: Draft): number {
  const isSpace = (index: number): boolean => /\s/.test(text.charAt(index));
  let start = cursor;
  while (start > 0 && isSpace(start - 1)) start--;
  while (start > 0 && !isSpace(start - 1)) start--;
  return start;
}

function wordAfter({ text, cursor }: Draft): number {
  return cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0);
}

export function startOfLine({ text, cursor }: Draft): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
}

export function endOfLine({ text, cursor }: Draft): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

function lineAbove(draft: Draft): number {
  const start = startOfLine(draft);
  return atColumn({ ...draft, cursor: startOfLine({ ...draft, cursor: start - 1 }) }, columnOf(draft));
}

function lineBelow(draft: Draft): number {
  return atColumn({ ...draft, cursor: endOfLine(draft) + 1 }, columnOf(draft));
}

/** The cells before the cursor in its line. */
function columnOf(draft: Draft): number {
  return widthOf(draft.text.slice(startOfLine(draft), draft.cursor));
}

/** Returns the character of a line at a column, or the end of the line. The cursor is at the start of the line. */
function atColumn(draft: Draft, column: number): number {
  const end = endOfLine(draft);
  let { cursor } = draft;
  for (let left = column; left > 0 && cursor < end; ) {
    const next = nextCharacter({ ...draft, cursor });
    left -= cellsOf(draft.text.slice(cursor, next));
    if (left >= 0) cursor = next;
  }
  return cursor;
}
