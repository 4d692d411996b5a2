/** Commands and subagents in the background, for a host: lines about their start and end, and requests about them. */
import { newUuid } from '@heddle/agent';
import type { Agent, SdkBackgroundTask, SdkMessage, SdkTaskNotification } from '@heddle/agent';
import type { LoopEvent } from '@heddle/core';
import type { TaskEnd, TaskRegistry } from '@heddle/tools';
import { lineIn, textIn } from './json.ts';

type Task = NonNullable<ReturnType<TaskRegistry['get']>>;

/** A host gets this much of the end of an output. */
const OUTPUT_BYTES = 8_192;

export class HostTasks {
  readonly #tasks: TaskRegistry;
  readonly #agent: Pick<Agent, 'sessionId' | 'subagents'>;
  readonly #write: (line: SdkMessage) => unknown;
  /** The tasks that run in the background. */
  readonly #live = new Map<string, SdkBackgroundTask>();
  #isOver = false;

  constructor(
    tasks: TaskRegistry,
    agent: Pick<Agent, 'sessionId' | 'subagents'>,
    write: (line: SdkMessage) => unknown,
  ) {
    this.#tasks = tasks;
    this.#agent = agent;
    this.#write = write;
  }

  /** A call that left its command running says so in its result. */
  note(event: LoopEvent): void {
    if (event.type !== 'message' || event.message.type !== 'user') return;
    const exit = lineIn(lineIn(event.message.toolUseResult)?.['exit']);
    const task = exit?.['kind'] === 'background' ? this.#tasks.get(textIn(exit['id']) ?? '') : undefined;
    if (task) this.#follow(task, event.outcome?.toolUseId);
  }

  /** Follows the lines of subagents in the background. */
  noteLine(line: SdkMessage): void {
    if (line.type !== 'system') return;
    if (line.subtype === 'task_started') return this.#add(line.task_id, 'local_agent', line.description);
    if (line.subtype === 'task_notification') return this.#remove(line.task_id);
    if (line.subtype !== 'task_updated' || line.patch.is_backgrounded !== true) return;
    const moved = this.#agent.subagents?.output(line.task_id);
    if (moved) this.#add(line.task_id, 'local_agent', moved.record.description);
  }

  /** Answers with the reason where there is nothing to stop. */
  async stop(id: string): Promise<string | undefined> {
    const task = this.#tasks.get(id);
    const { subagents } = this.#agent;
    if (!task && (await subagents?.stop(id, STOPPED))) return undefined;
    if (!task && !subagents?.output(id)) return `There is no task ${id}.`;
    if (!task || task.end !== undefined) return `The task ${id} has ended already.`;
    await task.stop(STOPPED);
    return undefined;
  }

  /** Lets the calls that wait return while their work continues: one call, or all. Returns whether there was one. */
  moveToBackground(toolUseId: string | undefined): boolean {
    const hasCommand = this.#tasks.leaveCalls(toolUseId);
    const hasAgent = this.#agent.subagents?.moveToBackground(toolUseId) ?? false;
    return hasCommand || hasAgent;
  }

  /** Returns the end of a task's output, or undefined if there is no such task. */
  output(id: string): object | undefined {
    const task = this.#tasks.get(id);
    if (!task) {
      const text = this.#agent.subagents?.output(id)?.text;
      return text === undefined ? undefined : endOf(Buffer.from(text));
    }
    const { head, tail, bytes } = task.output.view();
    return endOf(Buffer.from(tail === '' ? head : tail), bytes);
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
    this.#add(task_id, 'local_bash', description);
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
    this.#remove(task.id);
  }

  #add(id: string, type: SdkBackgroundTask['task_type'], description: string): void {
    this.#live.set(id, { task_id: id, task_type: type, description });
    this.#reportLive();
  }

  #remove(id: string): void {
    if (this.#live.delete(id)) this.#reportLive();
  }

  #reportLive(): void {
    if (this.#isOver) return;
    const tasks = [...this.#live.values()];
    this.#write({ type: 'system', subtype: 'background_tasks_changed', ...this.#stamp(), tasks });
  }

  #stamp(): { readonly uuid: string; readonly session_id: string } {
    return { uuid: newUuid(), session_id: this.#agent.sessionId };
  }
}

const STOPPED = 'the host asked for it';

function endOf(output: Buffer, bytes = output.length): object {
  const end = output.subarray(-OUTPUT_BYTES);
  return { output: end.toString('utf8'), total_bytes: bytes, truncated: bytes > end.length };
}

function statusOf(end: TaskEnd): 'completed' | 'failed' | 'stopped' {
  if (end.kind === 'stopped') return 'stopped';
  return end.kind === 'exited' && end.code === 0 ? 'completed' : 'failed';
}
