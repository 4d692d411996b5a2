/** Builds the command lines that start a script in a view. */
import type { FileLimits } from '@heddle/core';
import type { ReadCommand, ShellWord, SimpleCommand } from '@heddle/tools/shell';
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
  const places = [
    power === 'root' && scope === 'own' && limits.writable.length > 0 ? ROOT_EDITS : [],
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
  const shell = ['--seccomp', FILTER_DESCRIPTOR, '--', 'bash', '--noprofile', '--norc', '-c', script];
  return [POWERS[power], ...places, ...temporary, shell].flat();
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

/** Programs that show the processes or connections of the machine. In their own namespace they would show nothing. */
const SHOWS_HOST = /^(ps|pgrep|pidof|pstree|top|lsof|fuser|ss|netstat|ip|ifconfig)$/;
/** The list of processes, one of them, or the connections. Other files of /proc are the same for all processes. */
const HOST_FILES = /^\/+proc(?:\/*$|\/+(?:\d|net(?:\/|$)|[^/]*[*?[]))/;
/** They run the program that follows their options. */
const WRAPPERS = /^(command|env|nice|nohup|time|timeout|stdbuf|xargs)$/;

/**
 * Returns what the programs of a script may see. Only a program that shows the processes of the machine, or a file of one,
 * needs them. The same word in a text or in a comment does not, and neither does a script that cannot be parsed.
 */
export function scopeFor(read: ReadCommand, kind: 'read-only' | 'edits'): ProcessScope {
  if (!read.ok) return 'own';
  const targets = read.redirections.concat(read.commands.flatMap((command) => command.redirections));
  const showsHost = read.commands.some((command) => {
    const program = programOf(command);
    if (SHOWS_HOST.test(program)) return true;
    const isText = program === 'echo' || program === 'printf';
    return kind === 'read-only' && !isText && command.args.some(namesHostFile);
  });
  const readsHost = targets.some((each) => each.kind === 'file' && namesHostFile(each.target));
  return showsHost || (kind === 'read-only' && readsHost) ? 'host' : 'own';
}

function namesHostFile({ kind, value }: ShellWord): boolean {
  return kind !== 'dynamic' && HOST_FILES.test(value);
}

/** Returns the program that a command runs, also behind wrappers: `timeout 9 ps`. */
function programOf({ name, args }: SimpleCommand): string {
  const words = [...(name ? [name] : []), ...args].map(({ value }) =>
    value.replace(/^\/(?:usr\/)?s?bin\//, ''),
  );
  let isBehind = false;
  for (const word of words) {
    if (WRAPPERS.test(word)) isBehind = true;
    else if (!isBehind || !/^-|^\d|=/.test(word)) return word;
  }
  return '';
}
