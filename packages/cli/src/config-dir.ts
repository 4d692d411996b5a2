/** The folders with sessions and settings: from Heddle's variable, a variable of a similar tool, or the home folder. */
import os from 'node:os';
import path from 'node:path';
import type { SessionPlace } from '@heddle/agent/sessions';

type Variables = Readonly<Record<string, string | undefined>>;

export function configDir(env: Variables): string {
  return env['HEDDLE_CONFIG_DIR'] || env['CLAUDE_CONFIG_DIR'] || path.join(os.homedir(), '.heddle');
}

/** Returns the folder for temporary files that no call may change. */
export function temporaryParent(env: Variables): string {
  return path.join(configDir(env), 'temp');
}

/** Returns the folders with sessions of similar tools. Returns none if a variable names the folder. */
function otherConfigDirs(env: Variables): readonly string[] {
  if (env['HEDDLE_CONFIG_DIR'] || env['CLAUDE_CONFIG_DIR']) return [];
  return [path.join(os.homedir(), '.claude')];
}

/** Returns the folders that contain the sessions of `cwd`. */
export function sessionPlace(env: Variables, cwd: string): SessionPlace {
  return { configDir: configDir(env), otherConfigDirs: otherConfigDirs(env), cwd };
}

/**
 * Returns an error message if the config folder is a relative path, else undefined. A relative path would be resolved
 * in the working folder, so a cloned project could replace the user's settings.
 */
export function wrongConfigDir(env: Variables): string | undefined {
  const name = ['HEDDLE_CONFIG_DIR', 'CLAUDE_CONFIG_DIR'].find((variable) => env[variable]);
  const folder = name === undefined ? undefined : env[name];
  if (folder === undefined || path.isAbsolute(folder)) return undefined;
  return `${name} is ${folder}, which is not an absolute path. Use an absolute path, such as ${path.resolve(os.homedir(), '.heddle')}.`;
}

/**
 * Ignores an empty or relative HOME, because settings and sessions would then be searched in the working folder. The home
 * folder of the user database is used instead. A user without an entry, as in many containers, gets the root folder.
 */
export function settleHome(env: Record<string, string | undefined>): void {
  if (env['HOME'] !== undefined && !path.isAbsolute(env['HOME'])) delete env['HOME'];
  try {
    os.homedir();
  } catch {
    env['HOME'] = path.sep;
  }
}
