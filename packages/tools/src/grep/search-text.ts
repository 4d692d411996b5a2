/** Finds an expression in one text and shows the lines around it, as ripgrep does. */
import { CUT_LINE, type FileMatches, MAX_COLUMNS, type TextQuery } from './query.ts';

/** Throws where the expression makes no sense. */
export function compile({ expression, ignoreCase, multiline }: TextQuery): RegExp {
  const [, letters = ''] = /^\(\?([imsx]+)\)/.exec(expression) ?? [];
  const source = posix(letters === '' ? expression : expression.slice(letters.length + 3));
  const flags = new Set(`gm${letters.replace('x', '')}`.split(''));
  if (ignoreCase) flags.add('i');
  if (multiline) flags.add('s');
  const shared = [...flags].join('');
  try {
    return new RegExp(source, `${shared}u`);
  } catch {
    // Without `u` more escapes are allowed, as ripgrep does.
    return new RegExp(source, shared);
  }
}

export function searchText(
  text: string,
  expression: RegExp,
  query: TextQuery,
): Omit<FileMatches, 'path'> | undefined {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const matched = query.multiline
    ? linesOfMatches(text, expression)
    : matchingLines(lines, expression, query);
  if (matched.length === 0) return undefined;
  if (query.mode !== 'content') return { count: matched.length, lines: [] };
  return { count: matched.length, lines: shown(lines, matched, query) };
}

function matchingLines(lines: readonly string[], expression: RegExp, { mode }: TextQuery): number[] {
  const matched: number[] = [];
  for (const [index, line] of lines.entries()) {
    expression.lastIndex = 0;
    if (!expression.test(line.endsWith('\r') ? line.slice(0, -1) : line)) continue;
    matched.push(index);
    if (mode === 'files_with_matches') break;
  }
  return matched;
}

function linesOfMatches(text: string, expression: RegExp): number[] {
  const matched = new Set<number>();
  let line = 0;
  let at = 0;
  for (const match of text.matchAll(expression)) {
    for (; at < match.index; at++) if (text[at] === '\n') line++;
    const spanned = match[0].replace(/\n$/, '').split('\n').length;
    for (let index = 0; index < spanned; index++) matched.add(line + index);
  }
  return [...matched];
}

function shown(lines: readonly string[], matched: readonly number[], query: TextQuery): string[] {
  const isMatch = new Set(matched);
  const result: string[] = [];
  let last = -1;
  for (const index of matched) {
    const from = Math.max(index - query.before, last + 1);
    if (last >= 0 && from > last + 1 && (query.before > 0 || query.after > 0)) result.push('--');
    for (let line = from; line <= Math.min(index + query.after, lines.length - 1); line++) {
      result.push(format(lines[line] ?? '', line, isMatch.has(line), query.lineNumbers));
      last = line;
    }
  }
  return result;
}

function format(line: string, index: number, isMatch: boolean, numbers: boolean): string {
  const text = line.replace(/\r+$/, '');
  const cut = Buffer.byteLength(text) > MAX_COLUMNS ? text.slice(0, MAX_COLUMNS) + CUT_LINE : text;
  return numbers ? `${index + 1}${isMatch ? ':' : '-'}${cut}` : cut;
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: String.raw`\s`,
  punct: String.raw`!-\/:-@\[-\`{-~`,
  xdigit: '0-9a-fA-F',
  word: String.raw`\w`,
};

function posix(source: string): string {
  return source.replaceAll(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole);
}
