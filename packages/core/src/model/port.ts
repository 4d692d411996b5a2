/**
 * The port to a model. One call is one attempt: it never throws, and ends with exactly one `Done` or `ModelError`.
 * An aborted signal ends it promptly with an error of class `aborted`.
 */
import type { ContentBlock, UnknownKind } from '../messages/blocks.ts';
import type { History } from '../messages/history.ts';
import type { JsonObject } from '../json.ts';
import type { ModelError, RateLimits } from '../messages/model-error.ts';

export interface ModelPort {
  (request: ModelRequest, signal: AbortSignal): ModelRecords;
  /** The server can search the web during an answer. */
  readonly searchesWeb?: boolean;
  /** Returns the facts about a model of this port. If it returns undefined, options are sent as given. */
  readonly factsOf?: (model: string) => ModelFacts | undefined;
  /** Whether another server would receive requests with this model. If it is missing, that is possible. */
  readonly sendsElsewhere?: (model: string) => Promise<boolean>;
}

export interface ModelFacts {
  /** Tokens that the model reads at once. */
  readonly contextWindow?: number;
  /** Tokens that the model writes at once, thinking included. */
  readonly maxOutputTokens?: number;
  /** Undefined: thinking is sent as the caller gave it, and is never switched on by default. */
  readonly thinking?: ThinkingSupport;
  /** The efforts that the model accepts, from low to high. Undefined: the effort is sent as the caller gave it. */
  readonly efforts?: readonly Effort[];
  /** The model can answer faster at a higher price. False: fast mode is left out of its requests. */
  readonly hasFastMode?: boolean;
  /** Its API accepts tools with `defer_loading`, and results that refer to them. */
  readonly referencesTools?: boolean;
  /** Real tokens for each estimated token. */
  readonly tokenScale?: number;
}

export interface ThinkingSupport {
  /** `either` accepts a budget beside the recommended adaptive mode. */
  readonly mode: 'none' | 'adaptive' | 'budget' | 'either';
  /** How thinking is switched off. `below_xhigh`: by `disabled`, unless the effort is `xhigh` or `max`. */
  readonly off: 'disabled' | 'below_xhigh' | 'between_tools' | 'never';
}

/** An async iterable of records. */
export interface ModelRecords {
  [Symbol.asyncIterator](): RecordIterator;
}

export interface RecordIterator extends AsyncIterator<ModelRecord, unknown> {
  /**
   * Returns the next record if it has already arrived. A port that receives many records at once may offer this, to save
   * a promise per record. It is called only while no `next` is pending.
   */
  ready?(): ModelRecord | undefined;
}

export type ModelRecord = ApiEvent | Done | ModelError;

export interface Done {
  readonly type: 'done';
  readonly requestId?: string;
  /** A note for the user about this answer. The loop reports it. */
  readonly notice?: string;
  readonly rateLimits?: RateLimits;
}

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

export type ApiEvent =
  | {
      readonly type: 'message_start';
      readonly message: {
        readonly id: string;
        readonly model: string;
        readonly usage?: unknown;
        readonly context_management?: unknown;
      };
    }
  | { readonly type: 'content_block_start'; readonly index: number; readonly content_block: ContentBlock }
  | { readonly type: 'content_block_delta'; readonly index: number; readonly delta: BlockDelta }
  | { readonly type: 'content_block_stop'; readonly index: number }
  | {
      readonly type: 'message_delta';
      readonly delta: { readonly stop_reason: StopReason | null; readonly stop_sequence?: string | null };
      readonly usage?: unknown;
      /** The edits of the server to the conversation before the model read it. */
      readonly context_management?: unknown;
    }
  | { readonly type: 'message_stop' }
  | { readonly type: 'ping' }
  | ForeignEvent;

/** An event of an unknown kind. Only consumers of partial messages receive it. */
export interface ForeignEvent {
  readonly type: UnknownKind;
}

export type BlockDelta =
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'input_json_delta'; readonly partial_json: string }
  | { readonly type: 'thinking_delta'; readonly thinking: string }
  | { readonly type: 'signature_delta'; readonly signature: string }
  | ForeignEvent;

export interface CacheMark {
  readonly type: 'ephemeral';
  readonly ttl?: '5m' | '1h';
}

/**
 * One request in the format of the API. `messages` is normalized and has two forms: data for adapters that translate it, and
 * JSON bytes for those that send it unchanged. Cache marks move from request to request, so they are separate.
 */
export interface ModelRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly SystemLayer[];
  readonly tools: readonly ToolSpec[];
  readonly messages: History<RequestMessage>;
  readonly marks: readonly Mark[];
  /** The JSON of the `messages` array with its marks, as pieces to be sent one after another. */
  readonly messagesJson: readonly Uint8Array[];
  readonly options: RequestOptions;
}

/** A cache mark on a block of a message. */
export interface Mark {
  readonly message: number;
  readonly block: number;
}

export interface RequestOptions {
  readonly thinking?: Thinking;
  /** The output cap limits thinking and text together. Otherwise it limits the text. */
  readonly capsThinking?: boolean;
  readonly effort?: Effort;
  readonly fastMode?: boolean;
  readonly taskBudget?: { readonly total: number; readonly remaining: number };
  /** Edits that the server makes to the conversation, in the format of the API. */
  readonly contextManagement?: { readonly edits: readonly JsonObject[] };
  /** Tools that the server runs itself. */
  readonly serverTools?: readonly ServerToolSpec[];
  readonly betas?: readonly string[];
  readonly metadata?: JsonObject;
}

export type Thinking =
  | { readonly type: 'adaptive' }
  | { readonly type: 'enabled'; readonly budget_tokens: number }
  | { readonly type: 'disabled' }
  /** No thinking before the first tool call of a turn: the lowest setting of some models. */
  | { readonly type: 'between_tools' };

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export interface SystemLayer {
  readonly type: 'text';
  readonly text: string;
  readonly cache_control?: CacheMark;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
  readonly cache_control?: CacheMark;
  /** The definition is not part of the cached prefix. The model reads it where a result refers to the tool. */
  readonly defer_loading?: true;
}

/** A server tool in the format of the API. */
export interface ServerToolSpec {
  readonly type: 'web_search_20250305';
  readonly name: 'web_search';
  readonly max_uses?: number;
  /** Only one of the two lists may be set. */
  readonly allowed_domains?: readonly string[];
  readonly blocked_domains?: readonly string[];
}

export interface RequestMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}
