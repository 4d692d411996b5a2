/** Finds processes that a crashed run left. Used when a session is resumed. */
import { endTree } from './end-tree.ts';
import { bootId, membersOf, processTable, type ProcessRow } from './process-table.ts';
import { readRecords, removeRecord, type TaskRecord } from './record.ts';

export interface Leftover {
  readonly id: string;
  readonly command: string;
  readonly directory: string;
  readonly startedAt: number;
  readonly pids: readonly number[];
}

/** Returns commands of past runs with living processes. Removes the records of the others. */
export function findLeftovers(folder: string): readonly Leftover[] {
  const records = readRecords(folder);
  if (records.length === 0) return [];
  const table = processTable();
  return records.flatMap((record) => {
    if (record.boot === bootId() && isAlive(record.owner, table)) return [];
    const pids = livingOf(record, table);
    if (pids.length === 0) {
      removeRecord(folder, record.id);
      return [];
    }
    const { id, command, directory, startedAt } = record;
    return [{ id, command, directory, startedAt, pids }];
  });
}

/** Searches again and ends the result, because a process number may belong to another process by now. */
export async function endLeftovers(folder: string): Promise<void> {
  const found = new Set(findLeftovers(folder).map(({ id }) => id));
  const records = readRecords(folder).filter(({ id }) => found.has(id));
  await Promise.all(
    records.map(async (record) => {
      await endTree(leaderOf(record, processTable()), record.label);
      removeRecord(folder, record.id);
    }),
  );
}

function livingOf(record: TaskRecord, table: readonly ProcessRow[]): readonly number[] {
  if (record.boot !== bootId()) return [];
  return membersOf(leaderOf(record, table), record.label).map(({ pid }) => pid);
}

/**
 * Returns the number of the first process while it is that process. Its group can outlive it. Then only
 * the label finds the rest.
 */
function leaderOf({ leader }: TaskRecord, table: readonly ProcessRow[]): number | undefined {
  return leader && isAlive(leader, table) ? leader.pid : undefined;
}

function isAlive(stamp: { pid: number; startTime: string }, table: readonly ProcessRow[]): boolean {
  return table.some((row) => row.pid === stamp.pid && row.startTime === stamp.startTime);
}
