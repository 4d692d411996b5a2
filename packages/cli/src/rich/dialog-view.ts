/** A question in the region: which choice is selected, what a key does, and how it looks. Pure. */
import type { Dialog, ListedChoice } from '../terminal/dialog.ts';
import type { Key } from '../terminal/input/editor.ts';
import type { Style } from '../terminal/style.ts';
import { stripVTControlCharacters } from 'node:util';
import { rowWidth } from './cells.ts';
import { bestMatches, searchable } from './fuzzy.ts';
import type { DialogRows } from './view.ts';

export interface OpenDialog {
  readonly dialog: Dialog<unknown>;
  /** The number of questions that wait after this one. */
  readonly waiting: number;
  /** The index of the selected choice. */
  readonly selected: number;
  /** The body is too long for the region and was printed above it. */
  readonly isPrinted: boolean;
  /** A message about the last input. It disappears with the next key. */
  readonly hint: string | undefined;
}

export type DialogKey =
  | { readonly kind: 'select'; readonly selected: number }
  /** Answers with this text. */
  | { readonly kind: 'answer'; readonly line: string }
  /** The key edits the text of the answer. */
  | { readonly kind: 'edit' };

const EDIT: DialogKey = { kind: 'edit' };

const MAX_FOUND = 200;

/** Returns the choices that match the typed text. A key that is typed exactly comes first. */
function listedChoices(
  { choices = [], isSearchable }: Dialog<unknown>,
  typed: string,
): readonly ListedChoice[] {
  const wanted = typed.trim();
  if (!isSearchable || wanted === '') return choices;
  const named = new Map(
    choices.map((choice, index) => [
      `${stripVTControlCharacters(`${choice.text} ${choice.detail ?? ''}`)} ${index}`,
      choice,
    ]),
  );
  const found = bestMatches(wanted, [...named.keys()].map(searchable), MAX_FOUND);
  const exact = choices.filter(({ key }) => key === wanted);
  return [...new Set([...exact, ...found.flatMap((name) => named.get(name) ?? [])])];
}

/**
 * `typed`: the text of the answer so far. The arrow keys and Enter choose only while it is empty, or while it searches in
 * the choices.
 */
export function dialogKey({ dialog, selected }: OpenDialog, key: Key, typed: string): DialogKey {
  const choices = listedChoices(dialog, typed);
  if ((typed !== '' && !dialog.isSearchable) || choices.length === 0) return EDIT;
  const isPlain = key.ctrl !== true && key.meta !== true && key.shift !== true;
  const move = (step: number): DialogKey => ({
    kind: 'select',
    selected: (selected + step + choices.length) % choices.length,
  });
  if (key.name === 'up' || (key.ctrl && key.name === 'p')) return move(-1);
  if (key.name === 'down' || (key.ctrl && key.name === 'n')) return move(1);
  const chosen = choices[selected];
  return isPlain && key.name === 'return' && chosen ? { kind: 'answer', line: chosen.key } : EDIT;
}

/** Returns true if the typed text is a choice, and no other choice starts with it. */
export function isWholeKey({ dialog }: OpenDialog, typed: string): boolean {
  const { choices = [], takesWords, isSearchable } = dialog;
  return (
    takesWords !== true &&
    isSearchable !== true &&
    choices.filter(({ key }) => key.startsWith(typed)).length === 1
  );
}

const MAX_PREVIEW = 4;
/** A longer list scrolls, so that the region stays small. */
const MAX_LISTED = 12;

interface DialogSpace {
  readonly style: Style;
  /** The text of the answer so far. */
  readonly typed: string;
  /** The maximum number of rows of the choices. */
  readonly most: number;
}

export function dialogRows(
  { dialog, waiting, selected, isPrinted, hint }: OpenDialog,
  { style, typed, most }: DialogSpace,
): DialogRows {
  const { paint, signs } = style;
  const choices = listedChoices(dialog, typed);
  const preview = (choices[selected]?.preview?.() ?? [])
    .slice(0, MAX_PREVIEW)
    .map((line) => paint('dim', `  ${signs.dot} ${line}`));
  const visible = Math.min(most - preview.length, dialog.isSearchable ? MAX_LISTED : most);
  const none = choices.length === 0 && dialog.isSearchable ? [paint('yellow', '  (nothing matches)')] : [];
  const more = waiting > 0 ? [paint('dim', `  (${waiting} more waiting)`)] : [];
  return {
    body: isPrinted ? dialog.lines.slice(0, 1) : dialog.lines,
    breaksChoices: dialog.isSearchable !== true,
    choices: [
      ...choiceRows(choices, selected, style, Math.max(1, visible)),
      ...none,
      ...preview,
      ...(hint === undefined ? [] : [paint('yellow', `  ${hint}`)]),
      ...more,
    ],
  };
}

/** Facts are aligned behind texts that are not wider. */
const MAX_ALIGNED = 60;

/** Shows the choices around the selected one if there are too many. A heading is shown if there are several groups. */
function choiceRows(
  choices: readonly ListedChoice[],
  selected: number,
  style: Style,
  most: number,
): string[] {
  const { paint, signs } = style;
  const widest = Math.max(0, ...choices.map(({ key }) => key.length));
  const groups = new Set(choices.map(({ group }) => group)).size;
  const visible = Math.max(1, groups > 1 ? most - groups : most);
  const first = Math.max(0, Math.min(selected - Math.floor(visible / 2), choices.length - visible));
  const shown = choices.slice(first, first + visible);
  const wide = Math.max(...shown.map(({ text, detail }) => (detail ? rowWidth(text) : 0)));
  const rows = shown.flatMap(({ key, text, detail, group }, index) => {
    const isSelected = first + index === selected;
    const mark = isSelected ? paint('cyan', signs.pointer) : ' '.repeat(rowWidth(signs.pointer));
    const label = `${key.padEnd(widest)}  ${text}`;
    const gap = ' '.repeat(Math.max(0, Math.min(wide, MAX_ALIGNED) - rowWidth(text)));
    const facts = detail ? `${gap}  ${detail}` : '';
    const isHeaded = groups > 1 && group !== undefined && (index === 0 || shown[index - 1]?.group !== group);
    const row = `${mark} ${isSelected ? paint('bold', label) : label}${facts}`;
    return isHeaded ? [paint('dim', `  ${group}`), row] : [row];
  });
  const hidden = choices.length - shown.length;
  return hidden > 0 ? [...rows, paint('dim', `  ${signs.more} ${hidden} more`)] : rows;
}
