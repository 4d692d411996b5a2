/** Where a word may be broken: scripts without spaces, and pictures, between almost any two characters. Pure. */
import { cellsOf, charactersOf } from '../../terminal/width.ts';

interface WordPart {
  readonly text: string;
  readonly mayBreakBefore: boolean;
}

/** `before`: what the word ends with so far. */
export function partsOf(before: string, text: string): WordPart[] {
  if (/^[\x20-\x7e]*$/.test(before + text)) return [{ text, mayBreakBefore: false }];
  const parts: WordPart[] = [];
  let previous = before;
  for (const character of charactersOf(text)) {
    const last = parts.at(-1);
    if (mayBreak(previous, character)) parts.push({ text: character, mayBreakBefore: true });
    else if (last) parts.splice(-1, 1, { ...last, text: last.text + character });
    else parts.push({ text: character, mayBreakBefore: false });
    previous = character;
  }
  return parts;
}

function mayBreak(left: string, right: string): boolean {
  if (left === '' || left.endsWith('\u200d') || cellsOf(right) === 0) return false;
  const isWide = cellsOf(right) === 2 || cellsOf(charactersOf(left).at(-1) ?? '') === 2;
  return isWide && !ENDS.test(right) && !OPENS.test(left);
}

/** No row begins with these, and none ends with those. */
const ENDS = /^[\p{Pe}\p{Pf}\p{Po}ーぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const OPENS = /[\p{Ps}\p{Pi}]$/u;
