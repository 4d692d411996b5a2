/** One run of ripgrep, with limits for its output and its memory. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { PinnedFolder } from '../files/pinned.ts';
import { ownEnvironment } from '../programs.ts';
import { emptyFilesFrom } from '../tasks/process-table.ts';

/** A larger output would not be read, so ripgrep is stopped there. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Ripgrep keeps whole lines and all patterns of ignore files in memory, and the files may be from anyone. */
const MOST_MEMORY_MB = 512;
const LOOKS_EVERY_MS = 100;
/** The letters of its messages that are kept. */
const MOST_OF_PROBLEM = 16 * 1024;
/** The first descriptor that the child inherits besides its input and output. */
export const FIRST_INHERITED = 3;

export interface RipgrepRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly root: PinnedFolder;
  readonly inherited: readonly number[];
}

export interface RipgrepOutput {
  readonly output: string;
  readonly isCut: boolean;
}

export async function runRipgrep(run: RipgrepRun, signal: AbortSignal): Promise<RipgrepOutput> {
  signal.throwIfAborted();
  const { child, stdout, stderr } = start(run);
  const stop = (): void => {
    child.kill('SIGKILL');
    // A process that still holds its end of the pipe is not waited for.
    stdout.destroy();
  };
  signal.addEventListener('abort', stop, { once: true });
  let isTooLarge = false;
  const watch = setInterval(() => {
    isTooLarge ||= memoryOf(child.pid) > MOST_MEMORY_MB;
    if (isTooLarge) stop();
  }, LOOKS_EVERY_MS);
  const chunks: Buffer[] = [];
  let bytes = 0;
  let problem = '';
  stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes - chunk.length <= MAX_BYTES) chunks.push(chunk);
    if (bytes > MAX_BYTES) stop();
  });
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    if (problem.length < MOST_OF_PROBLEM) problem += chunk;
  });
  const ended = Promise.withResolvers<number | null>();
  child.on('error', ended.reject);
  child.once('close', ended.resolve);
  try {
    const code = await ended.promise;
    signal.throwIfAborted();
    if (isTooLarge) throw new Error(TOO_LARGE);
    if (code === 2 && bytes === 0 && problem !== '') throw new Error(problem.replace(/^rg: /, '').trim());
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', stop);
  }
  return { output: Buffer.concat(chunks).toString('utf8'), isCut: bytes > MAX_BYTES };
}

const TOO_LARGE =
  `The search was stopped, because it needed more than ${MOST_MEMORY_MB} MB of memory. A file has a very long line, or an ignore ` +
  'file has very many patterns. Search in fewer folders, or leave files out with `glob`.';

function start({ program, args, root, inherited }: RipgrepRun) {
  // The child enters the folder that is held open, even if its path has changed. An inherited file may take its number.
  const cwd = inherited.length > 0 ? '/' : root.at('.');
  const others = emptyFilesFrom(FIRST_INHERITED + inherited.length);
  const child = spawn(program, args, {
    cwd,
    env: ownEnvironment([cwd]),
    stdio: ['ignore', 'pipe', 'pipe', ...inherited, ...others],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('ripgrep was started without its output');
  return { child, stdout, stderr };
}

/** Returns the megabytes of a process without the files that it maps. Zero if that is not known, as on macOS. */
function memoryOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
