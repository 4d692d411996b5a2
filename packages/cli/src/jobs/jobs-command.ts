/** `heddle jobs`, `stop` and `answer`: list, continue, remove, stop and answer jobs. None of them asks the process. */
import {
  isAlive,
  isJobEnded,
  type JobAnswer,
  type JobFolder,
  type JobState,
  listJobs,
} from '@heddle/agent/jobs';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonText } from '../terminal/escape-controls.ts';
import { writeMessage } from '../terminal/write-message.ts';
import { findJob, type FoundJob, jobLines, jobsFolder, questionLine, reportProblem } from './find-job.ts';

const USAGE = 'usage: heddle jobs [--json], heddle jobs resume JOB, heddle jobs remove JOB';

export async function jobsCommand(argv: readonly string[]): Promise<number> {
  const [verb, job, ...more] = argv;
  if (verb === undefined || (verb === '--json' && job === undefined)) return list(verb === '--json');
  if (job === undefined || more.length > 0 || !['resume', 'remove'].includes(verb))
    return reportProblem(USAGE, 2);
  const found = findJob(job);
  if (!found.ok) return reportProblem(found.message);
  if (!isJobEnded(found.state)) return reportProblem(`The job ${found.folder.id} still runs.`);
  return verb === 'resume' ? resume(found) : remove(found.folder);
}

function list(json: boolean): number {
  const jobs = listJobs(jobsFolder());
  if (json) writeMessage(`${jsonText(jobs, 2)}\n`);
  else if (jobs.length === 0) writeMessage('There are no jobs. To start one: heddle run --background "…"\n');
  const now = Date.now();
  if (!json) for (const job of jobs) writeMessage(`${jobLines(job, now).join('\n')}\n`);
  return 0;
}

async function resume({ folder, state }: Extract<FoundJob, { ok: true }>): Promise<number> {
  if (state.outcome?.isInterrupted !== true)
    return reportProblem(`The turn of the job has ended. To continue: heddle --resume ${state.sessionId}`);
  return (await import('./start-job.ts')).startProcess(folder, 'continued');
}

function remove(folder: JobFolder): number {
  folder.remove();
  writeMessage(`Removed job ${folder.id}. Its session is kept.\n`);
  return 0;
}

/** A job that does not end by itself within this time is killed. */
const STOP_MS = 10_000;
const LOOK_AGAIN_MS = 25;

export async function stopCommand(argv: readonly string[]): Promise<number> {
  const found = namedJob(argv, 'stop', 'JOB', 1);
  if (!found.ok) return reportProblem(found.message, found.code);
  const { folder, state } = found;
  if (isJobEnded(state)) return reportProblem(`The job ${folder.id} has already ended.`);
  signal(state, 'SIGTERM');
  if (!(await hasEnded(state))) {
    signal(state, 'SIGKILL');
    await hasEnded(state);
  }
  writeMessage(`Stopped job ${folder.id}. To continue its session: heddle --resume ${state.sessionId}\n`);
  return 0;
}

/** The number is checked with its start time: it may belong to another process by now. */
function signal({ process: stamp }: JobState, name: NodeJS.Signals): void {
  try {
    if (isAlive(stamp)) process.kill(stamp.pid, name);
  } catch {
    // It ended after the check.
  }
}

async function hasEnded({ process: stamp }: JobState): Promise<boolean> {
  for (const deadline = Date.now() + STOP_MS; Date.now() < deadline; await delay(LOOK_AGAIN_MS))
    if (!isAlive(stamp)) return true;
  return false;
}

export function answerCommand(argv: readonly string[]): Promise<number> {
  return Promise.resolve(answer(argv));
}

/** Answers the oldest question that has no answer yet. Without words, it shows the questions. */
function answer(argv: readonly string[]): number {
  const found = namedJob(argv, 'answer', 'JOB [yes|no|TEXT]', Number.POSITIVE_INFINITY);
  if (!found.ok) return reportProblem(found.message, found.code);
  const { folder, state } = found;
  const { id } = folder;
  const words = argv.slice(1).join(' ').trim();
  const open = state.questions.filter((question) => folder.answer(question.id) === undefined);
  if (open.length === 0) return reportProblem(`The job ${id} has no open question.`);
  if (words === '') {
    for (const question of open)
      writeMessage(
        `${questionLine(question, state.cwd)}\n  ${question.reason}\n${jsonText(question.input, 2)}\n`,
      );
    writeMessage(`To answer: heddle answer ${id} yes\n`);
    return 0;
  }
  const [question] = open;
  if (!question || !folder.writeAnswer(question.id, answerIn(words, question.tool)))
    return reportProblem(`The question has an answer by now. See: heddle jobs`);
  writeMessage(`Answered: ${questionLine(question, state.cwd)}\n`);
  return 0;
}

function answerIn(words: string, tool: string): JobAnswer {
  if (tool === 'AskUserQuestion') return { allow: true, text: words };
  if (/^(y|yes)$/i.test(words)) return { allow: true };
  return /^(n|no)$/i.test(words) ? { allow: false } : { allow: false, text: words };
}

type NamedJob =
  | Extract<FoundJob, { ok: true }>
  | { readonly ok: false; readonly message: string; readonly code: number };

/** Finds the job of a command line. These commands are also common first words of a prompt, which the usage shows. */
export function namedJob(argv: readonly string[], command: string, usage: string, most: number): NamedJob {
  const [job] = argv;
  const asPrompt = `As a prompt: heddle -- ${JSON.stringify([command, ...argv].join(' '))}`;
  if (job === undefined || argv.length > most)
    return { ok: false, message: `usage: heddle ${command} ${usage}. ${asPrompt}`, code: 2 };
  const found = findJob(job);
  return found.ok ? found : { ok: false, message: `${found.message}. ${asPrompt}`, code: 1 };
}
