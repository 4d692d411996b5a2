/** A question in the region: which choice is selected, what a key does, and how it looks. Pure. */
import { type Dialog, dialogLines, type ListedChoice } from '../terminal/dialog.ts';
import type { Key } from '../terminal/input/editor.ts';
import type { Style } from '../terminal/style.ts';
import { stripVTControlCharacters } from 'node:util';
import { rowWidth } from './cells.ts';
import { bestMatches, searchable } from './fuzzy.ts';
import type { DialogRows, HiddenPart } from './dialog-space.ts';

export interface OpenDialog {
  readonly dialog: Dialog<unknown>;
  /** The number of questions that wait after this one. */
  readonly waiting: number;
  /** The index of the selected choice. */
  readonly selected: number;
  /** The user typed a text. So Enter alone may be meant for a prompt, and chooses only after an arrow key. */
  readonly hasTyped: boolean;
  /** The parts that did not fit into the region and were printed above it. */
  readonly printed: HiddenPart;
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
export function dialogKey({ dialog, selected, hasTyped }: OpenDialog, key: Key, typed: string): DialogKey {
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
  const canChoose = dialog.isSearchable === true || !hasTyped;
  return isPlain && key.name === 'return' && chosen && canChoose
    ? { kind: 'answer', line: chosen.key }
    : EDIT;
}

export function isArrow({ name }: Key): boolean {
  return name === 'up' || name === 'down';
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

export function dialogRows(
  { dialog, waiting, selected, hint }: OpenDialog,
  typed: string,
  style: Style,
): DialogRows {
  const { paint, signs } = style;
  const choices = listedChoices(dialog, typed);
  const preview = (choices[selected]?.preview?.() ?? [])
    .slice(0, MAX_PREVIEW)
    .map((line) => paint('dim', `  ${signs.dot} ${line}`));
  const none = choices.length === 0 && dialog.isSearchable ? [paint('yellow', '  (nothing matches)')] : [];
  const more = waiting > 0 ? [paint('dim', `  (${waiting} more waiting)`)] : [];
  return {
    body: dialog.lines,
    breaksChoices: dialog.isSearchable !== true,
    choices: (most) =>
      choiceRows(choices, selected, style, dialog.isSearchable ? Math.min(most, MAX_LISTED + 1) : most),
    below: [...none, ...preview, ...(hint === undefined ? [] : [paint('yellow', `  ${hint}`)]), ...more],
  };
}

/** Returns the lines of a question to print above the region. */
export function printedLines(dialog: Dialog<unknown>, hides: HiddenPart): readonly string[] {
  const { choices, hint: _, ...body } = dialog;
  return dialogLines(hides === 'choices' && choices ? { ...body, choices } : body);
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
  const free = groups > 1 ? most - groups : most;
  // The last row counts the choices that are not shown.
  const visible = choices.length <= free ? choices.length : Math.max(1, free - 1);
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
  if (hidden <= 0) return rows;
  const note = paint('dim', `  ${signs.more} ${hidden} more`);
  return most > 1 ? [...rows, note] : [rows.join(' ') + note];
}
