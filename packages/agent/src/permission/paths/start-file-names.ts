/**
 * Finds the names of files in the text of a start-up file, of any shell or editor. No program's language is parsed: a name counts
 * in whatever command it is, and more names than the program would load do no harm.
 */
import path from 'node:path';
import { OWN_FILE, tailsIn, withOwnPlace } from './own-place.ts';
import { isAtOrBelow } from './places.ts';
import { type PluginFolders, pluginFoldersIn, withJoinedHome } from './plugin-folders.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Absolute names. */
export interface NamesInFile extends PluginFolders {
  /** Files and folders that a command loads or starts. */
  readonly loaded: readonly string[];
  /** All names in a line that loads or runs something. They may be missing files. */
  readonly inLoadingLines: readonly string[];
  /** All other names. */
  readonly other: readonly string[];
  /** Folders of which a function of the file loads some files: `load() { . ~/x/$1.sh; }`. */
  readonly partly: readonly string[];
  /** Relative names in the file's own folder, if the text refers to it. */
  readonly inOwnFolder: readonly string[];
  /** The file loads files of its own folder whose names cannot be told. */
  readonly loadsOwnFolder: boolean;
}

export const NO_NAMES: NamesInFile = {
  loaded: [],
  inLoadingLines: [],
  other: [],
  partly: [],
  inOwnFolder: [],
  loadsOwnFolder: false,
  plugins: [],
  around: [],
};

/** Longer lines are generated. */
const MOST_LETTERS = 4096;
const MOST_NAME = 1024;
/** The names that lists, loops and braces form from one word. */
const MOST_FORMED = 256;
/** The values of a variable that is not the one of a loop. */
const MOST_VALUES = 8;
/** All formed names of a file, and those that count. */
const MOST_IN_FILE = 20_000;
const MOST_NAMES = 2000;
/** Pairs of braces in one word. */
const MOST_DEPTH = 12;

const WORD = String.raw`((?:"[^"\n]*"|'[^'\n]*'|[^\s;&|()"'\x60])+)`;
const BEFORE_COMMAND = String.raw`(?:^|[\s;&|({!:=\x60])`;

