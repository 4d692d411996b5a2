/**
 * Ghosts: what is empty and stands in the place of something that must not come into being. bubblewrap can only forbid a path by
 * mounting over it, so they are on the disk while commands run.
 */
import path from 'node:path';
import { isWithin, type SandboxPolicy } from '../policy/policy.ts';

/** What the runtime forbids by itself where this process stands. */
const BY_ITSELF =
  '.gitconfig .gitmodules .bashrc .bash_profile .zshrc .zprofile .profile .ripgreprc .mcp.json .vscode .idea .claude/commands'.split(
    ' ',
  );

/** What would be a folder if it were there. */
const FOLDER_NAMES: ReadonlySet<string> = new Set(
  'hooks .git .claude .heddle .ssh git fish nushell environment.d autostart systemd'.split(' '),
);

export interface GhostDoors {
  /** Where this process stands. */
  readonly cwd: string;
  readonly exists: (path: string) => boolean;
  readonly realpath: (path: string) => string;
}

export interface Ghost {
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly content: string;
}

/** An empty `commondir` would stop git. This one names the folder that it lies in, which changes nothing. */
export function ghostContent(file: string): string {
  return path.basename(file) === 'commondir' ? '.\n' : '';
}

export interface Ghosts {
  /** Those that our policy wants. */
  readonly ours: readonly Ghost[];
  /** Those that the runtime makes and removes. */
  readonly others: readonly string[];
}

/** The first part that is missing of each path that is. */
export function ghostsOf(policy: SandboxPolicy, doors: GhostDoors): Ghosts {
  const missing = (forbidden: readonly string[]): Ghost[] =>
    forbidden
      .filter((file) => isWithin(file, policy.writable, doors))
      .flatMap((file) => {
        const ghost = firstMissing(file, doors.exists);
        if (ghost === undefined) return [];
        const holds = ghost !== file || FOLDER_NAMES.has(path.basename(ghost));
        return [{ path: ghost, kind: holds ? 'folder' : 'file', content: ghostContent(ghost) }];
      });
  const ours = new Map(missing(policy.unwritable).map((ghost) => [ghost.path, ghost]));
  const others = missing(BY_ITSELF.map((name) => path.join(doors.cwd, name))).map((ghost) => ghost.path);
  return { ours: [...ours.values()], others: others.filter((ghost) => !ours.has(ghost)) };
}

/** What cannot be written once the ghosts are there: they themselves, in place of what would lie in them. */
export function withGhosts(unwritable: readonly string[], { ours }: Ghosts): string[] {
  const ghosts = ours.map((ghost) => ghost.path);
  const isInside = (file: string): boolean =>
    ghosts.some((ghost) => file === ghost || file.startsWith(`${ghost}/`));
  return [...unwritable.filter((file) => !isInside(file)), ...ghosts];
}

function firstMissing(file: string, exists: GhostDoors['exists']): string | undefined {
  if (exists(file)) return undefined;
  const folder = path.dirname(file);
  return exists(folder) ? file : firstMissing(folder, exists);
}

/** For git: a ghost is no file of the project. It cannot be added, and `git add -A` would fail on it. */
export function ignoringGhosts(ghosts: readonly string[], top: string | undefined, ignored: string): string {
  if (top === undefined) return ignored;
  const lines = ghosts
    .map((ghost) => path.relative(top, ghost))
    .filter((inside) => !inside.startsWith('..'))
    .map((inside) => `/${inside.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`)}`);
  return [ignored.trimEnd(), ...lines, ''].join('\n');
}
