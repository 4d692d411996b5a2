/**
 * Standard output. A line is with the system before the next step is taken, and a slow reader is waited for; one that went
 * away ends the run, not the program.
 */
import { once } from 'node:events';
import type { PermissionDenial, SdkMessage, SdkResult } from '@heddle/agent';
import type { OutputFormat } from '../../arguments/arguments.ts';
import { pluralize, tokens } from '../../terminal/amounts.ts';
import { callLine } from '../../terminal/call-line.ts';
import { escapeControls, jsonText } from '../../terminal/escape-controls.ts';
import { warn } from '../../terminal/write-message.ts';

export interface HeadlessOutput {
  /** Resolves when the stream accepts the next line, or when the reader is gone. */
  write(line: SdkMessage): Promise<void>;
  /** Writes a line of the control protocol. Resolves like `write`. */
  writeControl(line: object): Promise<void>;
  /** Calls the listener once, when the reader is gone. */
  onClosed(listener: () => void): void;
  /** The program is being ended: a reader who does not read is given up soon. */
  hurry(): void;
  readonly closed: boolean;
  /** The reader was given up with lines under way; they would keep the program alive. */
  readonly stuck: boolean;
}

/** How long a program that is being ended waits for a reader who does not read. */
const HURRIED_PATIENCE_MS = 200;

export function createOutput(format: OutputFormat): HeadlessOutput {
  const { stdout } = process;
  const end = Promise.withResolvers<void>();
  let closed = false;
  let stuck = false;
  let drained: Promise<void> | undefined;
  let wake = (): void => undefined;
  const command = new CommandText();
  stdout.on('error', close);
  // The run continues if warnings cannot be written.
  process.stderr.on('error', () => undefined);

  function close(): void {
    if (closed) return;
    closed = true;
    end.resolve();
    wake();
  }

  async function writeLine(line: string): Promise<void> {
    if (closed || stdout.write(`${line}\n`)) return;
    await Promise.race([(drained ??= nextDrain()), end.promise]);
  }

  /** One listener for all writers. Many lines may wait at once, such as the output of a hook. */
  async function nextDrain(): Promise<void> {
    await once(stdout, 'drain').catch(close);
    drained = undefined;
  }

  /** An answer goes to standard output, also one that lacks its end; errors go to standard error. */
  async function writeText({ is_error: failed, result, errors, local_command }: SdkResult): Promise<void> {
    // A failed result without errors of its own has the text of the error in place of an answer.
    const isErrorText = failed && errors === undefined;
    const wrong = (isErrorText ? [result ?? ''] : (errors ?? [])).join('\n');
    if (wrong !== '') warn(wrong);
    const answer = local_command !== undefined && result === '' ? command.words : result;
    if (isErrorText || answer === undefined || (failed && answer === '')) return;
    return writeLine(escapeControls(answer));
  }

  return {
    async write(line) {
      switch (format) {
        case 'stream-json':
          return writeLine(jsonText(line));
        case 'json':
          return line.type === 'result' ? writeLine(jsonText(line)) : undefined;
        case 'text': {
          const notice = noticeOf(line, process.cwd());
          command.observe(line);
          if (notice !== undefined) warn(notice);
          return line.type === 'result' ? writeText(line) : undefined;
        }
      }
    },
    writeControl: (line) => writeLine(jsonText(line)),
    onClosed(listener) {
      wake = listener;
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

class CommandText {
  #words = '';

  observe(line: SdkMessage): void {
    if (line.type === 'assistant')
      this.#words = line.message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    if (line.type === 'system' && line.subtype === 'compact_boundary')
      this.#words = compacted(line.compact_metadata);
  }

  get words(): string {
    return this.#words;
  }
}

function compacted({ pre_tokens: before, post_tokens: after }: Compaction): string {
  const now = after === undefined ? '' : ` ${tokens(before)} tokens became ${tokens(after)}.`;
  return `The conversation was compacted.${now} /uncompact takes it back.`;
}

type Compaction = Extract<SdkMessage, { subtype: 'compact_boundary' }>['compact_metadata'];

/** A shorter wait before another attempt is not worth a line. */
const NOTICED_MS = 2_000;
/** So many denied calls are named. */
const MOST = 3;

/** The words that clients know, in those of the person who waits. */
const TROUBLES: Readonly<Record<string, string>> = {
  rate_limit: 'rate limit reached',
  overloaded: 'the model is overloaded',
  server_error: 'the server failed',
};

export function noticeOf(line: SdkMessage, cwd: string): string | undefined {
  if (line.type === 'result') return deniedNotice(line.permission_denials, cwd);
  if (line.type !== 'system' || line.subtype !== 'api_retry' || line.retry_delay_ms < NOTICED_MS)
    return undefined;
  const seconds = Math.round(line.retry_delay_ms / 1_000);
  return `${TROUBLES[line.error] ?? 'no connection'}, trying again in ${seconds} s (${line.attempt} of ${line.max_retries})`;
}

function deniedNotice(denials: readonly PermissionDenial[], cwd: string): string | undefined {
  const calls = [
    ...new Set(denials.map(({ tool_name, tool_input }) => callLine(tool_name, tool_input, cwd))),
  ];
  if (calls.length === 0) return undefined;
  const more = calls.length > MOST ? [`${calls.length - MOST} more`] : [];
  const named = [...calls.slice(0, MOST), ...more].join('; ');
  return `${pluralize(calls.length, 'call was', 'calls were')} not allowed: ${named}. To allow calls, use heddle permissions or --allowed-tools.`;
}
