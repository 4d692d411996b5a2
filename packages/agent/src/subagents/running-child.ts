/** A subagent that runs: its signal, the listener of its lines, its progress, and its move to the background. */
import { childScope, type Message, type QueuedPrompt } from '@heddle/core';
import type { AgentOptions } from '../engine/options.ts';
import type { SdkMessage, TaskUsage } from '../sdk/message.ts';
import { movedLine } from '../sdk/subagent-lines.ts';
import { type ChildRecord, type ChildResult, NO_TASK_USAGE } from './record.ts';

/** Takes a line. A promise resolves when the reader can take more. */
export type Emit = (line: SdkMessage) => unknown;

/** A subagent as surfaces list it. */
export interface SubagentStatus {
  readonly record: ChildRecord;
  /** The tokens, calls and time so far. */
  readonly usage: TaskUsage;
  /** The tool that it called last. */
  readonly lastTool: string | undefined;
  readonly isRunning: boolean;
  /** Undefined while it runs, and if the program ended while it ran. */
  readonly result: ChildResult | undefined;
}

/** The subagents that a running subagent started. */
export interface ChildTree {
  readonly list: () => readonly SubagentStatus[];
  /** Finds a running one by its id, at any depth. */
  readonly findRunning: (agentId: string) => RunningChild | undefined;
}

interface ChildListeners {
  /** Receives the lines while the call waits. */
  readonly call: Emit;
  /** Receives the lines of a subagent in the background. */
  readonly background: Emit;
  /** Writes the record, so that a crash finds it. */
  readonly store: (record: ChildRecord) => void;
  readonly now: () => number;
  readonly uuid: () => string;
  readonly sessionId: string;
}

export class RunningChild {
  /** Resolves when it moves to the background. */
  readonly moved: Promise<void>;
  /** Never rejects. */
  ended: Promise<unknown> = Promise.resolve();
  /** Its tools, folder, rules and hooks. Undefined until its conversation begins. */
  options: AgentOptions | undefined;
  /** The subagents that it started. Undefined if it may start none. */
  children: ChildTree | undefined;
  #messages: (() => Iterable<Message>) | undefined;
  #record: ChildRecord;
  /** Messages that no request of it contains. */
  #waiting: QueuedPrompt[] = [];
  #takesMessages = true;
  #usage: TaskUsage = NO_TASK_USAGE;
  #lastTool: string | undefined;
  #hasResult = false;
  readonly #startedAt: number;
  readonly #scope: ReturnType<typeof childScope>;
  readonly #listeners: ChildListeners;
  readonly #moving = Promise.withResolvers<void>();

  constructor(record: ChildRecord, callSignal: AbortSignal, listeners: ChildListeners) {
    this.#record = record;
    this.#listeners = listeners;
    this.#startedAt = listeners.now();
    this.moved = this.#moving.promise;
    // A subagent in the background outlives the call that started it.
    this.#scope = childScope(record.isBackground ? new AbortController().signal : callSignal);
  }

  get record(): ChildRecord {
    return this.#record;
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  get status(): SubagentStatus {
    const duration_ms = this.#listeners.now() - this.#startedAt;
    return {
      record: this.#record,
      usage: { ...this.#usage, duration_ms },
      lastTool: this.#lastTool,
      isRunning: true,
      result: undefined,
    };
  }

  /** The conversation so far. Empty until its session is open. */
  get messages(): Iterable<Message> {
    return this.#messages?.() ?? [];
  }

  /** Its session is open. Messages that an earlier process stored there are not repeated. */
  opened(messages: () => Iterable<Message>): void {
    this.#messages = messages;
    for (const message of messages()) {
      if (message.type !== 'attachment') this.noteRead(message.uuid);
      else if (message.attachment.kind === 'queued_command') this.noteRead(message.attachment.commandId);
    }
    this.#waiting = [...(this.#record.queued ?? [])];
  }

  /** Stores a message that it reads between two calls. Returns false if it has finished and reads no more. */
  enqueue(message: QueuedPrompt): boolean {
    if (!this.#takesMessages) return false;
    this.update({ queued: [...(this.#record.queued ?? []), message] });
    this.#waiting.push(message);
    return true;
  }

  /** Takes the messages for its next request. */
  takeQueued(): readonly QueuedPrompt[] {
    return this.#waiting.splice(0);
  }

  /** Takes a message after it has finished its work. If there is none, later messages belong to another run. */
  takeLeft(): QueuedPrompt | undefined {
    const left = this.#waiting.shift();
    if (!left) this.closeQueue();
    return left;
  }

  closeQueue(): void {
    this.#takesMessages = false;
  }

  /** Its conversation contains the message now. */
  noteRead(commandId: string): void {
    const { queued = [] } = this.#record;
    const rest = queued.filter((one) => one.commandId !== commandId);
    if (rest.length === queued.length) return;
    this.update({ queued: rest.length === 0 ? undefined : rest });
  }

  stop(reason: unknown): void {
    this.#scope.abort(reason);
  }

  /** Its signal does not follow that of the call any more. */
  release(): void {
    this.#scope.release();
  }

  /** Never rejects: a reader that fails does not end the subagent. */
  readonly emit = async (line: SdkMessage): Promise<void> => {
    if (line.type === 'system' && line.subtype === 'task_progress' && line.task_id === this.#record.agentId) {
      this.#usage = line.usage;
      this.#lastTool = line.last_tool_name;
    }
    const { call, background } = this.#listeners;
    try {
      await (this.#record.isBackground ? background : call)(line);
    } catch {
      // The line is lost. Its reader has failed, and the subagent has no other one.
    }
  };

  /** Returns the record with the result. From then on the subagent cannot move, so the result is delivered in one way only. */
  finish(result: ChildResult): ChildRecord {
    this.#hasResult = true;
    this.closeQueue();
    return { ...this.#record, result };
  }

  /** Stores changes of its record, such as the folder that it works in. */
  update(changes: Partial<ChildRecord>): void {
    const changed = { ...this.#record, ...changes };
    this.#listeners.store(changed);
    this.#record = changed;
  }

  /** Lets the call return while the subagent continues. The record is written first. */
  moveToBackground(): boolean {
    if (this.#record.isBackground || this.#hasResult || this.signal.aborted) return false;
    this.update({ isBackground: true });
    this.release();
    const { uuid, sessionId } = this.#listeners;
    void this.emit(movedLine(this.#record.agentId, { uuid: uuid(), session_id: sessionId }));
    this.#moving.resolve();
    return true;
  }
}

/** The status of a subagent that does not run. */
export function endedStatus(record: ChildRecord): SubagentStatus {
  const { result } = record;
  const usage = result?.usage ?? NO_TASK_USAGE;
  return { record, usage, lastTool: undefined, isRunning: false, result };
}
