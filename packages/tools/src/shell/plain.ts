/** Text that every shell reads alike. */
import type { WordPart } from 'unbash';

/** Letters that stand for themselves, unquoted, in every shell and at every place of a word. */
export const HARMLESS = /^[\p{L}\p{N}_\-.,/:=@%+!#]*$/u;

export function isPlainPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
      return HARMLESS.test(part.text);
    case 'SingleQuoted':
      return true;
    case 'DoubleQuoted':
      // Before any other letter a backslash in double quotes is only a backslash.
      return part.parts.every(({ type }) => type === 'Literal') && !/\\[$`"\\\n]/.test(part.text);
    default:
      return false;
  }
}
