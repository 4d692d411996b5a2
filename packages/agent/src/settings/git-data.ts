/** Recognizes the data of a repository like git does, which looks above a folder that it rejects. */
import { accessSync, constants, lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';

/** Returns whether git uses a folder as the data of a repository or of a working tree. It rejects data that cannot be read. */
export function isGitData(folder: string): boolean {
  try {
    const common = commonFolder(folder);
    return isHead(path.join(folder, 'HEAD')) && ['objects', 'refs'].every((name) => canUse(common, name));
  } catch {
    return false;
  }
}

const MOST_HEAD_BYTES = 4_096;
const MOST_COMMONDIR_BYTES = 8_192;
/** Git searches only so much of HEAD. */
const SEARCHED_CHARACTERS = 255;

function isHead(file: string): boolean {
  const about = lstatSync(file);
  if (about.isSymbolicLink()) return readlinkSync(file).startsWith('refs/');
  if (!about.isFile() || about.size > MOST_HEAD_BYTES) return false;
  const text = readFileSync(file, 'latin1').slice(0, SEARCHED_CHARACTERS);
  // The name of a commit has 40 or 64 digits.
  return /^(ref:[ \t\r\n]*refs\/|[0-9a-fA-F]{40})/.test(text);
}

/** In the data of a working tree, `commondir` names the folder of the others. */
function commonFolder(folder: string): string {
  const file = path.join(folder, 'commondir');
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return folder;
  const about = statSync(file);
  if (!about.isFile() || about.size > MOST_COMMONDIR_BYTES) throw new Error(`${file} is not a small file`);
  const named = readFileSync(file, 'utf8').replace(/(?<![\r\n])[\r\n]+$/, '');
  if (named === '') throw new Error(`${file} names no folder`);
  return path.resolve(folder, named);
}

function canUse(folder: string, name: string): boolean {
  const inner = path.join(folder, name);
  accessSync(inner, constants.X_OK);
  return statSync(inner).isDirectory();
}
