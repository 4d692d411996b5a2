/** Runs a command in the foreground until it ends, is stopped, or has to go to the background. */
import type { TaskEnd } from '../tasks/task-end.ts';
import type { Task, TaskSpec } from '../tasks/task.ts';
import { Coalescer } from '../tasks/progress.ts';
import type { TaskRegistry } from '../tasks/registry.ts';
import { looksLikeQuestion } from './waiting.ts';

export interface Foreground {
  readonly spec: TaskSpec;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly promptQuietMs: number;
  readonly onOutput: (text: string, bytes: number) => void;
}

export interface Ran {
  readonly task: Task;
  readonly how:
    | TaskEnd
    | { readonly kind: 'time_limit' }
    | { readonly kind: 'waiting'; readonly line: string };
}

const LOOK_EVERY_MS = 1_000;

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
    if (signal.aborted) onAbort();
    const how = await Promise.race([task.ended, leaves.promise]);
    if (how.kind === 'time_limit' || how.kind === 'waiting') await tasks.moveToBackground(task);
    return { task, how };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    progress.stop();
    signal.removeEventListener('abort', onAbort);
  }
}
