/**
 * Finds the other names of a file on a disk that is mounted more than once. WSL mounts its disk again at `/mnt/wslg/distro`,
 * containers show the machine below `/run/host`, and macOS shows `/Users` also below `/System/Volumes/Data`.
 */
import path from 'node:path';
import type { MountedBelow, MountedFolder, ProcessMount } from '../world.ts';
import { isAtOrBelow, UNKNOWN_CHARACTER } from './places.ts';

interface Mount {
  readonly device: string;
  /** The folder of the device that is mounted. */
  readonly root: string;
  /** The folder where it is mounted. */
  readonly point: string;
  /** It shows the files of processes. */
  readonly isOfProcesses: boolean;
}

/** Returns the other names of a full path without links. */
export type OtherNames = (file: string) => readonly string[];

/** `text` has the format of `/proc/self/mountinfo`. */
export function foldersInMounts(text: string): MountedBelow {
  const mounts = mountsIn(text);
  const namesOf = namesInMounts(text);
  return (place) => {
    const own = namesOf(place).map((name) => ({ folder: place, name }));
    const below = mounts.flatMap(({ point }) =>
      namesOf(point)
        .filter((folder) => folder !== place && isAtOrBelow(folder, place) && !isAtOrBelow(point, folder))
        .map((folder) => ({ folder, name: point })),
    );
    return [...own, ...below];
  };
}

/** `text` has the format of `/proc/self/mountinfo`. */
export function namesInMounts(text: string): OtherNames {
  const mounts = mountsIn(text);
  const byDevice = Map.groupBy(mounts, ({ device }) => device);
  const processes = processMountsIn(text);
  if (byDevice.size === mounts.length) return (file) => processNames(file, processes);
  const byPoint = new Map(mounts.map((mount) => [mount.point, mount]));
  const mountOf = (file: string): Mount | undefined =>
    byPoint.get(file) ?? (file === '/' ? undefined : mountOf(path.posix.dirname(file)));
  return (file) => {
    const own = mountOf(file);
    const same = own && byDevice.get(own.device);
    const ofProcesses = processNames(file, processes);
    if (own === undefined || same === undefined || same.length < 2) return ofProcesses;
    const onDevice = path.posix.join(own.root, path.posix.relative(own.point, file));
    const names = same.flatMap((mount) => {
      if (!isAtOrBelow(onDevice, mount.root)) return [];
      const name = path.posix.join(mount.point, path.posix.relative(mount.root, onDevice));
      // Another mount may cover the name.
      return name !== file && mountOf(name) === mount ? [name] : [];
    });
    return [...new Set([...names, ...ofProcesses])];
  };
}

const PROCESSES = '/proc';

/** Each mount of this kind has a device of its own. It may also show only one process or file. */
export function processMountsIn(text: string): readonly ProcessMount[] {
  return mountsIn(text).flatMap(({ point, root, isOfProcesses }) =>
    isOfProcesses && !isAtOrBelow(point, PROCESSES)
      ? [{ point, name: path.posix.join(PROCESSES, root).replace(/(?<=.)\/$/, '') }]
      : [],
  );
}

/** Returns the names of a path below `/proc`, which the decisions compare. */
export function processNames(file: string, mounts: readonly ProcessMount[]): readonly string[] {
  return mounts.flatMap(({ point, name }) =>
    isAtOrBelow(file, point) ? [path.posix.join(name, path.posix.relative(point, file))] : [],
  );
}

/** A later mount at the same place covers the earlier one. */
function mountsIn(text: string): readonly Mount[] {
  const mounts = new Map<string, Mount>();
  for (const line of text.split('\n')) {
    const [, , device, root, point] = line.split(' ', 5).map(decoded);
    const [, type] = / - (\S+)/.exec(line) ?? [];
    if (device !== undefined && root?.startsWith('/') && point?.startsWith('/'))
      mounts.set(point, { device, root, point, isOfProcesses: type === 'proc' });
  }
  return [...mounts.values()];
}

/** The system writes a blank as `\040`. */
function decoded(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

const DATA_VOLUME = '/System/Volumes/Data';

/** A path below `/.vol` names a file by its number, so it may be any file. */
export function namesOnMac(file: string): readonly string[] {
  if (isAtOrBelow(file, '/.vol')) return [`/${UNKNOWN_CHARACTER}`];
  return isAtOrBelow(file, DATA_VOLUME) ? [file.slice(DATA_VOLUME.length) || '/'] : [];
}

export function foldersOnMac(place: string): readonly MountedFolder[] {
  return isAtOrBelow(place, DATA_VOLUME)
    ? []
    : [{ folder: place, name: path.posix.join(DATA_VOLUME, place) }];
}
