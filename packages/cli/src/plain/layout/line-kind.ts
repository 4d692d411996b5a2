/** What kind of line begins, judged by its first word: prose may be wrapped, code and tables stay as they are. Pure. */

export type LineKind =
  | {
      readonly kind: 'prose';
      /** What rows begin with that it runs over into. */
      readonly hang: string;
      readonly isHeading: boolean;
    }
  | { readonly kind: 'verbatim' };

/** What the lines before it have begun. */
export interface Surroundings {
  /** The fence that would end the block of code. */
  readonly fence: string | undefined;
  readonly isInList: boolean;
}

export interface Begun {
  readonly line: LineKind;
  readonly next: Surroundings;
}

export const NOTHING_BEGUN: Surroundings = { fence: undefined, isInList: false };

/** A first word that is longer decides nothing. */
const LONGEST_SIGN = 40;
/** What a tab is shown as. */
export const TAB = '    ';
const VERBATIM: LineKind = { kind: 'verbatim' };

/** Undefined: more of it has to come. */
export function lineKind(text: string, around: Surroundings, isWhole: boolean): Begun | undefined {
  const [, lead = '', word = '', after = ''] = /^([ \t]*)(\S*)(\s?)/.exec(text) ?? [];
  if (after === '' && !isWhole && word.length < LONGEST_SIGN) return undefined;
  const indent = lead.replaceAll('\t', TAB);
  if (word === '') return { line: around.fence === undefined ? prose('') : VERBATIM, next: around };
  if (around.fence !== undefined) {
    const isEnd = word.startsWith(around.fence) && /^(`+|~+)$/.test(word);
    return { line: VERBATIM, next: isEnd ? { ...around, fence: undefined } : around };
  }
  const fence = /^(?:`{3,}(?!.*`)|~{3,})/.exec(word)?.[0];
  if (fence !== undefined) return { line: VERBATIM, next: { ...around, fence } };
  if (word.startsWith('|')) return { line: VERBATIM, next: around };
  if (/^(?:[-*+]|\d{1,9}[.)])$/.test(word)) {
    const hang = ' '.repeat(indent.length + word.length + 1);
    return { line: prose(hang), next: { ...around, isInList: true } };
  }
  const isInList = around.isInList && lead !== '';
  if (!isInList && /^(?: {4}|\t)/.test(lead)) return { line: VERBATIM, next: around };
  const next = { ...around, isInList };
  if (word.startsWith('>')) return { line: prose(`${indent}> `), next };
  const isHeading = /^#{1,6}$/.test(word) && /[^\S\n]/.test(after);
  return { line: prose(indent, isHeading), next };
}

function prose(hang: string, isHeading = false): LineKind {
  return { kind: 'prose', hang, isHeading };
}
