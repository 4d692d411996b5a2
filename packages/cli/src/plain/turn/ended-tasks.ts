/** Tells once of each command in the background that has ended. */
import type { Task, TaskRegistry } from '@heddle/tools';
import { harmless } from '../../terminal/harmless.ts';
import { shortened } from '../render/amounts.ts';

export class EndedTasks {
  readonly #known = new WeakSet<Task>();
  readonly #tell: (line: string) => void;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  /** Looks for new ones; those are told about when they end. */
  watch(tasks: TaskRegistry): void {
    for (const task of tasks.list()) {
      if (this.#known.has(task)) continue;
      this.#known.add(task);
      void task.ended.then(() => this.#tell(lineOf(task)));
    }
  }
}

function lineOf({ id, spec, end }: Task): string {
  const how = end?.kind === 'exited' ? `exit code ${end.code}` : (end?.kind ?? 'ended');
  return `background task ${id} is over, ${how}: ${harmless(shortened(spec.command, 80))}`;
}
