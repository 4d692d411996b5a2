/** What the shell itself says at its end, left in a file: where it stood, and whether it left something running. */
import { closeSync, constants, fstatSync, openSync, readSync, rmSync } from 'node:fs';

export interface ShellReport {
  readonly directory: string | undefined;
  readonly leftSomething: boolean;
}

/** Longer than any path. */
const MAX_BYTES = 16_384;
const LEFT = 'left';

/**
 * The command as the shell's own text, not as a part of ours: its errors name its lines, and it sees no parameters.
 * `confined`: what it leaves running dies with its sandbox, so only the shell can tell of it.
 */
export function scriptOf(command: string, file: string, confined: boolean): string {
  const left = confined ? `; case $(builtin jobs -pr) in ?*) builtin echo ${LEFT};; esac` : '';
  const report = `{ { builtin pwd -P${left}; } >${quoted(file)}; } 2>/dev/null`;
  return `trap ${quoted(report)} EXIT; eval ${quoted(command)}`;
}

/** The command could write there: what is no plain file is not opened, and nothing is waited for. */
export function takeReport(file: string, confined: boolean): ShellReport {
  const lines = textOf(file).split('\n');
  rmSync(file, { force: true, recursive: true });
  // A path may contain line ends.
  const leftSomething = confined && lines.at(-2) === LEFT;
  const directory = lines.slice(0, leftSomething ? -2 : -1).join('\n');
  return { directory: directory === '' ? undefined : directory, leftSomething };
}

function textOf(file: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(fd).isFile()) return '';
    const buffer = Buffer.alloc(MAX_BYTES);
    return buffer.toString('utf8', 0, readSync(fd, buffer));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
