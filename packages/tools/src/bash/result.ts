/** Formats the end of a command for the model. */
import type { ToolResult } from '@heddle/core';
import { shownPath } from '../files/errors.ts';
import type { TaskEnd } from '../tasks/preview.ts';
import { lackedTerminal } from './run.ts';

export interface BashData {
  readonly command: string;
  /** The shown part of the output. */
  readonly output: string;
  readonly exit: BashExit;
  readonly bytes?: number;
  /** The file with the whole output, if it is not all shown. */
  readonly file?: string;
  /** The working directory of later commands, if it changed. */
  readonly directory?: string;
  /** The shell ended outside the folders of the session, so later commands start in the project again. */
  readonly returned?: { readonly from: string; readonly to: string };
  /** Its remaining background processes were ended. */
  readonly leftSomething?: boolean;
  /** The meaning of exit code 1, if it is an answer and not a failure. */
  readonly meaning?: string;
  /** Notes of its sandbox. */
  readonly notes?: readonly string[];
}

export type BashExit =
  | TaskEnd
  | {
      readonly kind: 'background';
      readonly id: string;
      /** `asked`: by the call itself. `requested`: by the user or host, while the command ran. */
      readonly why: 'asked' | 'time_limit' | 'waiting' | 'requested';
      readonly afterMs?: number;
      readonly line?: string;
    }
  | { readonly kind: 'no_directory'; readonly directory: string; readonly now: string }
  | { readonly kind: 'refused'; readonly why: string };

export function bashResult(data: BashData): ToolResult {
  const parts = [data.output.trimEnd(), endingOf(data), ...notesOn(data)].filter((part) => part !== '');
  const isFailure = isError(data);
  return { content: parts.length === 0 ? '(no output)' : parts.join('\n'), isError: isFailure };
}

function isError({ exit, meaning }: BashData): boolean {
  switch (exit.kind) {
    case 'exited':
      return exit.code !== 0 && meaning === undefined;
    case 'background':
      return false;
    default:
      return true;
  }
}

function endingOf({ exit, meaning, output }: BashData): string {
  switch (exit.kind) {
    case 'exited':
      if (exit.code === 0) return '';
      return meaning === undefined ? `Exit code ${exit.code}` : `Exit code ${exit.code} (${meaning})`;
    case 'signalled':
      return `Ended by ${exit.signal}`;
    case 'stopped':
      if (exit.why !== 'interrupted') return `Ended because ${exit.why}`;
      return output === ''
        ? 'Interrupted; it had written nothing'
        : 'Interrupted; what is shown above is all it wrote';
    case 'not_started':
      return `The shell could not be started: ${exit.why}`;
    case 'refused':
      return `Nothing was run: ${exit.why}`;
    case 'no_directory':
      return `The working directory ${shownPath(exit.directory)} no longer exists, so nothing was run. It is now ${shownPath(exit.now)}.`;
    case 'background': {
      const how = `Read its output with TaskOutput, end it with TaskStop (task_id ${exit.id}).`;
      if (exit.why === 'asked') return `Started in the background as task ${exit.id}. ${how}`;
      if (exit.why === 'requested')
        return `The user moved it to the background; it continues as task ${exit.id}. ${how}`;
      if (exit.why === 'time_limit') {
        return `Still running after its time limit of ${exit.afterMs} ms; it continues in the background as task ${exit.id}. ${how}`;
      }
      return `It seems to wait for an answer to "${exit.line?.trim()}", but there is no keyboard; it continues in the background as task ${exit.id}. Stop it, and give the answer with an option or through a pipe. ${how}`;
    }
  }
}

function notesOn({
  exit,
  leftSomething,
  directory,
  returned,
  output,
  notes: given = [],
}: BashData): string[] {
  const notes: string[] = [...given];
  if (leftSomething) {
    notes.push('Processes it left in the background were ended; run_in_background keeps a command running.');
  }
  if (returned !== undefined) {
    const [from, to] = [shownPath(returned.from), shownPath(returned.to)];
    notes.push(`The working directory is ${to} again: ${from} is outside the folders of this session`);
  }
  if (directory !== undefined) notes.push(`The working directory is now ${shownPath(directory)}`);
  if (exit.kind === 'exited' && exit.code !== 0 && lackedTerminal(output)) {
    notes.push(
      'It seems to have asked for input. There is no keyboard: give the answer with an option or through a pipe.',
    );
  }
  return notes;
}
/** The time and output limits of a command. Users can set these variables. */
export interface BashLimits {
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Characters of output that are shown whole. */
  readonly inlineOutput: number;
  /** A command that stays silent this long after a question seems to wait for an answer. */
  readonly promptQuietMs: number;
}

const LARGEST_INLINE = 150_000;
/** The longest delay of Node's timers. Longer ones fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function limitsFrom(environment: Readonly<Record<string, string | undefined>>): BashLimits {
  const maxTimeoutMs = Math.min(numberIn(environment['BASH_MAX_TIMEOUT_MS']) ?? 600_000, LONGEST_TIMER_MS);
  return {
    defaultTimeoutMs: Math.min(numberIn(environment['BASH_DEFAULT_TIMEOUT_MS']) ?? 120_000, maxTimeoutMs),
    maxTimeoutMs,
    inlineOutput: Math.min(numberIn(environment['BASH_MAX_OUTPUT_LENGTH']) ?? 30_000, LARGEST_INLINE),
    promptQuietMs: 5_000,
  };
}

function numberIn(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || undefined);
  return value > 0 ? Math.floor(value) : undefined;
}
