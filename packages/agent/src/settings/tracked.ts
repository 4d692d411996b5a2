/** Whether a file is committed: then it came with the project, whatever its name says. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { repositoryTop } from './scopes.ts';

/** Read from git's index, without a process. Where that cannot be read, the file counts as committed. */
export function isTracked(file: string): boolean {
  const top = repositoryTop(path.dirname(file));
  if (top === undefined) return false;
  const index = indexOf(path.join(top, '.git'));
  if (index === undefined) return false;
  if (index === 'unreadable') return true;
  // Version 4 writes names as what differs from the name before: only the end is sure to stand there.
  const version = index.readUInt32BE(4);
  const name = path.relative(top, file).split(path.sep).join('/');
  return version < 4
    ? index.includes(`${name}\0`)
    : index.includes('settings.local.json\0') || index.includes('.local.json\0');
}

function indexOf(git: string): Buffer | 'unreadable' | undefined {
  try {
    const folder = statSync(git).isDirectory() ? git : linked(git);
    const index = readFileSync(path.join(folder, 'index'));
    return index.length >= 12 && index.toString('latin1', 0, 4) === 'DIRC' ? index : 'unreadable';
  } catch (thrown) {
    const missing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    return missing ? undefined : 'unreadable';
  }
}

/** A worktree's `.git` is a file that names the folder. */
function linked(git: string): string {
  const [, folder = ''] = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8')) ?? [];
  return path.resolve(path.dirname(git), folder.trim());
}
