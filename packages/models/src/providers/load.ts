/**
 * Loads provider packages on demand, first from Heddle's installation, then from the user's own folder.
 * Never from the project folder, because the user has not agreed to run its code.
 */
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Environment, readVariable } from '../secrets/environment.ts';

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
  for (const from of [import.meta.url, path.join(configFolder, 'package.json')]) {
    try {
      return createRequire(from).resolve(entry === undefined ? name : `${name}/${entry}`);
    } catch {
      // The package is not installed there.
    }
  }
  return undefined;
}

export function packageInstallCommand({ name, version }: Package, configFolder: string): string {
  const shown = /\s/.test(configFolder) ? `"${configFolder}"` : configFolder;
  return `npm install --prefix ${shown} ${name}@${version}`;
}

export function configFolderIn(environment: Environment): string {
  const named =
    readVariable(environment, 'HEDDLE_CONFIG_DIR') ?? readVariable(environment, 'CLAUDE_CONFIG_DIR');
  return path.resolve(named ?? path.join(readVariable(environment, 'HOME') ?? os.homedir(), '.heddle'));
}
