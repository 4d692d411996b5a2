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
