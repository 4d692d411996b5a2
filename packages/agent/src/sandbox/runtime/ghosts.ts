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

export interface PlaceholderDeps {
  /** Where this process stands. */
  readonly cwd: string;
  readonly exists: (path: string) => boolean;
  readonly realpath: (path: string) => string;
}

export interface Placeholder {
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly content: string;
}

/** An empty `commondir` would stop git. This one names the folder that it lies in, which changes nothing. */
export function placeholderContent(file: string): string {
  return path.basename(file) === 'commondir' ? '.\n' : '';
}

export interface Placeholders {
  /** Those that our policy wants. */
  readonly ours: readonly Placeholder[];
  /** Those that the runtime makes and removes. */
  readonly others: readonly string[];
}

/** The first part that is missing of each path that is. */
export function placeholdersFor(policy: SandboxPolicy, deps: PlaceholderDeps): Placeholders {
  const missing = (forbidden: readonly string[]): Placeholder[] =>
    forbidden
      .filter((file) => isWithin(file, policy.writable, deps))
      .flatMap((file) => {
        const placeholder = firstMissing(file, deps.exists);
        if (placeholder === undefined) return [];
        const holds = placeholder !== file || FOLDER_NAMES.has(path.basename(placeholder));
        return [
          { path: placeholder, kind: holds ? 'folder' : 'file', content: placeholderContent(placeholder) },
        ];
      });
  const ours = new Map(missing(policy.unwritable).map((placeholder) => [placeholder.path, placeholder]));
  const others = missing(BY_ITSELF.map((name) => path.join(deps.cwd, name))).map(
    (placeholder) => placeholder.path,
  );
  return { ours: [...ours.values()], others: others.filter((placeholder) => !ours.has(placeholder)) };
}

/** What cannot be written once the ghosts are there: they themselves, in place of what would lie in them. */
export function withPlaceholders(unwritable: readonly string[], { ours }: Placeholders): string[] {
  const placeholders = ours.map((placeholder) => placeholder.path);
  const isInside = (file: string): boolean =>
    placeholders.some((placeholder) => file === placeholder || file.startsWith(`${placeholder}/`));
  return [...unwritable.filter((file) => !isInside(file)), ...placeholders];
}

function firstMissing(file: string, exists: PlaceholderDeps['exists']): string | undefined {
  if (exists(file)) return undefined;
  const folder = path.dirname(file);
  return exists(folder) ? file : firstMissing(folder, exists);
}

/** For git: a ghost is no file of the project. It cannot be added, and `git add -A` would fail on it. */
export function ignoringPlaceholders(
  placeholders: readonly string[],
  top: string | undefined,
  ignored: string,
): string {
  if (top === undefined) return ignored;
  const lines = placeholders
    .map((placeholder) => path.relative(top, placeholder))
    .filter((inside) => !inside.startsWith('..'))
    .map((inside) => `/${inside.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`)}`);
  return [ignored.trimEnd(), ...lines, ''].join('\n');
}
