/**
 * Follows a path name by name, as the system does. Inside, a path is a string with one character for each byte, because names and
 * texts of links need not be UTF-8.
 */
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '@heddle/core';

/** The limit of Linux. */
const MOST_LINKS = 40;

/** After that limit, the texts of further links still count, because an edit may shorten the way. */
const MOST_TEXTS = 256;

/** A longer way is not followed. */
const MOST_NAMES = 4096;

/** Node puts this in the place of bytes that are not UTF-8. */
const NOT_UTF8 = '\uFFFD';

export interface FollowedPath {
  /**
   * The path without links. A missing name counts as a folder, because one may be made later. So does a file in the place of a
   * folder, and a link that leads to itself.
   */
  readonly target: string;
  /** The links on the way that the text of another link names. */
  readonly linksInTexts: readonly string[];
  /**
   * The places that texts of links on the way enter and leave again with `..`: for a link to `a/../b`, the place `a`. If one of
   * them is replaced, the path leads elsewhere.
   */
  readonly left: readonly string[];
  /** A place on the way is sought. */
  readonly isFound: boolean;
  /**
   * The system may follow the path to another place, or not to its end: a link leads to itself, through a file, out of another link
   * with `..`, or has a text that is not UTF-8.
   */
  readonly isUnclear: boolean;
  /** The path leads nowhere because of this error. */
  readonly error?: unknown;
}

interface NextName {
  readonly name: string;
  /** The number of places that were passed when the text of its link began. Undefined in the path itself. */
  readonly start: number | undefined;
}

type Entry =
  | { readonly kind: 'link'; readonly text: string }
  | { readonly kind: 'file' | 'folder' | 'missing' | 'below a file' }
  | { readonly kind: 'unreadable'; readonly error: unknown };

/** Follows an absolute path. The places that may be sought have no links before their last name. */
export function followPath(file: string, isSought: (place: string) => boolean = () => false): FollowedPath {
  const next: NextName[] = namesOf(toBytes(file), undefined);
  const passed: string[] = [];
  const links: string[] = [];
  const left = new Set<string>();
  const followed = new Set<string>();
  let [at, texts, names] = [path.parse(file).root, 0, 0];
  let [isAtFile, isFound, isUnclear] = [false, false, false];
  let error: unknown;
  for (let each = next.pop(); each !== undefined; each = next.pop()) {
    const { name, start } = each;
    if (++names > MOST_NAMES) {
      at = path.join(at, toBytes(NOT_UTF8));
      error ??= tooManyLinks();
      break;
    }
    if (name === '..') {
      const entered = start === undefined ? [] : passed.slice(start);
      for (const place of entered) left.add(place);
      // An edit may replace a file by a folder, and a link as well. Then `..` leads elsewhere.
      if (isAtFile && start !== undefined) isUnclear = true;
      if (entered.some((place) => links.includes(place))) isUnclear = true;
      [at, isAtFile] = [path.dirname(at), false];
      continue;
    }
    const place = path.join(at, name);
    isFound ||= isSought(toText(place));
    if (start !== undefined) passed.push(place);
    const entry = entryAt(place);
    if (entry.kind === 'unreadable') error ??= entry.error;
    if (entry.kind === 'below a file' && start !== undefined) isUnclear = true;
    if (entry.kind === 'link' && start !== undefined) links.push(place);
    isAtFile = entry.kind === 'file';
    if (entry.kind === 'link' && ++texts > MOST_LINKS) error ??= tooManyLinks();
    const isKnown = texts > MOST_LINKS && (followed.has(place) || texts > MOST_TEXTS);
    if (entry.kind !== 'link' || isKnown) at = place;
    else {
      followed.add(place);
      if (toText(entry.text).includes(NOT_UTF8)) isUnclear = true;
      if (path.isAbsolute(entry.text)) at = path.parse(entry.text).root;
      next.push(...namesOf(entry.text, passed.length));
    }
  }
  const isLost = texts > MOST_LINKS || names > MOST_NAMES;
  return {
    target: toText(at),
    linksInTexts: [...new Set(links)].map(toText),
    left: [...(isLost ? new Set(passed) : left)].map(toText),
    isFound,
    isUnclear: isUnclear || isLost,
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * Returns whether following an absolute path passes a place that is sought. Names that do not exist count as folders. A path that the
 * system may not follow to the same end may pass any place.
 */
export function passesPlace(file: string, isSought: (place: string) => boolean): boolean {
  const { isFound, isUnclear } = followPath(file, isSought);
  return isFound || isUnclear;
}

/** The last name first. */
function namesOf(text: string, start: number | undefined): NextName[] {
  const names = text
    .slice(path.parse(text).root.length)
    .split(path.sep)
    .filter((name) => name !== '' && name !== '.');
  return names.toReversed().map((name) => ({ name, start }));
}

function entryAt(place: string): Entry {
  const bytes = Buffer.from(place, 'latin1');
  try {
    const about = lstatSync(bytes, { throwIfNoEntry: false });
    if (about?.isSymbolicLink() === true) return { kind: 'link', text: readlinkSync(bytes, 'latin1') };
    return { kind: about === undefined ? 'missing' : about.isDirectory() ? 'folder' : 'file' };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOTDIR') return { kind: 'below a file' };
    // The link may be removed at the same time, and a link that leads to itself counts as a folder.
    return code === 'ENOENT' || code === 'ELOOP' ? { kind: 'missing' } : { kind: 'unreadable', error };
  }
}

function tooManyLinks(): Error {
  return Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' });
}

function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

const LINK_OF_PROCESS = /^\/proc\/\d+(?:\/task\/\d+)?\/(?:cwd|root|exe|fd|map_files)$/;

/** Returns whether a place is a link of the system that leads elsewhere for each process. */
export function isLinkOfProcess(place: string): boolean {
  return LINK_OF_PROCESS.test(place);
}
