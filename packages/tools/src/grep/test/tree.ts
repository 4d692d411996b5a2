/**
 * A folder with files, each a second older than the one before it: the order of changes is the order of
 * the names.
 */
import { mkdirSync, mkdtempSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const NOW = 1_700_000_000;

export function treeOf(files: Readonly<Record<string, string | Buffer>>): string {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-tree-')));
  for (const [index, [name, content]] of Object.entries(files).entries()) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, NOW - index, NOW - index);
  }
  return root;
}
