/**
 * Reads that may follow a link to the environment of a process, although no word names it. A project can contain such links:
 * `ln -s /proc/1 p`, then `find -L . -exec cat {} +`.
 */
import type { FilePart, Part } from './part.ts';
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

/**
 * Returns whether such a link is, or may be, among the files that a call reads. `unknown`: there are more files than can be
 * looked at.
 */
export function findProcessLinks(
  parts: readonly Part[],
  command: string,
  world: PermissionWorld,
): 'found' | 'unknown' | 'none' {
  const answers = new Set<'found' | 'unknown' | 'none'>();
  for (const part of parts) {
    if (!isFollowing(part) || part.places === undefined) continue;
    const starts = part.glob ? part.glob.found(true) : part.places;
    answers.add(starts === undefined ? 'unknown' : lookBelow(starts, 'follow', world));
  }
  if (parts.some(isUnseen)) {
    const folders = [...new Set([world.root, world.cwd, ...world.directories])];
    const starts = folders.map((folder) => ({ path: folder, real: world.realpath(folder) }));
    const answer = lookBelow(starts, 'stay', world);
    answers.add(answer === 'unknown' && !LOOKS_BEHIND.test(command) ? 'none' : answer);
  }
  return (['found', 'unknown'] as const).find((answer) => answers.has(answer)) ?? 'none';
}

function lookBelow(
  starts: NonNullable<FilePart['places']>,
  links: 'follow' | 'stay',
  world: PermissionWorld,
): 'found' | 'unknown' | 'none' {
  const answer = someLinkBelow(starts, world, links, (file, real) => leadsToProcesses(file, real, world));
  if (answer === 'too many') return 'unknown';
  return answer === true ? 'found' : 'none';
}
