/** `heddle schedule`: adds, lists and removes scheduled prompts, and starts or stops their runner. */
import { watch } from 'node:fs';
import { isJobEnded, JobFolder, newJobId } from '@heddle/agent/jobs';
import {
  missedRuns,
  nextRunOf,
  readCron,
  readInterval,
  type ReadTiming,
  runSchedules,
  type Schedule,
  type ScheduleFolder,
  timingText,
} from '@heddle/agent/schedule';
import { systemClock } from '@heddle/models';
import { backgroundCommand, createJob, launchProcess, startProcess } from '../jobs/start-job.ts';
import { openScheduleFolder, startRunner, stopRunner } from '../start/schedule-runner.ts';
import { cutTo, oneLine } from '../terminal/width.ts';
import { minuteText } from '../sessions/text/units.ts';
import { pluralize } from '../terminal/amounts.ts';
import { jsonText } from '../terminal/escape-controls.ts';
import { fail, misuse, writeMessage } from '../terminal/write-message.ts';
import { jobsFolder } from '../jobs/find-job.ts';

const HELP = `heddle schedule add --every 30m "PROMPT" [flags of heddle -p]
heddle schedule add --cron "0 9 * * 1-5" [--time-zone ZONE] "PROMPT" [flags of heddle -p]
                                 --every takes minutes, hours, days or weeks: 30m, 2h, 1d, 1w
                                 --once runs the prompt at the first of these times only
heddle schedule list [--json]    lists schedules with their next, last and missed runs
heddle schedule remove ID        removes a schedule; its jobs are kept
heddle schedule run ID           starts a job now, whatever its times are
heddle schedule start|stop       starts or stops the runner; add starts it, too
heddle schedule serve            runs the runner in the foreground, for a service manager

Each run is a job: heddle jobs lists it. A run that is missed is reported and not repeated.
`;

export async function scheduleCommand(argv: readonly string[]): Promise<number> {
  const [verb = 'list', ...words] = argv;
  switch (verb) {
    case 'add':
      return add(words);
    case 'list':
    case '--json':
      return list(argv.includes('--json'));
    case 'remove':
    case 'run':
      return withSchedule(verb, words);
    case 'start':
      return report(await startRunner());
    case 'stop':
      return report(await stopRunner());
    case 'serve':
      return runInForeground();
    case 'help':
      writeMessage(HELP);
      return 0;
    default:
      return misuse(`There is no command schedule ${oneLine(verb)}. See: heddle schedule help`);
  }
}

async function add(argv: readonly string[]): Promise<number> {
  const read = readOwnFlags(argv);
  if (typeof read === 'string') return misuse(read);
  const { timing, isOnce, rest } = read;
  const command = backgroundCommand(rest, 'See: heddle schedule help');
  if (typeof command === 'string') return misuse(command);
  if (command.session.id !== undefined)
    return misuse('--session-id names one session; a schedule starts a new one for each run');
  const schedule = (await openScheduleFolder()).add({
    timing,
    argv: rest,
    title: (command.prompt ?? '').slice(0, TITLE_LENGTH),
    cwd: process.cwd(),
    createdAt: Date.now(),
    isOnce,
  });
  writeMessage(`Added schedule ${schedule.id}: ${timesText(schedule)}\n`);
  return report(await startRunner());
}

const TITLE_LENGTH = 200;

interface OwnFlags {
  readonly timing: Extract<ReadTiming, { ok: true }>['timing'];
  readonly isOnce: boolean;
  readonly rest: readonly string[];
}

/** Returns a message if the times cannot be read. The other words are those of `heddle -p`. */
function readOwnFlags(argv: readonly string[]): OwnFlags | string {
  const values = new Map<string, string>();
  const rest: string[] = [];
  let isOnce = false;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    // The words behind it are the prompt.
    if (word === '--') {
      rest.push(...argv.slice(at));
      break;
    }
    const [, name = '', value] = /^--(every|cron|time-zone)(?:=(.*))?$/s.exec(word) ?? [];
    if (word === '--once') isOnce = true;
    else if (name === '') rest.push(word);
    else values.set(name, value ?? argv[(at += 1)] ?? '');
  }
  const [every, cron] = [values.get('every'), values.get('cron')];
  if ((every === undefined) === (cron === undefined))
    return 'A schedule has --every or --cron. See: heddle schedule help';
  if (every !== undefined && values.has('time-zone')) return '--time-zone works only with --cron';
  const read = every === undefined ? readCron(cron ?? '', values.get('time-zone')) : readInterval(every);
  return read.ok ? { timing: read.timing, isOnce, rest } : read.message;
}

async function list(isJson: boolean): Promise<number> {
  const folder = await openScheduleFolder();
  const now = Date.now();
  const isRunning = folder.runner !== undefined;
  const rows = folder.list().map((schedule) => {
    const state = folder.state(schedule);
    const next = nextRunOf(schedule, { ...state, handledUntil: Math.max(state.handledUntil, now) });
    return { schedule, lastRun: state.lastRun, missed: missedRuns(schedule, state, now), next };
  });
  if (isJson) {
    const schedules = rows.map(({ schedule, ...row }) => ({ ...schedule, ...row }));
    writeMessage(`${jsonText({ runner: isRunning ? 'running' : 'stopped', schedules }, 2)}\n`);
    return 0;
  }
  if (rows.length === 0)
    writeMessage('There are no schedules. To add one: heddle schedule add --every 1d "…"\n');
  for (const { schedule, lastRun, missed, next } of rows) {
    const lines = [
      `${schedule.id}  ${timesText(schedule)}  ${cutTo(oneLine(schedule.title), 60)}`,
      `          next: ${isRunning && next !== undefined ? minuteText(next) : 'none'}`,
      ...(lastRun ? [`          last: ${minuteText(lastRun.dueAt)}, job ${lastRun.jobId}`] : []),
      ...(missed ? [`          missed: ${missedText(missed)}`] : []),
    ];
    writeMessage(`${lines.join('\n')}\n`);
  }
  if (rows.length > 0 && !isRunning)
    writeMessage('The runner does not run. To start it: heddle schedule start\n');
  return 0;
}

function missedText({ count, last, reason }: NonNullable<ReturnType<typeof missedRuns>>): string {
  return `${pluralize(count, 'run')}, the last at ${minuteText(last)}: ${oneLine(reason)}`;
}

function timesText({ timing, isOnce }: Schedule): string {
  return `${timingText(timing)}${isOnce ? ', once' : ''}`;
}

async function withSchedule(verb: 'remove' | 'run', words: readonly string[]): Promise<number> {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0) return misuse(`usage: heddle schedule ${verb} ID`);
  const folder = await openScheduleFolder();
  const [schedule, ...others] = folder.find(word);
  if (others.length > 0) return fail(`${word} matches several schedules. Use a longer id.`);
  if (!schedule) return fail(`There is no schedule ${oneLine(word)}. To list them: heddle schedule list`);
  if (verb === 'remove') {
    folder.remove(schedule.id);
    writeMessage(`Removed schedule ${schedule.id}.\n`);
    return 0;
  }
  const { argv, cwd } = schedule;
  const command = backgroundCommand(argv);
  if (typeof command === 'string') return fail(command);
  return startProcess(createJob(newJobId(), { argv, cwd, command }), 'new');
}

function report(outcome: { readonly ok: boolean; readonly message: string }): number {
  if (!outcome.ok) return fail(outcome.message);
  writeMessage(`${outcome.message}\n`);
  return 0;
}

/**
 * `heddle schedule serve`: the process that runs schedules. One at a time: it holds the lock of the folder, and ends when no
 * schedule has a next run.
 */
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
