/** The user's own folder, where packages of providers may be installed beside settings and sessions. */
import os from 'node:os';
import path from 'node:path';
import { type Environment, variable } from '../secrets/environment.ts';

export function configFolderIn(environment: Environment): string {
  const named = variable(environment, 'HEDDLE_CONFIG_DIR') ?? variable(environment, 'CLAUDE_CONFIG_DIR');
  return path.resolve(named ?? path.join(variable(environment, 'HOME') ?? os.homedir(), '.heddle'));
}
