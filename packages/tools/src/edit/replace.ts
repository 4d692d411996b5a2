/** What is put in place of a match: only what differs, in the line endings and quotes that the file has there. */
import { lineEndingOf } from '../files/line-ending.ts';
import { straight, type View } from './view.ts';

export interface Replacement {
  /** In the original text. */
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** The text that is edited, with what holds for all of its matches. */
export interface Original {
  readonly text: string;
  /** Where the matched text has none of its own. */
  readonly usualEnding: '\n' | '\r\n';
}

export interface Match {
  readonly index: number;
  readonly oldView: View;
  readonly newView: View;
  readonly newText: string;
  /** The old text as it was given. */
  readonly oldText: string;
  /** The file's typographic quotes were matched by straight ones. */
  readonly folded: boolean;
}

/**
 * The common beginning and end of old and new are left as they stand, so that mixed line endings and quotes in unchanged lines
 * survive.
 */
export function replacementFor(original: Original, view: View, match: Match): Replacement {
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

function range(view: View, start: number, end: number): { from: number; to: number } {
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

/** Between two characters in both, not inside one that was folded. */
function cuttable(view: View, index: number, newView: View, newIndex: number): boolean {
  return view.at(index) !== undefined && newView.at(newIndex) !== undefined;
}

const TYPOGRAPHIC = { double: /[“”„‟]/, single: /[‘’‚‛]/ } as const;

/**
 * Straight quotes in the new text become typographic if the matched text has typographic ones of that kind. Typographic ones
 * become straight if the old text had them where the file has straight ones.
 */
function withQuotesOf(matched: string, { oldText }: Match, plain: string, before: string): string {
  const double = TYPOGRAPHIC.double.test(matched);
  const single = TYPOGRAPHIC.single.test(matched);
  const typed = plain.replaceAll(/["']/g, (quote, offset: number) => {
    if (quote === '"' ? !double : !single) return quote;
    const previous = offset === 0 ? before.at(-1) : plain[offset - 1];
    const opens = previous === undefined || /[\s([{<\u2013\u2014]/.test(straight(previous));
    if (quote === '"') return opens ? '“' : '”';
    return opens ? '‘' : '’';
  });
  const straightDouble = !double && TYPOGRAPHIC.double.test(oldText);
  const straightSingle = !single && TYPOGRAPHIC.single.test(oldText);
  return typed.replaceAll(/[“”„‟‘’‚‛]/g, (quote) =>
    (TYPOGRAPHIC.double.test(quote) ? straightDouble : straightSingle) ? straight(quote) : quote,
  );
}
