/** `!command`: a command of the user's own, with their own rights. The model sees it with the next prompt. */
import { spawn } from 'node:child_process';
import { harmless } from '../terminal/harmless.ts';

export interface ShellRun {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Gets the output as it comes. */
  readonly show: (text: string) => void;
}

export interface ShellEnd {
  readonly output: string;
  readonly code: number | null;
}

/** The message that tells of such a command begins with it. */
export const SHELL_MARK = '<bash-input>';

/** What the model is shown of an output: its beginning and its end. */
const SHOWN = 15_000;

export function runShellCommand(command: string, { cwd, signal, show }: ShellRun): Promise<ShellEnd> {
  const child = spawn('bash', ['-c', command], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const { promise, resolve } = Promise.withResolvers<ShellEnd>();
  let output = '';
  const take = (text: string): void => {
    output += text;
    show(harmless(text));
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const end = (): void => endGroup(child.pid);
  signal.addEventListener('abort', end, { once: true });
  child.once('error', (error) => resolve({ output: error.message, code: null }));
  child.once('close', (code) => {
    signal.removeEventListener('abort', end);
    resolve({ output: shownOf(output), code });
  });
  return promise;
}

/** As it joins the conversation. */
export function shellMessage(command: string, { output, code }: ShellEnd): string {
  const how = code === null ? 'interrupted' : `exit code ${code}`;
  return `${SHELL_MARK}${command}</bash-input>\n<bash-stdout>${output}</bash-stdout>\n<bash-exit>${how}</bash-exit>`;
}

function shownOf(output: string): string {
  if (output.length <= 2 * SHOWN) return output;
  return `${output.slice(0, SHOWN)}\n… ${output.length - 2 * SHOWN} characters left out …\n${output.slice(-SHOWN)}`;
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is over already.
  }
}
