/** Where sessions and settings live: ours if named, else the one people already have named, else in the home folder. */
import os from 'node:os';
import path from 'node:path';

export function configDir(env: Readonly<Record<string, string | undefined>>): string {
  return env['HEDDLE_CONFIG_DIR'] || env['CLAUDE_CONFIG_DIR'] || path.join(os.homedir(), '.heddle');
}
