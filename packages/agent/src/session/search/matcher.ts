/** Matches texts, and computes the bytes that a line must contain to be worth parsing. Pure. */
import { errorMessage } from '@heddle/core';

export interface TextMatcher {
  /** Returns the first match on a line. */
  find(line: string): { readonly start: number; readonly end: number } | undefined;
  /** A text in JSON form that every matching line contains. Undefined if any line may match. */
  readonly needle: string | undefined;
  readonly ignoresCase: boolean;
}

export type TextMatcherResult =
  | { readonly ok: true; readonly matcher: TextMatcher }
  | { readonly ok: false; readonly message: string };

/** Case matters if the search contains a capital letter, like ripgrep's smart case. */
export function textMatcherOf(words: string, isRegex: boolean): TextMatcherResult {
  if (words.trim() === '') return { ok: false, message: 'there is nothing to search for' };
  const ignoresCase = words === words.toLowerCase();
  const literal = isRegex ? requiredLiteral(words) : words;
  const needle = literal === undefined ? undefined : JSON.stringify(literal).slice(1, -1);
  try {
    const source = isRegex ? words : jsonEscaped(words);
    const regex = new RegExp(source, ignoresCase ? 'i' : '');
    const find: TextMatcher['find'] = (line) => {
      const match = regex.exec(line);
      return match ? { start: match.index, end: match.index + match[0].length } : undefined;
    };
    return { ok: true, matcher: { find, needle, ignoresCase } };
  } catch (thrown) {
    const why = errorMessage(thrown);
    return { ok: false, message: `this is not a regular expression: ${why}` };
  }
}

/**
 * Returns the longest text that every match of a pattern contains. Conservative: it skips alternatives, groups and
 * classes, and text that a quantifier may omit.
 */
export function requiredLiteral(pattern: string): string | undefined {
  const runs: string[] = [];
  let run = '';
  const close = (): void => {
    runs.push(run);
    run = '';
  };
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at] ?? '';
    switch (letter) {
      case '|':
        return undefined;
      case '(':
      case '[': {
        close();
        const end = letter === '(' ? endOfGroup(pattern, at) : endOfClass(pattern, at);
        if (end === undefined) return undefined;
        at = end;
        break;
      }
      case '*':
      case '?':
      case '{':
        run = run.slice(0, -1);
        close();
        if (letter === '{') at = Math.max(at, pattern.indexOf('}', at));
        break;
      case '+':
      case '.':
      case '^':
      case '$':
        close();
        break;
      case '\\': {
        at++;
        const escaped = pattern[at] ?? '';
        if (/[a-zA-Z0-9]/.test(escaped)) {
          close();
          // The following characters belong to the escape: a code, a name, a number.
          if (/[xucpPk0-9]/.test(escaped)) return longest(runs);
        } else run += escaped;
        break;
      }
      default:
        run += letter;
    }
  }
  close();
  return longest(runs);
}

function longest(runs: readonly string[]): string | undefined {
  const [best = ''] = [...runs].sort((left, right) => right.length - left.length);
  return best === '' ? undefined : best;
}

function endOfGroup(pattern: string, start: number): number | undefined {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === '[') {
      const end = endOfClass(pattern, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (pattern[at] === '(') {
      const end = endOfGroup(pattern, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (pattern[at] === ')') return at;
  }
  return undefined;
}

function endOfClass(pattern: string, start: number): number | undefined {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return at;
  }
  return undefined;
}

/** The result contains no special character of regular expressions. */
export function jsonEscaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
