/**
 * Finds the commands and the names of programs in the text of settings: JSON with comments, YAML, TOML, and lines `KEY = VALUE`. Values
 * count by the names of their keys, whatever program reads the file.
 */
import { isRecord } from '@heddle/core';

/** The last words of keys whose values are commands, programs, or files that are loaded as code. */
const COMMAND_KEY =
  /(?:^|[._-])(?:commands?|commandline|command-line|cmd|run|entry|scripts?|exec|executable|actions?|runtime|interpreter|program|binary|shell|hooks?|notify|source|linker|runner|wrapper|init|before|start|setup|enter|leave|cd|when|helper|process|pager|editor|node[-_]options|server|path|file|rc|import|require)$/;
/** Hooks as keys: `"pre-commit": "./x.sh"`. */
const HOOK_KEY = /^(?:pre|post|commit|prepare|applypatch|reference)[-_][a-z_-]+$/;
/** Tables of TOML in which every value is a command. */
const COMMAND_TABLE = /^(?:tasks|hooks|scripts)$/;
/** A file with such an ending is code only if an interpreter runs it. */
const DATA =
  /\.(?:jsonc?|txt|md|ya?ml|toml|lock|csv|html?|css|s[ac]ss|svg|png|log|xml|ini|dic|cfg|crt|pem|key)$/i;

/** The last words of keys whose values are data. */
const DATA_KEY =
  /(?:^|[._-])(?:excludes?|excluded|ignores?|ignored|include|files|globs?|words|dictionary|dictionaries|patterns?|match|matchers?|sources|outputs|inputs|out-files|folders?|description|name|title|label|message|placeholder|id|types?|language|languages|cache|artifacts|associations|watch|watcher|schemas?|recommendations|trusted|history|display|rev|repo|problem-matcher|presentation|group|urls?|docs?|extensions|ports)$/;

const MOST_DEPTH = 12;
const MOST_COMMANDS = 2000;

/** In YAML and TOML, each folder counts for all commands. */
const MOST_FOLDERS = 8;

/**
 * Returns commands, as texts for the shell. Values of a list are one command, and one command each. A command enters the folder of a
 * value `cwd` beside it.
 */
export function commandsInSettings(text: string): readonly string[] {
  const found = new Set<string>();
  const parsed = parseWithComments(text);
  const add = (command: string, folder?: string): void => {
    const isDataFile = !/\s/.test(command.trim()) && DATA.test(command);
    if (isDataFile || command.trim() === '' || found.size >= MOST_COMMANDS) return;
    found.add(folder === undefined ? command : entering(folder, command));
  };
  if (parsed !== undefined) {
    addFrom(parsed, { isCommand: false, depth: 0, folder: undefined, add });
    return [...found];
  }
  addFromLines(text, add);
  const folders = Array.from(text.matchAll(FOLDER_LINE), ([, value = '']) => withoutQuotes(value));
  const entered = [...new Set(folders)]
    .slice(0, MOST_FOLDERS)
    .flatMap((folder) => [...found].map((command) => entering(folder, command)));
  return [...found, ...entered].slice(0, MOST_COMMANDS);
}

const FOLDER_LINE = /^[ \t]*(?:-[ \t]+)?["']?cwd["']?[ \t]*[:=][ \t]*(\S[^\n]*)$/gm;

function entering(folder: string, command: string): string {
  return `cd "${folder.replace(/["\n]/g, '')}" && ${command}`;
}

export function isDataKey(key: string): boolean {
  return DATA_KEY.test(key.replace(/([a-z])(?=[A-Z])/g, '$1-').toLowerCase());
}

function isCommandKey(key: string): boolean {
  if (key.includes('/')) return false;
  return HOOK_KEY.test(key) || COMMAND_KEY.test(key.replace(/([a-z])(?=[A-Z])/g, '$1-').toLowerCase());
}

interface Walk {
  /** The values are those of a key for commands. */
  readonly isCommand: boolean;
  readonly depth: number;
  /** The folder of the commands, if one is named. */
  readonly folder: string | undefined;
  readonly add: (command: string, folder: string | undefined) => void;
}

function addFrom(value: unknown, walk: Walk): void {
  const { isCommand, depth, add } = walk;
  if (depth > MOST_DEPTH) return;
  const folder = folderOf(value) ?? walk.folder;
  const inner = { ...walk, depth: depth + 1, folder };
  if (typeof value === 'string') {
    if (isCommand) add(value, folder);
  } else if (Array.isArray(value)) {
    const words = value.filter((word) => typeof word === 'string');
    if (isCommand && words.length > 1) add(joined(words), folder);
    for (const item of value) addFrom(item, inner);
  } else if (isRecord(value)) {
    const { args } = value;
    const words = Array.isArray(args) ? joined(args.filter((word) => typeof word === 'string')) : '';
    for (const [key, item] of Object.entries(value)) {
      const isNamed = isCommandKey(key);
      if (isNamed && typeof item === 'string' && words !== '') add(`${item} ${words}`, folder);
      addFrom(item, { ...inner, isCommand: isNamed || (isCommand && !OF_COMMAND.test(key)) });
    }
  }
}

/** Returns the folder in which a task or a server runs. */
function folderOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { cwd, options } = value;
  const named = cwd ?? (isRecord(options) ? options['cwd'] : undefined);
  return typeof named === 'string' ? named : undefined;
}

