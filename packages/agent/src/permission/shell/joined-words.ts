/**
 * Programs that join their words to one text and give it to a shell, here or on another machine: `watch r\\m x`, `ssh h 'cd /;' rm x`. A
 * quote that the first shell keeps is removed by the second one, so the words are read again as a script.
 */
import type { ShellWord, SimpleCommand } from '@heddle/tools/shell';
import { gitArguments } from './files/git-arguments.ts';
import {
  baseName,
  commandsOfFind,
  findersIn,
  hasUncertainCommand,
  likelyTails,
  tailsNamed,
} from './runners.ts';

const JOINS =
  /^(watch|viddy|hwatch|ssh|slogin|rsh|remsh|autossh|sshpass|mosh|dbclient|pssh|parallel-ssh|pdsh|dsh|clush|g?parallel|env_parallel|sem|tmux|screen|watchexec|nodemon|cross-env-shell|sg|adb|wsl|heroku)$/;
/** Without a command, the shell of the other machine runs its input. */
const REMOTE = /^(ssh|slogin|rsh|remsh|autossh|dbclient|mosh)$/;
/** Their words are also commands: `parallel ::: 'rm x'`. */
const PARALLEL = /^(g?parallel|env_parallel|sem)$/;
/** For a shell, these words are the same again. */
const PLAIN = /^[\w\s@%+=:,./-]*$/;
const OPERANDS = /^:::\+?$/;

/** Returns the texts that a command gives to a shell after it joined its words. */
export function joinedScripts(words: readonly ShellWord[]): readonly string[] {
  const texts = runsIn(words).flatMap((run): readonly string[] => {
    const program = baseName(run[0]?.value ?? '');
    if (program !== 'git' && !JOINS.test(program)) return [];
    const args = run.slice(1);
    if (program === 'git') return submoduleScripts(args);
    const lines = PARALLEL.test(program) ? operandsOf(args) : [];
    return likelyTails(run).map(joined).concat(lines);
  });
  return [...new Set(texts)].filter((text) => !PLAIN.test(text));
}

/** Returns whether the command starts a shell on another machine, which runs the commands on its input. */
export function startsRemoteShell(words: readonly ShellWord[]): boolean {
  return runsIn(words).some((run) => {
    if (!REMOTE.test(baseName(run[0]?.value ?? ''))) return false;
    const args = run.slice(1);
    if (args.some(({ value }) => /^-\w*[NVGQ]|^-O/.test(value))) return false;
    return operandsOfSsh(args).length < 2;
  });
}

/** Options whose value is the next word. */
const VALUED = /^-\w*[BbcDEeFIiJLlMmOopPQRSWw]$/;

function operandsOfSsh(args: readonly ShellWord[]): readonly ShellWord[] {
  return args.filter(
    ({ kind, value }, at) =>
      (kind !== 'literal' || !value.startsWith('-')) && !VALUED.test(args[at - 1]?.value ?? ''),
  );
}

function runsIn(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const isWanted = (name: string): boolean => JOINS.test(baseName(name));
  const direct = hasUncertainCommand(words) ? tailsNamed(words, isWanted).tails : likelyTails(words);
  const found = findersIn(words).flatMap(commandsOfFind);
  return [words, ...direct, ...found, ...found.flatMap(likelyTails)];
}

function joined(words: readonly ShellWord[]): string {
  return words.map(({ value }) => value).join(' ');
}

function operandsOf(args: readonly ShellWord[]): readonly string[] {
  const at = args.findIndex(({ value }) => OPERANDS.test(value));
  return at < 0 ? [] : args.slice(at + 1).map(({ value }) => value);
}

/** `git submodule foreach 'x'`, also behind its options. */
function submoduleScripts(args: readonly ShellWord[]): readonly string[] {
  const { command, rest } = gitArguments(args);
  const at = rest.findIndex(({ value }) => value === 'foreach');
  if (command !== 'submodule' || at < 0) return [];
  const behind = rest.slice(at + 1);
  const start = behind.findIndex(({ value }) => !/^--?(recursive|quiet|q|)$/.test(value));
  return start < 0 ? [] : [joined(behind.slice(start))];
}

/** Returns whether something other than a text in the command itself is on the input. */
export function hasUnreadInput({ hasInput, redirections }: SimpleCommand): boolean {
  const isText = redirections.some(({ kind }) => kind === 'here_doc' || kind === 'here_string');
  return hasInput && !isText;
}
