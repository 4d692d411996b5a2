/**
 * Outputs that a session keeps in files of their own. The conversation names them by their path, and a fork has the
 * conversation: they go with the last session that names them.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { overlappingChunks } from '../files/lines.ts';
import { SPILLS } from '../files/paths.ts';
import { sessionFilesIn } from '../files/session-files.ts';

/** `project`: the folder of a project's sessions. */
export function removeSpills(project: string): void {
  for (const id of leftBehind(project))
    if (!isNamed(project, id)) rmSync(path.join(project, id), { recursive: true, force: true });
}

/** Nothing else is left of their session. */
function leftBehind(project: string): string[] {
  return readdirSync(project, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !existsSync(path.join(project, `${entry.name}.jsonl`)))
    .filter(({ name }) => readdirSync(path.join(project, name)).join() === SPILLS)
    .map(({ name }) => name);
}

function isNamed(project: string, id: string): boolean {
  const name = Buffer.from(`${id}/${SPILLS}/`);
  return sessionFilesIn(project).some(({ path: file }) => {
    try {
      for (const bytes of overlappingChunks(file, name.length)) if (bytes.includes(name)) return true;
      return false;
    } catch {
      // It cannot be read: it may name anything.
      return existsSync(file);
    }
  });
}
