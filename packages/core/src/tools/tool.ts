/** The interface of a tool. A tool does not depend on the loop or on the user interface. */
import { fingerprint } from '../fingerprint.ts';
import type { Json, JsonObject } from '../json.ts';
import type { FinishedCall, HookMessage } from '../machine/effects.ts';
import type { ResultContent, ToolResultBlock, ToolUseBlock } from '../messages/blocks.ts';
import type { Spent } from '../messages/usage.ts';
import type { Effort, ToolSpec } from '../model/port.ts';
import { errorMessage } from '../thrown.ts';
import type { InputAliases } from './coerce.ts';

/** The parts of a rule `Agent(reviewer)`. */
export interface RuleName {
  readonly tool: string;
  readonly name: string;
}

// Methods instead of function properties, because a registry has tools of many input types (bivariant parameters).
export interface Tool<Input = unknown, Data = unknown> {
  readonly name: string;
  readonly description: string;
  /** The description for the model. */
  readonly inputJSONSchema: JsonObject;
  /** Checks and types an input. Loaded on demand: the schema library is not on the start-up path. */
  inputSchema(): Schema<Input> | Promise<Schema<Input>>;
  /** Names that the tool had before. A call with one of them runs this tool, unless another tool has the name. */
  readonly formerNames?: readonly string[];
  /** Other names that models use for its fields. They are tried if the schema rejects an input as it is. */
  readonly inputAliases?: InputAliases;

  /** True if the call is proven to change nothing. If it is also concurrency-safe, it may start before the answer ends. */
  isReadOnly(input: Input, context: ToolUseContext): boolean | Promise<boolean>;
  isConcurrencySafe(input: Input, context: ToolUseContext): boolean | Promise<boolean>;
  /** True if running the call twice has the same effect as once. It may then run again after a crash. */
  isIdempotent?(input: Input): boolean;
  isDestructive?(input: Input): boolean;
  /** The tool loads further tools. An unknown tool name may be one of them. */
  readonly findsTools?: boolean;
  /** Returns a version of the tool that finds only these tools, for an agent that may not use the others. */
  restrictTo?(isPermitted: (name: string) => boolean): Tool<Input, Data>;
  /** The tool belongs to an MCP server. A `PostToolUse` hook may replace its results. */
  readonly isFromServer?: boolean;
  /**
   * True if the call only starts other calls that are decided in this mode, each with a permission of its own. The call
   * itself then runs without a question. A text is the reason for a question or a denial.
   */
  delegates?(input: Input, mode: PermissionMode): boolean | string | Promise<boolean | string>;
  /**
   * Returns what the call uses, as a permission rule may name it: a skill under each of its names, the type of an agent. Deny
   * and ask rules are compared with these names, too.
   */
  ruleNames?(input: Input): readonly RuleName[];
  /** The tool skips `deniedFiles` of the context. A deny rule for a file in its folder then does not deny the whole call. */
  readonly leavesOutDenied?: boolean;
  /** A failure cancels the other calls of its batch. After a failed shell command their results are not useful. */
  readonly failureCancelsSiblings?: boolean;

  /** Characters of a result beyond which it is spilled to a file. */
  readonly maxResultSize: number;
  /** Old results may be replaced by a note. */
  readonly compactable?: boolean;
  /** The effect of a new message of the user on a running call. */
  readonly interruptBehavior: 'cancel' | 'block';

  /** Checks conditions that the schema cannot express. The message states the problem and the expected input. */
  validateInput?(input: Input, context: ToolUseContext): Promise<Validation> | Validation;
  /** Adds derived fields for observers to a copy of the input. Does not change existing fields. */
  backfillObservableInput?(copy: Record<string, Json | undefined>): void;
  /** Details for a resume after a crash, stored with the intent before the effect (hashes, a process id). */
  describeIntent?(input: Input, context: ToolUseContext): Promise<JsonObject>;

  /** Checks after a crash whether the call took effect. `details` is the result of `describeIntent`. */
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
  /** Set if the call was permitted on the condition that it has no effects beside permitted edits. */
  readonly readOnlyRun?: ReadOnlyRun;
  readonly fileLimits?: FileLimits;
}

export interface ToolOutput<Data> {
  readonly data: Data;
  /** The tokens of its own requests to a model. */
  readonly spent?: readonly Spent[];
  /** Changes the context of later calls. It is a function, so that the changes of concurrent calls can be combined. */
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
  /** After every call of an answer has its result, and before the model reads the results. */
  afterBatch?(calls: readonly BatchedCall[], signal: AbortSignal): Promise<Omit<AfterTool, 'updatedResult'>>;
}

