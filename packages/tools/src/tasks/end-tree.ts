/** Ends a command with everything it started: asked first, then killed, within a second. */
import { setTimeout as wait } from 'node:timers/promises';
import { membersOf } from './process-table.ts';

/** Time to put things in order after SIGTERM. */
const PATIENCE_MS = 250;
const LOOK_EVERY_MS = 20;
/** A process may start another between the look and the kill. */
const ROUNDS = 5;

/** Resolves when no process of it is left, or when those that are cannot be ended by us. */
export async function endTree(leader: number | undefined, mark: string): Promise<void> {
  signalAll(leader, mark, 'SIGTERM');
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
    if (membersOf(leader, mark).length === 0) return;
    await wait(LOOK_EVERY_MS);
  }
  for (let round = 0; round < ROUNDS; round++) {
    if (!signalAll(leader, mark, 'SIGKILL')) return;
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

function signalAll(leader: number | undefined, mark: string, signal: NodeJS.Signals): boolean {
  const members = membersOf(leader, mark);
  for (const { pid } of members) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone in the meantime, or not ours.
    }
  }
  return members.length > 0;
}
