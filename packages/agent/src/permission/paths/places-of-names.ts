/** Looks up the names of files that start-up files and settings contain. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { remembered } from './link-lookup.ts';

export interface FoundNames {
  /** Names of programs and scripts, which need not exist. A folder with all of its files ends with a slash. */
  readonly started: readonly string[];
  /** All words. They count if such a file exists. */
  readonly words: readonly string[];
  /** Operands of interpreters, which can be folders. */
  readonly run: readonly string[];
  /** Folders that count with all of their files, also missing ones, and files. */
  readonly folders: readonly string[];
}

/** The names in a file, prepared for a look at the disk. */
export interface ReadNames extends FoundNames {
  readonly size: number;
  /** All names by their first segment in lower case. A full name, and one that leads up, has the empty text. */
  readonly byFirst: ReadonlyMap<string, readonly string[]>;
  /** Words that count as scripts before they exist. */
  readonly scripts: readonly string[];
}

export const NO_NAMES: ReadNames = {
  started: [],
  words: [],
  run: [],
  folders: [],
  size: 0,
  byFirst: new Map(),
  scripts: [],
};

export function prepareNames(found: FoundNames, size: number): ReadNames {
  const byFirst = new Map<string, string[]>();
  for (const word of new Set([...found.words, ...found.run, ...found.started].map(normalized))) {
    if (word.includes('\0')) continue;
    const [first = ''] = word.split('/', 1);
    const key = first === '..' || first === '.' ? '' : first.toLowerCase();
    const same = byFirst.get(key);
    if (same === undefined) byFirst.set(key, [word]);
    else same.push(word);
  }
  const scripts = found.words.map(normalized).filter((word) => SCRIPT.test(word) && !BUILD_OUTPUT.test(word));
  return { ...found, run: found.run.map(normalized), size, byFirst, scripts };
}

function normalized(word: string): string {
  return path.posix.normalize(word).replace(/(?<=.)\/$/, '');
}

/** Joins faster than `path.resolve`. `word` is normalized. */
function placeIn(base: string, word: string): string {
  return /^(?:\/|\.)/.test(word) || base === '/' ? path.resolve(base, word) : `${base}/${word}`;
}

/** Names can start in folders that the text names. */
const MOST_BASES = 32;
/** Missing files start in fewer of them. */
const MOST_FOR_STARTED = 8;
/** More names are generated, and start only in the first folders. */
const MOST_STARTED = 256;
const MOST_FOR_MISSING = 4;

/** The path of a script with a folder, which counts before it exists. */
const SCRIPT = /^[\w.~+@/-]*\/[\w.+@-]+\.(?:[cm]?[jt]s|(?:ba|da|z|k|fi)?sh|py|rb|pl|php|lua|ps1)$/;
/** No program runs such a file. */
const DATA =
  /\.(?:md|mdx|txt|rst|adoc|log|csv|tsv|html?|s?css|less|svg|png|jpe?g|gif|ico|pdf|lock|pem|crt|woff2?|snap|d\.ts)$/i;
/** Builds write here, except for scripts of the shell. */
const BUILD_OUTPUT =
  /\/(?:dist|build|out|target|coverage|\.next|__pycache__|site-packages)\/(?!.*\.(?:ba|z)?sh$)/;
/** Interpreters add one of these to a name. */
const ENDINGS = ['.js', '.cjs', '.mjs', '.ts', '.py', '.rb'];

export interface DiskLookup {
  readonly isEmpty: (folder: string) => boolean;
  readonly kindOf: (file: string) => 'file' | 'folder' | 'missing';
  /** Returns those names of a text that may exist in a folder. */
  readonly among: (folder: string, names: ReadNames['byFirst']) => readonly string[];
}

/** Lists a folder once, because most words do not name a file. Remembers what it finds for one decision. */
export function createDiskLookup(): DiskLookup {
  const listed = remembered(namesIn);
  return {
    isEmpty: (folder) => listed(folder)?.size === 0,
    kindOf: remembered(kindOnDisk),
    among: (folder, names) => {
      const present = listed(folder);
      if (present === undefined) return [...names.values()].flat();
      const elsewhere = names.get('') ?? [];
      const firsts = present.size < names.size ? present : names.keys();
      const other = present.size < names.size ? names : present;
      return elsewhere.concat(
        [...firsts].flatMap((first) => (first !== '' && other.has(first) ? (names.get(first) ?? []) : [])),
      );
    },
  };
}

/**
 * Returns the full names, also of missing files that are certainly started. Those of folders with all of their files end with a slash.
 * `names`: with `full`, a relative word counts only in a folder that the text names, and not in the first folders.
 */
export function placesOfNames(
  read: ReadNames,
  starts: readonly string[],
  { kindOf, among, isEmpty }: DiskLookup,
  names: 'all' | 'full' = 'all',
): readonly string[] {
  const found: string[] = [];
  const first = [...new Set(starts)];
  const tops = (names === 'all' ? first.slice(0, 1) : first).map((top) => path.join(top, '/'));
  const isBelowTop = (folder: string): boolean => tops.some((top) => folder.startsWith(top));
  const bases = new Set(first);
  for (const base of first)
    for (const word of among(base, read.byFirst)) {
      const folder = placeIn(base, word);
      if (bases.size < MOST_BASES && isBelowTop(folder) && kindOf(folder) === 'folder') bases.add(folder);
    }
  const isCounted = (base: string, word: string): boolean =>
    names === 'all' || path.isAbsolute(word) || !first.includes(base);
  for (const base of bases) {
    for (const word of among(base, read.byFirst)) {
      if (!isCounted(base, word)) continue;
      const file = placeIn(base, word);
      const kind = kindOf(file);
      if (kind === 'file' && !DATA.test(file) && !BUILD_OUTPUT.test(file)) found.push(file);
      if (kind === 'folder' && read.run.includes(word) && isBelowTop(file)) found.push(`${file}/`);
    }
    for (const word of read.run)
      if (isCounted(base, word)) {
        const file = placeIn(base, word);
        if (kindOf(file) === 'missing')
          found.push(...ENDINGS.map((ending) => file + ending).filter((each) => kindOf(each) === 'file'));
      }
  }
  for (const base of first) found.push(...read.folders.map((folder) => `${path.resolve(base, folder)}/`));
  for (const base of [...bases].slice(0, MOST_FOR_STARTED))
    for (const name of first.includes(base) ? read.started : read.started.slice(0, MOST_STARTED)) {
      if (name.includes('\0')) continue;
      const place = path.resolve(base, name);
      if (name.endsWith('/')) found.push(`${place}/`);
      // A folder counts as a whole only if its name ends with a slash, or if its files are still missing.
      else if (kindOf(place) !== 'folder' || isEmpty(place)) found.push(place);
    }
  for (const base of [...bases].slice(0, MOST_FOR_MISSING))
    for (const word of read.scripts) if (isCounted(base, word)) found.push(placeIn(base, word));
  return [...new Set(found)];
}

function namesIn(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set(readdirSync(folder).map((name) => name.toLowerCase()));
  } catch (thrown) {
    const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    return isMissing ? new Set() : undefined;
  }
}

function kindOnDisk(file: string): 'file' | 'folder' | 'missing' {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? 'missing' : stats.isDirectory() ? 'folder' : 'file';
  } catch {
    return 'missing';
  }
}
