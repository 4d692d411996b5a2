/** `heddle jobs`, `stop` and `answer`: list, continue, remove, stop and answer jobs. None of them asks the process. */
import {
  isAlive,
  isJobEnded,
  type JobAnswer,
  JobFolder,
  type JobQuestion,
  type JobState,
  listJobs,
} from '@heddle/agent/jobs';
import { setTimeout as delay } from 'node:timers/promises';
import { oneLine } from '../terminal/width.ts';
import { jsonText } from '../terminal/escape-controls.ts';
import { writeMessage } from '../terminal/write-message.ts';
import {
  answerLine,
  findJob,
  type FoundJob,
  jobLines,
  jobsFolder,
  questionLine,
  reportProblem,
} from './find-job.ts';

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
  if (json) {
    writeMessage(`${jsonText(jobs, 2)}\n`);
    return 0;
  }
  if (jobs.length === 0) writeMessage('There are no jobs. To start one: heddle run --background "…"\n');
  const now = Date.now();
  for (const job of jobs) {
    writeMessage(`${jobLines(job, now).join('\n')}\n`);
    new JobFolder(jobsFolder(), job.id).markShown(job.questions);
  }
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

/** The id of a question, as the commands print it. A shorter word is part of an answer. */
const QUESTION_ID = /^[0-9a-f]{16}$/;

/**
 * Answers the question with the given id. Without an id, it answers only the question that the user saw last: the job may
 * have withdrawn it, and may ask another one. Without an answer, it shows the questions.
 */
function answer(argv: readonly string[]): number {
  const usage = 'JOB [QUESTION] [yes|no|TEXT]';
  const found = namedJob(argv, 'answer', usage, Number.POSITIVE_INFINITY);
  if (!found.ok) return reportProblem(found.message, found.code);
  const { folder, state } = found;
  const [, first = '', ...rest] = argv;
  const named = QUESTION_ID.test(first) ? first : undefined;
  const words = (named === undefined ? [first, ...rest] : rest).join(' ').trim();
  const unanswered = folder.unanswered(state);
  if (unanswered.length === 0) return reportProblem(`The job ${folder.id} has no open question.`);
  const open = named === undefined ? unanswered : unanswered.filter(({ id }) => id === named);
  if (open.length === 0)
    return reportProblem(`The question ${named} is not open any more. See: heddle answer ${folder.id}`);
  if (words === '') {
    showQuestions(found, open);
    folder.markShown(open);
    return 0;
  }
  const question = open.find((one) => one.id === named || folder.wasShown(one));
  if (!question) {
    showQuestions(found, open);
    return reportProblem('Nothing was answered: name the question, because it was not shown before.');
  }
  if (!folder.writeAnswer(question.id, answerIn(words, question.tool)))
    return reportProblem(`The question has an answer by now. See: heddle jobs`);
  writeMessage(`Answered: ${questionLine(question, state.cwd)}\n`);
  return 0;
}

function showQuestions(
  { folder, state }: Extract<FoundJob, { ok: true }>,
  questions: readonly JobQuestion[],
): void {
  for (const question of questions)
    writeMessage(
      `${questionLine(question, state.cwd)}\n  ${oneLine(question.reason)}\n${jsonText(question.input, 2)}\n` +
        `To answer: ${answerLine(folder, question)}\n`,
    );
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
