/** Finds the programs and files of a script that show the processes or connections of the machine. */
import {
  mayShowEnvironment,
  type ReadCommand,
  type ShellWord,
  type SimpleCommand,
} from '@heddle/tools/shell';
import type { Concern } from '../part.ts';
import { SHOWS_PROCESS } from '../paths/process-files.ts';
import { possibleValues, type WordScope } from './possible-values.ts';
import { baseName, commandWords, fedCommands, likelyTails, localTails, type Unwrapped } from './runners.ts';

/** Programs that show the processes or connections of the machine. In their own namespace they would show nothing. */
const SHOWS_HOST = /^(ps|pgrep|pidof|pstree|top|lsof|fuser|ss|netstat|ip|ifconfig)$/;
/** The list of processes, one of them, or the connections. Other files of /proc are the same for all processes. */
const HOST_FILES = /^\/+proc(?:\/*$|\/+(?:\d|net(?:\/|$)|[^/]*[*?[]))/;

/**
 * Returns whether a script needs the processes of the machine: it has a program that shows them, or reads a file of one.
 * The same word in a text or in a comment does not count, and neither does a script that cannot be parsed.
 */
export function showsHost(read: ReadCommand, kind: 'read-only' | 'edits'): boolean {
  if (!read.ok) return false;
  const targets = read.redirections.concat(read.commands.flatMap((command) => command.redirections));
  const hasProgram = read.commands.some((command) => {
    const programs = programsOf(command);
    if (programs.some((program) => SHOWS_HOST.test(program))) return true;
    const isText = /^(echo|printf)$/.test(programs.at(-1) ?? '');
    return kind === 'read-only' && !isText && command.args.some(namesHostFile);
  });
  const readsHost = targets.some((each) => each.kind === 'file' && namesHostFile(each.target));
  return hasProgram || (kind === 'read-only' && readsHost);
}

function namesHostFile({ kind, value }: ShellWord): boolean {
  return kind !== 'dynamic' && HOST_FILES.test(value);
}

/** Returns the program of a command, and those that it runs: `timeout 9 ps`. */
function programsOf(command: SimpleCommand): readonly string[] {
  const words = commandWords(command);
  return [words, ...likelyTails(words)].map(([name]) =>
    (name?.value ?? '').replace(/^\/(?:usr\/)?s?bin\//, ''),
  );
}

/** Variables with which `ps` prints other columns, or reads its options in another way. */
const PS_VARIABLE = /^(PS_|CMD_ENV$|UNIX95$|I_WANT)/;

/** Returns why a command may show the environment of processes: as `ps`, or as a runner of it. */
export function concernAboutProcesses(
  last: Unwrapped,
  assignments: SimpleCommand['assignments'],
  scope: WordScope,
): Concern | undefined {
  const runs = localTails(last.words).map((words) => ({ words, more: last.more }));
  const assigned = last.words.flatMap(({ value }) => /^(\w+)=/.exec(value)?.[1] ?? []);
  const isSet = [...assignments.map(({ name }) => name), ...assigned].some((name) => PS_VARIABLE.test(name));
  for (const run of [last, ...runs, ...fedCommands(last.words)]) {
    const concern = concernAboutPs(run, isSet, scope);
    if (concern) return concern;
  }
  return undefined;
}

/** Words of `ps` through a pipe are unknown, unless they are the values of an option: `pgrep x | xargs ps -fp`. */
function concernAboutPs(
  { words: [name, ...args], more }: Unwrapped,
  isSet: boolean,
  scope: WordScope,
): Concern | undefined {
  if (baseName(name?.value ?? '') !== 'ps') return undefined;
  const values = args.flatMap((word): readonly (string | undefined)[] => {
    const known = possibleValues(word, scope);
    return known?.every(({ isGlob }) => !isGlob) ? known.map(({ text }) => text) : [undefined];
  });
  const isShown = isSet || mayShowEnvironment([...values, ...(more ? [undefined] : [])]);
  return isShown ? SHOWS_PROCESS : undefined;
}
