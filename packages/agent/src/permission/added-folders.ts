/** Working directories that were added to the first one. */
import path from 'node:path';
import { realTarget } from '@heddle/tools/files';

export interface AddedFolder {
  /** The absolute path that it was added with. */
  readonly name: string;
  /** The path without links at that time. A link that is changed later does not move the folder. */
  readonly real: string;
}

export function addedFolder(name: string, realpath: (file: string) => string = followed): AddedFolder {
  const absolute = path.resolve(name);
  return { name: absolute, real: realpath(absolute) };
}

function followed(file: string): string {
  try {
    return realTarget(file);
  } catch {
    return file;
  }
}

/** Returns the folders with others added to them. Each pair of a name and a path is in the list once. */
export function withFolders(
  folders: readonly AddedFolder[],
  added: readonly AddedFolder[],
): readonly AddedFolder[] {
  return [...new Map([...folders, ...added].map((one) => [`${one.name}\0${one.real}`, one])).values()];
}

/** Returns whether a text names the folder: by the name that it was added with, or by its path without links. */
export function isNamed({ name, real }: AddedFolder, texts: readonly string[]): boolean {
  return texts.some((text) => [name, real].includes(path.resolve(text)));
}
