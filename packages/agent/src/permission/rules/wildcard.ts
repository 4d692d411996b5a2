/**
 * Patterns with `*`. Each is matched in one pass over the text, without backtracking, so that no rule and no input can make
 * a decision slow.
 */

export type Matcher = (text: string) => boolean;

/** `*` stands for any text, including line ends; `\*` for a star. */
export function wildcard(pattern: string): Matcher {
  const [first = '', ...others] = literalsOf(pattern);
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const literal of others) {
      // The earliest place is always the best one: it leaves the most text for what follows.
      const found = text.indexOf(literal, at);
      if (found < 0 || found + literal.length > end) return false;
      at = found + literal.length;
    }
    return true;
  };
}

/** The texts between the stars. */
function literalsOf(pattern: string): string[] {
  const literals = [''];
  for (const [piece] of pattern.matchAll(/\\\*|\*+|[^\\*]+|\\/g)) {
    if (piece.startsWith('*')) literals.push('');
    else literals.push((literals.pop() ?? '') + (piece === '\\*' ? '*' : piece));
  }
  return literals;
}

/** A set of letters in a glob that ends where it seems to: `[a-z]`, `[!x]`, `[[:alpha:]_]`; not `[]a]`, and no quotes. */
export const LETTER_SET = String.raw`\[[!^]?(?:\[:[a-z]+:\]|[^\][\\'"$/!^])(?:\[:[a-z]+:\]|[^\][\\'"$/])*\]`;
