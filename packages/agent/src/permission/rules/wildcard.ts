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
  return glob.replace(/\*\*|\*|\?|\[[^\]]*\]|[\s\S]/g, (piece) => {
    if (piece === '**') return '.*';
    if (piece === '*') return '[^/]*';
    if (piece === '?' || piece.startsWith('[')) return '[^/]';
    return escapeRegExp(piece);
  });
}
