/** Finds removals that would be destructive by accident. No rule and no mode allows them without a question. */
import path from 'node:path';
import type { ShellWord } from '@heddle/tools/shell';
import type { PermissionWorld } from '../world.ts';
import { isAtOrBelow, placesOf, tildeExpanded, workingFolders } from './places.ts';

/** Returns why the removal of this word would be destructive, or undefined. */
export function destructiveRemoval(
  word: ShellWord,
  folders: readonly string[],
  world: PermissionWorld,
): string | undefined {
  const meant = meanings(word, world);
  if (meant === undefined) return `${word.text.slice(0, 40)}… means too many names to look at`;
  for (const meaning of meant) {
    for (const folder of folders) {
      const reason = disasterAt(meaning, folder, world);
      if (reason !== undefined)
        return meaning.emptied ? `${word.text} is / when a variable is empty` : reason;
    }
  }
  return undefined;
}

const REMOVES =
  /\b(rm|rmdir|unlink|shred|srm|wipe|dd|mkfs|truncate|find|fd|fdfind|mv|rsync|rclone|unison|trash\w*|rimraf|git)\b/;

/** Returns whether a text that cannot be parsed contains the name of a program that can remove files, also within quotes. */
export function mayRemoveFiles(text: string): boolean {
  return REMOVES.test(text) || REMOVES.test(text.replace(/\\\n|["'\\]/g, ''));
}

interface Meaning {
  readonly written: string;
  /** The shell expands a tilde and stars in it. */
  readonly expands: boolean;
  /** The rest of the word if its variables are empty. */
  readonly emptied: boolean;
}

/** Returns undefined for braces that expand to too many words. */
function meanings(word: ShellWord, { home }: PermissionWorld): Meaning[] | undefined {
  if (word.kind !== 'dynamic') {
    return [{ written: word.value, expands: word.kind !== 'literal', emptied: false }];
  }
  const known = word.text
    .replace(/["']/g, '')
    .replace(/\$HOME\b|\$\{HOME\}/g, home)
    .replace(/\$PWD\b|\$\{PWD\}|\$\(pwd\)|`pwd`/g, '.');
  // `${X:?}` stops the command if the variable is empty.
  if (known.includes(':?')) return [];
  const rest = known.replace(/\$\{[^}]*\}|\$\w+|\$\([^)]*\)|`[^`]*`/g, '');
  const emptied = rest !== known;
  return alternatives(rest)?.map((written) => ({ written, expands: true, emptied }));
}

/** The number of words from one word with braces that are checked. */
const MOST_ALTERNATIVES = 256;

/** Expands `{a,b}` to two words. */
function alternatives(text: string): string[] | undefined {
  const done: string[] = [];
  const open = [text];
  for (let word = open.pop(); word !== undefined; word = open.pop()) {
    if (open.length + done.length > MOST_ALTERNATIVES) return undefined;
    const [, before = '', inside, after = ''] =
      /^([^{]*(?:\{[^{},]*)*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(word) ?? [];
    if (inside === undefined) done.push(word);
    else open.push(...inside.split(',').map((choice) => before + choice + after));
  }
  return done;
}

/** A last segment of only wildcards. It removes everything in the folder. */
const EVERYTHING = /^(?:(.*)\/)?\.?(?:[*?]+|[*?]*\[.*\][*?]*)\/?$/;

function disasterAt(
  { written, expands, emptied }: Meaning,
  folder: string,
  world: PermissionWorld,
): string | undefined {
  if (written === '') return undefined;
  const at = (name: string): readonly string[] =>
    placesOf(expands ? tildeExpanded(name, world.home) : name, [folder], world).flatMap((place) => [
      place.path,
      place.real,
    ]);
  const everything = expands ? EVERYTHING.exec(written) : null;
  if (!everything && expands && /[*?[]/.test(written)) {
    const isTop = at(written).some((place) => path.posix.dirname(place) === '/');
    return isTop ? `${written} may be a folder of the system` : undefined;
  }
  const places = everything ? at(everything[1] === undefined ? '.' : everything[1] || '/') : at(written);
  if (emptied) return places.includes('/') ? 'it is the root of the file system' : undefined;
  return places.map((place) => criticalPath(place, world)).find((reason) => reason !== undefined);
}

function criticalPath(place: string, world: PermissionWorld): string | undefined {
  if (place === '/') return 'it is the root of the file system';
  if (/^\/[^/]+$/.test(place)) return `${place} is a folder of the system`;
  if (isAtOrBelow(world.home, place)) return `${place} is the home folder or holds it`;
  const isCritical = [world.cwd, ...workingFolders(world)].some((folder) => isAtOrBelow(folder, place));
  return isCritical ? `${place} is a working directory or holds it` : undefined;
}
