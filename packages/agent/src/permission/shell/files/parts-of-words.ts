/** Finds the parts of a word that a program may take for names or patterns: `FILE=a`, `--volume=x:/y`, `in=a,b`, `@a`, `show[a,b]`. */
import { attachedValues } from './operands.ts';

/** The number of separators in a word for which all parts are checked. */
const MOST_SEPARATORS = 6;

/** Returns the parts of a word that start or end at a sign between values: `--from-file=key=x`, `--volume=x:/y`. */
export function partsBetween(
  value: string,
  signs: readonly number[] = positionsOf(/[=@:,#]/g, value),
): string[] {
  const ends = signs.length > MOST_SEPARATORS ? [] : signs;
  return [-1, ...signs].flatMap((before) =>
    [...ends, value.length].flatMap((end) => {
      const isPart = end > before + 1 && (before >= 0 || (end < value.length && !value.startsWith('-')));
      return isPart ? [value.slice(before + 1, end)] : [];
    }),
  );
}

function positionsOf(sign: RegExp, text: string): readonly number[] {
  return Array.from(text.matchAll(sign), ({ index }) => index);
}

/** Returns the texts that may be attached to a short option, and their parts: `-ox`, `-itv.:/x`. */
export function attachedParts(value: string): readonly string[] {
  return attachedValues(value).flatMap((rest) =>
    rest.startsWith('-') ? [rest] : [rest].concat(partsBetween(rest)),
  );
}

/** The numbers of separators and of letters of options from which the rest of a word is looked at as one pattern. */
const MOST_RESTS = 16;

/** An address of a server has such signs itself, up to a comma. Others begin an extended pattern: `@(a|b)`. */
const SIGN = /\b(?!file:)[a-z][a-z0-9+.-]{0,30}:\/\/[^\s'",]*|[=:,#]|@(?!\()/gi;
/** Rake has the arguments of a task in brackets. */
const TASK_ARGUMENTS = /^[\w:.-]+\[(.*)\]$/s;

/** Returns the word, and its parts that may be patterns of their own. */
export function partsOfPattern(text: string): readonly string[] {
  const attached = attachedValues(text).slice(0, MOST_RESTS);
  const [, inBrackets = ''] = TASK_ARGUMENTS.exec(text) ?? [];
  const values = [text, ...attached, inBrackets].filter((value) => value !== '');
  return [...new Set(values.concat(values.flatMap(separateParts)))];
}

function separateParts(value: string): readonly string[] {
  const signs = [...value.matchAll(SIGN)].flatMap(({ 0: found, index }) =>
    found.length === 1 ? [index] : [],
  );
  if (signs.length <= MOST_SEPARATORS) return partsBetween(value, signs);
  const between = [-1, ...signs].map((before, at) => value.slice(before + 1, signs[at]));
  return [...between, ...partsBetween(value, signs.slice(0, MOST_RESTS))];
}
