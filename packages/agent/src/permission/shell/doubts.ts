/**
 * Where bash is stricter than our grammar, or reads a text differently from one version to the next. Found by fuzzing against
 * `bash -n`; each is rare, and asking about it costs little.
 */

interface Doubt {
  readonly pattern: RegExp;
  readonly reason: string;
}

/** Here the grammar loses commands that bash runs: nothing it says about such a text can be relied on. */
const BLIND: readonly Doubt[] = [
  { pattern: /[\d}][<>]\(/, reason: 'a process behind a number' },
  { pattern: /\)#/, reason: 'a # where a comment cannot begin' },
];

const DOUBTS: readonly Doubt[] = [
  { pattern: /\$\{[\s|]/, reason: 'a substitution that only new shells know' },
  { pattern: /\bfor\s*\((?!\()/, reason: 'a loop that is none' },
  { pattern: /\$\[/, reason: 'an old form of arithmetic' },
  { pattern: /[?*+@!]\(/, reason: 'a pattern that depends on a shell option' },
  {
    pattern:
      /(?:^|[\s;&|(){}])(?:time(?:\s+-p)?|!)\s*(?:[;&|)}<>]|\n|$|(?:done|fi|then|do|esac|else|elif|in)\b)/,
    reason: 'time or ! without a command',
  },
  { pattern: /(?:^|\n)\s*[;&|]/, reason: 'a line that begins with a separator' },
  { pattern: /[;&|]\s*[;&|](?<!\|\||&&|;;|\|&|;&)/, reason: 'two separators in a row' },
  {
    pattern: /(?:^|[\s;&|(])(?:then|do|else|elif|if|while|until)\s*[;&|)]/,
    reason: 'a keyword without a command',
  },
];

/** Quotes count otherwise within an expansion, and otherwise again in other versions: looked for in the text as it is. */
const PROCESS_IN_EXPANSION = /\$\{[^}]*[<>]\(/;

/** What may stand before an opening bracket: an operator, or a word that a command follows. */
const BEFORE_BRACKET =
  /(?:^|[;&|(){!$<>=\n`]|(?:^|[\s;&|({])(?:for|if|then|elif|else|while|until|do|in|time|coproc|\[\[|-a|-o))[ \t]*$/;

/** Characters: longer than any keyword and the blanks a person would put behind it. */
const LOOK_BACK = 40;

interface Doubtful {
  readonly reason: string;
  /** The grammar may have missed a command. */
  readonly blind: boolean;
}

export function doubtAbout(text: string): Doubtful | undefined {
  const code = codeOf(text);
  for (const { pattern, reason } of BLIND) if (pattern.test(code)) return { reason, blind: true };
  const reason = PROCESS_IN_EXPANSION.test(text) ? 'a process within an expansion' : doubtIn(code);
  return reason === undefined ? undefined : { reason, blind: false };
}

function doubtIn(code: string): string | undefined {
  for (const { pattern, reason } of DOUBTS) if (pattern.test(code)) return reason;
  for (let at = code.indexOf('('); at >= 0; at = code.indexOf('(', at + 1)) {
    if (/^\(\s*\)/.test(code.slice(at))) continue;
    const before = at > LOOK_BACK ? `x${code.slice(at - LOOK_BACK, at)}` : code.slice(0, at);
    if (!BEFORE_BRACKET.test(before)) return 'a bracket where none can stand';
  }
  return undefined;
}

/** Where the quote that opens at `at` ends: behind a `$` a backslash can keep it open. Negative: nowhere. */
function quoteEnd(text: string, at: number): number {
  if (text[at - 1] !== '$') return text.indexOf("'", at + 1);
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === "'") return end;
  }
  return -1;
}

/** The text without what is quoted, commented or in a here-document: only what the shell reads as syntax. */
function codeOf(text: string): string {
  const bare = text.replace(/(<<-?\s*(['"]?)(\w+)\2[^\n]*\n)(?:[\s\S]*?\n)??\t*\3(?=\n|$)/g, '$1');
  let code = '';
  // Inside double quotes a substitution is code again, and quotes in it are its own.
  const around: ('code' | 'quotes')[] = ['code'];
  for (let at = 0; at < bare.length; at++) {
    const letter = bare[at] ?? '';
    const quoted = around.at(-1) === 'quotes';
    if (letter === '\\') {
      code += bare[at + 1] === '\n' ? ' ' : 'q';
      at++;
    } else if (letter === '"') {
      if (quoted) around.pop();
      else around.push('quotes');
      code += 'q';
    } else if (letter === '$' && bare[at + 1] === '(') {
      around.push('code');
      code += '$(';
      at++;
    } else if (quoted) {
      if (letter === '$' && /[[{]/.test(bare[at + 1] ?? '')) code += bare.slice(at, at + 3);
      code += 'q';
    } else if (letter === "'") {
      const end = quoteEnd(bare, at);
      code += 'q';
      if (end >= 0) at = end;
    } else if (letter === '#' && /(?:^|[\s;&|(])$/.test(code)) {
      const end = bare.indexOf('\n', at);
      if (end < 0) break;
      at = end - 1;
    } else {
      if (letter === '(') around.push('code');
      if (letter === ')' && around.length > 1) around.pop();
      code += letter;
    }
  }
  return code;
}
