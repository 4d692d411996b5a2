/**
 * Finds the name by which a folder lists a file. On some disks a file has further names: in another case, in another form of
 * its accents, or short ones such as `ENVRC~1`. Rules and protected places are compared with the listed name.
 */
import { type Dir, lstatSync, opendirSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** The part of the disk that decides about names. Tests replace it. */
export interface NameAccess {
  /** The names in a folder. Undefined if it cannot be read. */
  readonly list: (folder: string) => readonly string[] | undefined;
  /** Some of the names in a folder. Empty if it cannot be read. */
  readonly first: (folder: string, most: number) => readonly string[];
  /** The same text for the same file. Undefined if there is no such file. Links are not followed. */
  readonly identify: (file: string) => string | undefined;
}

/** No listed name belongs to the file, or several may. */
export class UnlistedNameError extends Error {
  constructor(name: string) {
    super(`its folder does not list the name ${name}`);
  }
}

/**
 * Returns a function that replaces each name of a path without links by the listed one. Names after a missing one stay.
 * The function remembers its looks at folders.
 *
 * Contract: the function throws `UnlistedNameError` if the listed name cannot be determined. In a folder that cannot be read,
 * the written name counts. In usual folders it takes one look per folder, and none of them is listed.
 */
export function listedPaths(access: NameAccess = disk): (real: string) => string {
  const names = new Map<string, ReadonlySet<string> | undefined>();
  const folding = new Map<string, boolean>();
  const listed = (folder: string): ReadonlySet<string> | undefined => {
    if (!names.has(folder)) {
      const all = access.list(folder);
      names.set(folder, all && new Set(all));
    }
    return names.get(folder);
  };

  /** Returns whether a folder finds files by names that it does not list. */
  const ignoresForm = (folder: string, name: string): boolean | 'missing' => {
    const known = folding.get(folder);
    if (known === true || (known === false && isPlain(name))) return known;
    const forms = formsOf(name);
    const others = forms.filter((other) => access.identify(path.join(folder, other)) !== undefined);
    if (others.length === 0) {
      if (access.identify(path.join(folder, name)) === undefined) return 'missing';
      // Every disk that ignores case does so for these letters. About other letters and about accents disks differ.
      if (swapAsciiCase(name) !== name) folding.set(folder, false);
      return false;
    }
    const all = listed(folder);
    const answer = all !== undefined && [name, ...others].some((one) => !all.has(one));
    if (answer) folding.set(folder, true);
    return answer;
  };

  /** Undefined: there is no such entry. */
  const nameIn = (folder: string, name: string): string | undefined => {
    if (FIXED_FOLDERS.has(folder)) return name;
    const ignores = ignoresForm(folder, name);
    if (ignores === 'missing') return undefined;
    if (!ignores && !hasUnlistedForm(name)) return name;
    const all = listed(folder);
    if (all === undefined || all.has(name)) return name;
    const id = access.identify(path.join(folder, name));
    return id === undefined ? undefined : aliased(folder, name, { id, all, access });
  };

  return (real) => {
    let at = path.parse(real).root;
    const segments = real.slice(at.length).split(path.sep);
    for (const [index, name] of segments.entries()) {
      const found = nameIn(at, name);
      if (found === undefined) return path.join(at, ...segments.slice(index));
      at = path.join(at, found);
    }
    return at;
  };
}

/** Short names contain `~1`, and Windows ignores final dots and blanks. A colon separates a file from its streams. */
const UNUSUAL = /~\d|[. ]$|:/;

/** Returns whether a name may belong to a file that its folder lists by a different name, apart from case and accents. */
export function hasUnlistedForm(name: string): boolean {
  return UNUSUAL.test(name);
}

/** They do not ignore case. A look at a missing name in some of them can take long, because it searches the network. */
const FIXED_FOLDERS: ReadonlySet<string> = new Set(['/', '/home', '/net', '/proc', '/sys', '/dev']);

/** The number of entries in a folder that are compared with a file. In a larger folder, the listed name is unknown. */
const MOST_COMPARED = 2_000;

function aliased(
  folder: string,
  name: string,
  {
    id,
    all,
    access,
  }: { readonly id: string; readonly all: ReadonlySet<string>; readonly access: NameAccess },
): string {
  const alike = Array.from(all).filter((other) => foldName(other) === foldName(name));
  const [only] = alike;
  if (alike.length === 1 && only !== undefined) return only;
  if (all.size > MOST_COMPARED) throw new UnlistedNameError(name);
  const same = Array.from(all).filter((other) => access.identify(path.join(folder, other)) === id);
  const [found] = same;
  if (same.length !== 1 || found === undefined) throw new UnlistedNameError(name);
  return found;
}

/** The number of entries that are looked at for one with letters. */
const MOST_TRIED = 16;

/** Returns whether a folder finds its entries in another case, too. An empty folder counts as one that does not. */
export function ignoresCase(folder: string, { first, identify }: NameAccess = disk): boolean {
  const name = first(folder, MOST_TRIED).find((each) => swapCase(each) !== each);
  if (name === undefined) return false;
  const other = identify(path.join(folder, swapCase(name)));
  return other !== undefined && other === identify(path.join(folder, name));
}

function isPlain(name: string): boolean {
  return /^[ -~]*$/.test(name);
}

/** Returns other spellings by which some disks find the same file. */
function formsOf(name: string): readonly string[] {
  const plain = swapAsciiCase(name);
  const forms = isPlain(name)
    ? [plain]
    : [plain, swapCase(name), name.normalize('NFC'), name.normalize('NFD'), foldName(name)];
  return [...new Set(forms)].filter((form) => form !== name);
}

function swapAsciiCase(name: string): string {
  return name.replace(/[A-Za-z]+/g, swapCase);
}

function swapCase(name: string): string {
  return Array.from(name, (letter) => {
    const lower = letter.toLowerCase();
    return lower === letter ? letter.toUpperCase() : lower;
  }).join('');
}

function foldName(name: string): string {
  const visible = name.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.normalize('NFKD').toUpperCase().toLowerCase();
}

const disk: NameAccess = {
  list: (folder) => {
    try {
      return readdirSync(folder);
    } catch {
      return undefined;
    }
  },
  first: (folder, most) => {
    let open: Dir | undefined;
    const names: string[] = [];
    try {
      open = opendirSync(folder);
      for (let entry = open.readSync(); entry && names.length < most; entry = open.readSync())
        names.push(entry.name);
    } catch {
      // The names so far count.
    } finally {
      open?.closeSync();
    }
    return names;
  },
  identify: (file) => {
    try {
      const about = lstatSync(file, { throwIfNoEntry: false, bigint: true });
      return about && `${about.dev}:${about.ino}`;
    } catch {
      return undefined;
    }
  },
};
