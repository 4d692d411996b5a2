/**
 * The schedules of the user, as files that only the user can read. `ID.json` is written once, by the command that adds the schedule.
 * `ID.state.json` is written only by the runner, which holds the lock of the folder. So no two processes write the same file.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { isAlive, stampOf } from '../jobs/job-folder.ts';
import { processStampSchema } from '../jobs/job-state.ts';
import { makeFolder, takeLock } from '../session/files/lock.ts';
import { readJson, writeJson } from '../settings/json-file.ts';
import { type DueTimes, dueTimesBetween, nextDue, timingSchema } from './timing.ts';
import { newUuid } from '../session/uuid.ts';

const scheduleSchema = z
  .object({
    id: z.string(),
    timing: timingSchema,
    /** The command line of `heddle -p`, with the prompt. */
    argv: z.array(z.string()).readonly(),
    /** The beginning of the prompt. */
    title: z.string(),
    cwd: z.string(),
    createdAt: z.number(),
    /** It is due once, and removed when its job has started. */
    isOnce: z.boolean(),
  })
  .readonly();

const missedSchema = z
  .object({ count: z.number(), first: z.number(), last: z.number(), reason: z.string() })
  .readonly();

const scheduleStateSchema = z
  .object({
    /** Due times up to this one have started a job, or were missed. */
    handledUntil: z.number(),
    /** Stored before the job starts, and again when it has started. */
    lastRun: z.object({ dueAt: z.number(), jobId: z.string(), isStarted: z.boolean() }).readonly().optional(),
    missed: missedSchema.optional(),
  })
  .readonly();

export type Schedule = z.infer<typeof scheduleSchema>;
export type MissedRuns = z.infer<typeof missedSchema>;
export type ScheduleState = z.infer<typeof scheduleStateSchema>;

const PRIVATE_FILE = 0o600;
const SCHEDULE_FILE = /^([0-9a-f]{8})\.json$/;

export class ScheduleFolder {
  readonly path: string;

  constructor(folder: string) {
    this.path = folder;
  }

  /** Throws if the folder cannot be created. */
  create(): void {
    makeFolder(this.path);
  }

  /** Throws if the file cannot be written. */
  add(schedule: Omit<Schedule, 'id'>): Schedule {
    this.create();
    const added = { id: newUuid().slice(0, 8), ...schedule };
    writeJson(this.#file(added.id), added, PRIVATE_FILE);
    return added;
  }

  /** Returns the schedules, oldest first. A file that cannot be read is left out. */
  list(): readonly Schedule[] {
    return this.#names()
      .flatMap((name) => SCHEDULE_FILE.exec(name)?.[1] ?? [])
      .flatMap((id) => readJson(this.#file(id), scheduleSchema) ?? [])
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Returns the schedules whose id begins with the word. */
  find(word: string): readonly Schedule[] {
    return /^[0-9a-f]+$/.test(word) ? this.list().filter(({ id }) => id.startsWith(word)) : [];
  }

  get hasNextRun(): boolean {
    return this.list().some((schedule) => nextRunOf(schedule, this.state(schedule)) !== undefined);
  }

  remove(id: string): void {
    rmSync(this.#file(id), { force: true });
    rmSync(this.#file(`${id}.state`), { force: true });
  }

  state({ id, createdAt }: Schedule): ScheduleState {
    return readJson(this.#file(`${id}.state`), scheduleStateSchema) ?? { handledUntil: createdAt };
  }

  /** For the runner. A schedule that was removed meanwhile stays removed. */
  writeState(id: string, state: ScheduleState): void {
    if (!existsSync(this.#file(id))) return;
    writeJson(this.#file(`${id}.state`), state, PRIVATE_FILE);
    if (!existsSync(this.#file(id))) this.remove(id);
  }

  /** Allows one runner. The lock ends with the process. */
  takeLock(): ReturnType<typeof takeLock> {
    return takeLock(this.path);
  }

  /** The process that runs the schedules. Undefined if there is none. */
  get runner(): number | undefined {
    const stamp = readJson(this.#file('runner'), processStampSchema);
    return stamp && isAlive(stamp) ? stamp.pid : undefined;
  }

  setRunner(pid: number | undefined): void {
    if (pid === undefined) rmSync(this.#file('runner'), { force: true });
    else writeJson(this.#file('runner'), stampOf(pid), PRIVATE_FILE);
  }

  /** Returns the missed runs that no earlier call returned. For the start of a conversation. */
  takeUnreported(now: number): readonly { readonly schedule: Schedule; readonly missed: MissedRuns }[] {
    const since = readJson(this.#file('reported'), reportedSchema)?.until ?? 0;
    const all = this.list().flatMap((schedule) => {
      const missed = missedRuns(schedule, this.state(schedule), now);
      return missed && missed.last > since ? [{ schedule, missed }] : [];
    });
    const until = Math.max(...all.map(({ missed }) => missed.last));
    if (all.length > 0) writeJson(this.#file('reported'), { until }, PRIVATE_FILE);
    return all;
  }

  #file(name: string): string {
    return path.join(this.path, `${name}.json`);
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.path);
    } catch {
      // No schedule was added yet.
      return [];
    }
  }
}

const reportedSchema = z.object({ until: z.number() });

/** A run that cannot start within this time is missed. The runner wakes more often than that. */
export const GRACE_MS = 60_000;

/** Returns the time of the next run. Undefined if a schedule that is due once was handled. */
export function nextRunOf(schedule: Schedule, { handledUntil }: ScheduleState): number | undefined {
  const { timing, createdAt, isOnce } = schedule;
  const first = nextDue(timing, createdAt, createdAt);
  if (!isOnce) return nextDue(timing, createdAt, handledUntil);
  return first !== undefined && first > handledUntil ? first : undefined;
}

/** Returns the due times that are not handled yet. */
export function dueNow(schedule: Schedule, state: ScheduleState, now: number): DueTimes | undefined {
  const { timing, createdAt, isOnce } = schedule;
  const next = nextRunOf(schedule, state);
  if (next === undefined || next > now) return undefined;
  if (isOnce) return { count: 1, first: next, last: next };
  return dueTimesBetween(timing, createdAt, { after: state.handledUntil, now });
}

/** Returns the runs that did not happen, also those that no runner has seen. */
export function missedRuns(schedule: Schedule, state: ScheduleState, now: number): MissedRuns | undefined {
  const due = dueNow(schedule, state, now - GRACE_MS);
  return due ? addMissed(state.missed, { ...due, reason: NO_RUNNER }) : state.missed;
}

export const NO_RUNNER = 'the runner was not running';

export function addMissed(
  earlier: MissedRuns | undefined,
  { count, first, last, reason }: MissedRuns,
): MissedRuns {
  return { count: count + (earlier?.count ?? 0), first: earlier?.first ?? first, last, reason };
}
