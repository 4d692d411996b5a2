/** Which files can hold what is searched for, in the order given: ripgrep tells, or all of them do. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { SessionFile } from '../files/session-files.ts';
import type { Matcher } from './matcher.ts';
import { STORED_APART } from './sieve.ts';

export interface Ripgrep {
  readonly program: string;
}

/** Few files at first, so that something is told soon; a command line has its limits. */
const FIRST_BATCH = 128;
const LARGEST_BATCH = 1_024;

export async function* candidates(
  files: readonly SessionFile[],
  matcher: Matcher,
  ripgrep: Ripgrep | undefined,
): AsyncGenerator<SessionFile> {
  const { needle } = matcher;
  if (!ripgrep || needle === undefined) return yield* files;
  for (let start = 0, size = FIRST_BATCH; start < files.length; ) {
    const batch = files.slice(start, start + size);
    yield* await withMatches(ripgrep.program, batch, needle, matcher.ignoresCase);
    start += size;
    size = LARGEST_BATCH;
  }
}

/** All of them where ripgrep cannot be started or cannot read one. */
async function withMatches(
  program: string,
  files: readonly SessionFile[],
  needle: string,
  ignoresCase: boolean,
): Promise<readonly SessionFile[]> {
  // Relative names hold nothing but letters, digits and dashes, so that a line is a name.
  const root = path.dirname(path.dirname(files[0]?.path ?? ''));
  const names = files.map((file) => path.relative(root, file.path));
  const flags = [...FLAGS, ...(ignoresCase ? ['--ignore-case'] : []), '-e', STORED_APART, '-e', needle];
  const child = spawn(program, [...flags, '--', ...names], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  if ((await exitCode(child)) > NOTHING_FOUND) return files;
  const found = new Set(output.split('\n'));
  return files.filter((_, index) => found.has(names[index] ?? ''));
}

const FLAGS = ['--no-config', '--no-ignore', '--hidden', '--text', '--files-with-matches', '--fixed-strings'];

const NOTHING_FOUND = 1;
const FAILED = 2;

async function exitCode(child: ChildProcess): Promise<number> {
  try {
    await once(child, 'close');
    return child.exitCode ?? FAILED;
  } catch {
    return FAILED;
  }
}
