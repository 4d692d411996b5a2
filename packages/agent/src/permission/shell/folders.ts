/** The folders a command may stand in. A `cd` may succeed or not, so each adds to them instead of replacing them. */
import path from 'node:path';
import type { SimpleCommand } from '@heddle/tools/shell';
import { physicalPath } from '../paths/places.ts';
import type { PermissionWorld } from '../world.ts';
import { commandWords } from './runners.ts';
import { unwrap } from './wrappers.ts';

/** Undefined: anywhere. */
export type Folders = readonly string[] | undefined;

const MOST = 16;

export function foldersAfter(folders: Folders, command: SimpleCommand, world: PermissionWorld): Folders {
  const [word, ...args] = unwrap(commandWords(command)).at(-1)?.words ?? [];
  const name = word?.value;
  if (name !== 'cd' && name !== 'pushd' && name !== 'popd') return folders;
  if (name === 'popd' || folders === undefined) return undefined;
  const [target, ...more] = args.filter(({ value }) => value !== '--' && !/^-[LPe@]+$/.test(value));
  if (target === undefined) return name === 'cd' ? [...folders, world.home] : undefined;
  if (more.length > 0 || target.value === '-' || (target.kind !== 'literal' && target.kind !== 'tilde'))
    return undefined;
  if (target.kind === 'tilde' && !/^~(\/|$)/.test(target.value)) return undefined;
  const written = target.kind === 'tilde' ? world.home + target.value.slice(1) : target.value;
  const repeats = command.inside.some((construct) => construct === 'loop' || construct === 'function');
  if (repeats && !path.posix.isAbsolute(written)) return undefined;
  // CDPATH would send a relative name elsewhere.
  if (!/^[./]/.test(written) && world.environment['CDPATH']) return undefined;
  // `cd -P` follows links before it goes up.
  const ways = (folder: string) =>
    written.includes('..')
      ? [path.posix.resolve(folder, written), physicalPath(written, folder, world)]
      : [path.posix.resolve(folder, written)];
  const moved = new Set([...folders, ...folders.flatMap(ways)]);
  return moved.size > MOST ? undefined : [...moved];
}
