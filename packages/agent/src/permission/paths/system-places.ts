/**
 * Protects the folders of the system if a session works above them or in one of them as a whole, as in a container without a project
 * folder. Programs of the system load files there by more names than a list can contain.
 */
import type { PermissionWorld } from '../world.ts';
import { isAtOrBelow, isBelow, onceFor, workingFolders } from './places.ts';
import { foldCase } from './protected.ts';

const SYSTEM_FOLDERS: readonly string[] = (
  '/bin /sbin /lib /lib32 /lib64 /libx32 /usr /etc /boot /opt /run /var/lib /var/spool /var/cache /var/run /proc /sys /dev /snap /nix /gnu ' +
  '/efi /lost+found /System /Library /Applications /private/etc /private/var/db'
).split(' ');

/** Programs and libraries of the system. Proven commands and Heddle itself use them, also in a session that works in a part of `/usr`. */
const SYSTEM_CODE: readonly string[] =
  '/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /lib /lib32 /lib64 /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/local/lib'.split(
    ' ',
  );

/** Returns the folders of programs and libraries of the system that are below a working directory. */
export function systemCode(world: PermissionWorld): readonly string[] {
  return SYSTEM_CODE.filter((name) => workingFolders(world).some((root) => isBelow(name, root)));
}

/** Returns the folders of the system in working directories, or that are one, also with links resolved. */
export const systemPlaces = onceFor((world) => {
  const roots = workingFolders(world);
  const around = SYSTEM_FOLDERS.filter((folder) => roots.some((root) => isWithin(folder, root, world)));
  return [...new Set(around.flatMap((folder) => [folder, world.realpath(folder)]))];
});

/** Returns the folder of the system that contains a path. A working directory inside it is ordinary: `/etc/nginx`. */
export function systemPlaceOf(file: string, world: PermissionWorld): string | undefined {
  const around = systemPlaces(world).filter((folder) => isWithin(file, folder, world));
  if (around.length === 0) return undefined;
  const isOpened = workingFolders(world).some(
    (root) =>
      isWithin(file, root, world) &&
      around.every((folder) => root !== folder && isWithin(root, folder, world)),
  );
  return isOpened ? undefined : around[0];
}

function isWithin(file: string, folder: string, { foldsCase }: PermissionWorld): boolean {
  return foldsCase ? isAtOrBelow(foldCase(file), foldCase(folder)) : isAtOrBelow(file, folder);
}
