/** Schedules with a clock without real time: their due times, runs, missed runs and crashes. */
import { mkdtempSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createClock, type VirtualClock } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { missedRuns, type Schedule, ScheduleFolder } from './schedule-folder.ts';
import { runSchedules } from './schedule-runner.ts';
import { dueTimesBetween, nextDue, readCron, readInterval, type Timing } from './timing.ts';

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);

function timingOf(expression: string, zone: string): Timing {
  const read = readCron(expression, zone);
  if (!read.ok) throw new Error(read.message);
  return read.timing;
}

describe('the times of a schedule', () => {
  it.each([
    ['0 9 * * 1-5', 'UTC', '2026-01-02T09:00:00Z', '2026-01-05T09:00:00Z'],
    ['*/15 * * * *', 'UTC', '2026-01-01T00:07:00Z', '2026-01-01T00:15:00Z'],
    // A day matches if one of the two day fields matches.
    ['0 0 13 * 5', 'UTC', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['30 8 * * *', 'Europe/Berlin', '2026-07-01T00:00:00Z', '2026-07-01T06:30:00Z'],
    ['30 8 * * *', 'Asia/Kolkata', '2026-07-01T04:00:00Z', '2026-07-02T03:00:00Z'],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ])('%s in %s after %s is due at %s', (expression, zone, after, due) => {
    expect(nextDue(timingOf(expression, zone), 0, at(after))).toBe(at(due));
  });

  it('a time that summer time skips is due once, an hour later', () => {
    const timing = timingOf('30 2 * * *', 'Europe/Berlin');
    const times = dueTimesBetween(timing, 0, {
      after: at('2026-03-28T12:00Z'),
      now: at('2026-03-29T12:00Z'),
    });
    expect(times?.count).toBe(1);
  });

  it.each(['', '* * * *', '60 * * * *', '* * * * * *', 'soon', '0 0 31 2 *'])(
    'rejects the expression %j',
    (text) => {
      expect(readCron(text, 'UTC').ok).toBe(false);
    },
  );

  it.each([
    ['30m', 30],
    ['2h', 120],
    ['1d', 1_440],
    ['1w', 10_080],
    ['0m', undefined],
    ['30s', undefined],
    ['soon', undefined],
    ['900000w', undefined],
  ])('reads the interval %s as %s minutes', (text, minutes) => {
    const read = readInterval(text);
    expect(read.ok ? read.timing : undefined).toEqual(minutes && { kind: 'every', ms: minutes * 60_000 });
  });

  it('rejects a time zone that does not exist', () => {
    expect(readCron('0 9 * * *', 'Europe/Atlantis').ok).toBe(false);
  });

  it('bounds the count of a year of missed minutes, and finds the last one', () => {
    const now = at('2026-12-31T23:59:30Z');
    for (const timing of [timingOf('* * * * *', 'UTC'), { kind: 'every', ms: 60_000 } as const]) {
      const times = dueTimesBetween(timing, 0, { after: at('2026-01-01T00:00:00Z'), now });
      expect(times).toMatchObject({ count: 1_000, last: at('2026-12-31T23:59:00Z') });
    }
  });
});

interface Scene {
  readonly folder: ScheduleFolder;
  readonly clock: VirtualClock;
  readonly started: string[];
  readonly jobs: Map<string, 'running' | 'ended'>;
  readonly add: (more?: Partial<Schedule>) => Schedule;
  /** Runs a runner for some time. */
  readonly run: (ms: number, start?: () => Promise<void>) => Promise<void>;
}

function scene(): Scene {
  const folder = new ScheduleFolder(
    path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-schedules-')), 'schedules'),
  );
  const clock = createClock();
  const started: string[] = [];
  const jobs = new Map<string, 'running' | 'ended'>();
  return {
    folder,
    clock,
    started,
    jobs,
    add: (more = {}) =>
      folder.add({
        timing: { kind: 'every', ms: HOUR },
        argv: ['Look.'],
        title: 'Look.',
        cwd: '/',
        createdAt: clock.now(),
        isOnce: false,
        ...more,
      }),
    async run(ms, start = () => Promise.resolve()) {
      const stop = new AbortController();
      const setup = {
        folder,
        clock,
        notify: () => undefined,
        jobs: {
          state: (id: string) => jobs.get(id),
          async start({ id }: Schedule, jobId: string) {
            await start();
            started.push(`${id} ${new Date(clock.now()).toISOString().slice(11, 16)}`);
            jobs.set(jobId, 'ended');
          },
        },
      };
      const running = runSchedules(setup, stop.signal);
      await clock.advance(ms);
      stop.abort();
      await running;
    },
  };
}

describe('the runner of schedules', () => {
  it('starts a job each time a schedule is due, and sees schedules that were added later', async () => {
    const { folder, add, run, started } = scene();
    const first = add();
    await run(2.5 * HOUR);
    const second = add();
    await run(HOUR);
    expect(started).toEqual([
      `${first.id} 01:00`,
      `${first.id} 02:00`,
      `${first.id} 03:00`,
      `${second.id} 03:30`,
    ]);
    expect(missedOf(folder)).toEqual([undefined, undefined]);
  });

  it('reports runs that were missed while it was off, and does not repeat them', async () => {
    const { folder, clock, add, run, started } = scene();
    add();
    await clock.advance(3.5 * HOUR);
    const [schedule] = folder.list();
    // Readers see them before a runner does.
    expect(schedule && missedRuns(schedule, folder.state(schedule), clock.now())).toMatchObject({ count: 3 });
    expect(folder.takeUnreported(clock.now())).toHaveLength(1);
    expect(folder.takeUnreported(clock.now())).toHaveLength(0);
    await run(HOUR);
    expect(started).toHaveLength(1);
    expect(missedOf(folder)).toMatchObject([{ count: 3, reason: 'the runner was not running' }]);
    expect(folder.takeUnreported(clock.now())).toHaveLength(0);
  });

  it('runs a schedule that is late by less than a minute', async () => {
    const { clock, add, run, started } = scene();
    const { id } = add();
    await clock.advance(HOUR + 59_000);
    await run(1_000);
    expect(started).toEqual([`${id} 01:00`]);
  });

  it('skips a run while the job of the last one is running', async () => {
    const { folder, jobs, add, run, started } = scene();
    add();
    await run(1.5 * HOUR);
    const [jobId = ''] = jobs.keys();
    jobs.set(jobId, 'running');
    await run(HOUR);
    jobs.set(jobId, 'ended');
    await run(HOUR);
    expect(started.map((text) => text.slice(-5))).toEqual(['01:00', '03:00']);
    expect(missedOf(folder)).toEqual([
      expect.objectContaining({ count: 1, reason: `job ${jobId} was still running` }),
    ]);
  });

  it('removes a schedule that is due once when its job has started, and then ends', async () => {
    const { folder, clock, add, run, started } = scene();
    add({ isOnce: true });
    await run(10 * HOUR);
    expect(started).toHaveLength(1);
    expect(readdirSync(folder.path)).toEqual([]);
    expect(clock.pending).toEqual([]);
  });

  it('keeps a missed schedule that is due once in the list, and never runs it', async () => {
    const { folder, clock, add, run, started } = scene();
    add({ isOnce: true });
    await clock.advance(2 * HOUR);
    await run(10 * HOUR);
    expect(started).toEqual([]);
    expect(missedOf(folder)).toMatchObject([{ count: 1 }]);
    expect(folder.hasNextRun).toBe(false);
  });

  it('reports a job that does not start, and tries the next time again', async () => {
    const { folder, add, run, started } = scene();
    add();
    await run(1.5 * HOUR, () => Promise.reject(new Error('no memory')));
    await run(HOUR);
    expect(started).toHaveLength(1);
    expect(missedOf(folder)).toMatchObject([{ count: 1, reason: 'the job did not start: no memory' }]);
  });

  it.each([
    ['before its job was stored', false, { count: 1, reason: 'the runner was killed' }],
    ['after its job was stored', true, undefined],
  ])('a runner that was killed %s starts no second job', async (_when, isStored, missed) => {
    const { folder, clock, jobs, add, run, started } = scene();
    const schedule = add();
    // A start that never returns is a process that was killed there.
    const never = Promise.withResolvers<void>();
    void run(HOUR, () => never.promise);
    await clock.advance(HOUR);
    const { lastRun } = folder.state(schedule);
    if (isStored && lastRun) jobs.set(lastRun.jobId, 'ended');
    await run(0.5 * HOUR);
    expect(started).toEqual([]);
    expect(missedOf(folder)).toEqual([missed && expect.objectContaining(missed)]);
  });

  it('does not restore a schedule that is removed while its job starts', async () => {
    const { folder, add, run } = scene();
    const { id } = add();
    await run(HOUR, async () => folder.remove(id));
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

function missedOf(folder: ScheduleFolder): readonly unknown[] {
  return folder.list().map((schedule) => folder.state(schedule).missed);
}
