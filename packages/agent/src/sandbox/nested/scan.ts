/**
 * Repositories and settings of agents in the folders of a project. A sandbox can keep those it knows; what a command makes in a
 * folder that nobody could name before is found by looking again.
 */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { guardedInGitDir } from '../policy/guarded.ts';

export interface Nested {
  /** Folders that git takes for a repository: `.git`, and any other with the same things in it. */
  readonly repositories: readonly string[];
  /** Files in them that send git to another place for its settings. */
  readonly switches: readonly string[];
  /** Files and links named `.git`, which point to one. */
  readonly pointers: readonly string[];
  /** `.claude`, `.heddle`, `.mcp.json`. */
  readonly settings: readonly string[];
}

/** Near ones are looked at first. */
const MOST_FOLDERS = 5_000;
const AT_ONCE = 32;
const SETTINGS: ReadonlySet<string> = new Set(['.claude', '.heddle', '.mcp.json']);
const SWITCHES: ReadonlySet<string> = new Set(['commondir', 'config.worktree', 'gitdir']);
/** Large, and nobody runs git in it. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules']);
/** What a repository holds of others: its modules, and what belongs to its worktrees. */
const OTHERS: ReadonlySet<string> = new Set(['modules', 'worktrees']);

type Found = { [Kind in keyof Nested]: string[] };

export async function scan(folders: readonly string[]): Promise<Nested> {
  const found: Found = { repositories: [], switches: [], pointers: [], settings: [] };
  let level = [...folders];
  for (let room = MOST_FOLDERS; level.length > 0 && room > 0; ) {
    const now = level.slice(0, room);
    room -= now.length;
    level = [];
    for (let at = 0; at < now.length; at += AT_ONCE) {
      const batch = now.slice(at, at + AT_ONCE);
      const listings = await Promise.all(batch.map(entriesOf));
      listings.forEach((entries, index) => level.push(...visit(batch[index] ?? '', entries, found)));
    }
  }
  return found;
}

/** Notes what a folder holds; answers with the folders to go on with. */
function visit(folder: string, entries: readonly Dirent[], found: Found): string[] {
  const names = new Set(entries.map(({ name }) => name));
  const isWorktrees = path.basename(path.dirname(folder)) === 'worktrees' && names.has('gitdir');
  const isWhole = names.has('objects') && names.has('refs');
  // Git takes the rest from the folder that `commondir` names, whatever that looks like.
  const isRepository = names.has('HEAD') && (isWhole || (names.has('commondir') && !isWorktrees));
  if (isRepository) found.repositories.push(folder);
  const inner: string[] = [];
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    if ((isRepository || isWorktrees) && SWITCHES.has(entry.name)) found.switches.push(file);
    else if (SETTINGS.has(entry.name)) found.settings.push(file);
    else if (!entry.isDirectory()) {
      if (entry.name === '.git') found.pointers.push(file);
    } else if (isRepository ? OTHERS.has(entry.name) : !SKIPPED.has(entry.name)) inner.push(file);
  }
  return inner;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** Each costs a few mounts, and bubblewrap takes no more than some thousand. */
const MOST_STANDING = 300;

/** What stands there already, and commands must be kept from. */
export function standing({ repositories, switches, pointers, settings }: Nested): string[] {
  const kept = repositories.map(guardedInGitDir);
  // If there are too many, what git runs at once comes first.
  const [now, later] = [kept.flatMap((files) => files.slice(0, 2)), kept.flatMap((files) => files.slice(2))];
  return [...settings, ...switches, ...pointers, ...now, ...later].slice(0, MOST_STANDING);
}

/** What is there now and was not before, and is the command's own. */
export function newcomers(before: Nested, now: Nested, isOthers: (file: string) => boolean): Nested {
  const fresh = (kind: keyof Nested): string[] => {
    const known = new Set(before[kind]);
    return now[kind].filter((file) => !known.has(file) && !isOthers(file));
  };
  return {
    repositories: fresh('repositories'),
    switches: fresh('switches'),
    pointers: fresh('pointers'),
    settings: fresh('settings'),
  };
}
