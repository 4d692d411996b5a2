/** Finds the files that the commands of a text start, load as code, or take settings from, without a look at the disk. */
import { inEnteredFolders } from './entered-folders.ts';
import {
  ASSIGNMENT,
  expand,
  modulesIn,
  shellWords,
  simpleCommands,
  SUBSTITUTION,
  type Variables,
} from './files-in-command.ts';
import { startedWords } from './started-words.ts';

const LOOP = /\bfor[ \t]+(\w+)[ \t]+in[ \t]+([^;\n]*)/g;
const MOST_LOOPS = 8;
const MOST_IN_LOOP = 32;
/** Values can contain the values of others. */
const MOST_OF_VALUE = 256;
/** Substitutions in substitutions: `$(cd "$(dirname "$0")" && pwd)/x`. */
const MOST_DEPTH = 4;
/** Longer lines, and more of them, are generated. */
const MOST_LETTERS = 4096;
const MOST_LINES = 2000;

type SubstitutionMatch = [string, string | undefined, string | undefined, number, string];

const RUNS_TEXT = /(?:^|[\s;&|(])(?:eval|exec|source|\.|-\w*[ce]|--eval)[\s=]/;

/** A text for the shell, as far as it can be read without running it. */
export interface PreparedText {
  /** Without comments. Substitutions are taken for the current folder, and their own text is a line. Values of loops are in their place. */
  readonly lines: readonly string[];
  /** Variables, also those that the text sets. */
  readonly known: Variables;
  /** The values that the text sets. */
  readonly assigned: Variables;
}

export function prepareText(text: string, variables: Variables): PreparedText {
  let plain = text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.length <= MOST_LETTERS && !/^\s*(?:#|$)/.test(line))
    .slice(0, MOST_LINES)
    .map((line) => line.replace(/\s#\s.*/, ''))
    .join('\n');
  const inner: string[] = [];
  for (let depth = 0; depth < MOST_DEPTH; depth++)
    plain = plain.replace(SUBSTITUTION, (...[, one, other, at, whole]: SubstitutionMatch) => {
      const before = whole.slice(whole.lastIndexOf('\n', at) + 1, at);
      // `eval "$(cat x)"` runs what the command prints.
      inner.push(`${one ?? other ?? ''}${RUNS_TEXT.test(before) ? ' | sh' : ''}`);
      return '.';
    });
  const assigned: Record<string, string | undefined> = {};
  const known: Record<string, string | undefined> = { ...variables };
  for (const [, name = '', value = ''] of plain.matchAll(ASSIGNMENT)) {
    assigned[name] = expand(value.replace(/["']/g, ''), known).slice(0, MOST_OF_VALUE);
    // The shell adds to these, and later commands do not name them.
    if (name !== 'PATH') known[name] = assigned[name];
  }
  const loops = [...plain.matchAll(LOOP)].slice(0, MOST_LOOPS).map(([, name = '', list = '']) => ({
    uses: new RegExp(String.raw`\$(?:${name}\b|\{${name}\})`, 'g'),
    values: shellWords(list).slice(0, MOST_IN_LOOP),
  }));
  const lines = [plain, ...inner]
    .slice(0, MOST_LINES)
    .flatMap((part) => part.split('\n'))
    .flatMap((line) => loops.reduce(withValues, [line]))
    .slice(0, MOST_LINES);
  return { lines, known, assigned };
}

/**
 * Returns the names of such files, which need not exist. A name with a wildcard leads to its folder, which ends with a slash. An operand
 * that is data does not count: `src` in `eslint src`.
 */
export function startedNames({ lines, known }: PreparedText): readonly string[] {
  const commands = lines
    .flatMap((line) => simpleCommands(line, known))
    .map((words) => words.map(upToWildcard));
  const names = [...new Set(commands.flatMap((words) => startedWords(words).concat(modulesIn(words))))];
  return [...new Set(names.concat(inEnteredFolders(names, commands)))];
}

interface Loop {
  readonly uses: RegExp;
  readonly values: readonly string[];
}

/** Returns each line with all values of the variable of a loop. */
function withValues(lines: readonly string[], { uses, values }: Loop): readonly string[] {
  return lines
    .flatMap((line) =>
      line.search(uses) < 0 ? [line] : values.map((value) => line.replace(uses, () => value)),
    )
    .slice(0, MOST_IN_LOOP);
}

/** Programs may load any file of the folder. */
function upToWildcard(word: string): string {
  const at = word.search(/[*?[{]/);
  return at < 0 || !word.includes('/') ? word : word.slice(0, at).replace(/[^/]*$/, '');
}
