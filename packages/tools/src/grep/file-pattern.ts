/** Patterns for file names: `*.ts` anywhere, `src/**` from the root of the search, `!…` for all others. */
import picomatch from 'picomatch';

export interface FilePattern {
  matches(path: string): boolean;
  /**
   * The same as lines of an ignore file, so that ripgrep skips excluded files. `--glob` would include
   * ignored files again.
   */
  readonly ignoreLines: readonly string[];
}

export function filePattern(text: string): FilePattern {
  const isNegative = text.startsWith('!');
  const pattern = (isNegative ? text.slice(1) : text).replace(/^\.\//, '');
  // A name without a slash matches at every depth, as in an ignore file.
  const anchored = pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`;
  const matches = picomatch(anchored, { dot: true });
  const alternatives =
    picomatch.scan(anchored).isBrace || anchored.includes('{') ? braces(anchored) : [anchored];
  const rooted = alternatives.map((one) => `/${one}`);
  return {
    matches: (path) => matches(path) !== isNegative,
    ignoreLines: isNegative ? [] : ['*', '!*/', ...rooted.map((line) => `!${line}`)],
  };
}

/**
 * Expands `a{b,c{d,e}}` to `ab`, `acd`, `ace`. Ranges are not expanded: they only make the search larger.
 */
function braces(pattern: string): string[] {
  const open = /\{(?=[^{}]*,[^{}]*\})[^{}]*\}/.exec(pattern);
  if (!open) return [pattern.replaceAll(/\{[^{}]*\}/g, '*')];
  const before = pattern.slice(0, open.index);
  const behind = pattern.slice(open.index + open[0].length);
  return open[0]
    .slice(1, -1)
    .split(',')
    .flatMap((choice) => braces(before + choice + behind));
}
