/**
 * Packages of providers, loaded when they are used: first from where Heddle lies, then from the user's own folder. Never
 * from the folder that is worked in, whose code nobody has agreed to run.
 */
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Environment, variable } from '../secrets/environment.ts';

export interface Package {
  readonly name: string;
  /** The one that was tried. */
  readonly version: string;
  /** A door of the package other than its main one. */
  readonly entry?: string;
}

/** What a package exports. */
export type LoadedPackage = Readonly<Record<string, unknown>>;

/** Throws where it is not to be found, with the command that installs it; and what the package itself throws. */
export async function loadPackage(wanted: Package, configFolder: string): Promise<LoadedPackage> {
  const file = findPackage(wanted, configFolder);
  if (file === undefined) {
    const command = packageInstallCommand(wanted, configFolder);
    throw new Error(`the package ${wanted.name} is not installed. Install it with:\n${command}`);
  }
  // The name is no literal, so that no bundler takes it for one of ours.
  const loaded: unknown = await import(pathToFileURL(file).href);
  return typeof loaded === 'object' && loaded !== null ? Object.fromEntries(Object.entries(loaded)) : {};
}

/** The file that would be loaded. */
export function findPackage({ name, entry }: Package, configFolder: string): string | undefined {
  for (const from of [import.meta.url, path.join(configFolder, 'package.json')]) {
    try {
      return createRequire(from).resolve(entry === undefined ? name : `${name}/${entry}`);
    } catch {
      // Then it is not there.
    }
  }
  return undefined;
}

export function packageInstallCommand({ name, version }: Package, configFolder: string): string {
  const shown = /\s/.test(configFolder) ? `"${configFolder}"` : configFolder;
  return `npm install --prefix ${shown} ${name}@${version}`;
}

export function configFolderIn(environment: Environment): string {
  const named = variable(environment, 'HEDDLE_CONFIG_DIR') ?? variable(environment, 'CLAUDE_CONFIG_DIR');
  return path.resolve(named ?? path.join(variable(environment, 'HOME') ?? os.homedir(), '.heddle'));
}