/** The commands of shells, editors, terminals and debuggers that load a file. */
const LOADS = new RegExp(
  String.raw`${BEFORE_COMMAND}(?:\\?\.|source(?:-file)?|so|load(?:-file|file)?|include|\$include|run(?:-shell)?|import|\\ir?|\.read|luafile|dofile|glob|bash|zsh|sh)[\s(]+(?:-\S+\s+)*${WORD}`,
  'gim',
);
/** A started program: `eval "$(~/conda/bin/conda shell.bash hook)"`. */
const SUBSTITUTED = new RegExp(String.raw`(?:[$<]\(|\x60)[ \t]*${WORD}`, 'g');
const AT_START_OF_LINE = new RegExp(String.raw`^[ \t]*(?:exec[ \t]+)?${WORD}`, 'gm');
/** Folders from which shells and editors load files. */
const LOADED_FOLDERS = new RegExp(
  String.raw`\b(?:fpath|FPATH|ZSH|ZSH_CUSTOM|ZDOTDIR|OSH|OSH_CUSTOM|BASH_IT|BASH_IT_CUSTOM|BASH_COMPLETION_USER_DIR|(?:fish_)?(?:function|complete)_path|runtimepath|rtp|packpath|load-path|Plug|Bundle)(?:\s*[+^-]?=\s*|\s+)[('"]*${WORD}`,
  'g',
);
const LISTED_FOLDERS = /\bfpath\s*\+?=\s*\(([^)]*)\)/g;
const ENTERED = new RegExp(String.raw`${BEFORE_COMMAND}(?:cd|pushd)[ \t]+(?:-\S+[ \t]+)*${WORD}`, 'gm');
/** A line that runs or loads what it names, at once or later. */
const LOADING_LINE =
  /(?:^|[\s;&|({!:=\x60"'])(?:\\?\.|source(?:-file)?|eval|trap|complete|add-zsh-hook|PROMPT_COMMAND|BASH_ENV|ENV|load\S*|include|dofile|luafile|custom-file|if-shell|run-shell|default-command|status-(?:left|right)|ProxyCommand|LocalCommand|KnownHostsCommand|Match|PYTHONSTARTUP|Exec\w*|EnvironmentFile)(?:[\s(=:]|$)|[$<]\(|#\(|\x60/i;

const LOOP = /\bfor(?:each)?[ \t]+(\w+)[ \t]*(?:\bin[ \t]+([^;\n]*)|\(([^)\n]*)\))/g;
const ARRAY = /(?:^|[\s;&])(\w+)\+?=\(([^)]*)\)/g;
const ASSIGNMENT =
  /(?:^|[\s;&])(?:(?:export|local|typeset|declare|readonly|set|let)\s+(?:-\S+\s+)*)*(?!(?:export|local|typeset|declare|readonly|set|let|then|do|else)\b)(\w+)[= ]("[^"\n]*"|'[^'\n]*'|[^\s;&|()]+)/gm;

/** The words that a variable may have at a position of the text. */
type ValuesOf = (name: string, at: number) => readonly string[] | undefined;

/** The names of the file are as named and as resolved. */
export function namesInStartFile(
  content: string,
  ownFiles: readonly string[],
  environment: Environment,
): NamesInFile {
  const home = environment['HOME'] ?? '/';
  const lines = content
    .split('\n')
    .filter((line) => line.length <= MOST_LETTERS && !/^\s*#(?!\{)/.test(line))
    .join('\n')
    .replace(/\\\n/g, ' ')
    // The home folder in units of systemd, whose names may follow marks: `ExecStart=-%h/x`.
    .replace(/(^Exec\w*=)[-@+!:]+/gm, '$1')
    .replace(/%h(?=\/)/g, '~');
  const baseNames = ownFiles.map((file) => path.basename(file));
  const { text, isMentioned, isUnclear } = withOwnPlace(withJoinedHome(lines), baseNames);
  const ownFolders = isMentioned ? ownFiles.map((file) => path.dirname(file)) : [];
  const newSet = (): Set<string> => new Set();
  const names = {
    partly: newSet(),
    loaded: newSet(),
    inLoadingLines: newSet(),
    other: newSet(),
    plugins: newSet(),
    around: newSet(),
  };
  const work = { left: MOST_IN_FILE };
  let loadsOwnFolder = isUnclear;
  // Commands are also words in quotes: `PROMPT_COMMAND='source ~/x'`.
  for (const variant of [text, text.replace(/["']/g, '')]) {
    const valuesOf = variablesIn(variant, environment, ownFiles);
    const formed = (word: string, at: number): readonly string[] => formedNames(word, at, valuesOf, work);
    const entered = [...variant.matchAll(ENTERED)]
      .flatMap(({ 1: word = '', index }) => formed(word, index))
      .filter((folder) => path.isAbsolute(folder));
    const place = (name: string): readonly string[] =>
      path.isAbsolute(name) ? [name] : entered.map((folder) => path.join(folder, name));
    const addLoaded = (name: string, isByCommand: boolean): void => {
      const known = upToUnknown(name);
      const isInOwn = ownFolders.some((folder) => isAtOrBelow(path.resolve(known), folder));
      if (known !== name && ownFolders.includes(path.resolve(known))) loadsOwnFolder = true;
      else if (isByCommand ? isInOwn || !/\$\d/.test(name) : !name.includes('$'))
        addName(names.loaded, known, home);
      else if (isByCommand) addName(names.partly, known, home);
    };
    for (const form of [LOADS, SUBSTITUTED, AT_START_OF_LINE, LOADED_FOLDERS, LISTED_FOLDERS])
      for (const { 1: found = '', index } of variant.matchAll(form))
        for (const word of form === LISTED_FOLDERS ? found.split(/\s+/) : [found])
          for (const name of formed(word, index).flatMap((one) =>
            form === LOADS || one.includes('/') ? place(one) : [],
          ))
            addLoaded(name, form === LOADS);
    const { plugins, around } = pluginFoldersIn(variant, ownFiles[0] ?? '', formed);
    for (const name of plugins) addName(names.plugins, upToUnknown(name), home);
    for (const name of around) addName(names.around, upToUnknown(name), home);
    let at = 0;
    for (const line of variant.split('\n')) {
      const list = LOADING_LINE.test(line) ? names.inLoadingLines : names.other;
      for (const { 0: word, index } of line.matchAll(/(?:\$\{[^{}]*\}|[^\s;&|()<>"'\x60=:#])+/g))
        for (const name of formed(word, at + index).flatMap((one) =>
          /^(?:\.*\/|~)/.test(one) ? place(one) : [],
        ))
          if (!/[*?[$]/.test(name)) addName(list, name, home);
      at += line.length + 1;
    }
  }
  return {
    loaded: [...names.loaded],
    inLoadingLines: [...names.inLoadingLines],
    other: [...names.other],
    partly: [...names.partly],
    plugins: [...names.plugins],
    around: [...names.around],
    inOwnFolder: isMentioned ? tailsIn(text, loadsOwnFolder) : [],
    loadsOwnFolder: isMentioned && loadsOwnFolder,
  };
}

/** The home folder as a whole is not a place of programs. */
function addName(names: Set<string>, name: string, home: string): void {
  if (!path.isAbsolute(name) || /[\0\n]/.test(name) || name.length >= MOST_NAME) return;
  const place = path.resolve(name);
  if (!isAtOrBelow(home, place) && names.size < MOST_NAMES) names.add(place);
}

/** Returns the folder of the first part of a name that is a wildcard or cannot be known. */
function upToUnknown(name: string): string {
  const unknown = name.search(/[*?[$]/);
  return unknown < 0 ? name : path.dirname(`${name.slice(0, unknown)}x`);
}

/** A variable of a loop has the words of the nearest loop before a position. Any other variable has all its first absolute values. */
function variablesIn(text: string, environment: Environment, ownFiles: readonly string[]): ValuesOf {
  const loops = [...text.matchAll(LOOP)].map(({ 1: name = '', 2: list, 3: inZsh, index }) => ({
    name,
    index,
    words: wordsOf(list ?? inZsh ?? ''),
  }));
  const arrays = new Map<string, readonly string[]>();
  for (const [, name = '', list = ''] of text.matchAll(ARRAY))
    arrays.set(name, [...(arrays.get(name) ?? []), ...wordsOf(list)]);
  const assigned = new Map<string, readonly string[]>();
  const work = { left: MOST_IN_FILE };
  const valuesOf: ValuesOf = (name, at) => {
    const loop = loops.findLast((one) => one.name === name && one.index < at);
    if (loop) return loop.words;
    if (name === OWN_FILE) return ownFiles;
    const ofEnvironment = environment[name];
    return assigned.get(name) ?? (ofEnvironment === undefined ? arrays.get(name) : [ofEnvironment]);
  };
  for (const { 1: name = '', 2: value = '', index } of text.matchAll(ASSIGNMENT)) {
    const earlier = assigned.get(name) ?? [];
    if (earlier.length >= MOST_VALUES) continue;
    const values = formedNames(value, index, valuesOf, work).filter((formed) => path.isAbsolute(formed));
    if (values.length > 0) assigned.set(name, [...new Set([...earlier, ...values])].slice(0, MOST_VALUES));
  }
  return valuesOf;
}

function wordsOf(list: string): readonly string[] {
  return Array.from(list.matchAll(new RegExp(WORD, 'g')), ([word]) => word);
}

/** Returns what a word may mean: without quotes, with the values of its variables, and each word of its braces. */
function formedNames(word: string, at: number, valuesOf: ValuesOf, work: Work): readonly string[] {
  if (!/[$~{"']/.test(word)) return [word];
  const most = Math.min(MOST_FORMED, work.left);
  const own = { left: most };
  const formed = withVariables(word, at, valuesOf, own).flatMap(withBraces).slice(0, MOST_FORMED);
  work.left -= most - own.left + formed.length - 1;
  return formed;
}

/** Values and words that may still be formed. */
interface Work {
  left: number;
}

/** A default counts, and an end that is cut off stays. */
const VARIABLE = /\$(?:(\w+)|\{(\w+)(?:\[[@*]\])?(?::?[-=]([^{}]*)|(?:%%?|:?\?)[^{}]*)?\})/;

/** The values of variables may contain variables. Each replacement counts, because lists in lists have no end. */
function withVariables(word: string, at: number, valuesOf: ValuesOf, work: Work): readonly string[] {
  const plain = (text: string): string =>
    text.replace(/["']/g, '').replace(/^~(?=\/|$)/, () => valuesOf('HOME', at)?.[0] ?? '~');
  const open = [plain(word)];
  const formed: string[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const found = VARIABLE.exec(next);
    const [whole = '', bare, braced, usual] = found ?? [];
    const values = found === null ? undefined : (valuesOf(bare ?? braced ?? '', at) ?? usualValue(usual));
    if (found === null || values === undefined || work.left <= 0) formed.push(next);
    else {
      const [before, after] = [next.slice(0, found.index), next.slice(found.index + whole.length)];
      for (const value of values.slice(0, MOST_FORMED)) {
        work.left--;
        open.push(before + plain(value) + after);
      }
    }
    if (formed.length >= MOST_FORMED) break;
  }
  return formed;
}

function usualValue(usual: string | undefined): readonly string[] | undefined {
  return usual === undefined ? undefined : [usual];
}

function withBraces(word: string): readonly string[] {
  let words: readonly string[] = [word];
  for (let depth = 0; depth < MOST_DEPTH && words.some((one) => BRACES.test(one)); depth++)
    words = words.flatMap(withFirstBraces).slice(0, MOST_FORMED);
  return words;
}

const BRACES = /(?<!\$)\{([^{}]*,[^{}]*)\}/;

function withFirstBraces(word: string): readonly string[] {
  const found = BRACES.exec(word);
  if (!found) return [word];
  const [whole, list = ''] = found;
  const [before, after] = [word.slice(0, found.index), word.slice(found.index + whole.length)];
  return list.split(',').map((one) => before + one + after);
}
