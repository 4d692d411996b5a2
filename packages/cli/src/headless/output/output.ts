/**
 * Standard output. A line is with the system before the next step is taken, and a slow reader is waited for; one that went
 * away ends the run, not the program.
 */
import type { SdkMessage, SdkResult } from '@heddle/agent';
import type { OutputFormat } from '../../arguments.ts';
import { harmless } from '../../terminal/harmless.ts';
import { CommandWords } from './command-words.ts';
import { noticeOf } from './notices.ts';

export interface Output {
  /** Resolves when there is room for the next line, or nobody reads any more. */
  write(line: SdkMessage): Promise<void>;
  /** A line of the control protocol. */
  writeControl(line: object): void;
  /** Called once, when nobody reads any more. */
  onClosed(listener: () => void): void;
  /** The program is being ended: a reader who does not read is given up soon. */
  hurry(): void;
  readonly closed: boolean;
  /** The reader was given up with lines under way; they would keep the program alive. */
  readonly stuck: boolean;
}

/** How long a program that is being ended waits for a reader who does not read. */
const HURRIED_PATIENCE_MS = 200;

export function createOutput(format: OutputFormat): Output {
  const { stdout } = process;
  const end = Promise.withResolvers<void>();
  let closed = false;
  let stuck = false;
  let tell = (): void => undefined;
  const command = new CommandWords();
  stdout.on('error', close);
  // Where nobody listens to warnings, the work goes on without them.
  process.stderr.on('error', () => undefined);

  function close(): void {
    if (closed) return;
    closed = true;
    end.resolve();
    tell();
  }

  async function writeLine(line: string): Promise<void> {
    if (closed || stdout.write(`${line}\n`)) return;
    const room = Promise.withResolvers<void>();
    stdout.once('drain', room.resolve);
    await Promise.race([room.promise, end.promise]);
    stdout.off('drain', room.resolve);
  }

  /** An answer goes to standard output, also one that lacks its end; errors go to standard error. */
  async function writeText({ is_error: failed, result, errors, local_command }: SdkResult): Promise<void> {
    // A failed result without errors of its own has the text of the error in place of an answer.
    const isErrorText = failed && errors === undefined;
    const wrong = (isErrorText ? [result ?? ''] : (errors ?? [])).join('\n');
    if (wrong !== '') process.stderr.write(`heddle: ${harmless(wrong)}\n`);
    const answer = local_command !== undefined && result === '' ? command.words : result;
    if (isErrorText || answer === undefined || (failed && answer === '')) return;
    return writeLine(harmless(answer));
  }

  return {
    async write(line) {
      switch (format) {
        case 'stream-json':
          return writeLine(JSON.stringify(line));
        case 'json':
          return line.type === 'result' ? writeLine(JSON.stringify(line)) : undefined;
        case 'text': {
          const notice = noticeOf(line, process.cwd());
          command.hear(line);
          if (notice !== undefined) process.stderr.write(`heddle: ${harmless(notice)}\n`);
          return line.type === 'result' ? writeText(line) : undefined;
        }
      }
    },
    writeControl: (line) => void writeLine(JSON.stringify(line)),
    onClosed(listener) {
      tell = listener;
    },
    hurry() {
      const giveUp = (): void => {
        stuck = stdout.writableLength > 0;
        if (stuck) close();
      };
      setTimeout(giveUp, HURRIED_PATIENCE_MS).unref();
    },
    get closed() {
      return closed;
    },
    get stuck() {
      return stuck;
    },
  };
}
