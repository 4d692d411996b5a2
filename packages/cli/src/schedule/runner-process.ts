/** The process that runs schedules. One at a time: it holds the lock of the folder, and ends when no schedule has a next run. */
import { isJobEnded, JobFolder } from '@heddle/agent/jobs';
import { runSchedules, type Schedule, type ScheduleFolder } from '@heddle/agent/schedule';
import { systemClock } from '@heddle/models';
import { watch } from 'node:fs';
import { jobsFolder } from '../jobs/find-job.ts';
import { backgroundCommand, createJob, launchProcess } from '../jobs/start-job.ts';
import { openScheduleFolder } from '../start/schedule-runner.ts';
import { fail, writeMessage } from '../terminal/write-message.ts';

/** `heddle schedule serve`. */
export async function runInForeground(): Promise<number> {
  const folder = await openScheduleFolder();
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, onSignal);
  const setup = {
    folder,
    clock: {
      now: systemClock.now,
      sleep: (ms: number, signal: AbortSignal) => sleepUnlessChanged(folder, ms, signal),
    },
    jobs: { start: startScheduledJob, state: stateOfJob },
    notify: (text: string) => writeMessage(`${new Date().toISOString()} ${text}\n`),
  };
  for (;;) {
    const lock = folder.takeLock();
    if (!lock.held) return fail('Another runner is running.');
    folder.setRunner(process.pid);
    try {
      await runSchedules(setup, stop.signal);
    } finally {
      folder.setRunner(undefined);
      lock.release();
    }
    // A command that added a schedule before the line above found this runner, and started no other.
    if (stop.signal.aborted || !folder.hasNextRun) return 0;
  }
}

/** Ends the sleep when a schedule is added or removed. A watch can miss a change, so sleeps are short. */
async function sleepUnlessChanged({ path }: ScheduleFolder, ms: number, signal: AbortSignal): Promise<void> {
  const change = new AbortController();
  const watcher = watch(path, () => change.abort()).on('error', () => undefined);
  try {
    await systemClock.sleep(ms, AbortSignal.any([signal, change.signal]));
  } finally {
    watcher.close();
  }
}

async function startScheduledJob({ argv, cwd }: Schedule, jobId: string): Promise<void> {
  const command = backgroundCommand(argv);
  if (typeof command === 'string') throw new Error(command);
  const problem = await launchProcess(createJob(jobId, { argv, cwd, command }), 'new');
  if (problem !== undefined) throw new Error(problem);
}

function stateOfJob(jobId: string): 'running' | 'ended' | undefined {
  const state = new JobFolder(jobsFolder(), jobId).state();
  return state && (isJobEnded(state) ? 'ended' : 'running');
}
