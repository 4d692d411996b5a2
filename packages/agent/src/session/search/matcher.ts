/** What is searched for: how a text is tried, and what the bytes of a line must hold before it is worth parsing. Pure. */
import { errorMessage } from '@heddle/core';

export interface TextMatcher {
  /** The first place on a line. */
  find(line: string): { readonly start: number; readonly end: number } | undefined;
  /** As it stands in a line of JSON: lines without it cannot match. Undefined: any line may. */
  readonly needle: string | undefined;
  readonly ignoresCase: boolean;
}

export type TextMatcherResult =
  | { readonly ok: true; readonly matcher: TextMatcher }
  | { readonly ok: false; readonly message: string };

/** Capitals count where the search has some, as in ripgrep's smart case. */
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
    return { ok: false, message: `this is no regular expression: ${why}` };
  }
}

/**
 * The longest text that every match of a pattern contains. Careful rather than clever: alternatives, groups and classes are
 * passed over, and what a quantifier may leave out does not count.
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
          // What follows belongs to it: a code, a name, a number.
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

/** Nothing in it means anything to a regular expression. */
export function jsonEscaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
