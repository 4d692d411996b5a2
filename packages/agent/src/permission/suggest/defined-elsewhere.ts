/**
 * Finds commands whose effect is not defined by their own text, because words, code or commands come through a pipe, from
 * a file or from `find`. A rule for such a command would cover much more than the call.
 */
import { isHarmlessProgram, type ShellWord, type SimpleCommand } from '@heddle/tools/shell';
import type { CommandPart } from '../part.ts';
import { namesConsole } from '../shell/inline-code.ts';
import { localWords, runsFiles } from '../shell/interpreters.ts';
import { isMake } from '../shell/make-words.ts';
import {
  baseName,
  commandTails,
  commandWords,
  fedCommands,
  FOUND,
  isFeeder,
  isManager,
  isRunner,
  runsOfFind,
} from '../shell/runners.ts';
import { commandsIn, findEmbeddedScripts } from '../shell/scripts.ts';
import { startsShell } from '../shell/unknown-code.ts';
import { prefixLength } from './prefix-length.ts';
import { DATA_COMMANDS, DATA_READERS, DIALOGS, INCOMING, INTERPRETERS } from './programs.ts';

/** `length`: the number of words in the rule, before a wildcard. Undefined for the exact command. */
export function isDefinedElsewhere(
  command: SimpleCommand,
  length: number | undefined,
  { hasInput, exactOnly }: Pick<CommandPart, 'hasInput' | 'exactOnly'>,
): boolean {
  const words = commandWords(command);
  const feeders = [words, ...commandTails(words)].filter(([name]) => isFeeder(baseName(name?.value ?? '')));
  if (feeders.some((run) => !isSafeFeeder(run, exactOnly !== undefined))) return true;
  if (hasInput && !takesData(words, length)) return true;
  if (namesConsole(words.slice(0, length))) return true;
  if (length !== undefined) return words.slice(0, length).some(({ value }) => FOUND.test(value));
  if (feeders.length === 0 && getsFoundNames(words)) return true;
  if (takesOrders(words)) return true;
  const { scripts } = findEmbeddedScripts(command, words);
  return commandsIn(scripts).some((inner) =>
    isDefinedElsewhere(inner, undefined, { hasInput: hasInput || inner.hasInput, exactOnly }),
  );
}

/** The commands of `find` are parts of their own. */
function getsFoundNames(words: readonly ShellWord[]): boolean {
  return runsOfFind(words).length === 0 && words.some(({ value }) => FOUND.test(value));
}

/** Options that choose neither a file with the words nor another sign for them. */
const XARGS_OPTION = /^(-[0rtx]+|-[nLP]\d*|\d+|-I.*|--null|--no-run-if-empty)$/s;
const PARALLEL_OPTION = /^(-j\d*|\d+|-k)$/;

/**
 * Returns whether any word that may come is acceptable, as it is for a rule with a wildcard. `isDoubtful`: such a rule would
 * not cover the command.
 */
function isSafeFeeder(words: readonly ShellWord[], isDoubtful: boolean): boolean {
  const runs = fedCommands(words);
  const [first] = runs;
  if (first === undefined) return false;
  const options = words.slice(1, words.length - first.words.length);
  if (baseName(words[0]?.value ?? '') === 'parallel') {
    const isPinned =
      words.some(({ value }) => value === ':::') && !words.some(({ value }) => value.startsWith('::::'));
    return isPinned && options.every(({ value }) => PARALLEL_OPTION.test(value)) && !runs.some(runsAnything);
  }
  const areKnown = options.every(
    ({ value }, index) => XARGS_OPTION.test(value) || options[index - 1]?.value === '-I',
  );
  return (
    areKnown && runs.every((run) => isHarmless(run) || (!isDoubtful && prefixLength(run.words) !== undefined))
  );
}

function isHarmless({ words: [name] }: { readonly words: readonly ShellWord[] }): boolean {
  return name?.kind === 'literal' && isHarmlessProgram(name.value);
}

function runsAnything({ words: [name] }: { readonly words: readonly ShellWord[] }): boolean {
  const base = baseName(name?.value ?? '');
  return name?.kind !== 'literal' || INTERPRETERS.test(base) || isRunner(base);
}

/** Returns whether the input of a program is known to be data. */
function takesData([name]: readonly ShellWord[], length: number | undefined): boolean {
  if (name === undefined) return true;
  if (name.kind !== 'literal') return false;
  // The words that xargs makes of its input are checked.
  if (baseName(name.value) === 'xargs') return true;
  if (DATA_READERS.has(name.value) || isHarmlessProgram(name.value)) return true;
  return length !== undefined && DATA_COMMANDS.has(name.value);
}

/** Options that name the commands, or a file with them. */
const GIVEN_COMMANDS = /^-(c(?!md)|e|f|-command|-execute|-eval|-file)/;

/** `bash -s`, also behind other options. */
const SHELL_INPUT = /^-(?!-).*s$/s;

/**
 * Returns whether the command runs its input, also if this call has none. Then even the exact command does not define the
 * effect.
 */
function takesOrders(all: readonly ShellWord[]): boolean {
  const words = all.map(({ value }) => value);
  const [name = '', second = ''] = words;
  if (words.some((word) => INCOMING.test(word)) || startsShell(all)) return true;
  const operands = (from: number) => words.slice(from).filter((word) => !word.startsWith('-')).length;
  if (name === 'at') return !words.includes('-f');
  if (name === 'crontab') return words.length === 1;
  if (name === 'tar') return !words.some((word) => /^(-?[a-zA-Z]*f|--file)/.test(word));
  if (name === 'ssh' && localWords(all.slice(1)).length === all.length - 1) return true;
  const runs = isRunner(baseName(name)) || isManager(baseName(name)) || second === 'exec';
  const at = words.findLastIndex((word) => isInterpreter(baseName(word)));
  if (at === 0 || (at > 0 && runs)) {
    const rest = words.slice(at + 1);
    if (rest.some((word) => SHELL_INPUT.test(word))) return true;
    return operands(at + 1) === 0 && !rest.includes('--test');
  }
  const dialog = words.findLastIndex((word) => DIALOGS.test(baseName(word)));
  if (dialog === 0 || (dialog > 0 && runs)) {
    const rest = words.slice(dialog + 1);
    const isScript = words[dialog] === 'sftp' && rest.includes('-b');
    return !isScript && !rest.some((word) => GIVEN_COMMANDS.test(word) || /\s/.test(word));
  }
  return name === 'patch' || (name === 'git' && /^(apply|am)$/.test(second))
    ? operands(name === 'git' ? 2 : 1) === 0
    : false;
}

/** Make and the shell's `source` run a file also without words. */
function isInterpreter(base: string): boolean {
  return INTERPRETERS.test(base) || (runsFiles(base) && !isMake(base) && !/^(\.|source)$/.test(base));
}
