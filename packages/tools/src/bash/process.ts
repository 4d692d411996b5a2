/** Runs one shell command. The whole process group ends with it, whatever made it end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Command {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: string) => void;
}

export interface CommandEnd {
  readonly output: { readonly head: string; readonly tail: string };
  /** Characters between head and tail that were not kept. */
  readonly omitted: number;
  readonly exit:
    | { readonly kind: 'exited'; readonly code: number }
    | { readonly kind: 'signalled'; readonly signal: string }
    | { readonly kind: 'timed_out'; readonly afterMs: number }
    | { readonly kind: 'aborted' }
    | { readonly kind: 'not_started'; readonly reason: string };
}

/** Characters kept of the beginning and of the end: where a command says what it does, and what came of it. */
const KEPT_AT_EACH_END = 15_000;

export async function runCommand({
  command,
  cwd,
  timeoutMs,
  signal,
  onOutput,
}: Command): Promise<CommandEnd> {
  const kept = new Ends(KEPT_AT_EACH_END);
  const child = spawn('bash', ['-c', command], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const take = (chunk: string): void => {
    kept.add(chunk);
    onOutput(chunk);
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);

  let cause: 'timed_out' | 'aborted' | undefined;
  const end = (why: 'timed_out' | 'aborted'): void => {
    cause ??= why;
    killGroup(child.pid);
  };
  const timer = setTimeout(() => end('timed_out'), timeoutMs);
  const onAbort = (): void => end('aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const exit = await exitOf(child);
    if (cause === 'timed_out') return { ...kept.taken(), exit: { kind: 'timed_out', afterMs: timeoutMs } };
    return { ...kept.taken(), exit: cause === 'aborted' ? { kind: 'aborted' } : exit };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

async function exitOf(child: ReturnType<typeof spawn>): Promise<CommandEnd['exit']> {
  // What the shell left in the background ends with it; otherwise it would hold the pipes open.
  child.once('exit', () => killGroup(child.pid));
  try {
    await once(child, 'close');
  } catch (thrown) {
    return { kind: 'not_started', reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  if (child.signalCode !== null) return { kind: 'signalled', signal: child.signalCode };
  return { kind: 'exited', code: child.exitCode ?? 0 };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone: that is what was wanted.
  }
}

/** Keeps the beginning and the end of a text of any length in bounded memory. */
class Ends {
  readonly #limit: number;
  #head = '';
  #tail = '';
  #omitted = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: string): void {
    const room = this.#limit - this.#head.length;
    this.#head += chunk.slice(0, room);
    this.#tail += chunk.slice(room < 0 ? 0 : room);
    // Trimmed in large steps, so that a flood of small chunks does not copy the tail each time.
    if (this.#tail.length > 2 * this.#limit) this.#trim();
  }

  taken(): { output: { head: string; tail: string }; omitted: number } {
    this.#trim();
    return { output: { head: this.#head, tail: this.#tail }, omitted: this.#omitted };
  }

  #trim(): void {
    const excess = this.#tail.length - this.#limit;
    if (excess <= 0) return;
    this.#omitted += excess;
    this.#tail = this.#tail.slice(excess);
  }
}
