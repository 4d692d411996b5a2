/**
 * Files that make other programs run something, or tell the agent what it may do: git's internals, editors' and package
 * managers' settings, shell start-up files, the agent's own. A change to them always asks; allow rules do not help.
 */
import path from 'node:path';
import type { Place } from '../part.ts';
import { globSource } from '../rules/wildcard.ts';
import type { World } from '../world.ts';

const FOLDERS: ReadonlySet<string> = new Set(
  '.git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .claude .heddle'.split(' '),
);

const FILES: ReadonlySet<string> = new Set(
  (
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout ' +
    '.kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc config.fish ' +
    '.gitconfig .gitmodules .npmrc .yarnrc .yarnrc.yml .bazelrc lefthook.yml .pnp.cjs .pnp.js .pnp.loader.mjs bunfig.toml .pre-commit-config.yaml ' +
    'gradle-wrapper.properties maven-wrapper.properties .ripgreprc pyrightconfig.json .mcp.json .claude.json'
  ).split(' '),
);

const FAMILIES = /^(\.yarnrc.*|\.bazelrc.*|lefthook\..*|\.lefthook\..*|\.pnp\..*)$/;

/** What is protected about a place; undefined where nothing is. Case does not matter: on some disks it does not count. */
export function protection(place: Place, world: World): string | undefined {
  return (
    protectedPath(place.path, world) ??
    (place.real === place.path ? undefined : protectedPath(place.real, world))
  );
}

function protectedPath(file: string, world: World): string | undefined {
  if (world.configDirs.some((folder) => isAt(file, folder) || isAt(file, world.realpath(folder)))) {
    return "the agent's own settings";
  }
  const segments = file.toLowerCase().split('/');
  const name = segments.at(-1) ?? '';
  if (FILES.has(name) || FAMILIES.test(name)) return path.posix.basename(file);
  const at = segments.findIndex(
    (segment, index) =>
      FOLDERS.has(segment) ||
      (segment === '.config' && segments[index + 1] === 'git') ||
      (segment === '.config' && segments[index + 1] === 'fish'),
  );
  if (at < 0) return undefined;
  // Where the agent itself checks out other branches.
  if (segments[at] === '.claude' && segments[at + 1] === 'worktrees' && segments.length > at + 2) {
    return protectedPath(`/${segments.slice(at + 2).join('/')}`, { ...world, configDirs: [] });
  }
  return segments[at] === '.config' ? `.config/${segments[at + 1]}` : segments[at];
}

/** What is protected among the names that a glob may match below a folder. A leading star matches no hidden file. */
export function protectedMatch(folder: Place, glob: string, world: World): string | undefined {
  const segments = glob.toLowerCase().split('/');
  const names = segments.flatMap((segment, index) => {
    const isLast = index === segments.length - 1;
    const candidates = isLast ? [...FOLDERS, ...FILES] : [...FOLDERS];
    if (!/[*?[(]/.test(segment)) return candidates.filter((name) => name === segment);
    const pattern = new RegExp(`^${globSource(segment)}$`);
    return candidates.filter((name) => {
      if (!pattern.test(name)) return false;
      return name.startsWith('.')
        ? segment.startsWith('.')
        : index === 0 && world.exists(`${folder.path}/${name}`);
    });
  });
  return names[0];
}

function isAt(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}