/** They are data unless they follow their command. */
const OF_COMMAND = /^(?:args|env|environment|files|glob|exclude|include|matcher|type|name)$/;

function joined(words: readonly string[]): string {
  return words.map((word) => (/\s/.test(word) ? `'${word}'` : word)).join(' ');
}

/** Undefined: the text is not JSON. */
export function parseWithComments(text: string): unknown {
  if (!/^\s*(?:[{[]|\/[/*])/.test(text)) return undefined;
  const keep = (_: string, string: string | undefined): string => string ?? ' ';
  // Each form also matches without its end, so that the search takes linear time.
  const plain = text
    .replace(/("(?:[^"\\\n]|\\.)*"?)|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g, keep)
    .replace(/("(?:[^"\\\n]|\\.)*"?)|,(?=\s*[}\]])/g, keep);
  try {
    return JSON.parse(plain);
  } catch {
    return undefined;
  }
}

export const PAIR = /^([ \t]*(?:-[ \t]+)?)["']?([\w.-]+)["']?[ \t]*(?::(?=[ \t]|$)|=)[ \t]*(.*)$/;
export const TABLE = /^[ \t]*\[+[ \t]*([^\]]+?)[ \t]*\]+[ \t]*(?:#.*)?$/;
/** A value that continues on the next lines: a text, a list, or nothing yet. */
const IS_OPEN = /^(?:[|>][-+\d]*|\[[^\]]*|)$/;

/** Reads YAML, TOML and lines with a sign, by the indentation of their lines. */
function addFromLines(text: string, add: (command: string) => void): void {
  let isTable = false;
  /** The indentation of a key for commands whose values are on the next lines. */
  let around: number | undefined;
  /** The indentation of a key for data whose values are on the next lines. */
  let data: number | undefined;
  /** The end of a text on several lines. */
  let end: string | undefined;
  let last = '';
  let items: string[] = [];
  for (const line of text.split('\n')) {
    if (end !== undefined) {
      add(line.replace(end, ''));
      if (line.includes(end)) end = undefined;
      continue;
    }
    const indent = line.search(/\S/);
    if (indent < 0 || line[indent] === '#' || line.length > MOST_LETTERS) continue;
    if (data !== undefined && indent > data) continue;
    data = undefined;
    const isWithin = around !== undefined && (indent > around || /^[ \t]*(?:-[ \t]|["'\]])/.test(line));
    const table = around === undefined ? TABLE.exec(line)?.[1] : undefined;
    if (table !== undefined) isTable = COMMAND_TABLE.test(table.replace(/["']/g, ''));
    if (table !== undefined) continue;
    const [, before = '', key, value = ''] = PAIR.exec(line) ?? [];
    if (key !== undefined && value === '' && isDataKey(key)) data = before.length;
    if (!isWithin) {
      around = undefined;
      items = [];
    }
    if (key !== undefined && (isTable || isCommandKey(key))) {
      addValue(value, add);
      last = withoutQuotes(value);
      const [quotes] = /^(?:"""|''')/.exec(value) ?? [];
      if (quotes !== undefined && !value.slice(quotes.length).includes(quotes)) end = quotes;
      if (IS_OPEN.test(value.replace(/[ \t]*#.*/, ''))) around = before.length;
    } else if (key === 'args') add(`${last} ${joined(listed(value))}`);
    else if (isWithin && key === undefined) {
      const item = withoutQuotes(line.replace(/^[ \t]*-[ \t]+/, ''));
      add(item);
      items.push(item);
      if (items.length > 1 && items.length <= MOST_WORDS) add(joined(items));
    }
  }
}

/** The words of a command, each on its own line. */
const MOST_WORDS = 32;
/** Longer lines are generated. */
const MOST_LETTERS = 4096;

function addValue(value: string, add: (command: string) => void): void {
  const list = /^[[{]/.test(value) ? listed(value) : [];
  for (const word of list) add(word);
  if (list.length > 1) add(joined(list));
  if (list.length === 0) add(withoutQuotes(value));
}

/** Returns the texts of a list, or the keys and values of a table, on one line. */
function listed(value: string): readonly string[] {
  return Array.from(
    value.matchAll(/"([^"]*)"|'([^']*)'|([^\s,"'[\]{}=:]+)/g),
    ([, one, other, bare]) => one ?? other ?? bare ?? '',
  );
}

function withoutQuotes(value: string): string {
  const text = value.trim().replace(/^(?:"""|''')|(?:"""|''')$/g, '');
  const [, one, other] = /^"([^"]*)"|^'([^']*)'/.exec(text) ?? [];
  return one ?? other ?? text.replace(/\s#\s.*$/, '');
}
