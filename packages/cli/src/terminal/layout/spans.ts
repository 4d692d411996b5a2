/**
 * Finds bold and code in a streaming line. A mark takes effect when its closing mark arrives; until then, the text after it
 * is held back. A mark without a closing mark stays plain text. So nothing is ever redrawn. Pure.
 */

/** The spans that contain the next character. */
export interface Spans {
  readonly bold: boolean;
  /** The closing mark of the code, including a padding space; empty outside of code. */
  readonly code: string;
}

export interface Token {
  readonly kind: 'text' | 'gap' | 'newline' | 'mark';
  readonly text: string;
  /** The spans after this token. */
  readonly spans: Spans;
}

export const NO_SPANS: Spans = { bold: false, code: '' };

/** A longer text is not a span, so that the output does not wait for a closing mark. */
const MAX_SPAN_LENGTH = 240;

interface TokenPlace {
  /** The character before the text; empty at the start of a line. */
  readonly before: string;
  /** The text is complete. */
  readonly isWhole: boolean;
}

/** Returns the next token of a text, or undefined if more text is needed. */
export function nextToken(text: string, spans: Spans, { before, isWhole }: TokenPlace): Token | undefined {
  if (text === '') return undefined;
  if (text.startsWith('\n')) return { kind: 'newline', text: '\n', spans: NO_SPANS };
  if (spans.code !== '') return codeToken(text, spans);
  const gap = /^[^\S\n]+/.exec(text)?.[0];
  if (gap !== undefined) return { kind: 'gap', text: gap, spans };
  if (text.startsWith('`')) return backticks(text, spans, isWhole);
  if (text.startsWith('**')) return stars(text, spans, { before, isWhole });
  const [plain = ''] = /^(?:\\[*`]|[^\s`*]|\*(?!\*))+/.exec(text) ?? [];
  // The last character may be half of a mark.
  const isCutOff = !isWhole && plain.length === text.length && /[*\\]$/.test(plain);
  const known = isCutOff ? plain.slice(0, -1) : plain;
  return known === '' ? undefined : { kind: 'text', text: known, spans };
}

/** Reads inside of code. The closing mark exists, because otherwise the span would not have started. */
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
  // At the end of the text, more backticks may follow.
  const isKnown = rest.isComplete || (end && end.index + run.length < rest.text.length);
  if (!isKnown) return undefined;
  if (!end) return { kind: 'text', text: run, spans };
  // One space on each side is padding, so that code can start or end with a backtick.
  const code = rest.text.slice(0, end.index);
  const padding = code.startsWith(' ') && code.endsWith(' ') && /[^ ]/.test(code) ? ' ' : '';
  return { kind: 'mark', text: run + padding, spans: { ...spans, code: padding + run } };
}

/** Stars next to a word on their outside are not marks: `2**10`, `a**b**c`. Scripts without spaces are an exception. */
const WORD = String.raw`[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_]`;
const AFTER_WORD = new RegExp(`(?:${WORD}|[)\\]])$`, 'u');
const BEFORE_WORD = new RegExp(`^${WORD}`, 'u');
const WITH_END = new RegExp(`^[^\\s*].*?(?<=[^\\s*])\\*\\*(?!${WORD})`, 'u');

function stars(text: string, spans: Spans, { before, isWhole }: TokenPlace): Token | undefined {
  const rest = restOfLine(text.slice(2), isWhole);
  const signs: Token = { kind: 'text', text: /^\*+/.exec(text)?.[0] ?? '**', spans };
  if (spans.bold) {
    if (rest.text === '' && !rest.isComplete) return undefined;
    const closes = /[^\s*]/.test(before) && !BEFORE_WORD.test(rest.text);
    return closes ? { kind: 'mark', text: '**', spans: { ...spans, bold: false } } : signs;
  }
  if (AFTER_WORD.test(before)) return signs;
  const inside = WITH_END.exec(rest.text)?.[0];
  // At the end of the text, a word may follow.
  const isKnown = rest.isComplete || (inside !== undefined && inside.length < rest.text.length);
  if (!isKnown) return undefined;
  return inside === undefined ? signs : { kind: 'mark', text: '**', spans: { ...spans, bold: true } };
}

/** Returns the rest of the line, up to the maximum length of a span. */
function restOfLine(text: string, isWhole: boolean): { readonly text: string; readonly isComplete: boolean } {
  const end = text.indexOf('\n');
  const line = (end < 0 ? text : text.slice(0, end)).slice(0, MAX_SPAN_LENGTH);
  return { text: line, isComplete: isWhole || end >= 0 || line.length === MAX_SPAN_LENGTH };
}
