/** The words before the cursor that Tab completes, in a prompt and in a `!` line, and how the rest of a name is written. Pure. */

import { writeMention } from '@heddle/agent';

/** The word before the cursor that is completed. */
export interface BegunWord {
  /** The path on disk, without quotes and escapes. */
  readonly path: string;
  /** The number of characters before the cursor that the written text replaces. */
  readonly replaced: number;
  /**
   * Returns the text for a path that starts like this word. `isWhole`: nothing follows the path. Undefined if the path cannot be
   * written here.
   */
  readonly write: (path: string, isWhole: boolean) => string | undefined;
}

/** The maximum number of words in a name with spaces. */
const MAX_WORDS = 6;
/** A mention with an open quote. */
const OPEN_MENTION = /(?:^|[\s([{])(@"([^"\n]*))$/;
const MENTION_START = /(?:^|[\s([{])@$/;

/** Returns the last word of a prompt, then longer parts, because names with spaces may be typed without quotes. */
export function wordsOfPrompt(before: string): BegunWord[] {
  const [, written, quoted] = OPEN_MENTION.exec(before) ?? [];
  if (written !== undefined && quoted !== undefined) return [mentionOf(quoted, written.length)];
  const starts = [0, ...Array.from(before.matchAll(/[\s"'(@!=]/g), ({ index }) => index + 1)];
  return starts
    .toReversed()
    .slice(0, MAX_WORDS)
    .filter((start, nth) => nth === 0 || before[start - 1] === '@' || before.includes('/', start))
    .map((start) => {
      const path = before.slice(start);
      return MENTION_START.test(before.slice(0, start)) ? mentionOf(path, path.length + 1) : plainWord(path);
    });
}

/** A name without `@` before it. A name that contains a mention would attach a file that the user did not name. */
function plainWord(path: string): BegunWord {
  const write: BegunWord['write'] = (longer, isWhole) =>
    writeMention(longer) === undefined ? undefined : longer.slice(path.length) + (isWhole ? ' ' : '');
  return { path, replaced: 0, write };
}

function mentionOf(path: string, replaced: number): BegunWord {
  const write: BegunWord['write'] = (longer, isWhole) => {
    const written = writeMention(longer);
    if (isWhole) return written && `${written} `;
    // The quote stays open, so that the rest can be typed.
    return /[\s"'`()[\]{}<>,;]/.test(longer) ? `@"${longer}` : `@${longer}`;
  };
  return { path, replaced, write };
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
  if (!isLiteral) return [];
  const quoted = quoterIn(quote);
  const begun = path.length;
  return [
    {
      path,
      replaced: 0,
      write: (longer, isWhole) => quoted(longer.slice(begun)) + (isWhole ? `${quote} ` : ''),
    },
  ];
}

/** In double quotes, a backslash escapes few characters, and is kept before others. */
function unescaped(piece: string, quote: Quote): string {
  if (!piece.startsWith('\\') || (quote === '"' && !/^\\[\\$"`]$/.test(piece))) return piece;
  return piece.slice(1);
}

function quoterIn(quote: Quote): (added: string) => string {
  switch (quote) {
    case '':
      return (added) => added.replaceAll(/[^\w./:@%+\-\u{80}-\u{10ffff}]|\s/gu, String.raw`\$&`);
    case '"':
      return (added) => added.replaceAll(/[\\$"`]/g, String.raw`\$&`);
    case "'":
      return (added) => added.replaceAll("'", String.raw`'\''`);
  }
}
