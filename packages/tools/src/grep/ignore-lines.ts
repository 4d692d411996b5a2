/**
 * The lines of an ignore file. A path is held against them by itself: whoever walks has asked about the folders above it
 * already, and a nearer file may have brought one of them back. Pure.
 */
export interface IgnoreLines {
  /** Undefined: no line speaks of it. `path`: relative to the file's folder. */
  verdict(path: string, isFolder: boolean): 'ignored' | 'kept' | undefined;
}

interface Line {
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
  readonly pattern: RegExp;
}

export function ignoreLines(text: string): IgnoreLines {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap(lineOf)
    .toReversed();
  return {
    verdict(path, isFolder) {
      const last = lines.find(({ foldersOnly, pattern }) => (isFolder || !foldersOnly) && pattern.test(path));
      return last && (last.keeps ? 'kept' : 'ignored');
    },
  };
}

/** None for a remark, an empty line and what cannot be read. */
function lineOf(written: string): Line[] {
  if (written.startsWith('#')) return [];
  // Blanks at the end do not count, unless they are escaped.
  const line = /\\\s*$/.test(written) ? written : written.trimEnd();
  const keeps = line.startsWith('!');
  const body = keeps ? line.slice(1) : line;
  const foldersOnly = body.endsWith('/');
  const inner = body.replace(/\/$/, '').replace(/^\//, '');
  if (inner === '') return [];
  const anchored = body.startsWith('/') || inner.includes('/');
  try {
    const source = sourceOf(inner);
    return [{ keeps, foldersOnly, pattern: new RegExp(`^${anchored ? '' : '(?:.*/)?'}${source}$`, 'su') }];
  } catch {
    return [];
  }
}

function sourceOf(body: string): string {
  const segments = body.split('/');
  return segments
    .map((segment, index) => {
      const isLast = index === segments.length - 1;
      if (segment === '**') return isLast ? '.+' : '(?:.*/)?';
      return segmentSource(segment) + (isLast ? '' : '/');
    })
    .join('');
}

const PIECES = /\\(.)|\*+|\?|\[([!^]?)(\]?[^\]]*)\]|./gsu;

function segmentSource(segment: string): string {
  return segment.replaceAll(PIECES, (piece, escaped?: string, not?: string, set?: string) => {
    if (escaped !== undefined) return literal(escaped);
    if (piece.startsWith('*')) return '[^/]*';
    if (piece === '?') return '[^/]';
    if (set === undefined) return literal(piece);
    return `(?!/)[${not === '' ? '' : '^'}${set.replaceAll(/[\\[\]^]/g, String.raw`\$&`)}]`;
  });
}

function literal(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
