/** Ends a command with everything it started: asked first, then killed, within a second. */
import { setTimeout as wait } from 'node:timers/promises';
import { membersOf, type ProcessRow, startTimeOf } from './process-table.ts';

/** Time to put things in order after SIGTERM. */
const PATIENCE_MS = 250;
const LOOK_EVERY_MS = 20;
/** A process may start another between the look and the kill. */
const ROUNDS = 5;

/** Resolves when no process of it is left, or when those that are cannot be ended by us. */
export async function endTree(leader: number | undefined, label: string): Promise<void> {
  const asked = signalAll(leader, label, 'SIGTERM');
  for (let waited = 0; waited < PATIENCE_MS && asked.some(isAlive); waited += LOOK_EVERY_MS)
    await wait(LOOK_EVERY_MS);
  for (let round = 0; round < ROUNDS; round++) {
    if (signalAll(leader, label, 'SIGKILL').length === 0) return;
    await wait(LOOK_EVERY_MS);
  }
}

/** What a command left running in its group when it ended by itself. False when there was nothing. */
export function endGroup(leader: number, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch {
    // Nobody there: that is what is wanted.
    return false;
  }
}

function signalAll(leader: number | undefined, label: string, signal: NodeJS.Signals): readonly ProcessRow[] {
  const members = membersOf(leader, label);
  for (const { pid } of members) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone in the meantime, or not ours.
    }
  }
  return members;
}

function isAlive({ pid, startTime }: ProcessRow): boolean {
  return startTimeOf(pid) === startTime;
}
