/**
 * The read-only environment of a run, and `RunProgress`: the values that one effect leaves for the next.
 * An effect receives both and returns the values that changed. No policy lives here.
 */
import { abortCause, type AbortCause, childScope } from '../abort.ts';
import { queryConfig, type QueryConfig } from '../machine/config.ts';
import type { HookMessage, MachineEvent } from '../machine/effects.ts';
import type { Handle } from '../machine/state.ts';
import type {
  AssistantMessage,
  Attachment,
  AttachmentMessage,
  MessageHistory,
  SystemMessage,
  UserMessage,
} from '../messages/message.ts';
import type { ModelRecord } from '../model/port.ts';
import { createRequestBuilder, type RequestBuilder } from '../request/builder.ts';
import type { CacheSafeParams } from '../request/side-query.ts';
import type { ToolUseContext } from '../tools/tool.ts';
import { StreamingToolExecutor, type ToolUpdate } from '../tools/executor.ts';
import type { Answer } from './answer.ts';
import type { MessageEvent } from './events.ts';
import type { QueryDeps, QueryParams } from './params.ts';
import { type PortWaits, portWaits } from './wait.ts';

export interface RunEnvironment extends PortWaits {
  readonly params: QueryParams;
  readonly config: QueryConfig;
  readonly deps: QueryDeps;
  /** Aborts with the caller's signal, or when the consumer leaves. */
  readonly signal: AbortSignal;
  readonly aborted: AbortCause | undefined;
  /** True if side queries may share the cached prefix of this run: it is the main thread's or an SDK host's. */
  readonly sharesPrefix: boolean;
  readonly builder: RequestBuilder;
  /** Receives the records of the model, the updates of the tools and the abort. */
  readonly inbox: EventQueue<Arrival>;
  readonly write: MessageWriter;
  /** Returns an executor for the calls of an answer. `end` stops it. */
  readonly openExecutor: (context: ToolUseContext) => StreamingToolExecutor;
  /** The last executor has ended, or was discarded. `end` does not wait for it. */
  readonly releaseExecutor: () => void;
  /** Aborts everything below and waits until it has ended. Idempotent. */
  readonly end: () => Promise<void>;
}

/** Makes messages of the loop, each with a new id and the time. */
export interface MessageWriter {
  readonly uuid: () => string;
  readonly assistant: (fields: Omit<AssistantMessage, 'type' | 'uuid' | 'at'>) => AssistantMessage;
  readonly user: (fields: Omit<UserMessage, 'type' | 'uuid' | 'at'>) => UserMessage;
  /** A message to the model that people do not see. */
  readonly hidden: (content: string) => UserMessage;
  readonly attachment: (attachment: Attachment) => AttachmentMessage;
  readonly system: (
    subtype: SystemMessage['subtype'],
    content: string,
    level?: 'info' | 'warning' | 'error',
  ) => SystemMessage;
}

/** A record names the attempt it belongs to. The records of a retracted attempt are ignored. */
type Arrival =
  | { readonly type: 'record'; readonly attempt: object; readonly next: IteratorResult<ModelRecord> }
  | { readonly type: 'port_threw'; readonly attempt: object; readonly thrown: unknown }
  | { readonly type: 'aborted' }
  | ToolUpdate;

/** The values of a run between two effects. */
export interface RunProgress extends IterationProgress {
  /** True once the prefetches of the run were started. */
  readonly hasBegun: boolean;
  /** Names the model in use. Tools and a fallback replace it. */
  readonly context: ToolUseContext;
  /** Fallback models that were not tried yet. */
  readonly fallbacks: readonly string[];
  /** True if the model in use rejected the thinking option of a request. */
  readonly leavesOutThinking: boolean;
  /** The names of blocks that the API rejected. A note replaces each of them in every request. */
  readonly rejectedBlocks: ReadonlySet<string>;
  readonly summary: PendingSummary | undefined;
  /** The last request, as it was sent. Undefined before the first one. */
  readonly lastSent: CacheSafeParams | undefined;
  /** Output tokens of this run, for the token budget. */
  readonly outputTokens: number;
  /** Queued commands that joined the run. */
  readonly commands: readonly string[];
  /** Attachments that were not ready in time. The next turn waits for them again. */
  readonly gathering: Promise<readonly Attachment[]> | undefined;
}

