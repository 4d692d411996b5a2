/** A list of ignored files for git inside the sandbox: the user's own, and what only exists because of the sandbox. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { repositoryTop } from '../../settings/scopes.ts';
import { ignoringGhosts } from './ghosts.ts';

/** Longer than git ever takes. */
const DEADLINE_MS = 2_000;

/** The start of a script in which git ignores the ghosts. Nothing where there are none, or no repository. */
export async function gitWithoutGhosts(
  ghosts: readonly string[],
  folder: string,
  directory: string,
): Promise<string> {
  const top = repositoryTop(directory);
  if (ghosts.length === 0 || top === undefined) return '';
  const file = path.join(folder, 'git-ignore');
  await writeFile(file, ignoringGhosts(ghosts, top, await usersOwn(directory)));
  // Added to what the environment may already say.
  return `__n=\${GIT_CONFIG_COUNT:-0}; export "GIT_CONFIG_KEY_$__n=core.excludesFile" "GIT_CONFIG_VALUE_$__n=${file}" GIT_CONFIG_COUNT=$((__n + 1)); unset __n; `;
}

async function usersOwn(directory: string): Promise<string> {
  const usual = path.join(process.env['XDG_CONFIG_HOME'] || path.join(os.homedir(), '.config'), 'git/ignore');
  const { stdout } = await promisify(execFile)('git', ['config', '--type=path', 'core.excludesFile'], {
    cwd: directory,
    timeout: DEADLINE_MS,
  }).catch(() => ({ stdout: '' }));
  return readFile(stdout.trim() || usual, 'utf8').catch(() => '');
}
