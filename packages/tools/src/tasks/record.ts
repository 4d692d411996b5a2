/**
 * A file per running command, so that its processes can be found after a crash. Written before the command
 * starts.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import { bootId, endTree, membersOf, type ProcessRow, processTable, startTimeOf } from './process-table.ts';

export interface TaskRecord {
  readonly id: string;
  /** The label in the environment of its processes. */
  readonly label: string;
  readonly command: string;
  readonly directory: string;
  readonly startedAt: number;
  readonly boot: string;
  /** Our process that started it: while that lives, its commands are not leftovers. */
  readonly owner: ProcessStamp;
  /**
   * Unknown if our process ended before it learned the number. Then only the label finds its processes.
   */
  readonly leader: ProcessStamp | undefined;
}

interface ProcessStamp {
  readonly pid: number;
  readonly startTime: string;
}

let self: ProcessStamp | undefined;

/** Throws if the folder cannot be written. */
export function writeRecord(folder: string, record: Omit<TaskRecord, 'boot' | 'owner'>): void {
  self ??= { pid: process.pid, startTime: startTimeOf(process.pid) ?? '' };
  const whole: TaskRecord = { ...record, boot: bootId(), owner: self };
  writeFileSync(fileOf(folder, record.id), JSON.stringify(whole), { mode: 0o600 });
}

export function removeRecord(folder: string, id: string): void {
  rmSync(fileOf(folder, id), { force: true });
}

/** A file that cannot be parsed is not a record. */
export function readRecords(folder: string): readonly TaskRecord[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.task.json'))
      .flatMap((name) => recordIn(path.join(folder, name)));
  } catch {
    return [];
  }
}

function recordIn(file: string): TaskRecord[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isTaskRecord(value) ? [value] : [];
  } catch {
    return [];
  }
}

function isTaskRecord(value: unknown): value is TaskRecord {
  if (!isRecord(value)) return false;
  if (
    !(
      'id' in value &&
      'label' in value &&
      'command' in value &&
      'directory' in value &&
      'startedAt' in value &&
      'boot' in value
    )
  )
    return false;
  const { id, label, command, directory, startedAt, boot } = value;
  const hasTexts = [id, label, command, directory, boot].every((text) => typeof text === 'string');
  if (!hasTexts || typeof startedAt !== 'number' || !('owner' in value) || !isStamp(value.owner))
    return false;
  return !('leader' in value) || isStamp(value.leader);
}

function isStamp(value: unknown): value is ProcessStamp {
  return isRecord(value) && typeof value['pid'] === 'number' && typeof value['startTime'] === 'string';
}

function fileOf(folder: string, id: string): string {
  return path.join(folder, `${id}.task.json`);
}

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
