/** Searches with ripgrep. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type FileMatches, type FileQuery, MAX_COLUMNS, type SearchEngine, type TextQuery } from './query.ts';

/** More than this nobody reads; ripgrep is stopped there. */
const MAX_BYTES = 16 * 1024 * 1024;

const COMMON = [
  '--no-config',
  '--hidden',
  '--no-messages',
  '--no-require-git',
  '--glob=!.git',
  '--color=never',
];

export class Ripgrep implements SearchEngine {
  readonly #program: string;

  constructor(program: string) {
    this.#program = program;
  }

  async files(query: FileQuery, signal: AbortSignal): Promise<{ names: string[]; isCut: boolean }> {
    // Matched here: for names alone that is faster than letting ripgrep do it with an ignore file.
    const { output, isCut } = await this.#run(
      ['--files', '--null'],
      { ...query, pattern: undefined },
      signal,
    );
    // What stands behind the last end is nothing, or a name that was torn.
    const names = output.split('\0').slice(0, -1);
    return { names: names.filter((name) => isWanted(name, query)), isCut };
  }

  async search(query: TextQuery, signal: AbortSignal): Promise<{ matches: FileMatches[]; isCut: boolean }> {
    const { output, isCut } = await this.#run(argumentsFor(query), query, signal);
    const matches = query.mode === 'content' ? contentOf(output) : countsOf(output, query.mode);
    return { matches: matches.filter((match) => isWanted(match.path, query)), isCut };
  }

  async #run(
    args: readonly string[],
    query: FileQuery,
    signal: AbortSignal,
  ): Promise<{ output: string; isCut: boolean }> {
    const lines = query.file === undefined ? (query.pattern?.ignoreLines ?? []) : [];
    const type = query.type === undefined ? [] : [`--type=${query.type}`];
    const target = query.file === undefined ? [] : ['--', query.file];
    if (lines.length === 0) return this.#spawn([...COMMON, ...type, ...args, ...target], query.root, signal);
    await mkdir(query.folder, { recursive: true, mode: 0o700 });
    const own = await mkdtemp(path.join(query.folder, 'search-'));
    try {
      const file = path.join(own, 'ignore');
      await writeFile(file, `${lines.join('\n')}\n`);
      return await this.#spawn(
        [...COMMON, ...type, `--ignore-file=${file}`, ...args, ...target],
        query.root,
        signal,
      );
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }

  async #spawn(
    args: readonly string[],
    cwd: string,
    signal: AbortSignal,
  ): Promise<{ output: string; isCut: boolean }> {
    signal.throwIfAborted();
    const child = spawn(this.#program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const stop = (): void => {
      child.kill('SIGKILL');
      // Whatever may still hold its end of the pipe is not waited for.
      child.stdout.destroy();
    };
    signal.addEventListener('abort', stop, { once: true });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let problem = '';
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes - chunk.length <= MAX_BYTES) chunks.push(chunk);
      if (bytes > MAX_BYTES) stop();
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (problem += chunk));
    const ended = Promise.withResolvers<number | null>();
    child.on('error', ended.reject);
    child.once('close', ended.resolve);
    try {
      const code = await ended.promise;
      signal.throwIfAborted();
      if (code === 2 && bytes === 0 && problem !== '') throw new Error(problem.replace(/^rg: /, '').trim());
    } finally {
      signal.removeEventListener('abort', stop);
    }
    return { output: Buffer.concat(chunks).toString('utf8'), isCut: bytes > MAX_BYTES };
  }
}

function argumentsFor(query: TextQuery): string[] {
  const args = ['--null', '--crlf', '--with-filename', `--regexp=${query.expression}`];
  if (query.ignoreCase) args.push('--ignore-case');
  if (query.multiline) args.push('--multiline', '--multiline-dotall');
  if (query.mode === 'files_with_matches') return [...args, '--files-with-matches'];
  if (query.mode === 'count') return [...args, '--count'];
  if (query.before > 0) args.push(`--before-context=${query.before}`);
  if (query.after > 0) args.push(`--after-context=${query.after}`);
  args.push('--no-heading', query.lineNumbers ? '--line-number' : '--no-line-number');
  return [...args, `--max-columns=${MAX_COLUMNS}`, '--max-columns-preview'];
}

function isWanted(name: string, { pattern, file }: FileQuery): boolean {
  return file !== undefined || pattern === undefined || pattern.matches(name);
}

function countsOf(output: string, mode: 'files_with_matches' | 'count'): FileMatches[] {
  if (mode === 'files_with_matches') {
    return output.split('\0').flatMap((path) => (path === '' ? [] : [{ path, count: 1, lines: [] }]));
  }
  return output.split('\n').flatMap((line) => {
    const [path, count] = line.split('\0');
    return path && count ? [{ path, count: Number(count), lines: [] }] : [];
  });
}

/** The lines of a file come together. What has no name before it is a separator, or ripgrep talking about itself. */
function contentOf(output: string): FileMatches[] {
  const found: { path: string; count: number; lines: string[] }[] = [];
  let isApart = false;
  for (const line of output.split('\n')) {
    const end = line.indexOf('\0');
    if (end < 0) {
      isApart ||= line.trimEnd() === '--';
      continue;
    }
    const path = line.slice(0, end);
    let file = found.at(-1);
    if (file?.path === path) {
      if (isApart) file.lines.push('--');
    } else {
      file = { path, count: 0, lines: [] };
      found.push(file);
    }
    isApart = false;
    file.count++;
    file.lines.push(line.slice(end + 1).replace(/\r+$/, ''));
  }
  return found;
}
