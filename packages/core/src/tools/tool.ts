/** A tool knows nothing about the loop or the screen. */
import type { Json, JsonObject } from '../json.ts';
import type { HookMessage } from '../machine/effects.ts';
import type { ResultContent } from '../messages/blocks.ts';
import type { Spent } from '../messages/usage.ts';
import type { ToolSpec } from '../model/port.ts';
import type { InputAliases } from './coerce.ts';
import type { PermittedPlace, ToolUseContext } from './context.ts';

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

export interface ToolHooks {
  /** Before permission. May have effects of its own, so it runs early only for calls that may start early. */
  before(call: HookedCall, signal: AbortSignal): Promise<BeforeTool>;
  after(call: HookedCall, result: HookedResult, signal: AbortSignal): Promise<AfterTool>;
  afterFailure(call: HookedCall, message: string, signal: AbortSignal): Promise<AfterTool>;
}

export interface HookedCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: JsonObject;
}

export interface HookedResult extends ToolResult {
  /** What the tool gave, before it was put into words for the model. */
  readonly data?: unknown;
}

export interface BeforeTool {
  readonly decision?: 'allow' | 'deny' | 'ask';
  readonly message?: string;
  readonly updatedInput?: JsonObject;
  readonly additionalContext?: string;
  readonly stop?: HookMessage;
}

export interface AfterTool {
  readonly additionalContext?: string;
  /** Replaces what the model sees. Honoured for tools of servers only. */
  readonly updatedResult?: ToolResult;
  readonly stop?: HookMessage;
}

export type CanUseTool = (
  tool: Tool,
  input: JsonObject,
  context: ToolUseContext,
  call: PermissionCall,
) => Promise<Permission>;

export interface PermissionCall {
  readonly toolUseId: string;
  /** A `PreToolUse` hook's word. Its allow only spares the question; rules still hold. */
  readonly hookDecision: 'allow' | 'ask' | undefined;
  /** Why a hook wants it to be asked, in its own words. */
  readonly hookReason?: string;
  /**
   * Someone has answered, and changed the input with the answer. Nobody is asked again: rules alone decide, so a deny wins
   * over the answer and an ask counts as answered.
   */
  readonly answered?: true;
  /** Aborts when the attempt that asked is discarded: the question is withdrawn. */
  readonly signal: AbortSignal;
}

/**
 * A call that may run only without effects.
 * - `preferred`: it was proven to have none. A tool that can run it where effects are impossible does so.
 * - `required`: it was not proven. A tool that cannot run it there must not run it.
 */
export type ReadOnlyRun = 'preferred' | 'required';

export type Permission =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: JsonObject;
      /** The places of the input's paths that were decided on. The call may open these and no others. */
      readonly places?: readonly PermittedPlace[];
      /** Undefined: it may have the effects it has. */
      readonly readOnlyRun?: ReadOnlyRun;
    }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean };

/** The same tools give the same specs, so that the request builder can see at a glance that nothing changed. */
const known = new WeakMap<readonly Tool[], readonly ToolSpec[]>();

export function specsOf(tools: readonly Tool[]): readonly ToolSpec[] {
  const before = known.get(tools);
  if (before) return before;
  const specs = tools.map(({ name, description, inputJSONSchema }) => ({
    name,
    description,
    input_schema: inputJSONSchema,
  }));
  known.set(tools, specs);
  return specs;
}
