/** Where sessions and settings live: ours if named, else the one people already have named, else in the home folder. */
import os from 'node:os';
import path from 'node:path';

type Variables = Readonly<Record<string, string | undefined>>;

export function configDir(env: Variables): string {
  return env['HEDDLE_CONFIG_DIR'] || env['CLAUDE_CONFIG_DIR'] || path.join(os.homedir(), '.heddle');
}

/**
 * With an empty HOME everything would lie in whatever folder one happens to stand in; then the system's word counts. A user
 * whom the system does not know either, as in many containers, is at home where containers put him.
 */
export function settleHome(env: Record<string, string | undefined>): void {
  if (env['HOME'] === '') delete env['HOME'];
  try {
    os.homedir();
  } catch {
    env['HOME'] = path.sep;
  }
}
