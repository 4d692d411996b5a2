/** Finds the programs that Heddle itself starts by name. */
import { accessSync, constants, realpathSync } from 'node:fs';
import path from 'node:path';
import { codeOutside, searchedOutside } from './shell/code-places.ts';
import { isManagedProgram } from './shell/managed-programs.ts';

/**
 * Finds a program on the search path. Relative entries and folders of the project are ignored: a project could provide a
 * program of that name. So are programs of version managers, because a project could choose what they run. `folders` are folders
 * of the project beside the current one.
 */
export function findProgram(
  searchPath = '',
  name: string,
  folders: readonly string[] = [],
): string | undefined {
  return searchedOutside([process.cwd(), ...folders], searchPath)
    .map((folder) => path.join(folder, name))
    .find((file) => isProgram(file) && !isManaged(file));
}

/** A file that is gone by now is no longer a program, either. */
function isManaged(file: string): boolean {
  try {
    return isManagedProgram(file, realpathSync(file));
  } catch {
    return true;
  }
}

/**
 * Returns the environment for a program that Heddle itself starts: without places of code in the project, such as a relative
 * `LD_LIBRARY_PATH`. `folders` are folders of the project beside the current one.
 */
export function ownEnvironment(folders: readonly string[] = []): NodeJS.ProcessEnv {
  return { ...process.env, ...codeOutside([process.cwd(), ...folders], process.env) };
}

/** Returns the shell that runs commands. */
export function findBash(searchPath = process.env['PATH'], folders?: readonly string[]): string {
  return findProgram(searchPath, 'bash', folders) ?? '/bin/bash';
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
