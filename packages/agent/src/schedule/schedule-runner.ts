/**
 * Starts a job for each schedule that is due. A run that cannot start in time is stored as missed, and never repeated.
 * The run is stored before its job starts, so a crash in between can lose a run but not double it.
 */
import { type Clock, errorMessage } from '@heddle/core';
import { newJobId } from '../jobs/job-folder.ts';
import {
  addMissed,
  dueNow,
  GRACE_MS,
  nextRunOf,
  NO_RUNNER,
  type Schedule,
  type ScheduleFolder,
  type ScheduleState,
} from './schedule-folder.ts';

export interface ScheduleRunnerSetup {
  readonly folder: ScheduleFolder;
  readonly clock: Clock;
  readonly jobs: ScheduledJobs;
  /** Receives one line for each event. */
  readonly notify: (text: string) => void;
}

/** The jobs of schedules. */
interface ScheduledJobs {
  /** Starts a job with this id. Rejects if it does not start. */
  readonly start: (schedule: Schedule, jobId: string) => Promise<void>;
  /** Undefined if there is no such job. */
  readonly state: (jobId: string) => 'running' | 'ended' | undefined;
}

/** The longest sleep. A schedule may be added, the machine may be suspended, and its clock may be set. */
const LONGEST_SLEEP_MS = 10_000;

/** Runs schedules until none has a next run, or the signal aborts. */
export async function runSchedules(setup: ScheduleRunnerSetup, signal: AbortSignal): Promise<void> {
  const { folder, clock } = setup;
  for (const schedule of folder.list()) settleInterruptedStart(setup, schedule);
  while (!signal.aborted) {
    const next = await startDueJobs(setup, signal);
    if (next === undefined) return;
    await clock.sleep(Math.min(Math.max(next - clock.now(), 0), LONGEST_SLEEP_MS), signal);
  }
}

/** Handles every schedule that is due. Returns the time of the next run. */
async function startDueJobs(setup: ScheduleRunnerSetup, signal: AbortSignal): Promise<number | undefined> {
  const { folder, clock } = setup;
  const times: number[] = [];
  for (const schedule of folder.list()) {
    if (signal.aborted) break;
    await handleDue(setup, schedule, clock.now());
    const next = nextRunOf(schedule, folder.state(schedule));
    if (next !== undefined) times.push(next);
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

async function handleDue(setup: ScheduleRunnerSetup, schedule: Schedule, now: number): Promise<void> {
  const { folder, jobs, notify } = setup;
  const { id } = schedule;
  const state = folder.state(schedule);
  const due = dueNow(schedule, state, now);
  if (!due) return;
  const isLate = now - due.last > GRACE_MS;
  const isBusy = state.lastRun !== undefined && jobs.state(state.lastRun.jobId) === 'running';
  const late = isLate ? due.count : due.count - 1;
  const missed =
    late === 0 ? state.missed : addMissed(state.missed, { ...due, count: late, reason: NO_RUNNER });
  const handled = { ...state, handledUntil: now, missed };
  if (isLate || isBusy) {
    const reason = `job ${state.lastRun?.jobId ?? ''} was still running`;
    const skipped = isLate
      ? handled
      : { ...handled, missed: addMissed(missed, { ...due, count: 1, reason }) };
    folder.writeState(id, skipped);
    return notify(`Schedule ${id} missed a run: ${skipped.missed?.reason ?? NO_RUNNER}.`);
  }
  const jobId = newJobId();
  const lastRun = { dueAt: due.last, jobId, isStarted: false };
  folder.writeState(id, { ...handled, lastRun });
  try {
    await jobs.start(schedule, jobId);
    jobStarted(folder, schedule, { ...handled, lastRun });
    notify(`Schedule ${id} started job ${jobId}.`);
  } catch (thrown) {
    const reason = `the job did not start: ${errorMessage(thrown)}`;
    folder.writeState(id, { ...handled, missed: addMissed(missed, { ...due, count: 1, reason }) });
    notify(`Schedule ${id} missed a run: ${reason}`);
  }
}

function jobStarted(folder: ScheduleFolder, { id, isOnce }: Schedule, state: ScheduleState): void {
  if (isOnce) folder.remove(id);
  else folder.writeState(id, { ...state, lastRun: state.lastRun && { ...state.lastRun, isStarted: true } });
}

/** An earlier runner ended between the stored run and the start of its job. */
function settleInterruptedStart({ folder, jobs }: ScheduleRunnerSetup, schedule: Schedule): void {
  const { lastRun, ...state } = folder.state(schedule);
  if (!lastRun || lastRun.isStarted) return;
  if (jobs.state(lastRun.jobId)) return jobStarted(folder, schedule, { ...state, lastRun });
  const { dueAt: at } = lastRun;
  const missed = addMissed(state.missed, { count: 1, first: at, last: at, reason: 'the runner was killed' });
  folder.writeState(schedule.id, { ...state, missed });
}
