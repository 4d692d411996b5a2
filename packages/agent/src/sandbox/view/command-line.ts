/** The command lines that start a script in the read-only view. Pure. */
import type { Scope } from './filter.ts';

export interface ViewedScript {
  readonly script: string;
  readonly directory: string;
  /** The one folder that the script can write to: `$TMPDIR`. */
  readonly folder: string;
  readonly scope: Scope;
}

/**
 * How bubblewrap gets its power.
 * - `user`: a user namespace. Files of other users appear under the overflow user id.
 * - `root`: the user is root, and keeps no capability but that to read.
 */
export type Power = 'user' | 'root';

const POWERS: Readonly<Record<Power, readonly string[]>> = {
  user: ['--unshare-user', '--cap-drop', 'ALL'],
  root: ['--cap-drop', 'ALL', '--cap-add', 'CAP_DAC_READ_SEARCH'],
};

/**
 * What it starts ends with its process namespace, so it needs no process group that can be ended. Root can write kernel
 * settings below /proc/sys, with or without capabilities.
 */
const ALONE: readonly string[] =
  '--unshare-net --unshare-pid --new-session --proc /proc --remount-ro /proc'.split(' ');

/** The descriptor that carries the filter. */
const FILTER_DESCRIPTOR = '3';

export function bubblewrapArguments(viewed: ViewedScript, power: Power): string[] {
  const { script, directory, folder, scope } = viewed;
  const places = [
    ['--ro-bind', '/', '/'],
    // A device file elsewhere cannot be opened: only a bind of devices allows that.
    ['--dev', '/dev', '--ro-bind-try', '/dev/shm', '/dev/shm', '--remount-ro', '/dev'],
    scope === 'own' ? ALONE : [],
    ['--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--die-with-parent'],
    ['--bind', folder, folder, '--chdir', directory],
  ];
  const temporary = ['TMPDIR', 'TMP', 'TEMP'].map((name) => ['--setenv', name, folder]);
  const shell = ['--seccomp', FILTER_DESCRIPTOR, '--', 'bash', '--noprofile', '--norc', '-c', script];
  return [POWERS[power], ...places, ...temporary, shell].flat();
}

/** For macOS. Programs still reach system services there, so it only backs up the proof. */
export function seatbeltArguments({ script, folder }: ViewedScript): string[] {
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
  return ['-p', profile, 'bash', '--noprofile', '--norc', '-c', `${exports}; ${script}`];
}

/** Programs that show the processes or connections of the machine: in a namespace of their own they would show nothing. */
const SHOWS_HOST = /\b(ps|pgrep|pidof|pstree|top|lsof|fuser|ss|netstat|ip|ifconfig)\b|\/proc\b/;

export function scopeFor(command: string): Scope {
  return SHOWS_HOST.test(command) ? 'host' : 'own';
}
