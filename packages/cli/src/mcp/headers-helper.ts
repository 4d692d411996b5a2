/** Runs the `headersHelper` of a server: a command that prints a JSON object of headers. */
import { isRecord } from '@heddle/core';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { commandEnvironment } from '../keys.ts';

const LIMIT_MS = 10_000;

/** Throws if the command fails or prints something else. */
export async function runHeadersHelper(command: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    env: commandEnvironment(),
    timeout: LIMIT_MS,
  });
  const printed: unknown = JSON.parse(stdout);
  if (!isRecord(printed)) throw new Error('The headersHelper did not print a JSON object.');
  const texts = Object.entries(printed).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}