/** The values that start anew with each iteration. */
export interface IterationProgress {
  /** The history that this iteration continues, after the context levels. */
  readonly history: MessageHistory;
  /** The part of the history that is sent. */
  readonly view: MessageHistory;
  /** The history that a reactive compaction left. */
  readonly compacted: MessageHistory | undefined;
  readonly answer: Answer;
  readonly executor: StreamingToolExecutor | undefined;
  readonly attachments: readonly AttachmentMessage[];
  readonly hookErrors: readonly HookMessage[];
}

/** The end of an effect: the event for the machine or an exception, and the values that changed before it. */
export type EffectEnd =
  | { readonly event: MachineEvent; readonly changed?: Partial<RunProgress> }
  | { readonly thrown: unknown; readonly changed?: Partial<RunProgress> };

/** The summary of the last tool calls. A small model writes it while the next call streams. */
export interface PendingSummary {
  /** The handle in the State of the machine. */
  readonly handle: Handle;
  readonly toolUseIds: readonly string[];
  /** Undefined until the small model has answered, and once the summary was yielded. */
  readonly text: () => string | undefined;
}

/** The configuration of the machine for a run with these parameters. */
export function runConfigOf(
  params: Omit<QueryParams, 'messages' | 'deps' | 'authorizeCall' | 'resume'>,
): QueryConfig {
  return queryConfig({
    ...params.config,
    querySource: params.querySource,
    isSubagent: params.toolUseContext.agentId !== undefined,
    maxTurns: params.maxTurns,
    tokenBudget: params.tokenBudget,
    taskBudget: params.taskBudget,
    outputCap: params.maxOutputTokensOverride,
  });
}

/** `leaving` aborts when the consumer leaves early: everything below ends at once. */
export function openEnvironment(params: QueryParams, leaving: AbortSignal): RunEnvironment {
  const { deps, toolUseContext } = params;
  const config = runConfigOf(params);
  const scope = childScope(toolUseContext.signal);
  const { signal } = scope;
  const inbox = new EventQueue<Arrival>();
  let current: StreamingToolExecutor | undefined;
  const end = async (): Promise<void> => {
    scope.abort('run over');
    scope.release();
    await current?.stop();
  };
  leaving.addEventListener('abort', () => void end());
  return {
    params,
    config,
    deps,
    signal,
    get aborted() {
      return abortCause(signal);
    },
    ...portWaits(signal, deps.clock, config.limits.abortGraceMs),
    sharesPrefix:
      !config.isSubagent && (config.querySource === 'repl_main_thread' || config.querySource === 'sdk'),
    builder: createRequestBuilder(),
    inbox,
    write: messageWriter(deps),
    openExecutor: (context) => {
      current = new StreamingToolExecutor({
        pipeline: { hooks: deps.toolHooks, authorizeCall: params.authorizeCall, redact: deps.redact },
        context,
        signal,
        clock: deps.clock,
        limits: config.limits,
        emit: (update) => inbox.push(update),
        // A permission answer asked for the end of the run.
        onInterrupt: () => scope.abort('permission denied'),
      });
      return current;
    },
    releaseExecutor: () => {
      current = undefined;
    },
    end,
  };
}

function messageWriter({ ids, clock }: QueryDeps): MessageWriter {
  const stamp = (): { uuid: string; at: number } => ({ uuid: ids.uuid(), at: clock.now() });
  return {
    uuid: () => ids.uuid(),
    assistant: (fields) => ({ type: 'assistant', ...stamp(), ...fields }),
    user: (fields) => ({ type: 'user', ...stamp(), ...fields }),
    hidden: (content) => ({ type: 'user', ...stamp(), content, isMeta: true }),
    attachment: (attachment) => ({ type: 'attachment', ...stamp(), attachment }),
    system: (subtype, content, level = 'info') => ({ type: 'system', ...stamp(), subtype, content, level }),
  };
}

export function messageEvent(message: MessageEvent['message']): MessageEvent {
  return { type: 'message', message };
}

/**
 * A queue with several producers and one consumer. It has one pending promise per wait. A race of long-lived promises would
 * leave a reaction behind on each of them at every delta.
 */
class EventQueue<T> {
  #items: T[] = [];
  #next = 0;
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
    this.#wake = undefined;
  }

  get isEmpty(): boolean {
    return this.#next === this.#items.length;
  }

  /** Removes and returns the oldest item, if there is one. */
  poll(): T | undefined {
    if (this.isEmpty) return undefined;
    const item = this.#items[this.#next++];
    if (this.isEmpty) {
      this.#items = [];
      this.#next = 0;
    }
    return item;
  }

  /** Resolves when the queue has an item. One consumer only. */
  async arrival(): Promise<void> {
    if (!this.isEmpty) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
