/**
 * Recognizes environments of Python and conda in folders of any name, by a file in them. Shells run their programs by name, and load
 * scripts when an environment is activated. Packages in them are ordinary, like those in `node_modules`.
 */
import type { PermissionWorld } from '../world.ts';

/** The parts whose files run. */
const PARTS = /\/(?:bin|scripts|condabin|etc\/(?:conda|fish|profile\.d))(?=\/|$)/giu;
const ENDS_PART = /\/(?:bin|scripts|condabin|conda|fish|profile\.d)$/iu;
/** Every environment has one of these. Their names are protected, so that no edit makes an environment or hides one. */
const MARKS = ['pyvenv.cfg', 'conda-meta', 'bin/activate_this.py', 'Scripts/activate_this.py'];

/** Returns the part of an environment that contains a path. */
export function environmentPart(file: string, world: Pick<PermissionWorld, 'exists'>): string | undefined {
  for (const { 0: part, index } of file.matchAll(PARTS)) {
    const folder = file.slice(0, index);
    if (isEnvironment(folder, world)) return folder.split('/').at(-1) + part;
  }
  return undefined;
}

/** Returns whether a folder is an environment. */
export function isEnvironment(folder: string, world: Pick<PermissionWorld, 'exists'>): boolean {
  return MARKS.some((mark) => world.exists(`${folder}/${mark}`));
}

/** Returns whether such a part may begin with the last name of a path. It needs no look at the disk. */
export function mayBeEnvironmentPart(file: string): boolean {
  return ENDS_PART.test(file);
}
