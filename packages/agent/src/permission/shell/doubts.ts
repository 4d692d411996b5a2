/**
 * Finds texts that bash and the grammar may read differently, also between bash versions. They were found by fuzzing
 * against `bash -n`. Each is rare, so asking costs little.
 */

interface Doubt {
  readonly pattern: RegExp;
  readonly reason: string;
}

/** The grammar misses commands in these texts that bash runs. No result of the grammar is reliable for them. */
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
  { pattern: /(?:^|\n)[^\S\n]*[;&|]/, reason: 'a line that begins with a separator' },
  { pattern: /[;&|]\s*[;&|](?<!\|\||&&|;;|\|&|;&)/, reason: 'two separators in a row' },
  {
    pattern: /(?:^|[\s;&|(])(?:then|do|else|elif|if|while|until)\s*[;&|)]/,
    reason: 'a keyword without a command',
  },
];

/** Quotes inside an expansion have other rules, which differ between versions. So the raw text is searched. */
const PROCESS_IN_EXPANSION = /\$\{[^}]*[<>]\(/;

/** Text that may precede an opening parenthesis: an operator, or a keyword before a command. */
const BEFORE_BRACKET =
  /(?:^|[;&|(){!$<>=\n`]|(?:^|[\s;&|({])(?:for|if|then|elif|else|while|until|do|in|time|coproc|\[\[|-a|-o))[ \t]*$/;

/** A number of characters, longer than any keyword and the usual blanks after it. */
const LOOK_BACK = 40;

interface Doubtful {
  readonly reason: string;
  /** The grammar may have missed a command. */
  readonly blind: boolean;
}

export function findSyntaxDoubt(text: string): Doubtful | undefined {
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

/**
 * Returns the end of the quote that opens at `at`, or a negative number. After a `$`, a backslash can escape the quote.
 */
function quoteEnd(text: string, at: number): number {
  if (text[at - 1] !== '$') return text.indexOf("'", at + 1);
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === "'") return end;
  }
  return -1;
}

/** Returns the text without quotes, comments and here-documents: only the syntax of the shell. */
function codeOf(text: string): string {
  const bare = text.replace(/(<<-?\s*(['"]?)(\w+)\2[^\n]*\n)(?:[\s\S]*?\n)??\t*\3(?=\n|$)/g, '$1');
  let code = '';
  // A substitution inside double quotes is code again, with its own quotes.
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
