/** Replaces the words of a command by the words that the shell expands them to, as far as these are known. */
import { readCommand, type ShellWord } from '@heddle/tools/shell';
import { expandBraces } from './files/operands.ts';
import { literalWord, unknownWord } from './files/touch.ts';
import { type Field, fieldsOf, namesFoundBy, possibleValues, type WordScope } from './possible-values.ts';
import { SOME_NUMBER } from './shell-state.ts';

/** Returns the same list if there is nothing to replace, because results are cached by list. */
export function expandedWords(words: readonly ShellWord[], scope: WordScope): readonly ShellWord[] {
  if (words.every(isFixed)) return words;
  const end = words.findIndex(({ value }) => value === '--');
  const expanded = words.flatMap((word, index): readonly ShellWord[] => {
    if (word.kind === 'pattern' && (end < 0 || index < end)) return [...optionsFoundBy(word, scope), word];
    return expandBraces(word);
  });
  return expanded.length === words.length && expanded.every((word, index) => word === words[index])
    ? words
    : expanded;
}

/** A file with the name of an option becomes an option of the command: `grep x *` with a file `-r`. */
function optionsFoundBy(word: ShellWord, scope: WordScope): readonly ShellWord[] {
  if (word.becomes?.every(({ begins }) => /^[^-]/.test(begins))) return [];
  const names = possibleValues(word, scope)?.map(({ text, isGlob }) =>
    isGlob ? namesFoundBy(text, scope) : [text],
  );
  return (
    names?.flatMap((found) =>
      found === undefined
        ? [unknownWord(word.text)]
        : found.filter((name) => name.startsWith('-')).map(literalWord),
    ) ?? [unknownWord(word.text)]
  );
}

/** The number of commands that one command with variables may become. */
const MOST_COMMANDS = 32;

export interface CommandsByValue {
  readonly commands: readonly (readonly ShellWord[])[];
  /** There are too many combinations of values. Then each value is in one of the commands. */
  readonly isCut: boolean;
}

/**
 * Returns the words that the program may get: each variable with each of its values, each glob with its matches. Options and
 * names of commands may be among them: `o=-exec; find . $o x`, `git p?sh`. Values that can only be names of files are
 * represented by one of them. A word with an unknown value stays as it is.
 */
export function commandsByValue(words: readonly ShellWord[], scope: WordScope): CommandsByValue {
  if (words.every(isFixed)) return { commands: [], isCut: false };
  const choices = words.map((word) => choicesFor(word, scope));
  let commands: readonly (readonly ShellWord[])[] = [[]];
  for (const each of choices) {
    commands = commands.flatMap((before) => each.map((choice) => before.concat(choice)));
    if (commands.length > MOST_COMMANDS) {
      const first = choices.map(([choice = []]) => choice);
      commands = choices.flatMap((all, at) => all.map((choice) => first.with(at, choice).flat()));
      return { commands, isCut: true };
    }
  }
  return { commands, isCut: false };
}

function isFixed({ kind }: ShellWord): boolean {
  return kind === 'literal' || kind === 'tilde';
}

/** Returns the lists of words that a word may become. */
function choicesFor(word: ShellWord, scope: WordScope): readonly (readonly ShellWord[])[] {
  if (isFixed(word)) return [[word]];
  const braces = expandBraces(word);
  if (braces.length !== 1 || braces[0] !== word) return [braces];
  const lists = possibleValues(word, scope)?.flatMap(({ text, isGlob }) => {
    const found = isGlob ? namesFoundBy(text, scope) : [text];
    if (found === undefined) return [[word]];
    // The shell passes a glob without a match as it is.
    if (found.length === 0) return [[word.kind === 'dynamic' ? valueWord(text) : word]];
    return fewNames(found, scope).map((names) => names.map(valueWord));
  });
  if (lists === undefined) return splitChoices(word, scope) ?? [[word]];
  const isQuoted = /["']/.test(word.text);
  const given = lists.map((list) => list.filter(({ value }) => value !== '' || isQuoted));
  const { yes: plain = [], no: other = [] } = Object.groupBy(given, ([first, ...rest]) =>
    first !== undefined && rest.length === 0 && isPlainFile(first.value, scope) ? 'yes' : 'no',
  );
  return [...plain.slice(0, 1), ...other];
}

/** Returns the words in each value of variables without quotes: `x='rm -rf'; $x a`, `x='rm -rf ../'; $x/a`. */
function splitChoices(word: ShellWord, scope: WordScope): readonly (readonly ShellWord[])[] | undefined {
  const lists = fieldsOf(word, scope, MOST_COMMANDS);
  return lists?.map((fields) => fields.flatMap((field) => wordsOfField(field, scope)));
}

function wordsOfField({ text: part, isGlob }: Field, scope: WordScope): readonly ShellWord[] {
  if (!isGlob) return [valueWord(part)];
  // The shell takes it for a glob, but not for other syntax.
  const read = /^[\w./*?[\]-]+$/.test(part) ? readCommand(`: ${part}`) : undefined;
  const [pattern] = read?.ok === true ? (read.commands[0]?.args ?? []) : [];
  const found = pattern && namesFoundBy(part, scope);
  if (pattern === undefined || found === undefined) return [unknownWord(part)];
  return [pattern, ...found.map(valueWord)];
}

function valueWord(text: string): ShellWord {
  return literalWord(text.replaceAll(SOME_NUMBER, '1'));
}

/** A name with an ending, which is not an option, a setting, or the name of a command. */
const FILE_NAME = /^(?:\.\/)?\w[\w./-]*\.\w+$/;
/** Some options load such a file. */
const CODE = /\.(?:lua|so|dylib|dll|sh|py|rb|pl|wasm|jar|exe|node)$/i;

/** Returns whether no command treats the file in another way than other files. */
function isPlainFile(name: string, { folders, world }: WordScope): boolean {
  if (!FILE_NAME.test(name) || CODE.test(name)) return false;
  return folders?.every((folder) => world.isProgram?.(`${folder}/${name}`) !== true) === true;
}

/**
 * Returns the matches of a glob without names of files after the first one. The locale of the shell decides about their order, so
 * there may be two.
 */
function fewNames(names: readonly string[], scope: WordScope): readonly (readonly string[])[] {
  const orders = [names.toSorted(), names.toSorted((one, other) => one.localeCompare(other))];
  const [byCode, byLocale] = orders.map((sorted) =>
    sorted.filter((name, index) => index === 0 || !isPlainFile(name, scope)),
  );
  return [byCode ?? [], ...(byLocale && byLocale[0] !== byCode?.[0] ? [byLocale] : [])];
}
