/** `heddle logs` and `heddle attach`: show the log of a job as text. The log contains the lines of stream-json. */
import { FRAMES } from '@heddle/agent/frames';
import { isJobEnded, type JobFolder, type JobState } from '@heddle/agent/jobs';
import { closeSync, openSync, readSync, watch } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { callLine } from '../terminal/call-line.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { writeMessage } from '../terminal/write-message.ts';
import { answerLine, questionLine, reportProblem } from './find-job.ts';
import { namedJob } from './jobs-command.ts';

export function logsCommand(argv: readonly string[]): Promise<number> {
  const words = argv.filter((word) => word !== '--json');
  const found = namedJob(words, 'logs', 'JOB [--json]', 1);
  if (!found.ok) return Promise.resolve(reportProblem(found.message, found.code));
  const reader = new LogReader(found.folder.log);
  const isText = words.length === argv.length;
  for (const line of reader.newLines()) show(isText ? logText(line, found.state.cwd) : line);
  return Promise.resolve(0);
}

/** A watch can miss a change, and a killed process changes no file. */
const LOOK_AGAIN_MS = 500;

/** Follows the log to the end of the job. An interrupt ends only this command: the job has its own session. */
export async function attachCommand(argv: readonly string[]): Promise<number> {
  const found = namedJob(argv, 'attach', 'JOB', 1);
  if (!found.ok) return reportProblem(found.message, found.code);
  const { folder } = found;
  const reader = new LogReader(folder.log);
  const asked = new Set<string>();
  for (;;) {
    const change = nextChange(folder);
    const state = folder.state();
    for (const line of reader.newLines()) show(logText(line, found.state.cwd));
    if (!state) return change.cancel(reportProblem(`The job ${folder.id} was removed.`));
    for (const question of state.questions) {
      if (asked.has(question.id)) continue;
      asked.add(question.id);
      show(`? ${questionLine(question, state.cwd)}\n  To answer: ${answerLine(folder, question)}`);
    }
    if (isJobEnded(state)) return change.cancel(showEnd(state));
    await change.promise;
  }
}

/** Begins before the state is read, so a change in between is not missed. */
function nextChange({ path: folder }: JobFolder): {
  readonly promise: Promise<void>;
  readonly cancel: (code: number) => number;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(folder, () => resolve()).on('error', () => undefined);
  const timer = setTimeout(resolve, LOOK_AGAIN_MS);
  const end = (): void => {
    watcher.close();
    clearTimeout(timer);
  };
  return {
    promise: promise.then(end),
    cancel(code) {
      end();
      return code;
    },
  };
}

function showEnd({ id, state, outcome, sessionId, cwd }: JobState): number {
  if (state === 'failed') show(`Failed: ${escapeControls(outcome?.text ?? '')}`);
  const place = cwd === process.cwd() ? '' : `cd ${cwd} && `;
  if (outcome?.isInterrupted === true) show(`To continue the job: heddle jobs resume ${id}`);
  show(`To continue the conversation: ${escapeControls(place)}heddle --resume ${sessionId}`);
  return state === 'done' ? 0 : 1;
}

function show(text: string | undefined): void {
  if (text !== undefined) writeMessage(`${text}\n`);
}

const CHUNK_BYTES = 65_536;

/** Reads the complete lines that were added since the last time. */
class LogReader {
  readonly #file: string;
  readonly #decoder = new StringDecoder('utf8');
  #offset = 0;
  #rest = '';

  constructor(file: string) {
    this.#file = file;
  }

  *newLines(): Generator<string> {
    const descriptor = openSync(this.#file, 'r');
    try {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (let read = 1; read > 0; ) {
        read = readSync(descriptor, chunk, 0, CHUNK_BYTES, this.#offset);
        this.#offset += read;
        const lines = `${this.#rest}${this.#decoder.write(chunk.subarray(0, read))}`.split('\n');
        this.#rest = lines.pop() ?? '';
        yield* lines;
      }
    } finally {
      closeSync(descriptor);
    }
  }
}

/** Returns the text of a line. Undefined if the line has nothing for a user. Other output, such as warnings, stays as it is. */
export function logText(line: string, cwd: string): string | undefined {
  if (!line.startsWith('{')) return escapeControls(line);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return escapeControls(line);
  }
  const assistant = FRAMES.assistant.safeParse(value);
  if (!assistant.success) return undefined;
  const parts = assistant.data.message.content.flatMap((block) => {
    if (block.type === 'text') return [escapeControls(block.text)];
    return block.type === 'tool_use' ? [`· ${callLine(block.name, block.input, cwd)}`] : [];
  });
  return parts.length > 0 ? parts.join('\n') : undefined;
}
