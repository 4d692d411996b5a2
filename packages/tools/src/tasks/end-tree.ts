/** Ends a command with all its child processes: SIGTERM first, then SIGKILL, within a second. */
import { setTimeout as wait } from 'node:timers/promises';
import { membersOf, type ProcessRow, startTimeOf } from './process-table.ts';

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
