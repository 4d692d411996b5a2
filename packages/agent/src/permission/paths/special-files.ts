/**
 * Finds reads that are not only reads: of a named pipe, which take data away from its reader, and of devices and files of the kernel.
 * Some of these have an effect when they are opened, such as `/dev/watchdog`, or give each line only once, such as `/proc/kmsg`.
 */
import type { Concern, FilePart } from '../part.ts';
import type { FilePlace } from './places.ts';
import type { PermissionWorld } from '../world.ts';

const SPECIAL = /^\/(?:dev|proc|sys)(?:\/|$)/;

/** Files and folders with plain contents. It is an allow-list, because each machine has others. */
const HARMLESS = [
  /^\/dev\/(?:null|zero|full|u?random|stdin|stdout|stderr|tty|fd(?:\/\d+)?)$/,
  /^\/dev\/shm(?:\/|$)/,
  /^\/proc\/(?:self|thread-self|\d+|sys)(?:\/(?!net\/rpc)|$)/,
  /^\/proc\/net(?:\/(?!rpc)|$)/,
  /^\/proc\/(?:cpuinfo|meminfo|version|loadavg|uptime|stat|vmstat|mounts|filesystems|swaps|partitions|diskstats|devices|modules)$/,
  /^\/proc\/(?:cmdline|interrupts|softirqs|zoneinfo|buddyinfo|slabinfo|pagetypeinfo|misc|crypto|locks|cgroups|consoles)$/,
  /^\/proc\/(?:iomem|ioports|kallsyms|schedstat|mdstat|config\.gz|pressure\/\w+|bus\/(?:input|pci)\/devices)$/,
  /^\/sys\/(?:class|devices|block|bus|module|fs\/cgroup|firmware\/dmi|kernel\/mm)(?:\/|$)/,
];

type Reading = Pick<FilePart, 'places' | 'glob' | 'deep'>;

/** Returns why a command that opens these files asks, or undefined if it only reads. Unknown files are not checked. */
export function specialConcern({ places, glob, deep }: Reading, world: PermissionWorld): Concern | undefined {
  const found = glob ? glob.found(true) : places;
  // If there are too many matches, all files in the folder count.
  const isDeep = deep !== 'no' || (glob !== undefined && found === undefined);
  const unusual = glob?.unusual(glob.optioned);
  const isSpecialAt = (files: readonly FilePlace[], below: boolean): boolean =>
    files.some(({ path, real }) => isSpecial(path, below) || isSpecial(real, below));
  if (isSpecialAt(found ?? places ?? [], isDeep) || isSpecialAt(unusual ?? [], deep !== 'no'))
    return SPECIAL_FILE;
  return mayReadPipe({ places, glob }, world) ? NAMED_PIPE : undefined;
}

/** Returns whether a file, or a match of a glob, is a named pipe. The matches may be one if they are unknown. */
export function mayReadPipe(
  { places, glob }: Pick<Reading, 'places' | 'glob'>,
  world: PermissionWorld,
): boolean {
  const { isPipe } = world;
  if (isPipe === undefined) return false;
  const files = glob ? glob.unusual(glob.optioned) : (places ?? []);
  return files?.some(({ path, real }) => isPipe(path) || isPipe(real)) ?? true;
}

/** Returns whether a path is a device or a file of the kernel that is not on the list. `isDeep`: what is in a folder counts. */
export function isSpecial(file: string, isDeep: boolean): boolean {
  if (!SPECIAL.test(file) || (!isDeep && /^\/\w+$/.test(file))) return false;
  return !HARMLESS.some((harmless) => harmless.test(file));
}

export const NAMED_PIPE: Concern = {
  level: 'unless covered',
  reason: 'It reads from a named pipe, and what it reads is lost for others.',
};

export const SPECIAL_FILE: Concern = {
  level: 'unless covered',
  reason: 'It opens a device or a file of the kernel, which may have an effect.',
};
