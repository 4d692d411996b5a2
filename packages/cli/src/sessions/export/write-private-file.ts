/** Writes a conversation to a file that the user names. */
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { foreignTarget, isReallyWithin, isWithin, projectTop } from '@heddle/agent/settings';

/** Only the owner may read the file. Throws if it cannot be written, or if a link of a project without trust leads elsewhere. */
export function writePrivateFile(file: string, text: string): void {
  const named = path.resolve(file);
  refuseForeignLink(named);
  writeFileSync(named, text, { mode: 0o600 });
}

/**
 * Throws if a name in the project of the working directory leads to a file outside of it, and the project is not trusted: the name that
 * the user typed would then mean another file.
 */
export function refuseForeignLink(file: string): void {
  const cwd = process.cwd();
  const named = path.resolve(cwd, file);
  const project = projectTop(cwd) ?? cwd;
  if (!isWithin(named, project) && !isReallyWithin(path.dirname(named), project)) return;
  const elsewhere = foreignTarget(named, project, { home: os.homedir(), env: process.env });
  if (elsewhere !== undefined) throw new Error(`it is a link to ${elsewhere}, and the folder is not trusted`);
}
