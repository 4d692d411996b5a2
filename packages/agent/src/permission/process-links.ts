/**
 * Reads that may follow a link to the environment of a process, or to a login of this program, although no word names it. A project can
 * contain such links: `ln -s /proc/1 p`, then `find -L . -exec cat {} +`.
 */
import type { FilePart, Part } from './part.ts';
import { isAtOrBelow } from './paths/places.ts';
import { leadsToProcesses } from './paths/process-files.ts';
import { someLinkBelow } from './paths/walk-tree.ts';
import type { PermissionWorld } from './world.ts';

/** Returns whether a call may read files that links lead to, or files with unknown names. */
export function mayFollowLinks(parts: readonly Part[]): boolean {
  return parts.some((part) => isUnseen(part) || isFollowing(part));
}

/** The name of the file is unknown, or is that of too many matches of a glob. */
function isUnseen(part: Part): part is FilePart {
  if (part.kind !== 'read' || part.stored || part.by === 'tool') return false;
  return part.places === undefined || (part.glob !== undefined && part.glob.found(true) === undefined);
}

function isFollowing(part: Part): part is FilePart {
  return part.kind === 'read' && part.followsLinks === true;
}

/** A wildcard or a variable before a slash, words that `xargs` inserts, or an option to follow links. */
const LOOKS_BEHIND =
  /(?:[*?\]]|\$)[^\s;|&<>]*\/|\bxargs\b[^|;&]*\s-I|\b(?:find|fd|fdfind|rg|ag|ack|ls|du|tree)\b[^|;&]*\s-(?:\w*[LlHf]|-(?:fol|der))/;

/** Returns whether a command that follows links may come upon one to these files, or to a folder around them. */
export function mayFollowTo(
  files: readonly string[],
  parts: readonly Part[],
  world: PermissionWorld,
): boolean {
  return parts.filter(isFollowing).some(({ glob, places = [] }) => {
    const starts = glob ? (glob.found(true) ?? places) : places;
    return lookBelow(starts, 'follow', world, (_, real) => isRelated(files, real)) === 'found';
  });
}

function isRelated(files: readonly string[], real: string): boolean {
  return files.some((file) => isAtOrBelow(file, real) || isAtOrBelow(real, file));
}

/** Returns the names that files have through links in the working directories: `lk/x` for `lk -> ../.heddle`. */
export function namesThroughLinks(files: readonly string[], world: PermissionWorld): readonly string[] {
  const names: string[] = [];
  lookBelow(workingFolders(world), 'stay', world, (link, real) => {
    for (const file of files) {
      if (isAtOrBelow(file, real)) names.push(link + file.slice(real.length));
      else if (isAtOrBelow(real, file)) names.push(link);
    }
    return false;
  });
  return names;
}

function workingFolders(world: PermissionWorld): NonNullable<FilePart['places']> {
  const folders = [...new Set([world.root, world.cwd, ...world.directories])];
  return folders.map((folder) => ({ path: folder, real: world.realpath(folder) }));
}

type FoundLinks = 'found' | 'unknown' | 'none';
type LinkTest = (file: string, real: string) => boolean;

/**
 * Returns whether such a link is, or may be, among the files that a call reads. `unknown`: there are more files than can be
 * looked at.
 */
export function findProcessLinks(
  parts: readonly Part[],
  command: string,
  world: PermissionWorld,
): FoundLinks {
  const isMeant = (file: string, real: string): boolean => leadsToProcesses(file, real, world);
  const answers = new Set<FoundLinks>();
  for (const part of parts) {
    if (!isFollowing(part) || part.places === undefined) continue;
    const starts = part.glob ? part.glob.found(true) : part.places;
    answers.add(starts === undefined ? 'unknown' : lookBelow(starts, 'follow', world, isMeant));
  }
  if (parts.some(isUnseen)) {
    const answer = lookBelow(workingFolders(world), 'stay', world, isMeant);
    answers.add(answer === 'unknown' && !LOOKS_BEHIND.test(command) ? 'none' : answer);
  }
  return (['found', 'unknown'] as const).find((answer) => answers.has(answer)) ?? 'none';
}

function lookBelow(
  starts: NonNullable<FilePart['places']>,
  links: 'follow' | 'stay',
  world: PermissionWorld,
  isMeant: LinkTest,
): FoundLinks {
  const answer = someLinkBelow(starts, world, links, isMeant);
  if (answer === 'too many') return 'unknown';
  return answer === true ? 'found' : 'none';
}
