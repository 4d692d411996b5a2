/** Finds optional packages on this machine. */
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { findPackageFile, type PackageDisk, type PackagePlaces } from '@heddle/core';

/** Returns the file of a package that was installed with the program or, if `config` is given, in the user's own folder. */
export function findPackage(name: string, places: PackagePlaces): string | undefined {
  return findPackageFile(name, places, disk);
}

const disk: PackageDisk = {
  realpath: (file) => orMissing(() => realpathSync.native(file)),
  resolve: (folder, name) => orMissing(() => createRequire(path.join(folder, 'index.js')).resolve(name)),
};

function orMissing(find: () => string): string | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
