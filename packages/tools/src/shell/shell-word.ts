/** Converts words of the parser to `ShellWord`, with their certain and uncertain parts. */
import type { CommandArgument, Word, WordPart } from 'unbash';
import type { Outcome, ShellWord } from './command.ts';

export function wordOf(word: Word): ShellWord {
  const parts = word.parts ?? [];
  const value = parts.length === 0 ? word.value : parts.map(valueOf).join('');
  if (hasHiddenBraces(word))
    return { text: word.text, kind: 'dynamic', value, prefix: '', plain: false, single: false, begins: '' };
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

/**
 * Returns whether the shell may expand braces that the parser returns as text: `{x},b}` becomes `x}` and `b`. The parser looks at
 * each part of a word alone, and the shell at the whole word: `{x}"",b}`.
 */
export function hasHiddenBraces({ text, parts = [] }: Word): boolean {
  if (!text.includes('{')) return false;
  const unquoted =
    parts.length === 0 ? text : parts.map((part) => (part.type === 'Literal' ? part.text : 'x')).join('');
  const plain = unquoted.replace(/\\[^]/g, 'x');
  const inner = plain.slice(plain.indexOf('{') + 1, Math.max(plain.lastIndexOf('}'), 0));
  return plain.includes('{') && (/,/.test(inner) || (/\.\./.test(inner) && !COMMITS.test(plain)));
}

/** `HEAD@{2}..HEAD@{1}`. */
const COMMITS = /^[\w./^~-]*@\{[\w-]+\}\.{2,3}[\w./^~-]*(?:@\{[\w-]+\})?$/;

/** `export A=b`: the shell reads an argument of some builtins as an assignment. */
export function argumentOf(argument: CommandArgument): ShellWord {
  if (argument.type === 'Word') return wordOf(argument);
  const { text, name, append, value } = argument;
  const kind = value.type === 'Word' && argument.index === undefined ? wordOf(value).kind : 'dynamic';
  const prefix = `${name}${append ? '+=' : '='}`;
  const known = value.type === 'Word' && kind === 'literal' ? prefix + wordOf(value).value : text;
  // The shell makes several arguments of `x={a,b}`.
  const single = value.type === 'Word' && argument.index === undefined && !value.text.includes('{');
  const begins = kind === 'literal' ? known : prefix;
  return { text, kind, value: known, prefix: begins, plain: false, single, begins };
}

/** The shell also replaces a tilde after `=` or `:` in a word that looks like an assignment, even after braces: `{a,b}=~/x`. */
function movesTilde(text: string, parts: readonly WordPart[]): boolean {
  if (parts.length === 0) return MOVED_TILDE.test(text);
  return parts.some((part) => part.type === 'Literal' && MOVED_TILDE.test(part.text));
}

const MOVED_TILDE = /[=:]~/;

/** Returns true for a quoted word that is not a list, and for a number. Before the first background command, `$!` is empty. */
function isSingle(text: string, parts: readonly WordPart[]): boolean {
  if (/^(?:\$[?#$]|\$\{#\w+\})$/.test(text)) return true;
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

/** The escaped operators of `find`, and the placeholder for a file in `find` and `xargs`. Every shell reads them alike. */
const OF_FIND = /^(\\[()!;]|(-I)?\{\})$/;

function isPlain(text: string, parts: readonly WordPart[]): boolean {
  if (OF_FIND.test(text)) return true;
  if (parts.length === 0) return PLAIN_TEXT.test(text) || text === '[' || text === ']';
  return parts.every(isPlainPart);
}

/** Unquoted characters without a special meaning, in every shell and at every position of a word. */
const PLAIN_TEXT = /^[\p{L}\p{N}_\-.,/:=@%+!#]*$/u;

/** Returns true for text that every shell reads in the same way. */
function isPlainPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
      return PLAIN_TEXT.test(part.text);
    case 'SingleQuoted':
      return true;
    case 'DoubleQuoted':
      // In double quotes, a backslash before any other character is a literal backslash.
      return part.parts.every(({ type }) => type === 'Literal') && !/\\[$`"\\\n]/.test(part.text);
    default:
      return false;
  }
}

/** `{a,b}` of plain names: nothing nested, no ranges, no globs. */
const BRACES = /^\{[\w./@%+:=-]*(?:,[\w./@%+:=-]*)+\}$/;
const MOST = 64;

/**
 * Returns the expansions of a word with globs or braces. The names that a glob matches keep its literal start. Without a
 * match the word stays as it is, or is removed. So the start shows whether it can become an option. Braces are only a list.
 * Returns undefined if the word contains more than plain text, globs and simple braces.
 */
function outcomesOf(parts: readonly WordPart[]): readonly Outcome[] | undefined {
  let outcomes: readonly Outcome[] = [{ begins: '', exact: true }];
  for (const part of parts) {
    if (part.type === 'Glob' && isPlainGlob(part.text)) {
      outcomes = outcomes.map(({ begins }) => ({ begins, exact: false }));
    } else if (part.type === 'BraceExpansion' && BRACES.test(part.text)) {
      const choices = part.text.slice(1, -1).split(',');
      outcomes = outcomes.flatMap((outcome) => choices.map((choice) => extended(outcome, choice)));
    } else if (isPlainPart(part)) {
      const text = textOf(part);
      outcomes = outcomes.map((outcome) => extended(outcome, text));
    } else return undefined;
    if (outcomes.length > MOST) return undefined;
  }
  // The shell removes an empty word that braces without quotes make: `sed {,w} a` is `sed w a`.
  if (!parts.some(isInQuotes)) outcomes = outcomes.filter(({ begins, exact }) => begins !== '' || !exact);
  return outcomes.length === 0 ? undefined : outcomes;
}

function isInQuotes({ type }: WordPart): boolean {
  return type === 'SingleQuoted' || type === 'DoubleQuoted';
}

/** Accepts a star, a question mark, and a set that every shell reads in the same way. */
function isPlainGlob(text: string): boolean {
  return /^(\*+|\?)$/.test(text) || /^\[[!^]?[\w.:[\]-]+\]$/.test(text);
}

/** Ignores the text after a glob, because only the start is certain. */
function extended({ begins, exact }: Outcome, text: string): Outcome {
  return exact ? { begins: begins + text, exact } : { begins, exact };
}

function textOf(part: WordPart): string {
  if (part.type === 'DoubleQuoted') return part.parts.map(textOf).join('');
  return 'value' in part && typeof part.value === 'string' ? part.value : '';
}

/** Prints the hash of a revision that does not start with a dash. For an unknown revision it prints the name or nothing. */
const HASH =
  /^\$\(git (?:merge-base|rev-parse)(?: (?:--short(?:=\d+)?|--verify|-q|--quiet))*(?: [A-Za-z@][\w./@^~-]*)+(?: 2>\/dev\/null)?\)$/;
/** Prints an absolute path. */
const PATH = /^(?:\$\{?(?:HOME|PWD)\}?|\$\(pwd\)|`pwd`|\$\(git rev-parse --show-toplevel\))$/;
const NUMBER = /^(?:\$[?#$]|\$\{#\w+\})$/;

/**
 * Finds the start of a word with an unknown value. An argument that starts with a letter or a slash is not an option. This
 * applies to a word that stays one word, and to substitutions that print only hashes and numbers. Returns '' if the start is
 * not known.
 */
function beginOf(text: string, parts: readonly WordPart[]): string {
  if (text.startsWith('~')) return parts.every(isLiteral) ? '~' : '';
  // The shell replaces it by the path of a descriptor.
  if (parts.length === 1 && parts[0]?.type === 'ProcessSubstitution') return '/';
  // Without quotes the shell splits a value, and the start of each piece is unknown.
  if (!parts.every((part) => isQuoted(part) || isWhole(part))) return '';
  const begins = beginOfParts(parts);
  return movesTilde(text, parts) ? begins.replace(/(?<=[=:])~[^]*$/, '') : begins;
}

function isLiteral({ type }: WordPart): boolean {
  return type === 'Literal' || type === 'SingleQuoted';
}

function isQuoted(part: WordPart): boolean {
  return isLiteral(part) || part.type === 'AnsiCQuoted' || part.type === 'DoubleQuoted';
}

/** Returns true if the value contains no blank at which the shell would split it. */
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
