/**
 * The folders in which git looks for its repository. A proof about git depends on the settings there. While a script waits, other calls
 * may replace a link by a folder, or move a folder into another repository. Then git would use settings that were not
 * looked at.
 */
import {
  areReadOnlyWords,
  type ProofOptions,
  type ReadCommand,
  type ShellWord,
  type SimpleCommand,
} from '@heddle/tools/shell';
import path from 'node:path';
import { isAtOrBelowSome, realFolders, workingFolders } from '../paths/places.ts';
import type { PermissionWorld } from '../world.ts';
import { isProjectRunner } from './files/files-of.ts';
import { gitArguments } from './files/git-arguments.ts';
import { mayWait } from './plain-edits.ts';
import { baseName, commandWords } from './runners.ts';
import { type Folders, foldersAfter } from './shell-state.ts';

type Script = Extract<ReadCommand, { ok: true }>;

/** They end soon with any arguments, apart from files that `mayWait` looks at. */
const ENDS_SOON =
  /^(?:cd|ls|cat|head|tail|wc|grep|echo|printf|pwd|true|false|:|\[|test|set|export|cut|tr|sort|uniq|basename|dirname|date|which|type|touch|mkdir|rmdir|rm|cp|mv)$/;

/** Commands of git that do not search the contents of the whole history. */
const GIT_ENDS_SOON =
  /^(?:status|diff|log|show|branch|tag|remote|rev-parse|ls-files|ls-tree|describe|config|stash|var|version|symbolic-ref|merge-base)$/;
const GIT_SEARCHES = /^(?:-[SGL]|--(?:all|follow|batch|stdin|fol|bat|std))/;

/** Returns whether a command of the script may take long before another one starts, or repeats. */
export function waitsOf(
  { commands, constructs, redirections }: Script,
  world: PermissionWorld,
): Pick<PermissionWorld, 'takesLong' | 'idles'> {
  if (constructs.has('loop') || constructs.has('function') || redirections.length > 0)
    return { takesLong: true };
  if (commands.length < 2) return {};
  // In a list, no command runs after the last one.
  const isList = [...constructs].every((construct) => construct === 'list');
  let folders: Folders = [world.cwd];
  const long = (isList ? commands.slice(0, -1) : commands).filter((command) => {
    const isSoon = folders !== undefined && endsSoon(command, folders, world);
    folders = foldersAfter(folders, command, world);
    // A rule for such a program allows everything in the project's code, so a wait adds nothing.
    const [name] = commandWords(command);
    return !isSoon && !(name?.kind === 'literal' && isProjectRunner(name.value));
  });
  const { environment } = world;
  const idles = long.some((command) => areReadOnlyWords(commandWords(command), { environment }));
  return long.length === 0 ? {} : { takesLong: true, ...(idles && { idles }) };
}

function endsSoon(command: SimpleCommand, folders: readonly string[], world: PermissionWorld): boolean {
  const [name, ...args] = commandWords(command);
  if (name === undefined) return true;
  const isGit =
    name.value === 'git' &&
    GIT_ENDS_SOON.test(gitArguments(args).command) &&
    !args.some(({ value }) => GIT_SEARCHES.test(value));
  return (isGit || ENDS_SOON.test(name.value)) && !mayWait(command, folders, world, 'anywhere');
}

/** A `cd` may have failed, so git may run in one of several folders. The proof must hold for each of them. */
export function everyProofOptions(
  { value }: ShellWord,
  { folders, world }: { readonly folders: Folders; readonly world: PermissionWorld },
): readonly ProofOptions[] {
  const { environment, isDockerLocal } = world;
  if (folders === undefined || baseName(value) !== 'git') return [{ environment, isDockerLocal }];
  const factsAt = (place: string): ProofOptions['git'] =>
    mayBeMoved(place, world) ? undefined : world.gitIn(place);
  return folders.map((folder) => ({
    environment,
    git: factsAt(folder),
    gitIn: (named) => {
      if (path.posix.isAbsolute(named)) return factsAt(path.posix.normalize(named));
      // A relative name means another folder if the folder that it starts in was moved.
      const place = path.posix.join(folder, named).replace(/(?<=.)\/$/, '');
      return mayBeMoved(folder, world) || leadsThroughLink(`${folder}/${named}`, world)
        ? undefined
        : factsAt(place);
    },
  }));
}

/** Returns whether another place may have the files of a folder, or be the folder, when a command starts there. */
export function mayBeMoved(folder: string, world: PermissionWorld): boolean {
  const mayMove = world.takesLong === true && !workingFolders(world).includes(folder);
  return mayMove || leadsThroughLink(folder, world);
}

/** Returns whether a link in a working directory is on the way to a place. */
function leadsThroughLink(place: string, world: PermissionWorld): boolean {
  let at = '/';
  for (const name of place.split('/')) {
    const next = path.posix.join(at, name);
    const real = name === '..' ? next : world.realpath(next);
    if (real !== next && isAtOrBelowSome(at, realFolders(world))) return true;
    at = real;
  }
  return false;
}
