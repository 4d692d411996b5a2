/** The process of a background job: runs its prompt like `heddle -p`, and keeps the state of the job in its folder. */
import type {
  AskPermission,
  PermissionAnswer,
  PermissionQuestion,
  SdkMessage,
  SdkResult,
} from '@heddle/agent';
import {
  endedJob,
  type JobAnswer,
  JobFolder,
  type JobOutcome,
  type JobQuestion,
  jobQuestionOf,
  type JobState,
  stampOf,
  withQuestions,
} from '@heddle/agent/jobs';
import { isRecord } from '@heddle/core';
import { watch } from 'node:fs';
import { type PrintCommand, readArguments } from '../arguments/arguments.ts';
import { sessionPlace } from '../config-dir.ts';
import { singlePrompt } from '../headless/host-conversation.ts';
import { createOutput, type HeadlessOutput } from '../headless/output/output.ts';
import { runWithHost } from '../headless/print.ts';
import { meantSession } from '../sessions/pick.ts';
import { jobsFolder } from './find-job.ts';
import { fail } from '../terminal/write-message.ts';

/** A watch can miss a file, for example on a network disk. */
const LOOK_AGAIN_MS = 2_000;
/** The session contains the whole answer. */
const OUTCOME_LENGTH = 10_000;
/** Exit codes of a run that a signal ended. */
const SIGNAL_CODES: ReadonlySet<number> = new Set([129, 130, 143]);

/** `isContinued`: an earlier process of this job was cut off. */
export async function runJob(id: string, isContinued: boolean): Promise<number> {
  const folder = new JobFolder(jobsFolder(), id);
  const [state, request] = [folder.stored(), folder.request()];
  if (!state || !request) return fail(`There is no job ${id}.`);
  const lock = folder.takeLock();
  if (!lock.held) return fail(`The job ${id} already runs.`);
  const record = new JobRecord(folder, state);
  // Also called after an uncaught exception. A killed process is recognized by its readers.
  process.once('exit', (code) =>
    record.end({ state: 'failed', text: `The process ended with code ${code}.` }),
  );
  const command = jobCommand(request.argv, state, isContinued);
  if (typeof command === 'string') {
    record.end({ state: 'failed', text: command });
    return fail(command);
  }
  const host = { ...singlePrompt(command.prompt ?? '', command.verbatim), ask: parkQuestions(record) };
  const code = await runWithHost(command, recordedOutput(record), host);
  if (SIGNAL_CODES.has(code)) record.end({ state: 'failed', text: 'stopped' });
  else record.end({ state: 'failed', text: `The job did not start. See: heddle logs ${id}` });
  return code;
}

/** The command line of `heddle -p` for a job, or a message. The session of a cut-off job is continued. */
function jobCommand(
  argv: readonly string[],
  { sessionId, cwd }: JobState,
  isContinued: boolean,
): PrintCommand | string {
  const parsed = readArguments(['-p', '--permission-prompt-tool', 'stdio', ...argv]);
  if (!parsed.ok) return parsed.message;
  if (parsed.command.name !== 'print') return 'The command line of the job has no prompt.';
  const command: PrintCommand = { ...parsed.command, outputFormat: 'stream-json' };
  // A job that was killed before its prompt was stored starts again.
  const isStored = isContinued && meantSession(sessionId, sessionPlace(process.env, cwd)).ok;
  if (!isStored) return { ...command, session: { ...command.session, id: sessionId } };
  const from = { kind: 'resume', id: sessionId } as const;
  const session = { ...command.session, from, id: undefined, title: undefined };
  return { ...command, prompt: '/continue', verbatim: false, session };
}

/** The state of the job that this process runs. Each change is on disk before the run continues. */
class JobRecord {
  readonly folder: JobFolder;
  #state: JobState;
  #hasEnded = false;

