/** Files that a rule or a skill applies to, as patterns of its header name them. */
import path from 'node:path';

export interface PathPatterns {
  /** Patterns count from this folder. A file outside of it never matches. */
  readonly base: string;
  readonly patterns: readonly string[];
}

/** The code of patterns loads with the first file that has any. */
export async function matchesPaths({ base, patterns }: PathPatterns, file: string): Promise<boolean> {
  const below = path.relative(base, file).split(path.sep).join('/');
  if (below.startsWith('../') || path.isAbsolute(below)) return false;
  const { filePattern } = await import('@heddle/tools/patterns');
  return patterns.some((pattern) => filePattern(pattern).matches(below));
}
