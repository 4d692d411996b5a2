/** Follows a path name by name, as the system does. */
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/** The limit of Linux. */
const MOST_LINKS = 40;

/**
 * Returns whether following an absolute path passes a place that is sought. The places are paths without links before their last
 * name. Names that do not exist count as folders.
 */
export function passesPlace(file: string, isSought: (place: string) => boolean, links = 0): boolean {
  const segments = file.split('/').filter((segment) => segment !== '');
  let at = '/';
  for (const [index, segment] of segments.entries()) {
    const next = path.posix.join(at, segment);
    if (isSought(next)) return true;
    const target = linkTarget(next);
    if (target === undefined) at = next;
    else if (links >= MOST_LINKS) return false;
    else {
      const rest = segments.slice(index + 1).join('/');
      const start = path.posix.isAbsolute(target) ? '' : at;
      return passesPlace(`${start}/${target}/${rest}`, isSought, links + 1);
    }
  }
  return false;
}

interface NextName {
  readonly name: string;
  /** The number of places that were passed when the text of its link began. Undefined in the path itself. */
  readonly start: number | undefined;
}

/**
 * Returns the places that texts of links on the way of a path enter and leave again with `..`: for a link to `a/../b`, the
 * place `a`. If one of them is replaced, the path leads elsewhere.
 */
export function placesLeftByLinks(file: string): readonly string[] {
  const next: NextName[] = namesOf(file, undefined);
  const passed: string[] = [];
  const left = new Set<string>();
  let at = '/';
  let links = 0;
  for (let each = next.pop(); each !== undefined; each = next.pop()) {
    const { name, start } = each;
    if (name === '..') {
      for (const place of start === undefined ? [] : passed.slice(start)) left.add(place);
      at = path.posix.dirname(at);
      continue;
    }
    const place = path.posix.join(at, name);
    if (start !== undefined) passed.push(place);
    const target = linkTarget(place);
    if (target === undefined) at = place;
    else if (++links > MOST_LINKS) return [...new Set(passed)];
    else {
      if (path.posix.isAbsolute(target)) at = '/';
      next.push(...namesOf(target, passed.length));
    }
  }
  return [...left];
}

/** The last name first. */
function namesOf(text: string, start: number | undefined): NextName[] {
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  return names.toReversed().map((name) => ({ name, start }));
}

function linkTarget(file: string): string | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? readlinkSync(file)
      : undefined;
  } catch {
    // A segment is a file, or the folder cannot be entered.
    return undefined;
  }
}

const LINK_OF_PROCESS = /^\/proc\/\d+(?:\/task\/\d+)?\/(?:cwd|root|exe|fd|map_files)$/;

/** Returns whether a place is a link of the system that leads elsewhere for each process. */
export function isLinkOfProcess(place: string): boolean {
  return LINK_OF_PROCESS.test(place);
}
