/** Commands in the background, as a host hears of them: that one began, and how it ended. */
import { randomUUID } from 'node:crypto';
import type { SdkMessage, SdkTaskNotification } from '@heddle/agent';
import type { LoopEvent } from '@heddle/core';
import type { TaskEnd, TaskRegistry } from '@heddle/tools';
import { lineIn, textIn } from './json.ts';

type Task = NonNullable<ReturnType<TaskRegistry['get']>>;

/** A host gets this much of the end of an output. */
const OUTPUT_BYTES = 8_192;

export class HostTasks {
  readonly #tasks: TaskRegistry;
  readonly #sessionId: string;
  readonly #write: (line: SdkMessage) => unknown;
  #isOver = false;

  constructor(tasks: TaskRegistry, sessionId: string, write: (line: SdkMessage) => unknown) {
    this.#tasks = tasks;
    this.#sessionId = sessionId;
    this.#write = write;
  }

  /** A call that left its command running says so in its result. */
  note(event: LoopEvent): void {
    if (event.type !== 'message' || event.message.type !== 'user') return;
    const exit = lineIn(lineIn(event.message.toolUseResult)?.['exit']);
    const task = exit?.['kind'] === 'background' ? this.#tasks.get(textIn(exit['id']) ?? '') : undefined;
    if (task) this.#follow(task, event.outcome?.toolUseId);
  }

  /** Answers with the reason where there is nothing to stop. */
  async stop(id: string): Promise<string | undefined> {
    const task = this.#tasks.get(id);
    if (!task) return `There is no task ${id}.`;
    if (task.end !== undefined) return `The task ${id} has ended already.`;
    await task.stop('the host asked for it');
    return undefined;
  }

  /** Returns the end of a task's output, or undefined if there is no such task. */
  output(id: string): object | undefined {
    const task = this.#tasks.get(id);
    if (!task) return undefined;
    const { head, tail, bytes } = task.output.view();
    const end = Buffer.from(tail === '' ? head : tail).subarray(-OUTPUT_BYTES);
    return { output: end.toString('utf8'), total_bytes: bytes, truncated: bytes > end.length };
  }

  /** Stops the reports. The program ends and ends every task, so these ends are not reported. */
  end(): void {
    this.#isOver = true;
  }

  #follow(task: Task, toolUseId: string | undefined): void {
    const { id: task_id, spec } = task;
    const tool = toolUseId === undefined ? {} : { tool_use_id: toolUseId };
    const description = spec.description ?? spec.command;
    this.#write({
      type: 'system',
      subtype: 'task_started',
      ...this.#stamp(),
      task_id,
      ...tool,
      description,
      task_type: 'local_bash',
      is_backgrounded: true,
    });
    void this.#tellEnd(task, { task_id, ...tool, summary: description });
  }

  async #tellEnd(
    task: Task,
    about: Pick<SdkTaskNotification, 'task_id' | 'tool_use_id' | 'summary'>,
  ): Promise<void> {
    const status = statusOf(await task.ended);
    if (this.#isOver) return;
    this.#write({
      type: 'system',
      subtype: 'task_notification',
      ...this.#stamp(),
      ...about,
      status,
      output_file: task.output.view().file ?? '',
    });
  }

  #stamp(): { readonly uuid: string; readonly session_id: string } {
    return { uuid: randomUUID(), session_id: this.#sessionId };
  }
}

function statusOf(end: TaskEnd): 'completed' | 'failed' | 'stopped' {
  if (end.kind === 'stopped') return 'stopped';
  return end.kind === 'exited' && end.code === 0 ? 'completed' : 'failed';
}