export interface BatchedCall extends HookedCall {
  readonly content: ToolResultBlock['content'];
}

export interface HookedCall {
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: JsonObject;
  /** The working directory of the call. Undefined after a batch, whose calls may have had several. */
  readonly workingDirectory?: string;
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

/** Decides whether a call may run: rules, modes and, if they do not decide, the answer of the user. Called before every call. */
export type AuthorizeCall = (
  tool: Tool,
  input: JsonObject,
  context: ToolUseContext,
  call: PermissionCall,
) => Promise<Permission>;

export interface PermissionCall {
  readonly toolUseId: string;
  /** The decision of a `PreToolUse` hook. `allow` skips the question to the user, and rules still apply. */
  readonly hookDecision: 'allow' | 'ask' | undefined;
  /** The reason that a hook gave for `ask`. */
  readonly hookReason?: string;
  /**
   * The user has answered, and changed the input. The user is not asked again: rules alone decide, so a deny wins
   * over the answer and an ask counts as answered. The answer is about these places and this environment: a path that is
   * written as before must not lead elsewhere now.
   */
  readonly answered?: Pick<Extract<Permission, { behavior: 'allow' }>, 'places' | 'environment'>;
  /** Aborts when the attempt is discarded. The question to the user is then withdrawn. */
  readonly signal: AbortSignal;
}

/**
 * A call that may run only without effects, or only with permitted edits.
 * - `preferred`: the call is proven to have none. A tool with a read-only environment runs it there.
 * - `required`: this is not proven. A tool without a read-only environment must not run it.
 * - `edits`: the call is proven to do nothing but permitted edits. It must not run programs of the project. A tool with a
 *   confined environment runs it there, within its `FileLimits`.
 * - `moves`: the same, and the edits move, remove or replace folders or links. Names in other commands may then lead elsewhere.
 */
export type ReadOnlyRun = 'preferred' | 'required' | 'edits' | 'moves';

/** The files that a command with a `ReadOnlyRun` can change and see. All paths are absolute and contain no links. */
export interface FileLimits {
  /** Files and folders, including their contents, that permitted edits go to. */
  readonly writable: readonly string[];
  /** Places in writable folders that must not change. */
  readonly unwritable: readonly string[];
  /** Files and folders that appear empty. */
  readonly hidden: readonly string[];
}

export type Permission =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: JsonObject;
      /** The places of the input's paths that were decided on. The call may open these and no others. */
      readonly places?: readonly PermittedPlace[];
      /** For a call that runs a command: the environment that was decided on. */
      readonly environment?: Readonly<Record<string, string>>;
      /** If undefined, the call may have effects. */
      readonly readOnlyRun?: ReadOnlyRun;
      /** For a call with `readOnlyRun`. If undefined, only that applies. */
      readonly fileLimits?: FileLimits;
    }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean };

/** The same list of tools gives the same list of specs, so the request builder can compare them by identity. */
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

/** The context of the tools in one iteration. It is immutable: a change makes a new context for the next iteration. */
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
  /** Names of tools, by the names under which a model may call them. An alias wins over a tool of that name. */
  readonly toolAliases?: ReadonlyMap<string, string>;
  /** Tools that are loaded on demand. A model may call one that it knows without loading it. */
  readonly deferredTools?: () => readonly Tool[];
  /** Finds a tool that is not in `tools`: one that was never loaded, or whose server is still connecting. */
  readonly findTool?: (name: string, signal: AbortSignal) => Promise<Tool | undefined>;
  /** Returns a check for denied files, by the current rules. For tools that read many files. */
  readonly deniedFiles?: () => Promise<(file: string) => boolean>;
  /** The same for files that rules deny or ask about. The messages of other tools do not show their text. */
  readonly unaskedFiles?: () => Promise<(file: string) => boolean>;
  /** Returns the current working folders of the agent, the project first. If undefined, any folder is allowed. */
  readonly workingFolders?: () => readonly string[];
  /** The places of the call's paths when it was permitted. Undefined before that, and for calls without a path. */
  readonly places?: readonly PermittedPlace[];
  /** The environment of commands when the call was decided. Its command runs with it. If undefined, with the current one. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Resources that a tool keeps beyond its call, until the turn ends. Undefined if the host does not offer this. */
  readonly turnResources?: ToolTurnResources;
  /** Set if a skill chose a model or an effort. `model` already has the chosen one. */
  readonly turnModel?: TurnModel;
}

