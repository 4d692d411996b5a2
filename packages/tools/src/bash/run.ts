/** Runs a command in the foreground until it ends, is stopped, or moves to the background. */
import type { TaskRegistry } from '../tasks/registry.ts';
import type { TaskEnd } from '../tasks/preview.ts';
import type { Task, TaskSpec } from '../tasks/task.ts';

interface Foreground {
  readonly spec: TaskSpec;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly promptQuietMs: number;
  /** It is ended, not moved, at its time limit: its permission holds only while no other call runs. */
  readonly endsAtLimit: boolean;
  readonly onOutput: (text: string, bytes: number) => void;
}

export interface Ran {
  readonly task: Task;
  readonly how:
    | TaskEnd
    | { readonly kind: 'time_limit' }
    | { readonly kind: 'requested' }
    | { readonly kind: 'waiting'; readonly line: string };
}

const LOOK_EVERY_MS = 1_000;

const LATE_EDITS =
  'it did not end in time, and edits that the mode permits do not continue in the background. Run the slow commands without the edits';

export async function runInForeground(tasks: TaskRegistry, run: Foreground): Promise<Ran> {
  const { signal, timeoutMs, promptQuietMs } = run;
  let task: Task | undefined;
  const progress = new Coalescer(() => task && run.onOutput(task.output.takeNew(), task.output.bytes));
  const leaves = Promise.withResolvers<Ran['how']>();
  const onAbort = (): void => void task?.stop('interrupted');
  const timer = setTimeout(() => leaves.resolve({ kind: 'time_limit' }), timeoutMs);
  const watch = setInterval(
    () => {
      if (!task || Date.now() - task.lastOutputAt < promptQuietMs) return;
      const line = task.output.lastLine;
      if (looksLikeQuestion(line)) leaves.resolve({ kind: 'waiting', line });
    },
    Math.min(LOOK_EVERY_MS, promptQuietMs),
  );
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    task = await tasks.start(run.spec, (started) => {
      task = started;
      progress.poke();
    });
    task.leaveCall = () => leaves.resolve({ kind: 'requested' });
    if (signal.aborted) onAbort();
    const how = await Promise.race([task.ended, leaves.promise]);
    task.leaveCall = undefined;
    if (run.endsAtLimit && (how.kind === 'time_limit' || how.kind === 'waiting')) {
      await task.stop(LATE_EDITS);
      return { task, how: await task.ended };
    }
    if (how.kind === 'time_limit' || how.kind === 'waiting' || how.kind === 'requested')
      await tasks.moveToBackground(task);
    return { task, how };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    progress.stop();
    signal.removeEventListener('abort', onAbort);
  }
}
/** Reports new output at once, and then at most ten times a second. */
const EVERY_MS = 100;

class Coalescer {
  readonly #notify: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;

  constructor(notify: () => void) {
    this.#notify = notify;
  }

  poke(): void {
    if (this.#timer) {
      this.#isDue = true;
      return;
    }
    this.#notify();
    this.#timer = setTimeout(() => this.#rest(), EVERY_MS);
  }

  /** Stops reporting. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #rest(): void {
    this.#timer = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.poke();
  }
}

// Signs that a command waits for input. Its standard input is empty and it has no terminal, so no input
// will come.

const QUESTION =
  /(password|passphrase|passcode|username|login)\b.{0,80}:\s*$|[[(](y(es)?\/no?|n\/y)[\])]?.{0,20}$|\((yes\/no(\/\[fingerprint\])?)\)\?\s*$|press (any key|enter|return).{0,40}$|(continue|proceed|overwrite|are you sure).{0,40}\?\s*$|^\? .+[›»>:]\s*.{0,40}$/i;

const NO_TERMINAL =
  /not a tty|a terminal is required|must be run from a terminal|no tty present|inappropriate ioctl for device|EOF when reading a line|could not read (username|password)|cannot read from stdin|Host key verification failed/i;

/** Returns true if the unfinished last line looks like a question. */
function looksLikeQuestion(line: string): boolean {
  return QUESTION.test(line.slice(-200));
}

/** Returns true if the output before a failure shows that the command needed a terminal. */
export function lackedTerminal(output: string): boolean {
  const end = output.slice(-2_000).trimEnd();
  return NO_TERMINAL.test(end) || looksLikeQuestion(end.slice(end.lastIndexOf('\n') + 1));
}
