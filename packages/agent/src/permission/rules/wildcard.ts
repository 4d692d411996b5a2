/**
 * Patterns with `*`. Each is matched in one pass over the text, without backtracking. So no rule and no input can make
 * a decision slow.
 */

export type Matcher = (text: string) => boolean;

/** The text of a star, which are counted from 0. */
export interface StarText {
  readonly matched: string;
  readonly star: number;
  /** The whole text, and the position of the star in it. */
  readonly text: string;
  readonly from: number;
}

export interface WildcardOptions {
  /**
   * Limits the texts of the stars. If it accepts a text, it must accept each beginning of it that can be the text of
   * that star.
   */
  readonly accepts?: (given: StarText) => boolean;
  /** A star between two spaces also matches one space: `git * push` matches `git push`. */
  readonly mayLackWords?: boolean;
}

/** `*` matches any text, including line ends. `\*` matches a star. */
export function wildcardMatcher(
  pattern: string,
  { accepts, mayLackWords = false }: WildcardOptions = {},
): Matcher {
  const [first = '', ...others] = literalsOf(pattern);
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  const isShared = (literal: string, before: string | undefined): boolean =>
    mayLackWords && literal.startsWith(' ') && before?.endsWith(' ') === true;
  const shared = others.map((literal, star) => (isShared(literal, others[star - 1] ?? first) ? 1 : 0));
  const sharedEnd = isShared(last, others.at(-1) ?? first) ? 1 : 0;
  return (text) => {
    const end = text.length - last.length;
    if (end + sharedEnd < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const [star, literal] of others.entries()) {
      // The earliest position is always the best one: it leaves the most text for the rest.
      const found = text.indexOf(literal, at - (shared[star] ?? 0));
      if (found < 0 || found + literal.length > end + sharedEnd) return false;
      if (accepts?.({ matched: text.slice(at, found), star, text, from: at }) === false) return false;
      at = found + literal.length;
    }
    return accepts?.({ matched: text.slice(at, end), star: others.length, text, from: at }) !== false;
  };
}

/** Returns the number of stars. Stars beside each other count as one. */
export function countStars(pattern: string): number {
  return literalsOf(pattern).length - 1;
}

/** Returns the texts between the stars. */
function literalsOf(pattern: string): string[] {
  const literals = [''];
  for (const [piece] of pattern.matchAll(/\\\*|\*+|[^\\*]+|\\/g)) {
    if (piece.startsWith('*')) literals.push('');
    else literals.push((literals.pop() ?? '') + (piece === '\\*' ? '*' : piece));
  }
  return literals;
}

/** Returns whether some text matches both patterns. */
export function mayMatchBoth(one: string, other: string): boolean {
  // `reached[at]`: the beginning of `one` up to here, and that of `other` up to `at`, match a common text.
  let reached = Array.from({ length: other.length + 1 }, (_, at) => /^\**$/.test(other.slice(0, at)));
  for (const letter of one) {
    const next: boolean[] = [];
    for (let at = 0; at <= other.length; at++) {
      const beside = at > 0 ? other[at - 1] : undefined;
      next[at] =
        (letter === '*' && (reached[at] === true || next[at - 1] === true)) ||
        (beside === '*' && (reached[at] === true || next[at - 1] === true)) ||
        (beside === letter && reached[at - 1] === true);
    }
    reached = next;
  }
  return reached[other.length] === true;
}

/** A set of letters in a glob with a clear end: `[a-z]`, `[!x]`, `[[:alpha:]_]`. Not `[]a]`, and no quotes. */
export const LETTER_SET = String.raw`\[[!^]?(?:\[:[a-z]+:\]|[^\][\\'"$/!^])(?:\[:[a-z]+:\]|[^\][\\'"$/])*\]`;