/** The model and the effort that a skill or a command chose. They apply until the turn ends. */
export interface TurnModel {
  readonly model?: string;
  readonly effort?: Effort;
}

/** Returns the context with a chosen model and effort. A part that was not chosen stays as it is. */
export function withTurnModel(context: ToolUseContext, chosen: TurnModel): ToolUseContext {
  const { model = context.model } = chosen;
  return { ...context, model, turnModel: { ...context.turnModel, ...chosen } };
}

/** Returns a choice without its model. A fallback replaces the model, and the effort stays. */
export function withoutChosenModel({ effort }: TurnModel): TurnModel {
  return effort === undefined ? {} : { effort };
}

/** Holds resources of tools, such as a browser or a lock, until the turn ends: also after an abort or an error. */
export interface ToolTurnResources {
  /**
   * Registers a resource. Returns a function that removes it again, for a tool that releases it itself.
   *
   * Contract: `release` is called at most once. Its signal aborts when the time for it is over.
   */
  hold(name: string, release: (signal: AbortSignal) => void | Promise<void>): () => void;
}

/** A path of a call's input, and its real path at the time of the permission. */
export interface PermittedPlace {
  /** The absolute path as it was written. */
  readonly path: string;
  /** The path with all symbolic links resolved. */
  readonly real: string;
}

/** The folder of a call, and the files that it uses. A program that shows the call to a user needs them. */
export interface CallPlace {
  /** The working directory of the call. Relative paths in its input start there. */
  readonly workingDirectory?: string | undefined;
  /** The places of its paths when it was decided, the first path first. Undefined for calls without a path. */
  readonly places?: readonly PermittedPlace[] | undefined;
}

/** The part of the context that tools change, as plain data. It outlasts the run, and a resumed session restores it. */
export interface SessionState {
  readonly workingDirectory: string;
  readonly permissionMode: PermissionMode;
  /** The names of the tools, in order. Tools that were loaded on demand stay loaded. */
  readonly tools: readonly string[];
  /** Belongs to the turn alone. A turn that was cut off continues with it. */
  readonly turnModel?: TurnModel;
}

export function sessionStateOf(context: ToolUseContext): SessionState {
  const { workingDirectory, permissionMode, tools, turnModel } = context;
  const names = tools.map(({ name }) => name);
  return { workingDirectory, permissionMode, tools: names, ...(turnModel ? { turnModel } : {}) };
}

export function hasSameState(one: ToolUseContext, other: ToolUseContext): boolean {
  return one === other || JSON.stringify(sessionStateOf(one)) === JSON.stringify(sessionStateOf(other));
}

export interface FileState {
  readonly hash: string;
  readonly readAt: number;
  readonly range?: { readonly offset: number; readonly limit: number };
  /** The whole text at that time, to show what changed since. Undefined for large and binary files. */
  readonly text?: string;
}

export interface FileStateCache {
  get(path: string): FileState | undefined;
  set(path: string, state: FileState): void;
  paths(): readonly string[];
}

/** The start of the id that a second call with the same id receives. */
export const REPEATED_CALL = 'repeated_';

/** Results for the model of calls that did not end by themselves. */
export const NOT_RUN = 'The call was not run: the turn was interrupted before it began.';
export const NOT_RUN_AFTER_ERROR = 'The call was not run: an internal error ended the turn before it began.';
export const INTERRUPTED_CALL =
  'The call was interrupted. It may or may not have taken effect: check before you repeat it.';
export const REPEATED_ID =
  'The call was not run: another call of this answer has the same id. If you meant it, call the tool again.';
export const SIBLING_FAILED = 'Cancelled: a command that ran beside this call failed.';

export function toolError(message: string): string {
  return `<tool_use_error>${message}</tool_use_error>`;
}

/** Returns the message of an error without the tags of {@link toolError}. */
export function bareToolError(text: string): string {
  return text.replace(/^<tool_use_error>([^]*)<\/tool_use_error>$/, '$1');
}

/**
 * Returns a call with its result in the form that the machine compares. The loop and the replay of a log both use it, so
 * that they get the same fingerprints.
 */
export function finishedCall(
  { name, input }: ToolUseBlock,
  result: ToolResultBlock | undefined,
): FinishedCall {
  // In an edited log, any of these values may be missing.
  const [tool = '', ...parts] = [name, jsonOf(input), jsonOf(result?.content ?? '')].map(String);
  return { tool, fingerprint: fingerprint([tool, ...parts]) };
}

/** Does not throw: for a value that JSON cannot represent (a cycle), it returns the error message. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    return errorMessage(thrown);
  }
}
