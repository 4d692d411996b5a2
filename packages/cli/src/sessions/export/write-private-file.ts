/** Writes a conversation to a file that the user names. */
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { foreignTarget, isWithin } from '@heddle/agent/settings';

/**
 * Only the owner may read the file. Throws if it cannot be written, or if a link of a project without trust leads elsewhere: the name
 * that the user typed would then mean another file.
 */
export function writePrivateFile(file: string, text: string): void {
  const cwd = process.cwd();
  const named = path.resolve(cwd, file);
  const elsewhere = isWithin(named, cwd)
    ? foreignTarget(named, cwd, { home: os.homedir(), env: process.env })
    : undefined;
  if (elsewhere !== undefined) throw new Error(`it is a link to ${elsewhere}, and the folder is not trusted`);
  writeFileSync(named, text, { mode: 0o600 });
}