  constructor(folder: JobFolder, stored: JobState) {
    this.folder = folder;
    const { outcome: _outcome, ...rest } = stored;
    this.#state = withQuestions({ ...rest, process: stampOf(process.pid) }, []);
    folder.write(this.#state);
  }

  open(question: JobQuestion): void {
    this.folder.writeQuestion(question);
    this.#write(withQuestions(this.#state, [...this.#state.questions, question]));
  }

  close(id: string): void {
    this.folder.removeQuestion(id);
    const questions = this.#state.questions.filter((question) => question.id !== id);
    this.#write(withQuestions(this.#state, questions));
  }

  /** A turn that begins after a result, such as one about a finished subagent, takes the result back. */
  observe(line: SdkMessage): void {
    if (line.type === 'result') this.#write({ ...this.#state, outcome: outcomeOf(line) });
    else if (line.type === 'assistant' && this.#state.outcome)
      this.#write({ ...this.#state, outcome: undefined });
  }

  /** Stores the end once. A signal wins over the result of the turn that it cut off. */
  end(otherwise: JobOutcome): void {
    if (this.#hasEnded) return;
    const { outcome } = this.#state;
    const isCut = outcome?.state === 'failed' && otherwise.text === 'stopped';
    this.#write(endedJob(this.#state, outcome && !isCut ? outcome : otherwise));
    this.#hasEnded = true;
  }

  #write(state: JobState): void {
    if (this.#hasEnded) return;
    this.#state = state;
    this.folder.write(state);
  }
}

function outcomeOf({ is_error: isError, result = '', errors = [] }: SdkResult): JobOutcome {
  if (!isError) return { state: 'done', text: result.slice(0, OUTCOME_LENGTH) };
  return { state: 'failed', text: (errors.join('\n') || result).slice(0, OUTCOME_LENGTH) };
}

function recordedOutput(record: JobRecord): HeadlessOutput {
  const output = createOutput('stream-json');
  const write: HeadlessOutput['write'] = async (line) => {
    await output.write(line);
    record.observe(line);
  };
  return {
    write,
    writeControl: (line) => output.writeControl(line),
    onClosed: (listener) => output.onClosed(listener),
    hurry: () => output.hurry(),
    get closed() {
      return output.closed;
    },
    get stuck() {
      return output.stuck;
    },
  };
}

/** Questions wait in the folder of the job until another process answers them. Only an abort ends the wait. */
function parkQuestions(record: JobRecord): AskPermission {
  return async (question, signal) => {
    const parked = jobQuestionOf(question, Date.now());
    record.open(parked);
    try {
      const answer = await waitForAnswer(record.folder, parked.id, signal);
      if (answer) return permissionAnswer(question, answer);
      return { allow: false, message: 'The job was stopped before there was an answer.' };
    } finally {
      record.close(parked.id);
    }
  };
}

async function waitForAnswer(
  folder: JobFolder,
  id: string,
  signal: AbortSignal,
): Promise<JobAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<JobAnswer | undefined>();
  const look = (): void => {
    const answer = folder.answer(id);
    if (answer) resolve(answer);
  };
  const stop = (): void => resolve(undefined);
  const watcher = watch(folder.path, look).on('error', () => undefined);
  const timer = setInterval(look, LOOK_AGAIN_MS);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  look();
  try {
    return await promise;
  } finally {
    watcher.close();
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** A text answers the questions of AskUserQuestion. For other calls it is the reason of a denial. */
function permissionAnswer({ tool, input }: PermissionQuestion, { allow, text }: JobAnswer): PermissionAnswer {
  if (!allow || tool !== 'AskUserQuestion' || text === undefined) return { allow, message: text };
  const questions = Array.isArray(input['questions']) ? input['questions'] : [];
  const answers = questions.flatMap((each) =>
    isRecord(each) && typeof each['question'] === 'string' ? [[each['question'], text] as const] : [],
  );
  return { allow, updatedInput: { ...input, answers: Object.fromEntries(answers) } };
}
