/**
 * Repositories that a script makes. The settings of git are read before the script runs. A script can turn a folder into
 * a repository with other settings: `mkdir sub/refs sub/objects; cp x sub/HEAD; cp y sub/config; git -C sub diff`.
 *
 * Git looks for `.git` in its own folder first, and a change to any `.git` or `.gitattributes` asks. So only facts about
 * other folders become unknown. Settings can include files of the project.
 */
import path from 'node:path';
import { isGitFolder } from '@heddle/tools/git';
import type { FilePart, Part } from '../part.ts';
import { areRelated, isAtOrBelow, isInside } from '../paths/places.ts';
import { foldCase, gitDataName, isGitDataPath } from '../paths/protected.ts';
import type { PermissionWorld } from '../world.ts';
import type { MadeLinks } from './earlier-effects.ts';

/**
 * Returns the world with the facts about git that hold while the script runs. It is the same world if no command may
 * change them. `made` are the links that each command may make. Their order does not matter: a loop may run again.
 */
export function gitWorldAfter(
  parts: readonly (readonly Part[])[],
  made: readonly MadeLinks[],
  world: PermissionWorld,
): PermissionWorld {
  const written = parts
    .map((each) => each.filter(isFile))
    .filter(hasWrite)
    .flat();
  // A command that may make links anywhere may also make any other file.
  const isUnknown = made.includes('anywhere') || written.some(isTree);
  if (written.length === 0 && !isUnknown) return world;
  const isMade = isUnknown || written.some((part) => namesGitData(part));
  const hasOwn = (folder: string): boolean => world.exists(path.posix.join(folder, '.git'));
  return {
    ...world,
    gitIn: (folder) => {
      const facts = isMade && !hasOwn(folder) ? undefined : world.gitIn(folder);
      // An unknown name may be that of an attributes file, which applies a filter.
      if (facts === undefined || (isUnknown && facts.mayFilter)) return undefined;
      const sources = facts.sources ?? [];
      const isOpen = written.length > 0 && sources.some((file) => isLinkedInside(file, world));
      return isOpen || written.some((part) => mayWrite(part, sources)) ? undefined : facts;
    },
  };
}

/**
 * Returns the parts of a call. A write asks if, after the call, git takes a folder for a repository without a work tree.
 * Ordinary edits could write the settings of that repository before, and a later `git -C folder status` would run them.
 */
export function askAboutRepositories(parts: readonly Part[], world: PermissionWorld): readonly Part[] {
  const made = new Map<string, Set<string>>();
  const keyOf = (folder: string): string => (world.foldsCase ? foldCase(folder) : folder);
  const foldersOf = parts.map((part) => {
    const folders = new Set<string>();
    for (const file of part.kind === 'write' && part.knowledge === 'known' ? writtenPaths(part) : []) {
      const segments = file.split('/');
      for (const [at, segment] of segments.entries()) {
        const name = gitDataName(segment, world);
        if (name === undefined) continue;
        const folder = segments.slice(0, at).join('/');
        made.set(keyOf(folder), (made.get(keyOf(folder)) ?? new Set()).add(name));
        folders.add(folder);
      }
    }
    return folders;
  });
  const isRepository = (folder: string): boolean =>
    isGitFolder((name) => made.get(keyOf(folder))?.has(name) === true || world.exists(`${folder}/${name}`));
  return parts.map((part, index) => {
    if (!isFile(part) || isSettled(part)) return part;
    const filled = part.fills ? (part.places ?? []).map(({ real }) => real) : [];
    const folder =
      Array.from(foldersOf[index] ?? []).find(isRepository) ??
      filled.find((place) => isAlmostRepository(place, world));
    return folder === undefined
      ? part
      : { ...part, concern: { level: 'unless bypassed', reason: becomes(folder) } };
  });
}

/** Unknown files may complete the repository. */
function isAlmostRepository(folder: string, { exists }: PermissionWorld): boolean {
  const has = (name: string): boolean => exists(`${folder}/${name}`);
  return has('HEAD') || has('commondir') || (has('objects') && has('refs'));
}

function becomes(folder: string): string {
  return `${folder} would become a repository of git, whose settings can run programs.`;
}

/** The part asks already, whatever the rules are. */
function isSettled({ concern }: FilePart): boolean {
  return concern?.level === 'always' || concern?.level === 'unless bypassed';
}

function writtenPaths(part: FilePart): readonly string[] {
  if (isSettled(part)) return [];
  const places = (part.places ?? []).flatMap(({ path: at, real }) => [at, real]);
  return [...places, ...(part.copiedGitData ?? [])];
}

/** Links lead to the file, and a link or the file is in a working directory. Each of several links could be replaced. */
function isLinkedInside(file: string, world: PermissionWorld): boolean {
  const real = world.realpath(file);
  return real !== file && [file, real].some((at) => isInside({ path: at, real: at }, world));
}

function mayWrite(part: FilePart, files: readonly string[]): boolean {
  const paths = (part.places ?? []).flatMap((place) => [place.path, place.real]);
  const reaches = isTree(part) ? areRelated : isAtOrBelow;
  return files.some((file) => paths.some((at) => reaches(at, file)));
}

function isFile(part: Part): part is FilePart {
  return part.kind === 'read' || part.kind === 'write' || part.kind === 'remove';
}

function hasWrite(parts: readonly FilePart[]): boolean {
  return parts.some(({ kind }) => kind === 'write');
}

/** A copy or a move writes the names of its source. Those in a folder or a glob are unknown here. */
function isTree({ places, deep, glob }: FilePart): boolean {
  return places === undefined || deep !== 'no' || glob !== undefined;
}

function namesGitData({ places }: FilePart): boolean {
  const paths = (places ?? []).flatMap(({ path: at, real }) => [at, real]);
  return paths.some((at) => at.split('/').some(isGitDataPath));
}
