/** The folders and rules of a session as they are now, for a policy. */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { LivePermissions } from '../../permission/live.ts';
import { observeWorld } from '../../permission/look.ts';
import type { SandboxSettings } from '../../settings/sandbox.ts';
import type { Ground } from './policy.ts';
import { namedByGit, repositoryAround } from './repository.ts';

export interface Grounds {
  readonly root: string;
  /** Beside those of the live permissions. */
  readonly directories: readonly string[];
  readonly home: string;
  readonly configDirs: readonly string[];
  readonly temp: string;
  readonly live: LivePermissions;
  readonly settings: SandboxSettings;
}

/** `directory`: where the command would run. */
export function groundFor(grounds: Grounds, directory: string): Ground {
  const { home, configDirs, temp, live, settings } = grounds;
  const root = worktreeOf(directory, grounds.root) ?? grounds.root;
  const directories = [...new Set([...grounds.directories, ...live.directories])];
  const surroundings = { root, cwd: root, directories, home, configDirs, environment: {} };
  const world = observeWorld(surroundings);
  return {
    root,
    directories,
    home,
    configDirs,
    temp,
    rules: live.rules,
    settings,
    repository: repositoryAround(root),
    namedByGit: [root, ...directories].flatMap((folder) => namedByGit(folder, kindOf)),
    foldsCase: world.foldsCase,
    realpath: (file) => world.realpath(file),
    kindOf,
  };
}

/** Where the agent checks out a branch for a helper: that helper works there and nowhere else. */
function worktreeOf(directory: string, root: string): string | undefined {
  const [top, agent, worktrees, name] = ['', ...path.relative(root, directory).split(path.sep)];
  return top === '' && (agent === '.claude' || agent === '.heddle') && worktrees === 'worktrees' && name
    ? path.join(root, agent, worktrees, name)
    : undefined;
}

function kindOf(file: string): 'file' | 'folder' | 'absent' {
  try {
    return statSync(file).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'absent';
  }
}
