/** What to say of a file that is not there: perhaps another name was meant. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { FileError, shownPath } from '../files/errors.ts';
import { PinnedFolder } from '../files/pinned.ts';

const MAX_NAMES = 3;

export async function missingFile(file: string, workingDirectory: string): Promise<FileError> {
  const name = shownPath(file);
  if (!(await exists(workingDirectory)))
    return new FileError(
      `${name} cannot be read: the working directory ${shownPath(workingDirectory)} no longer exists.`,
    );
  const folder = path.dirname(file);
  const names = await namesIn(folder);
  if (names === undefined)
    return new FileError(`${name} cannot be read: there is no such folder as ${shownPath(folder)}.`);
  const alike = names.filter((other) => resembles(other, path.basename(file))).slice(0, MAX_NAMES);
  const meant = alike.length === 0 ? '' : ` Did you mean ${alike.map(shownPath).join(' or ')}?`;
  return new FileError(`${name} cannot be read: there is no such file.${meant}`);
}

/** `folder` is a real path. */
async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    const pinned = PinnedFolder.open(folder);
    try {
      return await readdir(pinned.at('.'));
    } finally {
      pinned.close();
    }
  } catch {
    return undefined;
  }
}

/** The same letters in another case, form or spacing, or the same name with another ending. */
function resembles(a: string, b: string): boolean {
  const letters = (name: string): string =>
    name
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[\s_-]/g, '');
  const stem = (name: string): string => letters(path.parse(name).name);
  return letters(a) === letters(b) || (stem(a) !== '' && stem(a) === stem(b));
}

async function exists(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch {
    return false;
  }
}
