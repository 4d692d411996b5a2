/**
 * Loads provider packages on demand, first from Heddle's installation, then from the user's own folder.
 * Never from a project, because the user has not agreed to run its code.
 */
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findPackageFile, type PackageDisk } from '@heddle/core';

export interface Package {
  readonly name: string;
  /** The tested version. */
  readonly version: string;
  /** An entry point of the package other than its main one. */
  readonly entry?: string;
}

/** The exports of a package. */
export type LoadedPackage = Readonly<Record<string, unknown>>;

/**
 * Throws if the package is not found, with the command that installs it. Exceptions of the package itself
 * pass through.
 */
export async function loadPackage(wanted: Package, configFolder: string): Promise<LoadedPackage> {
  const file = findPackage(wanted, configFolder);
  if (file === undefined) {
    const command = packageInstallCommand(wanted, configFolder);
    throw new Error(`the package ${wanted.name} is not installed. Install it with:\n${command}`);
  }
  // The name is not a literal, so that bundlers do not include it.
  const loaded: unknown = await import(pathToFileURL(file).href);
  return typeof loaded === 'object' && loaded !== null ? Object.fromEntries(Object.entries(loaded)) : {};
}

/** Returns the file that would be loaded. */
export function findPackage({ name, entry }: Package, configFolder: string): string | undefined {
  const wanted = entry === undefined ? name : `${name}/${entry}`;
  return findPackageFile(wanted, { code: import.meta.dirname, config: configFolder }, disk);
}

const disk: PackageDisk = {
  realpath: (file) => orMissing(() => realpathSync.native(file)),
  resolve: (folder, wanted) => orMissing(() => createRequire(path.join(folder, 'index.js')).resolve(wanted)),
};

function orMissing(find: () => string): string | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

export function packageInstallCommand({ name, version }: Package, configFolder: string): string {
  const shown = /\s/.test(configFolder) ? `"${configFolder}"` : configFolder;
  return `npm install --prefix ${shown} ${name}@${version}`;
}
