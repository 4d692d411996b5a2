/** The words before the cursor that Tab completes, in a prompt and in a `!` line, and how the rest of a name is written. Pure. */

/** The word before the cursor that is completed. */
export interface BegunWord {
  /** The path on disk, without quotes and escapes. */
  readonly path: string;
  /** Quotes the added text if necessary. */
  readonly write: (added: string) => string;
  /** The text that ends the word. */
  readonly end: string;
}

/** The maximum number of words in a name with spaces. */
const MAX_WORDS = 6;

/** Returns the last word of a prompt, then longer parts, because names with spaces are not quoted in prompts. */
export function wordsOfPrompt(before: string): BegunWord[] {
  const starts = [0, ...Array.from(before.matchAll(/[\s"'(@!=]/g), ({ index }) => index + 1)];
  return starts
    .toReversed()
    .slice(0, MAX_WORDS)
    .filter((start, nth) => nth === 0 || before[start - 1] === '@' || before.includes('/', start))
    .map((start) => ({ path: before.slice(start), write: (added) => added, end: ' ' }));
}

type Quote = '' | '"' | "'";

/** The pieces of a line outside of quotes, and inside of each kind of quotes. Each expression matches at every place. */
const PIECES: Readonly<Record<Quote, RegExp>> = {
  '': /\$\$|\$'(?:[^'\\]|\\[^])*'|\$'|<<<|<<|\\[^]?|[^]/uy,
  '"': /\$\$|\$\{\w+\}|\$\((?![^)]*\bcase\b)[\w ./:@+-]*\)|\$[({[]|\\[^]?|[^]/uy,
  "'": /[^]/uy,
};

/** After these pieces it is not certain what is quoted: a here-document, a command inside of quotes, an open `$'`. */
const UNCERTAIN = new Set(['$$', "$'", '<<', '`', '\\', '$(', '${', '$[']);
const SEPARATOR = /^[ \t\n|&;()<>]$/;

/**
 * Returns the last word of a command as bash reads it. None if it cannot be completed: it contains a variable, or its quotes
 * cannot be determined. A name with the wrong quotes could run a command.
 */
export function wordsOfShell(before: string): BegunWord[] {
  let quote: Quote = '';
  let path = '';
  let isLiteral = true;
  let isAtStart = true;
  for (let at = 0; at < before.length; ) {
    const pieces: RegExp = PIECES[quote];
    pieces.lastIndex = at;
    const piece: string = pieces.exec(before)?.[0] ?? '';
    at += piece.length;
    const isEscapable: boolean = quote !== "'";
    if (isEscapable && UNCERTAIN.has(piece)) return [];
    if (piece === '\\\n' && isEscapable) continue;
    // Text after it is a comment, in which quotes have no effect.
    if (quote === '' && isAtStart && piece === '#') return [];
    isAtStart = quote === '' && SEPARATOR.test(piece);
    if (isAtStart || (quote === '' && (piece === '=' || piece === '<<<'))) {
      path = '';
      isLiteral = true;
    } else if (piece === quote) quote = '';
    else if (quote === '' && (piece === '"' || piece === "'")) quote = piece;
    else if (isEscapable && piece.startsWith('$')) isLiteral = false;
    else path += isEscapable ? unescaped(piece, quote) : piece;
  }
  return isLiteral ? [{ path, write: writerIn(quote), end: `${quote} ` }] : [];
}

/** In double quotes, a backslash escapes few characters, and is kept before others. */
function unescaped(piece: string, quote: Quote): string {
  if (!piece.startsWith('\\') || (quote === '"' && !/^\\[\\$"`]$/.test(piece))) return piece;
  return piece.slice(1);
}

function writerIn(quote: Quote): BegunWord['write'] {
  switch (quote) {
    case '':
      return (added) => added.replaceAll(/[^\w./:@%+\-\u{80}-\u{10ffff}]|\s/gu, String.raw`\$&`);
    case '"':
      return (added) => added.replaceAll(/[\\$"`]/g, String.raw`\$&`);
    case "'":
      return (added) => added.replaceAll("'", String.raw`'\''`);
  }
}
