/** A question in the region: which choice is selected, what a key does, and how it looks. Pure. */
import type { Dialog, ListedChoice } from '../terminal/dialog.ts';
import type { Key } from '../terminal/input/editor.ts';
import type { Style } from '../terminal/style.ts';
import { rowWidth } from './cells.ts';
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

/** `typed`: the text of the answer so far. The arrow keys and Enter choose only while it is empty. */
export function dialogKey({ dialog, selected }: OpenDialog, key: Key, typed: string): DialogKey {
  const { choices = [] } = dialog;
  if (typed !== '' || choices.length === 0) return EDIT;
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
export function isWholeKey({ dialog: { choices = [], takesWords } }: OpenDialog, typed: string): boolean {
  return takesWords !== true && choices.filter(({ key }) => key.startsWith(typed)).length === 1;
}

export function dialogRows(
  { dialog, waiting, selected, isPrinted, hint }: OpenDialog,
  style: Style,
  mostChoices: number,
): DialogRows {
  const { paint } = style;
  const { choices = [] } = dialog;
  const more = waiting > 0 ? [paint('dim', `  (${waiting} more waiting)`)] : [];
  return {
    body: isPrinted ? dialog.lines.slice(0, 1) : dialog.lines,
    choices: [
      ...choiceRows(choices, selected, style, mostChoices),
      ...(hint === undefined ? [] : [paint('yellow', `  ${hint}`)]),
      ...more,
    ],
  };
}

/** Shows the choices around the selected one if there are too many. */
function choiceRows(
  choices: readonly ListedChoice[],
  selected: number,
  style: Style,
  most: number,
): string[] {
  const { paint, signs } = style;
  const widest = Math.max(0, ...choices.map(({ key }) => key.length));
  const first = Math.max(0, Math.min(selected - Math.floor(most / 2), choices.length - most));
  return choices.slice(first, first + most).map(({ key, text, detail }, index) => {
    const isSelected = first + index === selected;
    const mark = isSelected ? paint('cyan', signs.pointer) : ' '.repeat(rowWidth(signs.pointer));
    const label = `${key.padEnd(widest)}  ${text}`;
    const facts = detail === undefined ? '' : `  ${detail}`;
    return `${mark} ${isSelected ? paint('bold', label) : label}${facts}`;
  });
}
