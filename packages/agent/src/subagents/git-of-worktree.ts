/** Runs git for the worktrees of subagents: with the settings of their repository alone, and without programs of the project. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { findProgram } from '@heddle/tools';
import { codeOutside } from '@heddle/tools/shell';
import { readRegularFile } from '../settings/json-file.ts';

/** A checkout of a large repository takes a while. */
const GIT_LIMIT_MS = 120_000;

const NO_PROGRAMS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];

/**
 * Runs git at the top of the repository. Files of a new worktree name the folder with its settings, and a command in a sandbox that is
 * already running can change them. So git is told the folder.
 */
export async function gitAtTop(top: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  return execGit(top, args, { signal, places: { GIT_COMMON_DIR: await sharedFolder(top, signal) } });
}

/** Runs git in a worktree, which is `undefined` if its files name another repository, or settings of its own. */
export async function gitInWorktree(
  top: string,
  folder: string,
): Promise<((args: readonly string[]) => Promise<string>) | undefined> {
  const shared = await sharedFolder(top);
  const own = gitFolderOf(folder);
  if (path.dirname(own) !== path.join(shared, 'worktrees')) return undefined;
  // A command that runs in a sandbox can write them.
  if (existsSync(path.join(own, 'config.worktree'))) return undefined;
  const places = { GIT_DIR: own, GIT_COMMON_DIR: shared, GIT_WORK_TREE: folder };
  const variables = { ...places, ...withoutFilters(await filtersOf(top)) };
  return (args) => execGit(folder, args, { places: variables });
}

/**
 * Returns the settings of filters for contents. Their programs may load files of the worktree, which the subagent wrote: `python3 -m x`
 * looks there first.
 */
async function filtersOf(top: string): Promise<readonly string[]> {
  const asked = [
    'config',
    '--null',
    '--name-only',
    '--get-regexp',
    String.raw`^filter\..*\.(clean|smudge|process|required)$`,
  ];
  // Git fails if there is none.
  const listed = await gitAtTop(top, asked).catch(() => '');
  return [...new Set(listed.split('\0').filter((name) => name !== ''))];
}

/** Returns variables that switch filters off. A file that differs for git then counts as changed. */
function withoutFilters(names: readonly string[]): Readonly<Record<string, string>> {
  const settings = names.flatMap((name, at): [string, string][] => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, name.endsWith('.required') ? 'false' : ''],
  ]);
  return { GIT_CONFIG_COUNT: String(names.length), ...Object.fromEntries(settings) };
}

/** Returns the folder of git for a worktree. No command in a sandbox can change the file that names it. */
export function gitFolderOf(worktree: string): string {
  const [, named = ''] = /^gitdir: (.+)$/m.exec(readRegularFile(path.join(worktree, '.git'))) ?? [];
  return path.resolve(worktree, named);
}

/** Returns the folder that all worktrees of the repository share. */
async function sharedFolder(top: string, signal?: AbortSignal): Promise<string> {
  const asked = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  return (await execGit(top, asked, { signal })).replace(/\n$/, '');
}

interface GitRun {
  readonly signal?: AbortSignal | undefined;
  /** Variables with folders of git. */
  readonly places?: Readonly<Record<string, string>>;
}

function execGit(cwd: string, args: readonly string[], { signal, places }: GitRun = {}): Promise<string> {
  const variables = Object.entries(process.env).filter(([name]) =>
    /^(PATH|HOME|LANG|LC_\w+|TMPDIR)$/.test(name),
  );
  const given = Object.fromEntries(variables);
  const env = { ...given, ...codeOutside([process.cwd(), cwd], given), ...places, GIT_TERMINAL_PROMPT: '0' };
  const program = findProgram(given['PATH'], 'git', [cwd]);
  if (program === undefined) return Promise.reject(new Error('Git is not installed.'));
  const options = { cwd, env, signal, timeout: GIT_LIMIT_MS, maxBuffer: 64 * 1_024 * 1_024 };
  return new Promise((resolve, reject) => {
    execFile(program, [...NO_PROGRAMS, ...args], options, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message));
      else resolve(stdout);
    });
  });
}
