/**
 * The place of a present or future file: its folder is held open, and missing folders above it are listed.
 */
import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '@heddle/core';
import { MovedError, type PinnedFile, PinnedFolder, type PinWay } from './pinned.ts';

export class PinnedPlace {
  /** A real path. */
  readonly file: string;
  readonly name: string;
  /** Each is inside the previous one: the nearest existing folder, then those below it. */
  readonly #folders: PinnedFolder[];
  /** How many of the last ones were created here. */
  #made = 0;
  /** Names of folders that do not exist yet, from the outermost. */
  readonly #missing: string[];

  private constructor(file: string, nearest: PinnedFolder, missing: string[]) {
    this.file = file;
    this.name = path.basename(file);
    this.#folders = [nearest];
    this.#missing = missing;
  }

  /** `file` need not exist. Throws `MovedError`, or the system's error about a folder. */
  static open(file: string, way?: PinWay): PinnedPlace {
    const missing: string[] = [];
    for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
      try {
        return new PinnedPlace(file, PinnedFolder.open(folder, way), missing);
      } catch (thrown) {
        if (errorCode(thrown) !== 'ENOENT' || folder === path.dirname(folder)) throw thrown;
        if (isLink(folder)) throw new MovedError(folder);
        missing.unshift(path.basename(folder));
      }
    }
  }

  /** Returns undefined if there is no such file. A link in its place is not followed. */
  pin(): PinnedFile | undefined {
    if (this.#missing.length > 0) return undefined;
    try {
      return this.#folder.file(this.name);
    } catch (thrown) {
      if (errorCode(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  }

  /** Returns a path to an entry of the file's folder, by default the file. The folder must exist. */
  at(name = this.name): string {
    return this.#folder.at(name);
  }

  /** Creates the missing folders. Throws if another entry has taken one of their names in the meantime. */
  makeFolders(mode = 0o777): void {
    for (let name = this.#missing[0]; name !== undefined; name = this.#missing[0]) {
      const above = this.#folder;
      try {
        mkdirSync(above.at(name), { mode });
        this.#made += 1;
      } catch (thrown) {
        // Another process was faster. Its folders are not removed later.
        if (errorCode(thrown) !== 'EEXIST') throw thrown;
        this.#made = 0;
      }
      this.#folders.push(above.folder(name));
      this.#missing.shift();
    }
  }

  /** Removes the created folders, from the innermost. A folder that is not empty stays. */
  removeMade(): void {
    for (; this.#made > 0; this.#made -= 1) {
      const [above, made] = this.#folders.slice(-2);
      if (above === undefined || made === undefined) return;
      try {
        rmdirSync(above.at(path.basename(made.path)));
      } catch {
        return;
      }
      made.close();
      this.#folders.pop();
    }
  }

  close(): void {
    for (const folder of this.#folders) folder.close();
  }

  get #folder(): PinnedFolder {
    const folder = this.#folders.at(-1);
    if (folder === undefined) throw new Error('the folder was closed');
    return folder;
  }
}

/** Returns true for a dangling link, where a folder cannot be created. */
function isLink(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
