/** Reads the mounts of this machine when a path is first compared with them. */
import { once } from './places.ts';
import { readFileSync } from 'node:fs';
import type { MountedBelow, ProcessMount } from '../world.ts';
import {
  foldersInMounts,
  foldersOnMac,
  namesInMounts,
  namesOnMac,
  type OtherNames,
  processMountsIn,
  processNames,
} from './second-mounts.ts';

export interface KnownMounts {
  /** All other names of a path. */
  readonly otherNames: OtherNames;
  /** Only its names below `/proc`. */
  readonly processNames: OtherNames;
  readonly mountedBelow: MountedBelow;
  readonly processMounts: () => readonly ProcessMount[];
}

/** `text` has the format of `/proc/self/mountinfo`. Absent: that of this machine. */
export function knownMounts(text?: string): KnownMounts {
  const isMac = text === undefined && process.platform === 'darwin';
  const read = once(() => text ?? readMounts());
  const names = once(() => (isMac ? namesOnMac : namesInMounts(read())));
  const folders = once(() => (isMac ? foldersOnMac : foldersInMounts(read())));
  const processes = once(() => (isMac ? [] : processMountsIn(read())));
  return {
    otherNames: (file) => names()(file),
    processNames: (file) => processNames(file, processes()),
    mountedBelow: (place) => folders()(place),
    processMounts: processes,
  };
}

function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}
