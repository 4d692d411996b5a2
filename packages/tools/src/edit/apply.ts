/** Edits of a text: exact and unique, or rejected with the information needed to correct them. Pure. */
import { lineEndingOf } from '../files/encoding.ts';
import { findShiftedEdit } from './indentation.ts';
import { describeLines, explainMiss } from './near-miss.ts';
import {
  dropOverlaps,
  type FoldedText,
  foldedViewOf,
  linesAt,
  occurrencesOf,
  straightenQuotes,
  textViewOf,
} from './text-view.ts';

export interface EditStep {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

export interface AppliedStep {
  /** Lines of the replacements, in the text before this step. */
  readonly lines: readonly number[];
  /** Matched although quotes or the form of accents differ. */
  readonly folded: boolean;
  /** Matched although the indentation of all its lines differs in the same way. The new lines were changed as well. */
  readonly shifted?: boolean;
}

type Applied =
  | { readonly ok: true; readonly text: string; readonly steps: readonly AppliedStep[] }
  | { readonly ok: false; readonly message: string };

/** Applies edits in order, each on the result of the one before. All or none. */
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
    replaceIn(text, textViewOf(text), edit, false) ??
    foldedReplace(text, edit) ??
    shiftedReplace(text, edit) ??
    refused(explainMiss(textViewOf(text).text, textViewOf(oldText).text, textViewOf(newText).text))
  );
}

/** Above this many characters only the exact text is searched. */
const MAX_FOLDED = 2_000_000;

function foldedReplace(text: string, edit: EditStep): Applied | undefined {
  const plain = /^\p{ASCII}*$/u;
  if (text.length > MAX_FOLDED || (plain.test(text) && plain.test(edit.old_string))) return undefined;
  return replaceIn(text, foldedViewOf(text), edit, true);
}

/** Returns undefined if no place, or more than one, has these lines with another indentation. */
function shiftedReplace(text: string, edit: EditStep): Applied | undefined {
  if (text.length > MAX_FOLDED) return undefined;
  const oldText = textViewOf(edit.old_string).text;
  const shifted = findShiftedEdit(textViewOf(text).text, oldText, textViewOf(edit.new_string).text);
  if (!shifted) return undefined;
  const moved = { ...edit, old_string: shifted.oldText, new_string: shifted.newText };
  const applied = replaceIn(text, textViewOf(text), moved, false);
  if (!applied?.ok) return undefined;
  const steps = applied.steps.map(({ lines, folded }) => ({ lines, folded, shifted: true }));
  return { ok: true, text: applied.text, steps };
}

/** Returns undefined if nothing matches. */
function replaceIn(text: string, view: FoldedText, edit: EditStep, folded: boolean): Applied | undefined {
  const toView = folded ? foldedViewOf : textViewOf;
  const oldView = toView(edit.old_string);
  const newView = toView(edit.new_string);
  const all = occurrencesOf(oldView.text, view);
  if (all.length === 0) return undefined;
  if (all.length > 1 && edit.replace_all !== true) return refused(ambiguous(all, view.text));

  const places = dropOverlaps(all, oldView.text.length);
  const usualEnding = lineEndingOf(text) ?? '\n';
  const replacements = places.map((index) => {
    const { old_string: oldText, new_string: newText } = edit;
    const match: EditMatch = { index, oldView, newView, oldText, newText, folded };
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
  const lines = describeLines(linesAt(text, places), MAX_LISTED);
  return (
    `old_string occurs ${places.length} times, on ${lines}. ` +
    'Add lines around it until it is unique, or set replace_all.'
  );
}

function refused(message: string): Applied {
  return { ok: false, message };
}

interface Replacement {
  /** In the original text. */
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The edited text, with the data shared by all its matches. */
interface Original {
  readonly text: string;
  /** Used if the matched text has no line ending of its own. */
  readonly usualEnding: '\n' | '\r\n';
}

interface EditMatch {
  readonly index: number;
  readonly oldView: FoldedText;
  readonly newView: FoldedText;
  readonly newText: string;
  /** The old text as given. */
  readonly oldText: string;
  /** The file's typographic quotes were matched by straight ones. */
  readonly folded: boolean;
}

/**
 * Keeps the common beginning and end of old and new text, so that mixed line endings and quotes in
 * unchanged lines survive.
 */
function replacementFor(original: Original, view: FoldedText, match: EditMatch): Replacement {
  const { index, oldView, newView, newText, folded } = match;
  const oldLength = oldView.text.length;
  const newLength = newView.text.length;
  const whole = range(view, index, index + oldLength);

  let head = commonHead(oldView.text, newView.text);
  while (head > 0 && !cuttable(view, index + head, newView, head)) head -= 1;
  let tail = commonTail(oldView.text, newView.text, head);
  while (tail > 0 && !cuttable(view, index + oldLength - tail, newView, newLength - tail)) tail -= 1;

  const { from, to } = range(view, index + head, index + oldLength - tail);
  const { from: newFrom, to: newTo } = range(newView, head, newLength - tail);
  const matched = original.text.slice(whole.from, whole.to);
  const plain = newText.slice(newFrom, newTo).replaceAll('\r\n', '\n');
  const styled = folded ? withQuotesOf(matched, match, plain, newText.slice(0, newFrom)) : plain;
  const ending = lineEndingOf(matched) ?? original.usualEnding;
  return { from, to, insert: ending === '\n' ? styled : styled.replaceAll('\n', ending) };
}

function range(view: FoldedText, start: number, end: number): { from: number; to: number } {
  return { from: view.at(start) ?? 0, to: view.at(end) ?? 0 };
}

function commonHead(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

function commonTail(a: string, b: string, head: number): number {
  const limit = Math.min(a.length, b.length) - head;
  let length = 0;
  while (length < limit && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length))
    length += 1;
  return length;
}

/** Returns true between two characters in both texts, not inside a folded one. */
function cuttable(view: FoldedText, index: number, newView: FoldedText, newIndex: number): boolean {
  return view.at(index) !== undefined && newView.at(newIndex) !== undefined;
}

const TYPOGRAPHIC = { double: /[“”„‟]/, single: /[‘’‚‛]/ } as const;

/**
 * Straight quotes in the new text become typographic if the matched text has typographic ones of that
 * kind. Typographic ones become straight if the old text had them and the file has straight ones.
 */
function withQuotesOf(matched: string, { oldText }: EditMatch, plain: string, before: string): string {
  const double = TYPOGRAPHIC.double.test(matched);
  const single = TYPOGRAPHIC.single.test(matched);
  const typed = plain.replaceAll(/["']/g, (quote, offset: number) => {
    if (quote === '"' ? !double : !single) return quote;
    const previous = offset === 0 ? before.at(-1) : plain[offset - 1];
    const opens = previous === undefined || /[\s([{<\u2013\u2014]/.test(straightenQuotes(previous));
    if (quote === '"') return opens ? '“' : '”';
    return opens ? '‘' : '’';
  });
  const straightDouble = !double && TYPOGRAPHIC.double.test(oldText);
  const straightSingle = !single && TYPOGRAPHIC.single.test(oldText);
  return typed.replaceAll(/[“”„‟‘’‚‛]/g, (quote) =>
    (TYPOGRAPHIC.double.test(quote) ? straightDouble : straightSingle) ? straightenQuotes(quote) : quote,
  );
}
