/** Branches of a project for tests, with different files. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Project } from '../../test/project.ts';

export function git(folder: string, ...argv: readonly string[]): void {
  const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, ...argv], { cwd: folder, stdio: 'ignore' });
}

/** Commits the files of the project as `main`, and these as the branch `other`: texts, or objects as JSON. Null removes a file. */
export function commitBranches(
  { folder }: Pick<Project, 'folder'>,
  other: Readonly<Record<string, object | string | null>>,
): void {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '-A', '--', '.', ':!.env', ':!events');
  git(folder, 'commit', '-q', '-m', 'main');
  git(folder, 'switch', '-q', '-c', 'other');
  for (const [name, content] of Object.entries(other)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (content === null) rmSync(file);
    else writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    if (typeof content === 'string' && content.startsWith('#!')) chmodSync(file, 0o755);
  }
  git(folder, 'add', '-A', '--', '.', ':!.env');
  git(folder, 'commit', '-q', '-m', 'other');
  git(folder, 'switch', '-q', 'main');
}
