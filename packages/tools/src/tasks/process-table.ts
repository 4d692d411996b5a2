/**
 * Finds the processes of a command. Its process group is known. Those that left it are found as
 * descendants, or by the label that every process inherits in its environment. A process that clears its
 * environment *and* leaves both group and parents (such as a daemon of another user) cannot be found.
 */
import { execFileSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Distinguishes a process from a later one with the same number. */
  readonly startTime: string;
}

let inherited: readonly number[] | undefined;

/**
 * Returns the open files that the caller of this program left to it, such as a lock in `exec 200>lock`. Node closes only low
 * numbers in child processes. A command must not write to the others: no path names them. Unknown on systems without `/proc`.
 */
export function inheritedDescriptors(): readonly number[] {
  inherited ??= openDescriptors();
  return inherited;
}

let nothing: number | undefined;

/**
 * Returns the files of a child process from a number on: an empty one in place of each file that the caller of this program
 * left open. For programs that are not started through a shell, which could close them.
 */
export function emptyFilesFrom(first: number): readonly (number | 'ignore')[] {
  const left = inheritedDescriptors().filter((descriptor) => descriptor >= first);
  if (left.length === 0) return [];
  const empty = (nothing ??= openSync('/dev/null', 'r'));
  return Array.from({ length: Math.max(...left) - first + 1 }, (_, at) =>
    left.includes(first + at) ? empty : 'ignore',
  );
}

/** This process opens its own files with this flag, so that children do not get them. */
const CLOSE_ON_EXEC = 0o2000000;

function openDescriptors(): readonly number[] {
  try {
    return readdirSync('/proc/self/fdinfo')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && (flagsOf(descriptor) & CLOSE_ON_EXEC) === 0);
  } catch {
    return [];
  }
}

/** A descriptor that is closed meanwhile has all flags. */
function flagsOf(descriptor: number): number {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    return Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(text)?.[1] ?? '', 8);
  } catch {
    return CLOSE_ON_EXEC;
  }
}

/** The variable that carries the labels. A nested shell adds its own. */
export const LABEL_VARIABLE = 'HEDDLE_TASKS';

/** Returns living processes, without zombies. */
export function processTable(): readonly ProcessRow[] {
  return process.platform === 'linux' ? linuxTable() : psTable();
}

/** `leader`: the command's first process, which leads its group and session. */
export function membersOf(leader: number | undefined, label: string): readonly ProcessRow[] {
  const table = processTable();
  const members = new Map<number, ProcessRow>();
  for (const row of table) {
    const isOwn =
      leader !== undefined && (row.pid === leader || row.group === leader || row.session === leader);
    if (isOwn || (row.pid !== process.pid && carriesLabel(row.pid, label))) members.set(row.pid, row);
  }
  // Children of members, and their children: each round finds one more generation.
  for (let found = true; found; ) {
    found = false;
    for (const row of table) {
      if (members.has(row.pid) || !members.has(row.parent)) continue;
      members.set(row.pid, row);
      found = true;
    }
  }
  return [...members.values()];
}

export function startTimeOf(pid: number): string | undefined {
  const row = process.platform === 'linux' ? linuxRow(pid) : psTable().find((one) => one.pid === pid);
  return row?.startTime;
}

/** Process numbers and start times are valid only within one boot. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

function linuxTable(): ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (linuxRow(Number(name)) ?? []) : []));
}

function linuxRow(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may itself contain parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group, session] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    const numbers = { pid, parent: Number(parent), group: Number(group), session: Number(session) };
    return { ...numbers, startTime: fields[19] ?? '' };
  } catch {
    // Ended during the check.
    return undefined;
  }
}

function carriesLabel(pid: number, label: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    const labels = variables.find((variable) => variable.startsWith(`${LABEL_VARIABLE}=`));
    return (
      labels
        ?.slice(LABEL_VARIABLE.length + 1)
        .split(' ')
        .includes(label) ?? false
    );
  } catch {
    // Another user's, or gone.
    return false;
  }
}

function psTable(): ProcessRow[] {
  try {
    const text = execFileSync('/bin/ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], { encoding: 'utf8' });
    return text.split('\n').flatMap((line) => {
      const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
      if (!pid || state?.startsWith('Z')) return [];
      const numbers = {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: Number(group),
      };
      return [{ ...numbers, startTime: started.join(' ') }];
    });
  } catch {
    return [];
  }
}

/** The time to clean up after SIGTERM. */
const PATIENCE_MS = 250;
const LOOK_EVERY_MS = 20;
/** A process may start another between the check and the signal. */
const ROUNDS = 5;

/** Resolves when none of its processes is left, or the remaining ones cannot be ended by us. */
export async function endTree(leader: number | undefined, label: string): Promise<void> {
  const asked = signalAll(leader, label, 'SIGTERM');
  for (let waited = 0; waited < PATIENCE_MS && asked.some(isAlive); waited += LOOK_EVERY_MS)
    await wait(LOOK_EVERY_MS);
  for (let round = 0; round < ROUNDS; round++) {
    if (signalAll(leader, label, 'SIGKILL').length === 0) return;
    await wait(LOOK_EVERY_MS);
  }
}

/** Ends the processes that a command left in its group. Returns false if there were none. */
export function endGroup(leader: number, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch {
    // The group is already empty.
    return false;
  }
}

function signalAll(leader: number | undefined, label: string, signal: NodeJS.Signals): readonly ProcessRow[] {
  const members = membersOf(leader, label);
  for (const { pid } of members) {
    try {
      process.kill(pid, signal);
    } catch {
      // Already ended, or not ours.
    }
  }
  return members;
}

function isAlive({ pid, startTime }: ProcessRow): boolean {
  return startTimeOf(pid) === startTime;
}
