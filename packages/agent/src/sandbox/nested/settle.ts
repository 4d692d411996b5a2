/**
 * After a command: what it made that would run something outside of the sandbox, later, is taken away and kept elsewhere. A
 * repository made inside stays, without hooks and without settings that name a program.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { removeRunningSettings } from './git-config.ts';
import { quarantine } from './quarantine.ts';
import { type Nested, newcomers } from './scan.ts';

export interface FolderSnapshots {
  readonly before: Nested;
  readonly now: Nested;
  /** What the command was kept from: whatever came into being there is somebody else's. */
  readonly kept: readonly string[];
  /** What it was not kept from all the time, after all. */
  readonly exposed: readonly string[];
}

/** Whole sentences for the model. `folder`: for what is taken away. */
export async function settleNewcomers(
  { before, now, kept, exposed }: FolderSnapshots,
  folder: string,
): Promise<string[]> {
  const made = newcomers(before, now, (file) => kept.some((one) => isAt(file, one) || isAt(one, file)));
  const suspects = [
    ...exposed,
    // What names the place of a worktree is new with each of them.
    ...made.switches.filter((file) => path.basename(file) !== 'gitdir' && !leadsHome(file, now.repositories)),
    ...made.repositories.flatMap(hooksIn),
    ...made.pointers.filter((pointer) => !leadsTo(pointer, now.repositories)),
    ...made.settings.filter((file) => !isCloned(file, made.repositories)),
    ...made.settings.map((file) => path.join(file, 'settings.local.json')),
  ];
  const removed: string[] = [];
  for (const git of made.repositories) {
    const config = path.join(git, 'config');
    const settings = removeRunningSettings(config);
    if (settings === 'unreadable') suspects.push(config);
    else removed.push(...settings.map((key) => `${key} in ${config}`));
  }
  const taken: string[] = [];
  const left: string[] = [];
  for (const file of suspects) {
    const how = await quarantine(file, folder);
    if (how === 'taken') taken.push(file);
    if (how === 'left') left.push(file);
  }
  return [
    ...(left.length === 0
      ? []
      : [
          `Something may run outside of the sandbox, later, and could not be taken away: ${left.join(', ')}.`,
        ]),
    ...(taken.length === 0
      ? []
      : [
          `The sandbox took away what would run outside of it later: ${taken.join(', ')}. It is kept in ${folder}.`,
        ]),
    ...(removed.length === 0
      ? []
      : [`The sandbox took settings out that name a program: ${removed.join(', ')}.`]),
  ];
}

/** A link leads to hooks that lie anywhere: it goes as a whole. */
function hooksIn(git: string): string[] {
  const folder = path.join(git, 'hooks');
  try {
    if (lstatSync(folder).isSymbolicLink()) return [folder];
    return readdirSync(folder)
      .filter((name) => !name.endsWith('.sample'))
      .map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

/** What belongs to a worktree names the repository it lies in, one that was looked at. */
function leadsHome(file: string, repositories: readonly string[]): boolean {
  const folder = path.dirname(file);
  const home = path.resolve(folder, '../..');
  try {
    const named = path.resolve(folder, readFileSync(file, 'utf8').trim());
    return path.basename(file) === 'commondir' && named === home && repositories.includes(home);
  } catch {
    return false;
  }
}

/** A worktree or a module of a repository that was looked at. */
function leadsTo(pointer: string, repositories: readonly string[]): boolean {
  try {
    const [, named = ''] = /^gitdir: (.+)$/m.exec(readFileSync(pointer, 'utf8')) ?? [];
    const own = realpathSync(path.resolve(path.dirname(pointer), named.trim()));
    if (named === '') return false;
    const known = new Set(repositories.map((git) => realpathSync(git)));
    if (known.has(own)) return true;
    const shared = readFileSync(path.join(own, 'commondir'), 'utf8').trim();
    return known.has(realpathSync(path.resolve(own, shared)));
  } catch {
    return false;
  }
}

/** What came with a repository waits for the user's trust in it. */
function isCloned(file: string, repositories: readonly string[]): boolean {
  return repositories.some(
    (git) => file.startsWith(`${path.dirname(git)}/`) && path.basename(git) === '.git',
  );
}

function isAt(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}
