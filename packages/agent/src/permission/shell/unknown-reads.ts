/**
 * Finds commands that may read more files than those that were found among their words. If a rule restricts reading,
 * such a command is not allowed by proof or by the read-only view. The check is a list of known forms: of programs, of
 * their options, and of the words that name files. Everything else is unknown.
 */
import { type ShellAssignment, type ShellWord, type SimpleCommand, xargsCommand } from '@heddle/tools/shell';
import type { CommandPart } from '../part.ts';
import { filesOf, isOneOperand, mayYqLoad } from './files/files-of.ts';
import { hasKnownGitReads } from './files/git-reads.ts';
import { argumentsOf } from './files/operands.ts';
import { KNOWN_READERS, type KnownReader } from './files/reader-options.ts';
import { expandedWords } from './expanded-words.ts';
import type { WordScope } from './possible-values.ts';
import { commandWords, unwrap } from './runners.ts';

/** Returns whether the command may read files that are not parts of the call. */
export function mayReadUnknownFiles(
  command: SimpleCommand,
  { readOnly }: Pick<CommandPart, 'readOnly'>,
  around: WordScope,
): boolean {
  // The files of redirections are parts of their own, and so are commands in the values of assignments.
  if (command.name === undefined) return false;
  if (!command.assignments.every(isPlainSetting)) return true;
  const last = unwrap(expandedWords(commandWords(command), around)).at(-1);
  if (last === undefined) return true;
  // The names from the pipe are a part with unknown files, unless the program opens none.
  return !hasKnownReads(last.words, readOnly !== 'no', around);
}

const PLAIN_SETTINGS = /^(LC_\w+|LANG|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|TERM|COLUMNS|LINES)$/;
const PAGERS = /^(PAGER|GIT_PAGER)$/;

function isPlainSetting({ name, value, append }: ShellAssignment): boolean {
  // Only the shell itself uses it, to split the line that it reads.
  if (name === 'IFS') return true;
  if (value?.kind !== 'literal' || append) return false;
  return PAGERS.test(name) ? value.value === 'cat' : PLAIN_SETTINGS.test(name) && !/[/]/.test(value.value);
}

/** The proof of these programs is itself a list of forms, and none of these forms names a file in an option. */
const KNOWN_IF_PROVEN =
  /^(find|fd|fdfind|sed|awk|gawk|mawk|nawk|date|docker|podman|ip|ss|netstat|lsof|tar|unzip|zipinfo)$/;

function hasKnownReads(words: readonly ShellWord[], isProven: boolean, around: WordScope): boolean {
  const [name, ...args] = words;
  if (name?.kind !== 'literal') return false;
  const program = name.value.replace(/^\/(usr\/)?bin\//, '');
  if (program === 'git') return isProven && hasKnownGitReads(args, around);
  if (isProven && args.length === 1 && /^--(version|help)$/.test(args[0]?.value ?? '')) return true;
  if (program === 'xargs') return isProven && feedsNoReader(args);
  const known = KNOWN_READERS.get(program);
  if (known?.files === 'none') return true;
  if (known === undefined) return isProven && hasKnownForm(program, args);
  if (program === 'rg' && around.world.environment['RIPGREP_CONFIG_PATH']) return false;
  // It adds the ending to the name of a file that does not exist.
  if (program === 'zcat' && !args.every(({ value }) => /^-|\.(gz|tgz|Z)$/.test(value))) return false;
  return hasKnownOperands(words, known);
}

function hasKnownForm(program: string, args: readonly ShellWord[]): boolean {
  if (args.some(({ kind }) => kind === 'dynamic')) return false;
  if (program === 'yq' && args.some(({ value }) => mayYqLoad(value))) return false;
  if (/^[jy]q$/.test(program)) return !args.some(({ value }) => LOADS.test(value));
  return KNOWN_IF_PROVEN.test(program);
}

/**
 * A program that loads a module or a file, or that evaluates a text. The word alone is enough for a doubt. `.include` is a
 * field.
 */
const LOADS = /import|include|modulemeta|\b(load\w*|eval)\s*\(|^-(?!-).*[fL]/s;

/** Every option is listed, and every operand is among the files that were found. */
function hasKnownOperands([name, ...args]: readonly ShellWord[], known: KnownReader): boolean {
  const given = argumentsOf(args, known);
  if (name === undefined || given.isUncertain) return false;
  const values = new Set(given.valuesOf(...known.valued));
  if (
    !args.every(
      (word) => word.kind !== 'dynamic' || isOneOperand(word, args) || (word.single && values.has(word)),
    )
  )
    return false;
  const end = args.findIndex(({ value }) => value === '--');
  // A glob among the options may become another option.
  const isOption = (word: ShellWord): boolean =>
    word.kind !== 'literal' && word.value.startsWith('-') && (end < 0 || args.indexOf(word) < end);
  if (
    args.some(
      (word) => isOption(word) && !values.has(word) && !/^--(include|exclude|exclude-dir)=/.test(word.value),
    )
  )
    return false;
  const hasPattern = known.files === 'after the pattern' && !hasOwnPattern(given);
  const operands = given.operands.filter((word) => !isOption(word)).slice(hasPattern ? 1 : 0);
  const found = new Set(filesOf([name, ...args]).map(({ word }) => word.value));
  return operands.every(({ kind, value }) => kind !== 'dynamic' && (value === '' || found.has(value)));
}

/** `rg --files` and `rg --type-list` have no pattern. */
function hasOwnPattern({ options, valuesOf }: ReturnType<typeof argumentsOf>): boolean {
  return (
    valuesOf('-e', '--regexp').length > 0 || options.some((option) => /^--(files|type-list)$/.test(option))
  );
}

/** `xargs -n 1 echo`: the program opens no file that an argument names. */
function feedsNoReader(args: readonly ShellWord[]): boolean {
  const at = xargsCommand(args.map(({ value }) => value));
  const program = at === undefined ? undefined : args[at];
  return program?.kind === 'literal' && KNOWN_READERS.get(program.value)?.files === 'none';
}
