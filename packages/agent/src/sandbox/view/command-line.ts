/** Builds the command lines that start a script in a view. */
import type { FileLimits } from '@heddle/core';
import { findBash } from '@heddle/tools';
import type { ReadCommand } from '@heddle/tools/shell';
import { showsHost } from '../../permission/shell/shown-processes.ts';
import type { ProcessScope } from './filter.ts';

export interface ViewedScript {
  readonly script: string;
  readonly directory: string;
  /** `$TMPDIR`. Its files stay in memory and are gone with the view. */
  readonly folder: string;
  /** A file in that folder which outlasts the view. Without edits, it is the only file of the disk that can be written. */
  readonly report: string;
  readonly scope: ProcessScope;
  readonly limits: Pick<FileLimits, 'writable' | 'unwritable'>;
  /** Existing files and folders, and what the script finds in their place. */
  readonly masks: readonly Mask[];
}

interface Mask {
  readonly place: string;
  /** An empty file or folder. */
  readonly empty: string;
}

/**
 * The source of bubblewrap's privileges.
 * - `user`: a user namespace. Files of other users appear under the overflow user id.
 * - `root`: the user is root, and keeps only the capability to read. Edits also need those to write, and to copy owners.
 *   Not for the scope `host`: bubblewrap's process outside the view has no capability. Without a user namespace the view
 *   could open `/proc/PID/root` of it, which is the writable disk.
 */
export type Power = 'user' | 'root';

const POWERS: Readonly<Record<Power, readonly string[]>> = {
  user: ['--unshare-user', '--cap-drop', 'ALL'],
  root: ['--cap-drop', 'ALL', '--cap-add', 'CAP_DAC_READ_SEARCH'],
};

const ROOT_EDITS: readonly string[] = ['DAC_OVERRIDE', 'CHOWN', 'FOWNER', 'FSETID'].flatMap((name) => [
  '--cap-add',
  `CAP_${name}`,
]);

/**
 * Processes of the script end with the process namespace, in any group or session. So the script needs no process
 * group.
 */
const PROCESSES: readonly string[] = '--unshare-pid --new-session'.split(' ');

/**
 * The network and the processes of the host are not visible. Root can write kernel settings below /proc/sys, with or
 * without capabilities. In the scope `host`, /proc is that of the host, which is bound read-only with everything else.
 */
const ALONE: readonly string[] = '--unshare-net --proc /proc --remount-ro /proc'.split(' ');

/** The descriptor that carries the filter. */
const FILTER_DESCRIPTOR = '3';

export function bubblewrapArguments(viewed: ViewedScript, power: Power): string[] {
  const { script, directory, folder, report, scope, limits } = viewed;
  const isRoot = power === 'root' && scope === 'own';
  const places = [
    isRoot && limits.writable.length > 0 ? ROOT_EDITS : [],
    ['--ro-bind', '/', '/'],
    ...mountsOf(viewed),
    // A device file elsewhere cannot be opened: only a bind of devices allows that.
    ['--dev', '/dev', '--ro-bind-try', '/dev/shm', '/dev/shm', '--remount-ro', '/dev'],
    PROCESSES,
    scope === 'own' ? ALONE : [],
    ['--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--die-with-parent'],
    ['--tmpfs', folder, '--bind', report, report, '--chdir', directory],
  ];
  const temporary = ['TMPDIR', 'TMP', 'TEMP'].map((name) => ['--setenv', name, folder]);
  const shell = [
    '--seccomp',
    FILTER_DESCRIPTOR,
    '--',
    findBash(undefined, [directory]),
    '--noprofile',
    '--norc',
    '-c',
    script,
  ];
  return [POWERS[isRoot ? 'root' : 'user'], ...places, ...temporary, shell].flat();
}

/** A mount hides earlier ones below it, so outer places come first. */
function mountsOf({ limits, masks }: ViewedScript): readonly (readonly string[])[] {
  const mounts = [
    ...limits.writable.map((place) => ['--bind-try', place, place] as const),
    ...limits.unwritable.map((place) => ['--ro-bind-try', place, place] as const),
    ...masks.map(({ place, empty }) => ['--ro-bind', empty, place] as const),
  ];
  const depth = (place: string): number => place.split('/').length;
  return mounts.toSorted(([, , one], [, , other]) => depth(one) - depth(other));
}

/** For macOS. Programs still reach system services there, so it only backs up the proof. */
export function seatbeltArguments({ script, directory, folder }: ViewedScript): string[] {
  const profile = [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* (subpath ${JSON.stringify(folder)}) (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))`,
    '(deny network*)',
    '(deny appleevent-send)',
    '(deny signal)',
    '(allow signal (target same-sandbox))',
  ].join('\n');
  const exports = `export TMPDIR='${folder}' TMP='${folder}' TEMP='${folder}'`;
  return [
    '-p',
    profile,
    findBash(undefined, [directory]),
    '--noprofile',
    '--norc',
    '-c',
    `${exports}; ${script}`,
  ];
}

/** Returns what the programs of a script may see. Only a script that shows the processes of the machine needs them. */
export function scopeFor(read: ReadCommand, kind: 'read-only' | 'edits'): ProcessScope {
  return showsHost(read, kind) ? 'host' : 'own';
}

/** Programs with a proof that ask a server on this machine through a socket. */
const CLIENTS = /^docker$/;

/** Returns whether a script is only a client of a local server. Another command beside it could read what the view hides. */
export function isOnlyLocalClient(read: ReadCommand): boolean {
  const [command, ...others] = read.ok ? read.commands : [];
  if (!read.ok || command === undefined || others.length > 0 || read.redirections.length > 0) return false;
  const { name, args, redirections, assignments } = command;
  return (
    redirections.length === 0 &&
    assignments.length === 0 &&
    CLIENTS.test(name?.value ?? '') &&
    args.every(({ kind }) => kind === 'literal')
  );
}
