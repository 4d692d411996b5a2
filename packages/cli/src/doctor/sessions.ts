/** What runs left behind. Locks are not looked at: the system lets go of them when their process dies. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { findLeftovers } from '@heddle/tools';
import { type Finding, hint, ok } from './finding.ts';

export function checkLeftovers(configDir: string): Finding {
  const left = tasksFolders(configDir).flatMap((folder) => findLeftovers(folder));
  if (left.length === 0) return ok('commands', 'no command of an earlier run is still running');
  const commands = left.map(({ command, pids }) => `${command} (process ${pids.join(', ')})`).join('; ');
  return hint(
    'commands',
    `commands of a crashed run are still running: ${commands}`,
    'resume that session, which ends them, or end the processes yourself',
  );
}

function tasksFolders(configDir: string): string[] {
  const projects = path.join(configDir, 'projects');
  return folders(projects).flatMap((project) =>
    folders(path.join(projects, project)).map((session) => path.join(projects, project, session, 'tasks')),
  );
}

function folders(parent: string): string[] {
  try {
    return readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
