/** What the driver holds while the machine decides: the objects behind the machine's handles. No policy lives here. */
import type { HookMessage } from '../../machine/happened.ts';
import { queryConfig, type QueryConfig } from '../../machine/config.ts';
import type { Handle } from '../../machine/state.ts';
import { History } from '../../messages/history.ts';
import type {
  AssistantMessage,
  Attachment,
  AttachmentMessage,
  Message,
  MessageHistory,
  SystemMessage,
  UserMessage,
} from '../../messages/message.ts';
import type { ModelError } from '../../messages/model-error.ts';
import type { ModelRecord } from '../../model/port.ts';
import { createRequestBuilder, type RequestBuilder } from '../../request/builder.ts';
import type { ToolUseContext } from '../../tools/context.ts';
import type { StreamingToolExecutor, ToolUpdate } from '../../tools/executor.ts';
import { childScope, type AbortScope } from '../../abort.ts';
import type { QueryDeps } from './deps.ts';
import type { MessageEvent } from './events.ts';
import { EventQueue } from './inbox.ts';
import type { QueryParams } from './params.ts';

export interface Run {
  readonly params: QueryParams;
  readonly config: QueryConfig;
  readonly deps: QueryDeps;
  /** Ends with the caller's signal, or when the consumer walks away. */
  readonly scope: AbortScope;
  readonly builder: RequestBuilder;
  /** Where the model's records, the tools' updates and an abort arrive. */
  readonly inbox: EventQueue<Arrival>;
  /** What is fetched once for the whole run is under way. */
  begun: boolean;
  context: ToolUseContext;
  iteration: Iteration;
  summary: PendingSummary | undefined;
  summaryHandle: Handle | undefined;
  /** Output tokens of this run, for the token budget. */
  outputTokens: number;
  /** Queued commands that joined the run. */
  readonly commands: string[];
  /** Blocks that the API refused, now or in earlier runs: each is replaced by a note from then on. */
  readonly refused: Set<string>;
  /** Fallback models that were not tried yet. */
  fallbacks: readonly string[];
  /** The model in use rejected how the request asked for thinking, so it is left out. */
  leavesOutThinking: boolean;
}

/** A model record names the attempt it belongs to, so that what trickles in from a discarded one is ignored. */
type Arrival =
  | { readonly type: 'record'; readonly attempt: object; readonly next: IteratorResult<ModelRecord> }
  | { readonly type: 'port_threw'; readonly attempt: object; readonly thrown: unknown }
  | { readonly type: 'aborted' }
  | ToolUpdate;

/** Everything that belongs to one pass of the loop. */
export interface Iteration {
  /** The history this iteration goes on with, after the context levels. */
  prepared: MessageHistory;
  /** What is sent of it. */
  view: MessageHistory;
  answer: AssistantMessage[];
  /** The last message of an answer that was cut at the cap: it was yielded, but counts as unfinished. */
  cut: AssistantMessage | undefined;
  executor: StreamingToolExecutor | undefined;
  /** Calls whose JSON could not be read, and what was wrong with it. */
  readonly badInputs: Map<string, string>;
  /** Text of a block that was cut off. */
  unfinishedText: string;
  /** An error that is kept from the consumer while it may still be recovered. */
  withheld: ModelError | undefined;
  /** How the stream failed, for the `StopFailure` hooks. */
  failure: ModelError | undefined;
  responseId: string;
  results: Message[];
  /** Calls whose result was yielded, each with its result and what hooks said about it. */
  readonly answered: Map<string, Message[]>;
  attachments: AttachmentMessage[];
  hookErrors: readonly HookMessage[];
  compacted: MessageHistory | undefined;
}

export interface PendingSummary {
  readonly toolUseIds: readonly string[];
  /** Filled in when the small model is done; empty when it had nothing to say. */
  text: string | undefined;
}

export function beginRun(params: QueryParams): Run {
  const { config, deps, toolUseContext, querySource } = params;
  const scope = childScope(toolUseContext.signal);
  const messages = History.of(params.messages);
  return {
    params,
    config: queryConfig({
      ...config,
      querySource,
      isSubagent: toolUseContext.agentId !== undefined,
      maxTurns: params.maxTurns,
      tokenBudget: params.tokenBudget,
      taskBudget: params.taskBudget,
      outputCap: params.maxOutputTokensOverride,
    }),
    deps,
    scope,
    builder: createRequestBuilder(),
    inbox: new EventQueue(),
    begun: false,
    context: { ...toolUseContext, signal: scope.signal },
    iteration: newIteration(messages),
    summary: undefined,
    summaryHandle: undefined,
    outputTokens: 0,
    commands: [],
    refused: new Set(params.refusedBlocks),
    fallbacks: fallbacksOf(params),
    leavesOutThinking: false,
  };
}

/** Each model once, without the one that the run begins with. */
function fallbacksOf({ fallbackModel = [], toolUseContext }: QueryParams): readonly string[] {
  const models = typeof fallbackModel === 'string' ? [fallbackModel] : fallbackModel;
  return [...new Set(models)].filter((model) => model !== toolUseContext.model);
}

/** Ends everything below and waits until it rests. May come twice: when the consumer leaves, and when the loop is over. */
export async function endRun({ scope, iteration }: Run): Promise<void> {
  scope.abort('run over');
  scope.release();
  await iteration.executor?.stop();
}

export function newIteration(messages: MessageHistory): Iteration {
  return {
    prepared: messages,
    view: messages,
    answer: [],
    cut: undefined,
    executor: undefined,
    badInputs: new Map(),
    unfinishedText: '',
    withheld: undefined,
    failure: undefined,
    responseId: '',
    results: [],
    answered: new Map(),
    attachments: [],
    hookErrors: [],
    compacted: undefined,
  };
}

export function stamp({ deps }: Run): { uuid: string; at: number } {
  return { uuid: deps.ids.uuid(), at: deps.clock.now() };
}

/** A message of the loop to the model, hidden from people. */
export function meta(run: Run, content: string): UserMessage {
  return { type: 'user', ...stamp(run), content, isMeta: true };
}

export function attachmentMessage(run: Run, attachment: Attachment): AttachmentMessage {
  return { type: 'attachment', ...stamp(run), attachment };
}

export function systemMessage(
  run: Run,
  subtype: SystemMessage['subtype'],
  content: string,
  level: 'info' | 'warning' | 'error' = 'info',
): SystemMessage {
  return { type: 'system', ...stamp(run), subtype, content, level };
}

export function messageEvent(message: MessageEvent['message']): MessageEvent {
  return { type: 'message', message };
}
