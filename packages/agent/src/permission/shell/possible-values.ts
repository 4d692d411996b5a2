/**
 * Computes the values that the shell may give a word, if all are known. It supports plain text, quotes, escapes,
 * braces, globs, numbers, the home folder, the working directory and variables with known values.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { globOf } from '../paths/glob.ts';
import { type FilePlace, placesOf } from '../paths/places.ts';
import { hasOtherHome, type PermissionWorld } from '../world.ts';
import {
  type Folders,
  type PossibleValue,
  SOME_NUMBER,
  SPLIT_ANYWHERE,
  type Variables,
} from './shell-state.ts';

export interface WordScope {
  readonly variables: Variables;
  readonly folders: Folders;
  readonly world: PermissionWorld;
}

/** The number of values per word that are checked. */
const MOST_VALUES = 1_000;
/** The number of pieces per word that are checked. */
const MOST_PIECES = 500;
/** The number of values that are made in one step. */
const VALUES_PER_STEP = 8;
/** A word that is not plain text is looked at several times. */
const STEPS_OF_UNKNOWN_WORD = 6;

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'glob'; readonly text: string }
  | { readonly kind: 'choices'; readonly texts: readonly string[]; readonly isQuoted: boolean };

/** Undefined if the word is not completely known. `anyStar`: a quoted wildcard may count as one without quotes. */
export function possibleValues(
  word: ShellWord,
  scope: WordScope,
  anyStar?: 'any star',
): readonly PossibleValue[] | undefined {
  if (word.kind === 'literal') return [{ text: word.value, isGlob: false }];
  scope.world.spend?.(STEPS_OF_UNKNOWN_WORD);
  const pieces = piecesOf(word.text, scope);
  if (pieces === undefined) return undefined;
  scope.world.spend?.(pieces.length);
  const isGlob = pieces.some(({ kind }) => kind === 'glob');
  let texts: readonly string[] = [''];
  for (const piece of pieces) {
    const choices = piece.kind === 'choices' ? piece.texts : [piece.text];
    // Without quotes, the shell splits a value into words and expands it as a glob.
    const isPlain = piece.kind !== 'choices' || piece.isQuoted || choices.every((text) => PLAIN.test(text));
    if (!isPlain) return undefined;
    // A quoted star next to an unquoted one: one text cannot represent both.
    const isMixed = isGlob && piece.kind !== 'glob' && choices.some((text) => GLOB_LETTERS.test(text));
    if (isMixed && anyStar === undefined) return undefined;
    texts = texts.flatMap((text) => choices.map((choice) => text + choice));
    scope.world.spend?.(Math.floor(texts.length / VALUES_PER_STEP));
    if (texts.length > MOST_VALUES) return undefined;
  }
  return texts.map((text) => ({ text, isGlob }));
}

