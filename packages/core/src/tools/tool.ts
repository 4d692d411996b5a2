/** A tool knows nothing about the loop or the screen. */
import type { ResultContent } from '../messages/blocks.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Spent } from '../messages/usage.ts';
import type { InputAliases } from './coerce.ts';
import type { ToolUseContext } from './context.ts';
import type { ReadOnlyRun } from './permission.ts';

// Methods, not function properties: a registry holds tools of many input types, and each is only ever handed its own.
export interface Tool<Input = unknown, Data = unknown> {
  readonly name: string;
  readonly description: string;
  /** What the model is told; a generated file for built-in tools, the server's own for MCP. */
  readonly inputJSONSchema: JsonObject;
  /** Checks and types an input. Loaded on demand: the schema library is not on the start-up path. */
  inputSchema(): Schema<Input> | Promise<Schema<Input>>;
  /** Other names that models use for its fields. They are tried if the schema rejects an input as it is. */
  readonly inputAliases?: InputAliases;

  /** Proven to change nothing. Together with `isConcurrencySafe` it lets a call start before the answer is complete. */
  isReadOnly(input: Input, context: ToolUseContext): boolean | Promise<boolean>;
  isConcurrencySafe(input: Input, context: ToolUseContext): boolean | Promise<boolean>;
  /** Running it twice is as good as once: it may be run again after a crash. */
  isIdempotent?(input: Input): boolean;
  isDestructive?(input: Input): boolean;
  /** It brings further tools: a name that nobody knows may be one of those. */
  readonly findsTools?: boolean;
  /** It belongs to a server (MCP), not to us: a `PostToolUse` hook may replace its results. */
  readonly isFromServer?: boolean;
  /** It leaves out what the context calls denied, so a rule about a file in the folder it walks over need not stop it. */
  readonly leavesOutDenied?: boolean;
  /** A failure cancels the calls that run beside it: one broken shell command makes its siblings' results useless. */
  readonly failureCancelsSiblings?: boolean;

  /** Characters of a result beyond which it is spilled to a file. */
  readonly maxResultSize: number;
  /** Old results may be replaced by a note. */
  readonly compactable?: boolean;
  /** What a new message of the user does to a running call. */
  readonly interruptBehavior: 'cancel' | 'block';

  /** Beyond the schema: does this input make sense here? A message says what was wrong and what is expected. */
  validateInput?(input: Input, context: ToolUseContext): Promise<Validation> | Validation;
  /** Adds derived fields for observers to a copy of the input. Never changes one that is there. */
  backfillObservableInput?(copy: Record<string, Json | undefined>): void;
  /** What a crash would need to know, written with the intent before the effect (hashes before and after, a process id). */
  describeIntent?(input: Input, context: ToolUseContext): Promise<JsonObject>;

  /** After a crash, with what `describeIntent` wrote: did it take effect? Only tools that can be sure say so. */
  recallOutcome?(details: JsonObject, context: ToolUseContext): Promise<'done' | 'not_done' | 'unknown'>;

  /** Ends promptly when `context.signal` aborts. May throw: the exception becomes an error result. */
  call(input: Input, context: CallContext, onProgress: (data: Json) => void): Promise<ToolOutput<Data>>;
  toResult(data: Data): ToolResult;
}

export interface Schema<Input> {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: Input }
    | { success: false; error: { readonly message: string; readonly issues?: readonly Issue[] } };
}

export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export type Validation = { readonly ok: true } | { readonly ok: false; readonly message: string };

export interface CallContext extends ToolUseContext {
  readonly toolUseId: string;
  /** It was permitted on the condition that it has no effects. Undefined: no such condition. */
  readonly readOnlyRun?: ReadOnlyRun;
}

export interface ToolOutput<Data> {
  readonly data: Data;
  /** What it cost: tokens of requests to a model that it made itself. */
  readonly spent?: readonly Spent[];
  /** Changes the context of later calls. A function, so that the changes of calls that ran side by side compose. */
  readonly newContext?: (current: ToolUseContext) => ToolUseContext;
}

export interface ToolResult {
  readonly content: string | readonly ResultContent[];
  readonly isError?: boolean;
}

/** What a crash between intent and outcome means for a call. */
export type EffectClass = 'read_only' | 'idempotent' | 'writing';
