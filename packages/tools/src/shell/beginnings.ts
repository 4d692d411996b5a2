/**
 * How a word begins whose value is not known. An argument that begins with a letter or a slash is not an option, whatever
 * follows. That holds for a word that stays one word, and for substitutions that print nothing but hashes and numbers.
 */
import type { WordPart } from 'unbash';

/** Prints hashes: of a revision that does not start with a dash. Where it finds none it prints the name itself, or nothing. */
const HASH =
  /^\$\(git (?:merge-base|rev-parse)(?: (?:--short(?:=\d+)?|--verify|-q|--quiet))*(?: [A-Za-z@][\w./@^~-]*)+(?: 2>\/dev\/null)?\)$/;
/** Prints an absolute path. */
const PATH = /^(?:\$\{?(?:HOME|PWD)\}?|\$\(pwd\)|`pwd`|\$\(git rev-parse --show-toplevel\))$/;
const NUMBER = /^(?:\$[?#$]|\$\{#\w+\})$/;

/** Empty if it may begin with anything. */
export function beginOf(text: string, parts: readonly WordPart[]): string {
  if (text.startsWith('~')) return parts.every(isLiteral) ? '~' : '';
  // It becomes the name of a descriptor.
  if (parts.length === 1 && parts[0]?.type === 'ProcessSubstitution') return '/';
  // Without quotes the shell splits a value, and each piece may begin with anything.
  if (!parts.every((part) => isQuoted(part) || isWhole(part))) return '';
  return beginOfParts(parts);
}

function isLiteral({ type }: WordPart): boolean {
  return type === 'Literal' || type === 'SingleQuoted';
}

function isQuoted(part: WordPart): boolean {
  return isLiteral(part) || part.type === 'AnsiCQuoted' || part.type === 'DoubleQuoted';
}

/** It contains no blank that the shell would split it at. */
function isWhole(part: WordPart): boolean {
  return HASH.test(part.text) || NUMBER.test(part.text);
}

function beginOfParts(parts: readonly WordPart[]): string {
  let begins = '';
  for (const part of parts) {
    if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') {
      begins += part.value;
    } else if (part.type === 'DoubleQuoted') {
      // A list in quotes becomes several words.
      if (part.parts.some(({ text }) => /^\$(?:@|\{[^}]*@)/.test(text))) return '';
      begins += beginOfParts(part.parts);
      if (part.parts.some(({ type }) => type !== 'Literal')) return begins;
    } else if (HASH.test(part.text) || NUMBER.test(part.text)) return `${begins}0`;
    else return PATH.test(part.text) ? `${begins}/` : begins;
  }
  return begins;
}
