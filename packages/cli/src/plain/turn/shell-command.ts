/** `!command`: a command of the user's own, with their own rights. The model sees it with the next prompt. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { knownSecrets } from '../../known-secrets.ts';
import { SHELL_MARK } from '../../sessions/text/prompt-text.ts';
import { escapeControls } from '../../terminal/escape-controls.ts';

type Child = ChildProcessByStdio<null, Readable, Readable>;

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

/** After its end, what it wrote last is read until nothing comes for so long, and in all no longer than that. */
const LAST_WORDS_MS = 200;
const MOST_LAST_WORDS_MS = 5_000;

/** What the model is shown of an output: its beginning and its end, each of so many characters. No more is kept. */
const SHOWN = 15_000;

export function runShellCommand(command: string, { cwd, signal, show }: ShellRun): Promise<ShellEnd> {
  const child = spawn('bash', ['-c', command], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const { promise, resolve } = Promise.withResolvers<ShellEnd>();
  let beginning = '';
  let rest = '';
  let leftOut = 0;
  const keep = (text: string): void => {
    const room = SHOWN - beginning.length;
    beginning += text.slice(0, room);
    rest += text.slice(room);
    leftOut += Math.max(0, rest.length - SHOWN);
    rest = rest.slice(-SHOWN);
    show(escapeControls(text));
  };
  // A secret may be cut in two, but not across the two streams.
  const streams = [child.stdout, child.stderr].map((stream) => {
    const cleaned = knownSecrets.stream();
    stream.setEncoding('utf8').on('data', (written: string) => {
      keep(cleaned.push(stripVTControlCharacters(written)));
    });
    return cleaned;
  });
  const end = (): void => endGroup(child.pid);
  signal.addEventListener('abort', end, { once: true });
  child.once('error', (error) => resolve({ output: knownSecrets.redact(error.message), code: null }));
  const over = (code: number | null): void => {
    signal.removeEventListener('abort', end);
    for (const cleaned of streams) keep(cleaned.end());
    const gap = leftOut > 0 ? `\n… ${leftOut} characters left out …\n` : '';
    resolve({ output: beginning + gap + rest, code });
  };
  child.once('close', over);
  // What it left in the background goes on, and may hold its output open for ever.
  child.once('exit', (code) =>
    whenQuiet(child, () => {
      child.stdout.destroy();
      child.stderr.destroy();
      over(code);
    }),
  );
  return promise;
}

function whenQuiet({ stdout, stderr }: Pick<Child, 'stdout' | 'stderr'>, then: () => void): void {
  const until = Date.now() + MOST_LAST_WORDS_MS;
  let heard = true;
  for (const stream of [stdout, stderr]) stream.on('data', () => (heard = true));
  const look = (): void => {
    if (!heard || Date.now() >= until) return then();
    heard = false;
    // After a pause of ours what came meanwhile is read first.
    setTimeout(() => setImmediate(look), LAST_WORDS_MS).unref();
  };
  look();
}

/** As it joins the conversation. */
export function shellMessage(command: string, { output, code }: ShellEnd): string {
  const how = code === null ? 'interrupted' : `exit code ${code}`;
  return `${SHELL_MARK}${command}</bash-input>\n<bash-stdout>${output}</bash-stdout>\n<bash-exit>${how}</bash-exit>`;
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is over already.
  }
}
