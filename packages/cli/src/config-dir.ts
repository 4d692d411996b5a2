/** Where sessions and settings live: ours if named, else the one people already have named, else in the home folder. */
import os from 'node:os';
import path from 'node:path';
import type { SessionPlace } from '@heddle/agent/sessions';

type Variables = Readonly<Record<string, string | undefined>>;

export function configDir(env: Variables): string {
  return env['HEDDLE_CONFIG_DIR'] || env['CLAUDE_CONFIG_DIR'] || path.join(os.homedir(), '.heddle');
}

/** Folders with sessions of other tools, as people have them who come from there. None if a folder was named. */
function otherConfigDirs(env: Variables): readonly string[] {
  if (env['HEDDLE_CONFIG_DIR'] || env['CLAUDE_CONFIG_DIR']) return [];
  return [path.join(os.homedir(), '.claude')];
}

/** Where the sessions of a folder are found. */
export function sessionPlace(env: Variables, cwd: string): SessionPlace {
  return { configDir: configDir(env), otherConfigDirs: otherConfigDirs(env), cwd };
}

/**
 * A relative folder would be looked for in the working folder, and a cloned project could bring the user's own settings.
 * Answers with the message; undefined: all is well.
 */
export function wrongConfigDir(env: Variables): string | undefined {
  const name = ['HEDDLE_CONFIG_DIR', 'CLAUDE_CONFIG_DIR'].find((variable) => env[variable]);
  const folder = name === undefined ? undefined : env[name];
  if (folder === undefined || path.isAbsolute(folder)) return undefined;
  return `${name} is ${folder}, which is not an absolute path; write the whole path, such as ${path.resolve(os.homedir(), '.heddle')}`;
}

/**
 * With an empty or relative HOME, settings and sessions would be looked for in the working folder; then the home folder that
 * the system knows counts. For a user whom the system does not know either, as in many containers, it is the root.
 */
export function settleHome(env: Record<string, string | undefined>): void {
  if (env['HOME'] !== undefined && !path.isAbsolute(env['HOME'])) delete env['HOME'];
  try {
    os.homedir();
  } catch {
    env['HOME'] = path.sep;
  }
}
