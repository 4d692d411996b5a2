/** Words of the shell grammar as ours: what is certain about them, and what is not. */
import type { CommandArgument, Word, WordPart } from 'unbash';
import type { ShellWord } from './command.ts';
import { beginOf } from './beginnings.ts';
import { outcomesOf } from './outcomes.ts';
import { HARMLESS, isPlainPart } from './plain.ts';

export function wordOf(word: Word): ShellWord {
  const parts = word.parts ?? [];
  const value = parts.length === 0 ? word.value : parts.map(valueOf).join('');
  const kind = kindOf(word.text, parts);
  return {
    text: word.text,
    kind,
    value,
    prefix: kind === 'literal' ? value : prefixOf(word, parts),
    plain: kind === 'literal' && isPlain(word.text, parts),
    single: kind === 'literal' || isSingle(word.text, parts),
    begins: kind === 'literal' ? value : beginOf(word.text, parts),
    ...((kind === 'pattern' || kind === 'dynamic') && parts.length > 0 && !movesTilde(word.text, parts)
      ? { becomes: outcomesOf(parts) }
      : {}),
  };
}

/** `export A=b`: the shell reads an argument of some builtins as an assignment. */
export function argumentOf(argument: CommandArgument): ShellWord {
  if (argument.type === 'Word') return wordOf(argument);
  const { text, name, append, value } = argument;
  const kind = value.type === 'Word' && argument.index === undefined ? wordOf(value).kind : 'dynamic';
  const prefix = `${name}${append ? '+=' : '='}`;
  const known = value.type === 'Word' && kind === 'literal' ? prefix + wordOf(value).value : text;
  const single = value.type === 'Word' && argument.index === undefined;
  const begins = kind === 'literal' ? known : prefix;
  return { text, kind, value: known, prefix: begins, plain: false, single, begins };
}

/** A tilde behind `=` or `:` is replaced in a word that looks like an assignment, also behind braces: `{a,b}=~/x`. */
function movesTilde(text: string, parts: readonly WordPart[]): boolean {
  if (parts.length === 0) return MOVED_TILDE.test(text);
  return parts.some((part) => part.type === 'Literal' && MOVED_TILDE.test(part.text));
}

const MOVED_TILDE = /[=:]~/;

/** Quoted, and not a list; or a number. */
function isSingle(text: string, parts: readonly WordPart[]): boolean {
  if (/^(?:\$[?#$!]|\$\{#\w+\})$/.test(text)) return true;
  return parts.length > 0 && parts.every(isQuotedPart);
}

function isQuotedPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'ArithmeticExpansion':
      return true;
    case 'DoubleQuoted':
      return part.parts.every(
        ({ type, text }) => type === 'Literal' || type === 'CommandExpansion' || !LISTED.test(text),
      );
    default:
      return false;
  }
}

/** `$@`, `${a[@]}`, `${x:-$@}`. */
const LISTED = /@/;

function kindOf(text: string, parts: readonly WordPart[]): ShellWord['kind'] {
  if (movesTilde(text, parts)) return 'dynamic';
  let kind: ShellWord['kind'] = text.startsWith('~') ? 'tilde' : 'literal';
  for (const part of parts) {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        break;
      case 'DoubleQuoted':
      case 'LocaleString':
        if (part.parts.some((child) => child.type !== 'Literal')) return 'dynamic';
        break;
      case 'Glob':
      case 'ExtendedGlob':
        if (hasExpansion(part.parts)) return 'dynamic';
        kind = 'pattern';
        break;
      default:
        return 'dynamic';
    }
  }
  return kind;
}

function hasExpansion(parts: readonly WordPart[] | undefined): boolean {
  return parts !== undefined && kindOf('', parts) === 'dynamic';
}

function valueOf(part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map(valueOf).join('');
    default:
      return part.text;
  }
}

function prefixOf(word: Word, parts: readonly WordPart[]): string {
  if (word.text.startsWith('~')) return '';
  let prefix = '';
  for (const part of parts) {
    if (kindOf('', [part]) === 'literal') prefix += valueOf(part);
    else if (part.type === 'DoubleQuoted') return prefix + literalStart(part.parts);
    else return prefix;
  }
  return prefix;
}

function literalStart(parts: readonly WordPart[]): string {
  const end = parts.findIndex(({ type }) => type !== 'Literal');
  return (end < 0 ? parts : parts.slice(0, end)).map(valueOf).join('');
}

/** What `find` wants escaped, and the sign for a file that it and `xargs` know: the same in every shell. */
const OF_FIND = /^(\\[()!;]|(-I)?\{\})$/;

function isPlain(text: string, parts: readonly WordPart[]): boolean {
  if (OF_FIND.test(text)) return true;
  if (parts.length === 0) return HARMLESS.test(text) || text === '[' || text === ']';
  return parts.every(isPlainPart);
}
