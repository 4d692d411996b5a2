/** A subagent that runs: its signal, the listener of its lines, its progress, and its move to the background. */
import { childScope, type Message, type QueuedCommand } from '@heddle/core';
import type { SdkMessage, TaskUsage } from '../sdk/message.ts';
import { movedLine } from '../sdk/subagent-lines.ts';
import type { ChildRecord, ChildResult } from './record.ts';

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
  readonly now: () => number;
  readonly uuid: () => string;
  readonly sessionId: string;
}

const NO_USAGE: TaskUsage = { total_tokens: 0, tool_uses: 0, duration_ms: 0 };

export class RunningChild {
  /** Messages that it reads between two calls. */
  readonly queue: QueuedCommand[] = [];
  /** Resolves when it moves to the background. */
  readonly moved: Promise<void>;
  /** Never rejects. */
  ended: Promise<unknown> = Promise.resolve();
  /** The conversation so far. Undefined until its session is open. */
  messages: (() => Iterable<Message>) | undefined;
  /** The subagents that it started. Undefined if it may start none. */
  children: ChildTree | undefined;
  #record: ChildRecord;
  #usage: TaskUsage = NO_USAGE;
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

  stop(reason: unknown): void {
    this.#scope.abort(reason);
  }

  /** Its signal does not follow that of the call any more. */
  release(): void {
    this.#scope.release();
  }

  readonly emit: Emit = (line) => {
    if (line.type === 'system' && line.subtype === 'task_progress' && line.task_id === this.#record.agentId) {
      this.#usage = line.usage;
      this.#lastTool = line.last_tool_name;
    }
    const { call, background } = this.#listeners;
    return (this.#record.isBackground ? background : call)(line);
  };

  /** Returns the record with the result. From then on the subagent cannot move, so the result is delivered in one way only. */
  finish(result: ChildResult): ChildRecord {
    this.#hasResult = true;
    return { ...this.#record, result };
  }

  /** Its record has changed, such as the folder that it works in. */
  update(changes: Partial<ChildRecord>): ChildRecord {
    this.#record = { ...this.#record, ...changes };
    return this.#record;
  }

  /** Lets the call return while the subagent continues. `store` writes the record first, so that a crash finds it. */
  moveToBackground(store: (record: ChildRecord) => void): boolean {
    if (this.#record.isBackground || this.#hasResult || this.signal.aborted) return false;
    const moved = { ...this.#record, isBackground: true };
    store(moved);
    this.#record = moved;
    this.release();
    const { uuid, sessionId } = this.#listeners;
    this.emit(movedLine(moved.agentId, { uuid: uuid(), session_id: sessionId }));
    this.#moving.resolve();
    return true;
  }
}
