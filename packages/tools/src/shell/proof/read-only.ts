/**
 * The strict proof that a command changes nothing. It has a list of programs and of their options that only read. Other
 * programs, and words that the shell still expands, are not proven. If in doubt, a command is not proven.
 */
import type { ShellRedirection, ShellWord, SimpleCommand } from '../command.ts';
import { readCommand } from '../read-command.ts';
import { type GitAround, isReadOnlyGit } from './git.ts';
import type { Arg } from './options.ts';
import { isReadOnlyProgram } from './programs.ts';

/** Without facts about the repository, only a few forms of `git` can be proven. */
export interface ProofOptions extends GitAround {
  /** The environment of the command. Variables can pass options to programs. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The client of docker asks the service on this machine. Absent: it may ask another one. */
  readonly isDockerLocal?: (() => boolean) | undefined;
}

export function isReadOnlyCommand(text: string, options: ProofOptions = {}): boolean {
  const read = readCommand(text);
  if (!read.ok || read.strange !== undefined || read.commands.length === 0) return false;
  if (read.redirections.length > 0) return false;
  for (const construct of read.constructs) if (construct !== 'list' && construct !== 'pipeline') return false;
  // After a `cd`, `git` may find another repository, whose facts were not read.
  const moves = read.commands.some(changesDirectory);
  const facts = moves ? { ...options, git: undefined, gitIn: undefined } : options;
  return read.commands.every((command) => isProven(command, facts));
}

/** Returns true if the command may change the working directory of the shell. */
export function movesShell(text: string): boolean {
  const read = readCommand(text);
  return !read.ok || read.commands.some(changesDirectory);
}

function changesDirectory({ name }: SimpleCommand): boolean {
  return name === undefined || ['cd', 'pushd', 'popd'].includes(name.value);
}

const RUNNERS =
  /^(?:xargs|find|env|command|builtin|exec|eval|nohup|nice|ionice|timeout|time|stdbuf|setsid|sudo|parallel)$/;

/** Returns true if the command may run git. The words decide, because the text need not show the name: `g\it status`. */
export function mayRunGit(text: string): boolean {
  if (/\bgit\b/.test(text)) return true;
  const read = readCommand(text);
  if (!read.ok || read.strange !== undefined) return true;
  return read.commands.some(({ name, args, assignments }) => {
    const words = [...(name ? [name] : []), ...args, ...assignments.flatMap(({ value }) => value ?? [])];
    if (words.some(({ value }) => /\bgit\b/.test(value))) return true;
    if (name === undefined) return false;
    return (
      name.kind !== 'literal' || (RUNNERS.test(name.value) && args.some(({ kind }) => kind !== 'literal'))
    );
  });
}

function isProven(command: SimpleCommand, options: ProofOptions): boolean {
  const { name, args, assignments, redirections } = command;
  if (name === undefined || assignments.length > 0 || !redirections.every(isHarmless)) return false;
  return areReadOnlyWords([name, ...args], options);
}

/** Proves one simple command. The caller checks its redirections and assignments. */
export function areReadOnlyWords([name, ...words]: readonly ShellWord[], options: ProofOptions): boolean {
  if (name?.kind !== 'literal') return false;
  const program = name.value.replace(/^\/(usr\/)?bin\//, '');
  const isGit = program === 'git';
  const args = words.flatMap(wordArguments);
  return isGit ? isReadOnlyGit(args, options) : isReadOnlyProgram(program, args, options);
}

/** The arguments that a word becomes, as far as they are known. */
export function wordArguments({ kind, value, becomes, begins }: ShellWord): readonly Arg[] {
  if (kind === 'literal') return [{ value, exact: true }];
  if (becomes) return becomes.map((outcome) => ({ value: outcome.begins, exact: outcome.exact }));
  return [{ value: begins, exact: false }];
}

function isHarmless(redirection: ShellRedirection): boolean {
  const { descriptor = 0 } = redirection;
  if (typeof descriptor === 'string') return false;
  switch (redirection.kind) {
    case 'duplicate':
      return redirection.target.plain && /^[12]$/.test(redirection.target.value);
    case 'here_string':
      return redirection.target.plain;
    case 'here_doc':
      return !redirection.expands && !/[$`\\]/.test(redirection.body);
    case 'file': {
      const { operator, target } = redirection;
      if (!target.plain) return false;
      if (target.value === '/dev/null') return operator !== '<>';
      // The shell itself opens network connections for names below /dev. An output that was opened for reading may be a terminal.
      return operator === '<' && descriptor === 0 && !target.value.includes('/dev/');
    }
  }
}
