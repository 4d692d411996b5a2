/** A list of ignored files for git inside the sandbox: the user's own, and what only exists because of the sandbox. */
import { realpath, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findRepository, readBoundedFile, readGitSettings, resolveConfigPath } from '@heddle/tools/git';
import { repositoryTop } from '../../settings/scopes.ts';
import { ignoringPlaceholders } from './ghosts.ts';

/** Longer than any list of ignored files. */
const MOST_BYTES = 1024 * 1024;

/** The start of a script in which git ignores the ghosts. Nothing where there are none, or no repository. */
export async function gitIgnoringPlaceholders(
  placeholders: readonly string[],
  folder: string,
  directory: string,
): Promise<string> {
  const top = repositoryTop(directory);
  if (placeholders.length === 0 || top === undefined) return '';
  const file = path.join(folder, 'git-ignore');
  await writeFile(file, ignoringPlaceholders(placeholders, top, await usersOwn(directory, top)));
  // Added to what the environment may already say.
  return `__n=\${GIT_CONFIG_COUNT:-0}; export "GIT_CONFIG_KEY_$__n=core.excludesFile" "GIT_CONFIG_VALUE_$__n=${file}" GIT_CONFIG_COUNT=$((__n + 1)); unset __n; `;
}

/** A repository can name any file here, one that may not be read too: only one that lies in it counts. */
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
