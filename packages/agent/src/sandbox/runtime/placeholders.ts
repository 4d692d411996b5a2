/**
 * Placeholders: empty files and folders at paths that must not be created. Bubblewrap can forbid a path only by
 * mounting over it, so placeholders exist on disk while commands run.
 */
import { findRepository, readBoundedFile, readGitSettings, resolveConfigPath } from '@heddle/tools/git';
import { realpath, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { acceptedRepositoryTop } from '../../settings/scopes.ts';
import { isWithin, type SandboxPolicy } from '../policy/policy.ts';

/** Paths that the runtime itself forbids in the working directory of this process. */
const BY_ITSELF =
  '.gitconfig .gitmodules .bashrc .bash_profile .zshrc .zprofile .profile .ripgreprc .mcp.json .vscode .idea .claude/commands'.split(
    ' ',
  );

/** Names that are created as folders. */
const FOLDER_NAMES: ReadonlySet<string> = new Set(
  'hooks .git .claude .heddle .ssh git fish nushell environment.d autostart systemd'.split(' '),
);

interface PlaceholderDeps {
  /** The working directory of this process. */
  readonly cwd: string;
  readonly exists: (path: string) => boolean;
  readonly realpath: (path: string) => string;
}

export interface Placeholder {
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly content: string;
}

/** An empty `commondir` would stop git. This content names its own folder, which has no effect. */
export function placeholderContent(file: string): string {
  return path.basename(file) === 'commondir' ? '.\n' : '';
}

export interface Placeholders {
  /** The placeholders that the policy requires. */
  readonly ours: readonly Placeholder[];
  /** The placeholders that the runtime creates and removes. */
  readonly others: readonly string[];
}

/** Returns the first missing segment of each path that does not exist. */
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

/** Returns the unwritable paths after the placeholders were created: each placeholder replaces the paths below it. */
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

/** Tells git to ignore placeholders. They cannot be added, so `git add -A` would fail. */
function ignoringPlaceholders(
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

/** More than any list of ignored files needs. */
const MOST_BYTES = 1024 * 1024;

/**
 * Returns the start of a script that makes git ignore the placeholders. It is empty if there are no placeholders or no
 * repository.
 */
export async function gitIgnoringPlaceholders(
  placeholders: readonly string[],
  folder: string,
  directory: string,
): Promise<string> {
  const top = acceptedRepositoryTop(directory);
  if (placeholders.length === 0 || top === undefined) return '';
  const file = path.join(folder, 'git-ignore');
  await writeFile(file, ignoringPlaceholders(placeholders, top, await usersOwn(directory, top)));
  // Extends settings that the environment may already contain.
  return `__n=\${GIT_CONFIG_COUNT:-0}; export "GIT_CONFIG_KEY_$__n=core.excludesFile" "GIT_CONFIG_VALUE_$__n=${file}" GIT_CONFIG_COUNT=$((__n + 1)); unset __n; `;
}

/**
 * Reads the user's own list of ignored files. A repository can name any file here, also an unreadable one. So a file
 * that a repository names counts only if it is inside the repository.
 */
async function usersOwn(directory: string, top: string): Promise<string> {
  const found = findRepository(directory);
  const repository = found.kind === 'found' ? found.repository : undefined;
  const named = readGitSettings(repository, process.env)?.findLast(({ key }) => key === 'core.excludesfile');
  const usual = path.join(process.env['XDG_CONFIG_HOME'] || path.join(os.homedir(), '.config'), 'git/ignore');
  const file = named === undefined ? usual : resolveConfigPath(named.value, top, process.env);
  if (file === undefined) return '';
  const real = await realpath(file).catch(() => undefined);
  const isForeign = named?.scope === 'repository' && !real?.startsWith(`${await realpath(top)}/`);
  if (real === undefined || isForeign) return '';
  const read = readBoundedFile(real, MOST_BYTES);
  return read.kind === 'read' ? read.bytes.toString('utf8') : '';
}
