/** The rules of the program itself: reading one of its own files with logins asks. They are matched like ask rules of the user. */
import path from 'node:path';
import type { FilePart, Part } from '../part.ts';
import { isAtOrBelow } from '../paths/places.ts';
import { secretPlaces } from '../paths/secret-files.ts';
import type { PermissionWorld } from '../world.ts';
import { compileOwnRules } from './compile.ts';
import { findObjectingRule } from './match.ts';
import type { PermissionRule } from './rule.ts';

export interface LoginRules {
  /** The existing files and folders with logins. */
  readonly present: readonly string[];
  /** Returns whether a part reads such a file, as far as its files are known. A missing file counts only under its own name. */
  readonly match: (part: Part) => boolean;
}

/** Copies of a world share their functions. */
const known = new WeakMap<PermissionWorld['realpath'], LoginRules>();

export function loginRules(world: PermissionWorld): LoginRules {
  const before = known.get(world.realpath);
  if (before) return before;
  const made = createLoginRules(world);
  known.set(world.realpath, made);
  return made;
}

function createLoginRules(world: PermissionWorld): LoginRules {
  const places = secretPlaces(world);
  const present = places.filter(world.exists);
  const asking = places.map((place): PermissionRule => {
    // In a pattern, these letters would be wildcards.
    const name = path.posix.basename(place).replace(/[\\*?[{]/g, '\\$&');
    return { text: `Read(/${name})`, base: path.posix.dirname(place), source: 'managed' };
  });
  const rules = compileOwnRules(asking, world);
  // These few comparisons do not count as work of the call.
  const { spend: _spend, ...free } = world;
  const asks = (read: FilePart): boolean => findObjectingRule(read, 'ask', rules, free) !== undefined;
  const match = (part: Part): boolean => {
    if (part.kind !== 'read' || part.opensNothing || part.knowledge === 'mentioned') return false;
    if (part.stored || part.places === undefined) return false;
    const { below: _below, storedBelow: _stored, leavesOutDenied, ...rest } = part;
    const plain: FilePart = { ...rest, isUnsettled: false };
    if (present.length === 0 || leavesOutDenied) return asks({ ...plain, deep: 'no', glob: undefined });
    const readsFolders = part.knowledge === 'known' || part.readsFolders === true;
    if (part.below === undefined || !readsFolders) return asks(plain);
    // Some programs read the files of a folder that is named without an option for it.
    const isAbove = part.places.some(({ real }) => present.some((place) => isAtOrBelow(place, real)));
    const deep = part.deep === 'no' && isAbove ? 'all' : part.deep;
    return asks({ ...plain, deep });
  };
  return { present, match };
}
