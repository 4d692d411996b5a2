/** `heddle run --background`: starts a prompt in a process of its own, which survives the terminal. */
import { endedJob, JobFolder, newJobId, newJobState, stampOf } from '@heddle/agent/jobs';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type PrintCommand, readArguments } from '../arguments/arguments.ts';
import { spawnDetached } from '../start/detached-process.ts';
import { writeMessage } from '../terminal/write-message.ts';
import { jobsFolder, reportProblem } from './find-job.ts';

const USAGE = 'usage: heddle run --background "PROMPT" [flags of heddle -p]';

export async function runCommand(argv: readonly string[]): Promise<number> {
  const [first, id = '', more] = argv;
  if (first === '--job') return (await import('./job-process.ts')).runJob(id, more === '--continued');
  const rest = argv.filter((word) => word !== '--background');
  if (rest.length === argv.length) {
    const words = JSON.stringify(['run', ...argv].join(' '));
    return reportProblem(`${USAGE}. In the foreground: heddle -p. As a prompt: heddle -- ${words}`, 2);
  }
  const command = backgroundCommand(rest);
  if (typeof command === 'string') return reportProblem(command, 2);
  return startProcess(createJob(newJobId(), { argv: rest, cwd: process.cwd(), command }), 'new');
}

/** Stores a job that has no process yet. Throws if the folder cannot be written. */
export function createJob(
  id: string,
  {
    argv,
    cwd,
    command,
  }: { readonly argv: readonly string[]; readonly cwd: string; readonly command: PrintCommand },
): JobFolder {
  const folder = new JobFolder(jobsFolder(), id);
  const begin = { id, sessionId: command.session.id ?? randomUUID(), cwd, process: stampOf(process.pid) };
  folder.create({ argv }, newJobState({ ...begin, prompt: command.prompt ?? '' }, Date.now()));
  return folder;
}

/** Returns a message if the command line cannot run in the background. `usage` follows if the prompt is missing. */
export function backgroundCommand(argv: readonly string[], usage = USAGE): PrintCommand | string {
  const parsed = readArguments(['-p', ...argv]);
  if (!parsed.ok) return parsed.message;
  const { command } = parsed;
  if (command.name !== 'print' || command.prompt === undefined) return `There is no prompt. ${usage}`;
  if (command.inputFormat !== 'text') return '--background takes one prompt, not --input-format stream-json';
  const { from, persist } = command.session;
  if (from.kind !== 'new') return '--background starts a new session; --resume and --continue exclude it';
  if (!persist) return '--background stores its session; --no-session-persistence excludes it';
  // The command line is stored, and such an object may contain a key.
  const inline = /(?:^|\0)(--settings|--mcp-config)[=\0]\s*\{/.exec(argv.join('\0'))?.[1];
  return inline === undefined ? command : `${inline}: --background stores flags; name a file instead`;
}

/** Starts the process of a job and prints the commands for it. */
export async function startProcess(folder: JobFolder, kind: 'new' | 'continued'): Promise<number> {
  const { id } = folder;
  const problem = await launchProcess(folder, kind);
  if (problem !== undefined) return reportProblem(problem);
  const verb = kind === 'new' ? 'runs' : 'continues';
  writeMessage(
    `Job ${id} ${verb} in the background.\n  heddle attach ${id}   follows it\n  heddle jobs             lists jobs\n`,
  );
  return 0;
}

/** A process that has not stored its number by then is reported as failed. */
const START_MS = 15_000;
const LOOK_AGAIN_MS = 20;

/** Starts the process of a job and waits until it has stored its number. Returns a message if it does not start. */
export async function launchProcess(
  folder: JobFolder,
  kind: 'new' | 'continued',
): Promise<string | undefined> {
  const { id } = folder;
  const state = folder.stored();
  if (!state) return `The state of job ${id} cannot be read.`;
  const more = kind === 'continued' ? ['--continued'] : [];
  const child = spawnDetached(['run', '--job', id, ...more], {
    cwd: state.cwd,
    log: folder.log,
    env: { HEDDLE_JOB_DIR: folder.path, CLAUDE_JOB_DIR: folder.path },
  });
  const ended = once(child, 'exit').then(
    () => true,
    () => true,
  );
  const hasStarted = (): boolean => child.pid !== undefined && folder.stored()?.process.pid === child.pid;
  for (const deadline = Date.now() + START_MS; Date.now() < deadline && !hasStarted(); )
    if ((await Promise.race([ended, delay(LOOK_AGAIN_MS)])) === true) break;
  if (hasStarted()) {
    child.unref();
    return undefined;
  }
  if (folder.takeLock().held)
    folder.write(endedJob(state, { state: 'failed', text: 'The process did not start.' }));
  child.kill();
  return `The job ${id} did not start. Its output: ${folder.log}`;
}
