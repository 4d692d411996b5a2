/** Where to search: a folder, or one file in one. */
import path from 'node:path';
import type { ToolUseContext } from '@heddle/core';
import { codeOf } from '../files/errors.ts';
import { permittedPlace, resolvePath } from '../files/path.ts';
import { pinFile } from '../files/pinned.ts';

export interface Target {
  /** A folder with every link followed. */
  readonly root: string;
  /** One file in it. */
  readonly file: string | undefined;
  /** Absolute, as it was written: the folder, or the file. */
  readonly written: string;
  /** How a path below the root is shown, so that it is good from the working directory. */
  shown(name: string): string;
}

export function targetOf(given: string | undefined, context: ToolUseContext): Target {
  const { workingDirectory } = context;
  const written = resolvePath(given ?? '.', workingDirectory);
  const real = permittedPlace(given ?? '.', context);
  const kind = kindOf(real);
  if (kind === 'none')
    throw new Error(`${written} does not exist. The working directory is ${workingDirectory}.`);
  if (kind === 'other') throw new Error(`${written} is neither a file nor a folder.`);
  if (kind === 'file') {
    const name = shownFrom(workingDirectory, path.dirname(written)) + path.basename(written);
    return { root: path.dirname(real), file: path.basename(real), written, shown: () => name };
  }
  const prefix = shownFrom(workingDirectory, written);
  return { root: real, file: undefined, written, shown: (name) => prefix + name };
}

function kindOf(real: string): 'file' | 'folder' | 'other' | 'none' {
  try {
    const pinned = pinFile(real);
    const { about } = pinned;
    pinned.close();
    return about.isDirectory() ? 'folder' : about.isFile() ? 'file' : 'other';
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return 'none';
  }
}

/** Relative below the working directory, absolute elsewhere. */
function shownFrom(workingDirectory: string, folder: string): string {
  const inside = path.relative(workingDirectory, folder);
  const isBelow = !inside.startsWith('..') && !path.isAbsolute(inside);
  return isBelow ? inside && `${inside}/` : `${folder}/`;
}
