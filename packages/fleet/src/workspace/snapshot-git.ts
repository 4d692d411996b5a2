/** Runs git for the snapshots of a workspace. */
import { findProgram, ownEnvironment } from '@heddle/agent';
import { spawn } from 'node:child_process';
import path from 'node:path';

/** Runs git for snapshots. No setting of a user, a system or the workspace counts, and no hook runs. */
export class SnapshotGit {
  readonly dir: string;
  readonly folder: string;

  /** Undefined: the index of the folder. */
  readonly #index: string | undefined;

  constructor(dir: string, folder: string, index?: string) {
    this.dir = dir;
    this.folder = folder;
    this.#index = index;
  }

  async text(...argv: readonly string[]): Promise<string> {
    return (await this.bytes(argv)).toString('utf8').trim();
  }

  bytes(argv: readonly string[], input?: Buffer | string, maxBytes?: number): Promise<Buffer> {
    const place = ['--git-dir', this.dir, '--work-tree', this.folder];
    const env = this.#index === undefined ? ISOLATED : { ...ISOLATED, GIT_INDEX_FILE: this.#index };
    return runGit([...place, ...SAFE, ...argv], env, input, maxBytes);
  }

  /**
   * Adds all files that are not ignored, also those of repositories inside of the workspace. Git would store such a repository as
   * the name of its commit. It treats its folder like any other one as soon as the index contains a file of it.
   */
  async addAll(): Promise<void> {
    const empty: string[] = [];
    const waiting = await this.#nested();
    for (let at = 0; at < waiting.length; at++) {
      const name = waiting[at] ?? '';
      const nested = new SnapshotGit(this.dir, path.join(this.folder, name), path.join(this.dir, 'no-index'));
      const found = await nested.#untracked();
      const files = found.filter((file) => !file.endsWith('/'));
      if (files.length === 0) empty.push(name);
      else {
        const names = files.map((file) => `${name}${file}\0`).join('');
        await this.bytes(['update-index', '--add', '-z', '--stdin'], names);
      }
      waiting.push(...found.filter((file) => file.endsWith('/')).map((file) => `${name}${file}`));
    }
    const excluded = empty.map((name) => `:(exclude,literal)${name.slice(0, -1)}`);
    await this.text('add', '--all', '--', '.', ...excluded);
  }

  /** Repositories inside of the workspace that the index does not contain, with a slash at the end. */
  async #nested(): Promise<string[]> {
    return (await this.#untracked()).filter((name) => name.endsWith('/'));
  }

  async #untracked(): Promise<string[]> {
    const names = await this.bytes(['ls-files', '--others', '--exclude-standard', '-z']);
    return names
      .toString('utf8')
      .split('\0')
      .filter((name) => name !== '');
  }

  /** Undefined if there is no such commit. */
  async commit(name: string): Promise<string | undefined> {
    const found = await this.text('rev-parse', '--verify', '--quiet', `${name}^{commit}`).catch(() => '');
    return found === '' ? undefined : found;
  }
}

const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'gc.auto=0'];
const AUTHOR = { NAME: 'heddle', EMAIL: 'heddle@localhost' };
export const ISOLATED = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: AUTHOR.NAME,
  GIT_AUTHOR_EMAIL: AUTHOR.EMAIL,
  GIT_COMMITTER_NAME: AUTHOR.NAME,
  GIT_COMMITTER_EMAIL: AUTHOR.EMAIL,
};
/** Others, such as `ext`, run a command that the address names. */
const PROTOCOLS = 'https:ssh:file';
const GIT_MS = 10 * 60_000;
/** A snapshot is one value in a row, and is held in memory. */
export const MAX_PACK_BYTES = 256_000_000;

/** The output of git. Rejects with its messages if it fails, takes too long, or has more output than allowed. */
export function runGit(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input?: Buffer | string,
  maxBytes = MAX_PACK_BYTES,
): Promise<Buffer> {
  const program = findProgram(process.env['PATH'], 'git');
  if (program === undefined) return Promise.reject(new Error('Git is not installed.'));
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, {
      env: { ...ownEnvironment(), GIT_ALLOW_PROTOCOL: PROTOCOLS, GIT_TERMINAL_PROMPT: '0', ...env },
      timeout: GIT_MS,
    });
    const output: Buffer[] = [];
    let problem = '';
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) output.push(chunk);
      else child.kill();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (problem += text));
    child.on('error', reject);
    // Git may end before it has read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('close', (code) => {
      if (bytes > maxBytes) reject(new Error(`The files are larger than ${maxBytes} bytes in git.`));
      else if (code === 0) resolve(Buffer.concat(output));
      else reject(new Error(`git ended with code ${code}: ${withoutPasswords(problem.trim())}`));
    });
  });
}

/** An address may contain the password of the repository. */
function withoutPasswords(text: string): string {
  return text.replaceAll(/:\/\/[^\s/@]+@/g, '://');
}
