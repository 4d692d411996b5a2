/** Edits of a text: exact and unique, or refused with what is needed to get it right. Pure. */
import { lineEndingOf } from '../files/line-ending.ts';
import { namedLines } from './named-lines.ts';
import { explainMiss } from './near-miss.ts';
import { type Match, type Replacement, replacementFor } from './replace.ts';
import { shiftedEdit } from './shift.ts';
import { apart, foldedViewOf, linesAt, placesOf, type View, viewOf } from './view.ts';

export interface EditStep {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

export interface AppliedStep {
  /** Lines where a replacement begins, in the text as it was before this step. */
  readonly lines: readonly number[];
  /** Matched although quotes or the form of accents differ. */
  readonly folded: boolean;
  /** Matched although all its lines are indented more or less by the same amount; the new lines were moved as well. */
  readonly shifted?: boolean;
}

export type Applied =
  | { readonly ok: true; readonly text: string; readonly steps: readonly AppliedStep[] }
  | { readonly ok: false; readonly message: string };

/** In order, each on what the one before it left. All or none. */
export function applyEdits(text: string, edits: readonly EditStep[]): Applied {
  const steps: AppliedStep[] = [];
  let current = text;
  for (const [index, edit] of edits.entries()) {
    const applied = applyEdit(current, edit);
    if (!applied.ok) {
      const which = edits.length > 1 ? `Edit ${index + 1} of ${edits.length}: ` : '';
      const none = edits.length > 1 ? ' None of the edits was made.' : '';
      return { ok: false, message: `${which}${applied.message}${none}` };
    }
    current = applied.text;
    steps.push(...applied.steps);
  }
  if (current === text) return refused('The edits together change nothing.');
  return { ok: true, text: current, steps };
}

function applyEdit(text: string, edit: EditStep): Applied {
  const { old_string: oldText, new_string: newText } = edit;
  if (oldText === newText) return refused('old_string and new_string are the same.');
  if (!oldText.isWellFormed() || !newText.isWellFormed())
    return refused('The strings contain half a character (a lone surrogate). Write whole characters.');
  if (oldText === '') {
    if (text !== '') return refused('old_string is empty, but the file is not. Give the text to replace.');
    return { ok: true, text: newText, steps: [{ lines: [1], folded: false }] };
  }
  return (
    replaceIn(text, viewOf(text), edit, false) ??
    foldedReplace(text, edit) ??
    shiftedReplace(text, edit) ??
    refused(explainMiss(viewOf(text).text, viewOf(oldText).text, viewOf(newText).text))
  );
}

/** Beyond this many characters only the exact text is looked for. */
const MAX_FOLDED = 2_000_000;

function foldedReplace(text: string, edit: EditStep): Applied | undefined {
  const plain = /^\p{ASCII}*$/u;
  if (text.length > MAX_FOLDED || (plain.test(text) && plain.test(edit.old_string))) return undefined;
  return replaceIn(text, foldedViewOf(text), edit, true);
}

/** Undefined if no place, or more than one, has these lines with another indentation. */
function shiftedReplace(text: string, edit: EditStep): Applied | undefined {
  if (text.length > MAX_FOLDED) return undefined;
  const oldText = viewOf(edit.old_string).text;
  const shifted = shiftedEdit(viewOf(text).text, oldText, viewOf(edit.new_string).text);
  if (!shifted) return undefined;
  const moved = { ...edit, old_string: shifted.oldText, new_string: shifted.newText };
  const applied = replaceIn(text, viewOf(text), moved, false);
  if (!applied?.ok) return undefined;
  const steps = applied.steps.map(({ lines, folded }) => ({ lines, folded, shifted: true }));
  return { ok: true, text: applied.text, steps };
}

/** Undefined where nothing matches. */
function replaceIn(text: string, view: View, edit: EditStep, folded: boolean): Applied | undefined {
  const toView = folded ? foldedViewOf : viewOf;
  const oldView = toView(edit.old_string);
  const newView = toView(edit.new_string);
  const all = placesOf(oldView.text, view);
  if (all.length === 0) return undefined;
  if (all.length > 1 && edit.replace_all !== true) return refused(ambiguous(all, view.text));

  const places = apart(all, oldView.text.length);
  const usualEnding = lineEndingOf(text) ?? '\n';
  const replacements = places.map((index) => {
    const { old_string: oldText, new_string: newText } = edit;
    const match: Match = { index, oldView, newView, oldText, newText, folded };
    return replacementFor({ text, usualEnding }, view, match);
  });
  const lines = linesAt(view.text, places);
  const result = replaced(text, replacements);
  if (result === text) return refused('old_string and new_string differ only in what the file keeps anyway.');
  return { ok: true, text: result, steps: [{ lines, folded }] };
}

function replaced(text: string, replacements: readonly Replacement[]): string {
  const pieces: string[] = [];
  let end = 0;
  for (const { from, to, insert } of replacements) {
    pieces.push(text.slice(end, from), insert);
    end = to;
  }
  pieces.push(text.slice(end));
  return pieces.join('');
}

const MAX_LISTED = 10;

function ambiguous(places: readonly number[], text: string): string {
  const lines = namedLines(linesAt(text, places), MAX_LISTED);
  return (
    `old_string occurs ${places.length} times, on ${lines}. ` +
    'Add lines around it until it is unique, or set replace_all.'
  );
}

function refused(message: string): Applied {
  return { ok: false, message };
}
