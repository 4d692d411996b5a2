/**
 * Reads the code of awk: its words, without the contents of strings, comments and patterns. Versions of awk differ, so code that
 * they may read in different ways is unclear, and then every occurrence of a word in it counts.
 */
import type { ShellWord } from '@heddle/tools/shell';

/** A blank between two words, or a line that continues. */
export const AWK_BLANK = String.raw`(?:\s|\\\r?\n)*`;

/** A number directly before a letter is not one of these: the versions do not agree where it ends, such as `1e` and `0xf`. */
const TOKEN =
  /[ \t\r\f\v]+|#[^\n]*|"(?:\\[^]|[^"\\\n])*"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?!\w)|[A-Za-z_]\w*|\+\+|--|[\n{}()[\],;$+\-*%^!<>=~&|?:@.]/y;
/** Each bracket ends before the pattern does, for versions in which a bracket can contain a slash. */
const PATTERN = /\/(?:[^/\\\n[]|\\[^\n]|\[(?!\^?\])(?:[^\][\\/\n]|\\[^\][\n]|\[:[a-z]+:\])+\])+\//y;

/** After these tokens, a slash starts a pattern. */
const BEFORE_PATTERN = /^[\n({},;!~&|=]$/;
/** After a name, a slash divides. After these words, it depends on the version. */
const BEFORE_EITHER =
  /^(printf?|return|case|default|in|else|do|exit|delete|getline|length|system|close|fflush|int|rand|srand|log|exp|sqrt|sin|cos|atan2|tolower|toupper|next|nextfile|func|function|BEGIN|END)$/;
const BEFORE_DIVISION = /^([\w.]+|\])$/;
/** A statement follows their parentheses, and can begin with a pattern. */
const STATEMENT = /^(if|while|for|switch)$/;

/**
 * Returns the code without the contents of strings, comments and patterns. A string with an escape becomes `"\"`. Returns
 * undefined if the code is unclear: a slash may either divide or start a pattern, a line continues, or a number ends at a letter.
 */
export function bareCode(text: string): string | undefined {
  if (/\\\r?\n/.test(text)) return undefined;
  let code = '';
  let last = '\n';
  const statements: boolean[] = [];
  for (let at = 0; at < text.length; ) {
    const isSlash = text[at] === '/';
    if (isSlash && BEFORE_DIVISION.test(last) && !BEFORE_EITHER.test(last)) {
      code += '/';
      last = '/';
      at++;
      continue;
    }
    if (isSlash && !BEFORE_PATTERN.test(last)) return undefined;
    const token = isSlash ? PATTERN : TOKEN;
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    if (found === undefined) return undefined;
    at += found.length;
    if (isSlash || found.startsWith('#')) code += ' ';
    else if (found.startsWith('"')) code += found.includes('\\') ? String.raw`"\"` : '""';
    else code += found;
    if (/^[# \t\r\f\v]/.test(found)) continue;
    if (found === '(') statements.push(STATEMENT.test(last));
    // The end of a condition is followed by a statement, the end of an expression by an operator.
    last = isSlash ? '//' : found === ')' ? (statements.pop() === false ? ']' : ')') : found;
  }
  return code;
}

/** Returns whether the code contains one of the words. If it is unclear, strings, patterns and comments count as well. */
export function hasAwkWord(text: string, ...words: readonly string[]): boolean {
  if (!words.some((word) => text.includes(word))) return false;
  const runs = (bareCode(text) ?? text).match(/\w+/g) ?? [];
  // After a number, a word can begin without a blank: `$0system("x")`.
  return runs.some((run) => words.some((word) => (/^\d/.test(run) ? run.includes(word) : run === word)));
}

/** Options without a value in the next word. */
const ALONE =
  /^(--|-[vF].+|--[\w-]+=.*|--(re-interval|posix|traditional|characters-as-bytes|sandbox|csv|non-decimal-data|bignum|use-lc-numeric|optimize|no-optimize|lint))$/s;

/** Returns the words that may be code: options with their values, and the first operand. The others are files and values. */
export function awkCodeWords(args: readonly ShellWord[]): readonly ShellWord[] {
  let isOver = false;
  return args.filter(({ value }, index) => {
    const before = args[index - 1]?.value ?? '';
    const isOption = value.startsWith('-') && value !== '-' && before !== '--';
    const isValue = before.startsWith('-') && !ALONE.test(before);
    if (isOption || isValue) return !/^-[vF]$/.test(before) && !(isOption && /^-[vF]/.test(value));
    const isCode = !isOver;
    isOver = true;
    return isCode;
  });
}
