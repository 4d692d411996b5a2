/** Schedules as every start needs them: the tools of the model, a notice about missed runs, and the start of their runner. */
import { createCronTools } from '@heddle/agent';
import type { ScheduleFolder } from '@heddle/agent/schedule';
import type { Tool } from '@heddle/core';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { configDir } from '../config-dir.ts';
import { pluralize } from '../terminal/amounts.ts';
import { spawnDetached } from './detached-process.ts';

function scheduleFolderPath(): string {
  return path.join(configDir(process.env), 'schedules');
}

/** Schedules are rarely needed, so their code loads here. */
export async function openScheduleFolder(): Promise<ScheduleFolder> {
  const { ScheduleFolder: Folder } = await import('@heddle/agent/schedule');
  return new Folder(scheduleFolderPath());
}

/** The tools for schedules. `flags`: those of the jobs, when one is scheduled. */
export function cronTools(cwd: string, flags: () => readonly string[]): readonly Tool[] {
  return createCronTools({ folder: scheduleFolderPath(), cwd, flags, startRunner, now: Date.now });
}

/** Returns a notice about runs that were missed since the last notice. */
export async function missedRunNotices(): Promise<readonly string[]> {
  if (!existsSync(scheduleFolderPath())) return [];
  const missed = (await openScheduleFolder()).takeUnreported(Date.now());
  const count = missed.reduce((sum, one) => sum + one.missed.count, 0);
  if (count === 0) return [];
  return [`${pluralize(count, 'scheduled run')} did not take place; see: heddle schedule list`];
}

interface RunnerReport {
  readonly ok: boolean;
  readonly message: string;
}

const START_MS = 15_000;
const STOP_MS = 10_000;
const LOOK_AGAIN_MS = 20;

/** Starts the runner in a process of its own, unless it runs already. */
export async function startRunner(): Promise<RunnerReport> {
  const folder = await openScheduleFolder();
  if (folder.runner !== undefined) return { ok: true, message: 'The runner is running.' };
  folder.create();
  const log = path.join(folder.path, 'runner.log');
  const child = spawnDetached(['schedule', 'serve'], { cwd: folder.path, log });
  const ended = once(child, 'exit').then(
    () => true,
    () => true,
  );
  const isEnded = await until(START_MS, () => folder.runner !== undefined, ended);
  child.unref();
  if (folder.runner !== undefined) return { ok: true, message: 'The runner has started.' };
  // Without a schedule that is due later, it ends at once.
  if (isEnded && child.exitCode === 0)
    return { ok: true, message: 'No schedule has a next run, so no runner is needed.' };
  return { ok: false, message: `The runner did not start. Its output: ${log}` };
}

/** Ends the runner. Jobs that it started continue. */
export async function stopRunner(): Promise<RunnerReport> {
  const folder = await openScheduleFolder();
  const pid = folder.runner;
  if (pid === undefined) return { ok: true, message: 'The runner is not running.' };
  process.kill(pid, 'SIGTERM');
  await until(STOP_MS, () => folder.runner !== pid);
  if (folder.runner !== pid) return { ok: true, message: 'The runner has stopped. Jobs continue.' };
  return { ok: false, message: `The runner did not stop. Its process is ${pid}.` };
}

/** Returns true if the process ended before the condition was met. */
async function until(ms: number, condition: () => boolean, ended?: Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + ms; Date.now() < deadline && !condition(); )
    if ((await Promise.race([...(ended ? [ended] : []), delay(LOOK_AGAIN_MS)])) === true) return true;
  return false;
}