// oxlint-disable-next-line no-control-regex -- the character for a number
const PLAIN = /^[\p{L}\p{N}\0_./:=@%+,-]*$/u;
const GLOB_LETTERS = /[*?[\]\\\0]/;
const LETTERS = /[\p{L}\p{N}_./:=@%+,^#!}-]+/uy;
const PLAIN_IN_QUOTES = /[^"\\$`]+/y;
const ESCAPED_IN_QUOTES = /["\\$`]/;
const GLOB = /[*?]+|\[[^\]/'"$`\\]+\]/y;
/** `{a,b}`, `{1..5}`, and the placeholder for a file of `find` and `xargs`. */
const BRACES = /\{[\w./@%+:=-]*(?:,[\w./@%+:=-]*)+\}/y;
const NUMBERS = /\{\d+\.\.\d+\}/y;
const EMPTY_BRACES = /\{\}/y;
const NUMBER =
  /\$[?#$]|\$\{#\w+\}|\$\(\([^()$`"'{}[\]]*\)\)|\$\((?:nproc|id -[ug]|date \+(?:%[YmdHMSsjN])+)\)/y;
/** Empty before the first command in the background. */
const LAST_PROCESS = /\$!/y;
const WORKING_FOLDER = /\$PWD(?!\w)|\$\{PWD\}|\$\(pwd\)|`pwd`/y;
const VARIABLE = /\$(?:([A-Za-z_]\w*)(?![\w[])|\{([A-Za-z_]\w*)\})/y;

function piecesOf(text: string, scope: WordScope): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  const add = (piece: string): void => void pieces.push({ kind: 'text', text: piece });
  let isQuoted = false;
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text) ?? undefined;
    if (found) at += found[0].length;
    return found;
  };
  if (text.startsWith('~')) {
    // `~user`, `~+`, `~-` and `~1` are other folders.
    if (!/^~(\/|$)/.test(text)) return undefined;
    add(scope.world.home);
    at = 1;
  }
  while (at < text.length) {
    if (pieces.length > MOST_PIECES) return undefined;
    const letter = text[at] ?? '';
    if (letter === '"') {
      isQuoted = !isQuoted;
      at++;
    } else if (letter === '\\') {
      const next = text[at + 1] ?? '';
      if (next === '' || next === '\n') return undefined;
      add(isQuoted && !ESCAPED_IN_QUOTES.test(next) ? letter + next : next);
      at += 2;
    } else if (letter === '$' || letter === '`') {
      const piece = expansion(take, isQuoted, scope);
      if (piece === undefined) return undefined;
      pieces.push(piece);
    } else if (isQuoted) {
      add(take(PLAIN_IN_QUOTES)?.[0] ?? '');
    } else if (letter === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return undefined;
      add(text.slice(at + 1, end));
      at = end + 1;
    } else if (letter === '~') {
      // `x=~/y`: the shell also expands this tilde, in a word that looks like an assignment.
      if (/[=:]/.test(text[at - 1] ?? '')) return undefined;
      add(letter);
      at++;
    } else {
      const piece = plainPiece(take);
      if (piece === undefined) return undefined;
      pieces.push(piece);
    }
  }
  return isQuoted ? undefined : pieces;
}

/** A word that the shell makes of another one. A value without quotes becomes several of them. */
export interface Field {
  readonly text: string;
  /** The shell replaces it by its matches. */
  readonly isGlob: boolean;
}

const BLANKS = /[ \t\n]+/;
const WILDCARDS = /[*?[]/;

/**
 * Returns the lists of words that the shell may make of one: it splits values without quotes at blanks, wherever they are in the
 * word. Undefined if the word is not completely known, or if there are more than `most` lists.
 */
export function fieldsOf(
  word: ShellWord,
  scope: WordScope,
  most: number,
): readonly (readonly Field[])[] | undefined {
  const pieces = piecesOf(word.text, scope);
  if (pieces === undefined) return undefined;
  let lists: readonly OpenFields[] = [{ done: [] }];
  for (const piece of pieces) {
    const choices = piece.kind === 'choices' ? piece.texts : [piece.text];
    const isSplit = piece.kind === 'choices' && !piece.isQuoted;
    lists = lists.flatMap((list) =>
      choices.map((text) => (isSplit ? withValue(list, text) : withText(list, text, piece.kind === 'glob'))),
    );
    scope.world.spend?.(Math.floor(lists.length / VALUES_PER_STEP));
    if (lists.length > most) return undefined;
  }
  const isQuoted = /["']/.test(word.text);
  return lists.map(({ done, last }) => {
    const fields = last ? done.concat(last) : done;
    return fields.length === 0 && isQuoted ? [{ text: '', isGlob: false }] : fields;
  });
}

/** `last`: the next text continues this one. */
interface OpenFields {
  readonly done: readonly Field[];
  readonly last?: Field;
}

function withText({ done, last }: OpenFields, text: string, isGlob: boolean): OpenFields {
  return { done, last: { text: (last?.text ?? '') + text, isGlob: isGlob || last?.isGlob === true } };
}

/** Returns the fields after a value without quotes. */
function withValue(list: OpenFields, value: string): OpenFields {
  const texts = value.split(BLANKS);
  return texts.reduce<OpenFields>((before, text, at) => {
    const { done, last } = before;
    const open = at > 0 && last ? { done: [...done, last] } : before;
    return text === '' ? open : withText(open, text, WILDCARDS.test(text));
  }, list);
}

/** Returns the texts that the shell may make of a word, with the current matches of globs. Undefined if one of them is unknown. */
export function expandedTexts(word: ShellWord, scope: WordScope): readonly string[] | undefined {
  const texts: string[] = [];
  const values = possibleValues(word, scope);
  for (const { text, isGlob } of values ?? []) {
    const found = isGlob ? namesFoundBy(text, scope) : [text];
    if (found === undefined) return undefined;
    texts.push(...found);
  }
  return values && texts;
}

/**
 * Returns the current matches of a glob, as the command would see them. Undefined if there are too many, or if they are
 * unknown.
 */
export function namesFoundBy(glob: string, scope: WordScope): readonly string[] | undefined {
  const names: string[] = [];
  const starts = globsAt(glob, scope);
  for (const { folder, place, started } of starts ?? []) {
    const here = started.found(started.optioned);
    if (here === undefined) return undefined;
    const rest = glob.slice(folder.length);
    names.push(
      ...here.map(
        ({ path }) => folder + spelledAs(rest, path.slice(place.path === '/' ? 1 : place.path.length + 1)),
      ),
    );
  }
  return starts && names;
}

/** A slash at the end, or a dot behind it, makes programs follow a link. The shell keeps dots, and repeats no slash. */
function spelledAs(glob: string, found: string): string {
  const names = found.split('/');
  const spelled = glob
    .replace(/\/+/g, '/')
    .split('/')
    .map((name) => (name === '' || name === '.' ? name : (names.shift() ?? '')));
  return [...spelled, ...names].join('/');
}

/** Returns at least the links and named pipes among the current matches of a glob. Undefined if they are unknown. */
export function unusualFoundBy(glob: string, scope: WordScope): readonly FilePlace[] | undefined {
  const places: FilePlace[] = [];
  const starts = globsAt(glob, scope);
  for (const { started } of starts ?? []) {
    const here = started.unusual(started.optioned);
    if (here === undefined) return undefined;
    places.push(...here);
  }
  return starts && places;
}

/** Returns the glob in each of its possible folders. Undefined if these are unknown. */
function globsAt(glob: string, { folders, world }: WordScope) {
  if (folders === undefined && !glob.startsWith('/')) return undefined;
  const at = glob.search(/[*?[]/);
  const folder = glob.slice(0, glob.lastIndexOf('/', at) + 1);
  const rest = glob.slice(folder.length);
  // After a wildcard, the path may climb to any folder.
  if (rest.includes('..')) return undefined;
  return placesOf(folder === '' ? '.' : folder, folders ?? ['/'], world).map((place) => ({
    folder,
    place,
    started: globOf(rest, [place], world),
  }));
}

type Take = (pattern: RegExp) => RegExpExecArray | undefined;

function plainPiece(take: Take): Piece | undefined {
  const plain = take(LETTERS) ?? take(EMPTY_BRACES);
  if (plain) return { kind: 'text', text: plain[0] };
  const glob = take(GLOB);
  if (glob) return { kind: 'glob', text: glob[0] };
  const braces = take(BRACES);
  if (braces) return { kind: 'choices', texts: braces[0].slice(1, -1).split(','), isQuoted: false };
  return take(NUMBERS) ? { kind: 'text', text: SOME_NUMBER } : undefined;
}

function expansion(take: Take, isQuoted: boolean, scope: WordScope): Piece | undefined {
  if (take(NUMBER)) return { kind: 'text', text: SOME_NUMBER };
  if (take(LAST_PROCESS)) return { kind: 'choices', texts: [SOME_NUMBER, ''], isQuoted };
  if (!isQuoted && scope.variables === SPLIT_ANYWHERE) return undefined;
  if (take(WORKING_FOLDER)) return scope.folders && { kind: 'choices', texts: scope.folders, isQuoted };
  const variable = take(VARIABLE);
  const name = variable?.[1] ?? variable?.[2];
  if (name === undefined) return undefined;
  if (name === 'HOME' && hasOtherHome(scope.world)) return undefined;
  if (name === 'HOME') return { kind: 'choices', texts: [scope.world.home], isQuoted };
  const texts: string[] = [];
  for (const { text, isGlob } of scope.variables(name) ?? []) {
    const names = isGlob ? namesFoundBy(text, scope) : [];
    if (names === undefined) return undefined;
    // A glob without a match stays as it is, and later matches nothing either.
    texts.push(isGlob && !isQuoted ? '' : text, ...names);
  }
  return texts.length === 0 ? undefined : { kind: 'choices', texts, isQuoted };
}
