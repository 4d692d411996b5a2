/** Which engine searches here: the ripgrep that came along, one of the system, or our own walk. */
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { SearchEngine } from './query.ts';
import { Ripgrep } from './ripgrep.ts';

let found: Promise<SearchEngine> | undefined;

/** Looked for once. */
export function findEngine(): Promise<SearchEngine> {
  found ??= find();
  return found;
}

/** Undefined where there is none. */
export async function findRipgrep(): Promise<string | undefined> {
  return (await packagedRipgrep()) ?? (await installed());
}

async function find(): Promise<SearchEngine> {
  const program = await findRipgrep();
  return program === undefined ? new (await import('./walk-engine.ts')).WalkEngine() : new Ripgrep(program);
}

/** The one that came along. */
export async function packagedRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return (await isProgram(rgPath)) ? rgPath : undefined;
  } catch {
    // Its package for this platform is not installed.
    return undefined;
  }
}

async function installed(): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const program = path.join(folder, 'rg');
    if (path.isAbsolute(folder) && (await isProgram(program))) return program;
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
