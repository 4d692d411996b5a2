/** What patterns mean at the moment: bubblewrap can only keep what has a name. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { SandboxPolicy } from '../policy/policy.ts';

/** Enough for a large project; what lies behind that is not looked at. */
const MOST_FOLDERS = 20_000;
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

export async function expand({ unwritableLike, writable }: SandboxPolicy): Promise<string[]> {
  if (unwritableLike.length === 0) return [];
  if (process.platform === 'darwin') return unwritableLike.map(({ glob }) => glob);
  const found: string[] = [];
  const open = [...writable];
  for (let visited = 0; open.length > 0 && visited < MOST_FOLDERS; visited++) {
    const folder = open.pop() ?? '';
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const file = path.join(folder, entry.name);
      if (unwritableLike.some(({ matches }) => matches(file))) found.push(file);
      else if (entry.isDirectory() && !SKIPPED.has(entry.name)) open.push(file);
    }
  }
  return found;
}
