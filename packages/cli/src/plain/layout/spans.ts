/**
 * Bold and code within a line that is still coming. A mark counts once its other half is there, and until then nothing behind
 * it is shown; so a mark without one stays what it was, and nothing has to be drawn again. Pure.
 */

/** The spans that the next character lies in. */
export interface Spans {
  readonly bold: boolean;
  /** The backticks that end the code; empty outside of code. */
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

/** The next token at the beginning of a text. Undefined: more has to come before it can be told. */
export function nextToken(text: string, spans: Spans, isWhole: boolean): Token | undefined {
  if (text === '') return undefined;
  if (text.startsWith('\n')) return { kind: 'newline', text: '\n', spans: NO_SPANS };
  const gap = /^[^\S\n]+/.exec(text)?.[0];
  if (gap !== undefined) return { kind: 'gap', text: gap, spans };
  if (spans.code !== '') return codeToken(text, spans);
  if (text.startsWith('`')) return backticks(text, spans, isWhole);
  if (text.startsWith('**')) return stars(text, spans, isWhole);
  const [plain = ''] = /^(?:\\[*`]|[^\s`*]|\*(?!\*))+/.exec(text) ?? [];
  // What may be half a mark waits.
  const isCutOff = !isWhole && plain.length === text.length && /[*\\]$/.test(plain);
  const known = isCutOff ? plain.slice(0, -1) : plain;
  return known === '' ? undefined : { kind: 'text', text: known, spans };
}

function codeToken(text: string, spans: Spans): Token {
  const [run = ''] = /^`+/.exec(text) ?? [];
  if (run === spans.code) return { kind: 'mark', text: run, spans: { ...spans, code: '' } };
  return { kind: 'text', text: run === '' ? (/^[^\s`]+/.exec(text)?.[0] ?? '') : run, spans };
}

function backticks(text: string, spans: Spans, isWhole: boolean): Token | undefined {
  const [run = ''] = /^`+/.exec(text) ?? [];
  const rest = restOfLine(text.slice(run.length), isWhole);
  const end = [...rest.text.matchAll(/`+/g)].find(([other]) => other === run);
  // At the end of what is there, more backticks may follow.
  const isKnown = rest.isComplete || (end && end.index + run.length < rest.text.length);
  if (!isKnown) return undefined;
  return end
    ? { kind: 'mark', text: run, spans: { ...spans, code: run } }
    : { kind: 'text', text: run, spans };
}

function stars(text: string, spans: Spans, isWhole: boolean): Token | undefined {
  if (spans.bold) return { kind: 'mark', text: '**', spans: { ...spans, bold: false } };
  const rest = restOfLine(text.slice(2), isWhole);
  const opens = /^[^\s*].*?(?<=\S)\*\*/.test(rest.text);
  if (opens) return { kind: 'mark', text: '**', spans: { ...spans, bold: true } };
  if (!rest.isComplete) return undefined;
  return { kind: 'text', text: /^\*+/.exec(text)?.[0] ?? '**', spans };
}

/** As much of the line as a span may take. */
function restOfLine(text: string, isWhole: boolean): { readonly text: string; readonly isComplete: boolean } {
  const end = text.indexOf('\n');
  const line = (end < 0 ? text : text.slice(0, end)).slice(0, LONGEST_SPAN);
  return { text: line, isComplete: isWhole || end >= 0 || line.length === LONGEST_SPAN };
}
