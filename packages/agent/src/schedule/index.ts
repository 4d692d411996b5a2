/** Scheduled prompts: their times, their files, and the runner that starts a job for each. */
export {
  missedRuns,
  type MissedRuns,
  nextRunOf,
  NO_RUNNER,
  type Schedule,
  ScheduleFolder,
} from './schedule-folder.ts';
export { runSchedules } from './schedule-runner.ts';
export { readCron, readInterval, type ReadTiming, type Timing, timingText } from './timing.ts';
