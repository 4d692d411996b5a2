/** The output of commands: results on standard output, problems on standard error. */
import { writeSync } from 'node:fs';
import { errorCode, errorMessage } from '@heddle/core';
import { escapeControls } from './escape-controls.ts';

/** Writes to standard output at once. If its reader has left, the program ends quietly. */
export function writeMessage(text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
    } catch (thrown) {
      const code = errorCode(thrown);
      if (code === 'EPIPE') process.exit(0);
      if (code !== 'EAGAIN') throw thrown;
    }
  }
}

/**
 * Shows a line on standard error, with the name of the program. Further lines are indented, so that a name or a text of a file cannot look
 * like another message.
 */
export function warn(text: string): void {
  writeToStandardError(`heddle: ${escapeControls(text).replaceAll(/\n(?=\S)/g, '\n  ')}\n`);
}

/** The program continues if the reader has left. */
export function writeToStandardError(text: string): void {
  if (process.stderr.listenerCount('error', ignore) === 0) process.stderr.on('error', ignore);
  process.stderr.write(text);
}

function ignore(): void {}

/** Reports why a command failed. Returns its exit code. */
export function fail(message: string): number {
  warn(message);
  return 1;
}

/** Reports a mistake in the command line. Returns the exit code of the command. */
export function misuse(message: string): number {
  warn(message);
  return 2;
}

/** Formats the error of `parseArgs`. Its own text continues with advice that does not fit commands. */
export function flagProblem(thrown: unknown): string {
  const message = errorMessage(thrown);
  const [, unknown] = /^Unknown option '([^']*)'/.exec(message) ?? [];
  return unknown === undefined ? message : `unknown flag ${unknown}`;
}
