/** Scripts that write a file and run it: what runs then stands in no command that could be held against a rule. */
import type { ShellRedirection, ShellWord, SimpleCommand } from '@heddle/tools/shell';
import { placesOf, tildeExpanded } from '../paths/places.ts';
import type { PermissionWorld } from '../world.ts';
import { filesOf } from './files/files-of.ts';
import type { Folders } from './folders.ts';
import { runsFiles } from './interpreters.ts';
import { baseName, isRunner, commandWords } from './runners.ts';
import { unwrap } from './wrappers.ts';

/** They put a text of the command's choice, or another program, into a file. Compilers are not among them. */
const MAKERS = /^(tee|cp|mv|ln|install|dd|curl|wget|rsync|scp|sed|base64|xxd|split|patch)$/;

export interface PlacedCommand {
  readonly command: SimpleCommand;
  readonly folders: Folders;
}

/** The commands that run a file which the same script makes. */
export function runsMadeFile(
  commands: readonly PlacedCommand[],
  redirections: readonly ShellRedirection[],
  world: PermissionWorld,
): SimpleCommand[] {
  const pathsOf = (words: readonly ShellWord[], folders: Folders): string[] =>
    words
      .filter(({ kind }) => kind !== 'dynamic')
      .flatMap(({ value }) => placesOf(tildeExpanded(value, world.home), folders ?? [world.cwd], world))
      .flatMap(({ path, real }) => [path, real]);
  const made = new Set([
    ...commands.flatMap(({ command, folders }) => pathsOf(madeBy(command), folders)),
    ...pathsOf(targetsOf(redirections), commands.at(-1)?.folders),
  ]);
  if (made.size === 0) return [];
  return commands
    .filter(({ command, folders }) => pathsOf(runBy(command), folders).some((path) => made.has(path)))
    .map(({ command }) => command);
}

function madeBy(command: SimpleCommand): readonly ShellWord[] {
  const redirected = targetsOf(command.redirections);
  const words = unwrap(commandWords(command)).at(-1)?.words ?? [];
  if (!MAKERS.test(baseName(words[0]?.value ?? ''))) return redirected;
  return [...redirected, ...filesOf(words).flatMap(({ kind, word }) => (kind === 'write' ? [word] : []))];
}

function targetsOf(redirections: readonly ShellRedirection[]): readonly ShellWord[] {
  return redirections.flatMap((redirection) =>
    redirection.kind === 'file' && redirection.operator !== '<' ? [redirection.target] : [],
  );
}

/** The program itself, if it is named by a path, and what an interpreter is given. */
function runBy(command: SimpleCommand): readonly ShellWord[] {
  const [name, ...args] = unwrap(commandWords(command)).at(-1)?.words ?? [];
  if (name === undefined) return [];
  const base = baseName(name.value);
  const takesFiles = isRunner(base) || runsFiles(base);
  return [...(name.value.includes('/') ? [name] : []), ...(takesFiles ? args : [])];
}
