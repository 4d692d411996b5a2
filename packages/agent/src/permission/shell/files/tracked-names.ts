/** Finds the tracked files that a rule may match, without a comparison of each of them. */
import type { PathPattern } from '../../rules/path-pattern.ts';
import type { PermissionWorld } from '../../world.ts';

/** The number of tracked files that are listed, and that are compared with a rule, in one step. */
const LISTED_PER_STEP = 64;
const COMPARED_PER_STEP = 16;

export interface TrackedNames {
  has(file: string): boolean;
  /** Returns the files that contain the fixed text of a pattern. */
  with(pattern: Pick<PathPattern, 'text'>): readonly string[];
}

type CountedWorld = Pick<PermissionWorld, 'spend' | 'foldsCase'>;

/** The files of a repository are the same list in all decisions on one state. */
const knownSets = new WeakMap<readonly string[], ReadonlySet<string>>();
const knownTexts = new WeakMap<readonly string[], ListedText>();
/** The steps are the same in each decision, whether the text is known or not. */
const countedLists = new WeakMap<NonNullable<PermissionWorld['spend']>, WeakSet<readonly string[]>>();

export function trackedNames(files: readonly string[], world: CountedWorld): TrackedNames {
  return {
    has: (file) => {
      let known = knownSets.get(files);
      if (!known) knownSets.set(files, (known = new Set(files)));
      return known.has(file);
    },
    with: ({ text }) => {
      const found = text === '' ? files : filesWith(text, files, world);
      world.spend?.(1 + Math.floor(found.length / COMPARED_PER_STEP));
      return found;
    },
  };
}

/** All names in one text. It is much faster to search than each name. */
interface ListedText {
  readonly isFolded: boolean;
  readonly joined: string;
  /** The position of each file. */
  readonly starts: readonly number[];
}

function filesWith(
  text: string,
  files: readonly string[],
  { spend, foldsCase }: CountedWorld,
): readonly string[] {
  if (spend) countOnce(files, spend);
  let listed = knownTexts.get(files);
  if (listed?.isFolded !== foldsCase) knownTexts.set(files, (listed = listedText(files, foldsCase)));
  const { joined, starts } = listed;
  const wanted = foldsCase ? text.toLowerCase() : text;
  const found: string[] = [];
  for (let at = joined.indexOf(wanted); at >= 0; ) {
    const index = lastAtOrBefore(starts, at);
    const file = files[index];
    if (file !== undefined) found.push(file);
    const next = starts[index + 1];
    if (next === undefined) break;
    at = joined.indexOf(wanted, next);
  }
  return found;
}

function countOnce(files: readonly string[], spend: NonNullable<PermissionWorld['spend']>): void {
  const counted = countedLists.get(spend) ?? new WeakSet();
  if (counted.has(files)) return;
  spend(Math.ceil(files.length / LISTED_PER_STEP));
  countedLists.set(spend, counted.add(files));
}

function listedText(files: readonly string[], isFolded: boolean): ListedText {
  const names = isFolded ? files.map((file) => file.toLowerCase()) : files;
  const starts: number[] = [];
  let at = 0;
  for (const name of names) {
    starts.push(at);
    at += name.length + 1;
  }
  return { isFolded, joined: names.join('\0'), starts };
}

function lastAtOrBefore(starts: readonly number[], at: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? Infinity) <= at) low = middle;
    else high = middle;
  }
  return low;
}
