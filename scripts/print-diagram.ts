// `npm run docs:diagram`: prints docs/machine.md and its pictures from the machine.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { diagramFiles } from './diagram/files.ts';

const root = path.dirname(import.meta.dirname);
for (const file of diagramFiles()) {
  const target = path.join(root, file.path);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, file.text);
  console.log(file.path);
}
