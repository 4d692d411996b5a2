/**
 * Bold and code within a line that is still coming. A mark counts once its other half is there, and until then nothing behind
 * it is shown; so a mark without one stays what it was, and nothing has to be drawn again. Pure.
 */

/** The spans that the next character lies in. */
export interface Spans {
  readonly bold: boolean;
  /** What ends the code, with the space before it where it is padded; empty outside of code. */
  readonly code: string;
}

export interface Token {
  readonly kind: 'text' | 'gap' | 'newline' | 'mark';
  readonly text: string;
  /** The spans that what follows lies in. */
  readonly spans: Spans;
}

export const NO_SPANS: Spans = { bold: false, code: '' };

/** A span that is longer is none: an answer must not wait for a mark that never comes. */
const LONGEST_SPAN = 240;

interface Around {
  /** The character before the text; empty at the beginning of a line. */
  readonly before: string;
  /** Nothing more comes. */
  readonly isWhole: boolean;
}

/** The next token at the beginning of a text. Undefined: more has to come before it can be told. */
export function nextToken(text: string, spans: Spans, { before, isWhole }: Around): Token | undefined {
  if (text === '') return undefined;
  if (text.startsWith('\n')) return { kind: 'newline', text: '\n', spans: NO_SPANS };
  if (spans.code !== '') return codeToken(text, spans);
  const gap = /^[^\S\n]+/.exec(text)?.[0];
  if (gap !== undefined) return { kind: 'gap', text: gap, spans };
  if (text.startsWith('`')) return backticks(text, spans, isWhole);
  if (text.startsWith('**')) return stars(text, spans, { before, isWhole });
  const [plain = ''] = /^(?:\\[*`]|[^\s`*]|\*(?!\*))+/.exec(text) ?? [];
  // What may be half a mark waits.
  const isCutOff = !isWhole && plain.length === text.length && /[*\\]$/.test(plain);
  const known = isCutOff ? plain.slice(0, -1) : plain;
  return known === '' ? undefined : { kind: 'text', text: known, spans };
}

/** Its end is there: else it would not have begun. */
function codeToken(text: string, spans: Spans): Token {
  const [gap = ''] = /^[^\S\n]+/.exec(text) ?? [];
  const [run = ''] = /^`+/.exec(text.slice(gap.length)) ?? [];
  const end = spans.code;
  if (run === end.trim() && (gap + run).endsWith(end)) {
    const inside = (gap + run).slice(0, -end.length);
    if (inside === '') return { kind: 'mark', text: end, spans: { ...spans, code: '' } };
    return { kind: 'gap', text: inside, spans };
  }
  if (gap !== '') return { kind: 'gap', text: gap, spans };
  return { kind: 'text', text: run === '' ? (/^[^\s`]+/.exec(text)?.[0] ?? '') : run, spans };
}

function backticks(text: string, spans: Spans, isWhole: boolean): Token | undefined {
  const [run = ''] = /^`+/.exec(text) ?? [];
  const rest = restOfLine(text.slice(run.length), isWhole);
  const end = [...rest.text.matchAll(/`+/g)].find(([other]) => other === run);
  // At the end of what is there, more backticks may follow.
  const isKnown = rest.isComplete || (end && end.index + run.length < rest.text.length);
  if (!isKnown) return undefined;
  if (!end) return { kind: 'text', text: run, spans };
  // One space on each side lets the code begin or end with a backtick.
  const padding = /^ .*[^ ].* $/.test(rest.text.slice(0, end.index)) ? ' ' : '';
  return { kind: 'mark', text: run + padding, spans: { ...spans, code: padding + run } };
}

/** Beside a word on their outside, stars are signs: `2**10`, `a**b**c`. Scripts without spaces know only the mark. */
const WORD = String.raw`[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_]`;
const AFTER_WORD = new RegExp(`(?:${WORD}|[)\\]])$`, 'u');
const BEFORE_WORD = new RegExp(`^${WORD}`, 'u');
const WITH_END = new RegExp(`^[^\\s*].*?(?<=[^\\s*])\\*\\*(?!${WORD})`, 'u');

function stars(text: string, spans: Spans, { before, isWhole }: Around): Token | undefined {
  const rest = restOfLine(text.slice(2), isWhole);
  const signs: Token = { kind: 'text', text: /^\*+/.exec(text)?.[0] ?? '**', spans };
  if (spans.bold) {
    if (rest.text === '' && !rest.isComplete) return undefined;
    const closes = /[^\s*]/.test(before) && !BEFORE_WORD.test(rest.text);
    return closes ? { kind: 'mark', text: '**', spans: { ...spans, bold: false } } : signs;
  }
  if (AFTER_WORD.test(before)) return signs;
  const inside = WITH_END.exec(rest.text)?.[0];
  // At the end of what is there, a word may follow.
  const isKnown = rest.isComplete || (inside !== undefined && inside.length < rest.text.length);
  if (!isKnown) return undefined;
  return inside === undefined ? signs : { kind: 'mark', text: '**', spans: { ...spans, bold: true } };
}

/** As much of the line as a span may take. */
function restOfLine(text: string, isWhole: boolean): { readonly text: string; readonly isComplete: boolean } {
  const end = text.indexOf('\n');
  const line = (end < 0 ? text : text.slice(0, end)).slice(0, LONGEST_SPAN);
  return { text: line, isComplete: isWhole || end >= 0 || line.length === LONGEST_SPAN };
}
