/** A tool knows nothing about the loop or the screen. */
import { fingerprint } from '../fingerprint.ts';
import type { Json, JsonObject } from '../json.ts';
import type { FinishedCall, HookMessage } from '../machine/effects.ts';
import type { ResultContent, ToolResultBlock, ToolUseBlock } from '../messages/blocks.ts';
import type { Spent } from '../messages/usage.ts';
import type { ToolSpec } from '../model/port.ts';
import { errorMessage } from '../thrown.ts';
import type { InputAliases } from './coerce.ts';

// Methods, not function properties: a registry holds tools of many input types, and each is only ever handed its own.
export interface Tool<Input = unknown, Data = unknown> {
  readonly name: string;
  readonly description: string;
  /** The description for the model. */
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
  /** It adds further tools: an unknown name may be one of those. */
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
  /** The effect of a new message of the user on a running call. */
  readonly interruptBehavior: 'cancel' | 'block';

  /** Beyond the schema: does this input make sense here? A message says what was wrong and what is expected. */
  validateInput?(input: Input, context: ToolUseContext): Promise<Validation> | Validation;
  /** Adds derived fields for observers to a copy of the input. Never changes one that is there. */
  backfillObservableInput?(copy: Record<string, Json | undefined>): void;
  /** Details for a resume after a crash, stored with the intent before the effect (hashes, a process id). */
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
  /** The tokens of its own requests to a model. */
  readonly spent?: readonly Spent[];
  /** Changes the context of later calls. A function, so that the changes of calls that ran side by side compose. */
  readonly newContext?: (current: ToolUseContext) => ToolUseContext;
}

export interface ToolResult {
  readonly content: string | readonly ResultContent[];
  readonly isError?: boolean;
}

/** The meaning of a crash between intent and outcome of a call. */
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
  /** The output of the tool, before it becomes text for the model. */
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
  /** Replaces the result that the model sees. Only for tools of servers. */
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
   * The user has answered, and changed the input. The user is not asked again: rules alone decide, so a deny wins
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

export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions';

/** The context of the tools in one iteration. Plain and frozen: a change makes a new one for the next iteration. */
export interface ToolUseContext {
  readonly tools: readonly Tool[];
  readonly model: string;
  readonly permissionMode: PermissionMode;
  readonly signal: AbortSignal;
  readonly workingDirectory: string;
  readonly additionalDirectories: readonly string[];
  /** Undefined on the main thread. */
  readonly agentId: string | undefined;
  /** The files that were read, with their hashes. The loop does not use it. */
  readonly fileState: FileStateCache;
  /** Tells, by the rules as they are now, whether a file may not be shown. For tools that walk over many files. */
  readonly deniedFiles?: () => Promise<(file: string) => boolean>;
  /** The folders that the agent works in, as they are now: the project first. Undefined: any folder will do. */
  readonly workingFolders?: () => readonly string[];
  /** The places of this call's paths when it was permitted. Undefined before, and for calls without a path. */
  readonly places?: readonly PermittedPlace[];
}

/** A path of a call's input, and where it led when permission was decided. */
export interface PermittedPlace {
  /** Absolute, as it was written. */
  readonly path: string;
  /** With every symbolic link followed. */
  readonly real: string;
}

/** The part of the context that tools change, as plain data. It outlasts the run, and a resumed session restores it. */
export interface SessionState {
  readonly workingDirectory: string;
  readonly permissionMode: PermissionMode;
  /** Names, in order: tools that were loaded on demand stay loaded. */
  readonly tools: readonly string[];
}

export function sessionStateOf({ workingDirectory, permissionMode, tools }: ToolUseContext): SessionState {
  return { workingDirectory, permissionMode, tools: tools.map(({ name }) => name) };
}

export interface FileState {
  readonly hash: string;
  readonly readAt: number;
  readonly range?: { readonly offset: number; readonly limit: number };
}

export interface FileStateCache {
  get(path: string): FileState | undefined;
  set(path: string, state: FileState): void;
  paths(): readonly string[];
}
/** The words in which the model is told of calls that did not come to an end of their own. */
export const NOT_RUN = 'The call was not run: the turn was interrupted before it began.';
export const NOT_RUN_AFTER_ERROR = 'The call was not run: an internal error ended the turn before it began.';
export const INTERRUPTED_CALL =
  'The call was interrupted. It may or may not have taken effect: look before you repeat it.';
export const REPEATED_ID =
  'The call was not run: another call of this answer has the same id. If you meant it, call the tool again.';
export const SIBLING_FAILED = 'Cancelled: a command that ran beside this call failed.';

export function toolError(message: string): string {
  return `<tool_use_error>${message}</tool_use_error>`;
}

/** The message of an error without the marks that {@link toolError} puts around it. */
export function bareToolError(text: string): string {
  return text.replace(/^<tool_use_error>([^]*)<\/tool_use_error>$/, '$1');
}

// A call with its result, as the machine compares them: two that look the same to it did the same. The loop makes it of what
// just happened, the replay of what was recorded; both must come to the same, or no replay would agree.

export function finishedCall(
  { name, input }: ToolUseBlock,
  result: ToolResultBlock | undefined,
): FinishedCall {
  // In a log that was edited any of them may be missing.
  const [tool = '', ...parts] = [name, jsonOf(input), jsonOf(result?.content ?? '')].map(String);
  return { tool, fingerprint: fingerprint([tool, ...parts]) };
}

/** Total: what JSON cannot hold (a circle) is named by the reason why. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    return errorMessage(thrown);
  }
}
