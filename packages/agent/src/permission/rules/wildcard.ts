/** Patterns with `*` as regular expressions. */

export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** `*` stands for anything, line ends included; `\*` for itself. */
export function wildcard(pattern: string, flags = ''): RegExp {
  return new RegExp(`^${wildcardSource(pattern)}$`, flags);
}

export function wildcardSource(pattern: string): string {
  return pattern
    .split(/(\\\*|\*+)/)
    .map((piece) => {
      if (piece === '\\*') return '\\*';
      return piece.startsWith('*') ? '[\\s\\S]*' : escapeRegExp(piece);
    })
    .join('');
}

/** What a glob of the shell may match; extended ones may match anything. */
export function globSource(glob: string): string {
  if (/[?*+@!]\(/.test(glob)) return '.*';
  return glob.replace(GLOB_PIECES, (piece) => {
    if (piece === '**') return '.*';
    if (piece === '*') return '[^/]*';
    if (piece === '?') return '[^/]';
    if (piece.length > 1) return IS_SET.test(piece) ? '[^/]' : '.*';
    return escapeRegExp(piece);
  });
}

/** A set of letters in a glob that ends where it seems to: `[a-z]`, `[!x]`, `[[:alpha:]_]`; not `[]a]`, and no quotes. */
export const LETTER_SET = String.raw`\[[!^]?(?:\[:[a-z]+:\]|[^\][\\'"$/!^])(?:\[:[a-z]+:\]|[^\][\\'"$/])*\]`;
const GLOB_PIECES = new RegExp(String.raw`\*\*|\*|\?|${LETTER_SET}|\[.*\].*|[\s\S]`, 'gs');
const IS_SET = new RegExp(`^${LETTER_SET}$`);
