/** Patterns for file names: `*.ts` anywhere, `src/**` from the root of the search, `!…` for all others. */
import path from 'node:path';
import { expandBraces } from './braces.ts';
import { pathMatcher } from './glob-matcher.ts';
import { type GlobSegment, type NameToken, parseGlob } from './glob-syntax.ts';

export interface FilePattern {
  matches(path: string): boolean;
  /**
   * The same as lines of an ignore file, so that ripgrep skips excluded files. They may include more files, but not
   * fewer. `--glob` would include ignored files again.
   */
  readonly ignoreLines: readonly string[];
}

const SEPARATOR = path.sep === '/' ? '/' : /[\\/]/;

export function filePattern(text: string): FilePattern {
  const isNegative = text.startsWith('!');
  const pattern = (isNegative ? text.slice(1) : text).replace(/^\.\//, '');
  // A name without a slash matches at every depth, as in an ignore file.
  const anchored = pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`;
  const globs = expandBraces(anchored).flatMap((one) => {
    const segments = parseGlob(one, 'lenient');
    return segments === undefined ? [] : [segments];
  });
  const matchers = globs.map((segments) => pathMatcher(segments));
  return {
    matches: (file) => {
      const names = file.split(SEPARATOR);
      return matchers.some((matches) => matches(names)) !== isNegative;
    },
    ignoreLines: isNegative ? [] : ['*', '!*/', ...globs.map((segments) => `!/${ignoreLine(segments)}`)],
  };
}

function ignoreLine(segments: readonly GlobSegment[]): string {
  return segments.map((segment) => (segment === '**' ? '**' : segment.map(ignoreText).join(''))).join('/');
}

/** Characters for which the syntax of ignore files has another meaning, such as spaces at the end, become wildcards. */
function ignoreText(token: NameToken): string {
  switch (token.kind) {
    case 'letter':
      return /^[\w.,@+()~=-]$/.test(token.letter) ? token.letter : '?';
    case 'set':
    case 'one':
      return '?';
    case 'many':
      return '*';
  }
}
