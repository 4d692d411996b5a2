/** Finds the optional packages of the program: only those that were installed with it, or in the user's own folder. */

/** Contract: both functions return undefined for a missing file, and never throw. */
export interface PackageDisk {
  readonly realpath: (file: string) => string | undefined;
  /** Resolves a name as `require` does in a file of this folder. */
  readonly resolve: (folder: string, name: string) => string | undefined;
}

export interface PackagePlaces {
  /** A folder with code of the program. */
  readonly code: string;
  /** The folder of the user's settings. */
  readonly config?: string;
}

/**
 * Returns the file of a package, without links. Undefined if it is not installed. `require` also searches the folders above that of
 * the settings, those in `NODE_PATH` and further ones of the user. A project can put a package there, so these do not count.
 */
export function findPackageFile(
  name: string,
  { code, config }: PackagePlaces,
  disk: PackageDisk,
): string | undefined {
  const start = disk.realpath(code) ?? code;
  const [, store] = STORE.exec(start) ?? [];
  const own = foldersUp(start).map((folder) => `${folder}/${PACKAGES}`);
  const folders = config === undefined ? own : [...own, `${config}/${PACKAGES}`];
  const places = [
    ...(store === undefined ? [] : [store]),
    ...folders.flatMap((one) => disk.realpath(one) ?? []),
  ];
  for (const folder of config === undefined ? [start] : [start, config]) {
    const found = disk.resolve(folder, name);
    const file = found === undefined ? undefined : disk.realpath(found);
    if (file !== undefined && places.some((place) => isBelow(file, place))) return file;
  }
  return undefined;
}

const PACKAGES = 'node_modules';

/** pnpm can install a program in its store. There, each package links to the packages beside it. */
const STORE = /^(.*[\\/]store[\\/]v\d+[\\/]links)[\\/].*[\\/]node_modules[\\/]/;

function foldersUp(folder: string): readonly string[] {
  const above = folder.replace(/[\\/]+[^\\/]*$/, '');
  return above === folder ? [folder] : [folder, ...foldersUp(above)];
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`) || file.startsWith(`${folder}\\`);
}
