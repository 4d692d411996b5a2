/** The options of an agent, in groups. */
import type { CompactionHooks } from '@heddle/context';
import type {
  AssistantMessage,
  Attachment,
  Clock,
  ConfigChanges,
  Entry,
  JsonObject,
  LoopEvent,
  Message,
  ModelError,
  ModelPort,
  PermissionMode,
  QueryDeps,
  QueuedPrompt,
  Redact,
  RequestOptions,
  Tool,
  ToolHooks,
  ToolUseContext,
  TurnModel,
  UsedCommand,
  UserMessage,
} from '@heddle/core';
import type { AgentDefinition } from '../agents/definition.ts';
import type { ContextSettings } from '../context/context-port.ts';
import type { CompactionLimits } from '../context/overrides.ts';
import type { LivePermissions } from '../permission/live-permissions.ts';
import type { Rules } from '../permission/rules/rule.ts';
import type { SandboxGate } from '../sandbox/gate.ts';
import type { ReadOnlyView } from '../sandbox/view/view.ts';
import type { SdkMessage } from '../sdk/message.ts';
import type { Session } from '../session/open/open.ts';
import type { Price } from '../cost/usage-meter.ts';
import type { ParentCosts } from '../cost/cost-tracker.ts';
import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../permission/question.ts';

/** The model, the parameters of its requests, and the facts about it. */
interface AgentModelOptions {
  readonly model: ModelPort;
  /** The model's name, as requests and reports contain it. */
  readonly modelName: string;
  /** Models that take over in this order, if the one before is overloaded or does not exist. Any spelling of a name works. */
  readonly fallbackModel?: string | readonly string[] | undefined;
  /** A fast and cheap model for short texts beside the conversation, such as summaries. Default: Haiku beside Claude. */
  readonly smallModel?: string | undefined;
  /** Thinking, effort, betas, metadata. */
  readonly requestOptions?: RequestOptions | undefined;
  readonly price?: Price | undefined;
  /** In place of `price`, for a list that takes time to load. */
  readonly loadPrice?: (() => Promise<Price>) | undefined;
  /**
   * Loads facts about the model, if that takes time. The engine awaits it before the first decision about a conversation
   * with messages, so that a resumed session is not measured against the window of another model.
   */
  readonly loadFacts?: (() => Promise<void>) | undefined;
  readonly apiKeySource?: string | undefined;
  /** Windows, thresholds and switches of the context levels. */
  readonly context?: ContextSettings | undefined;
  /** The limits that the user sets for compaction, for every model. */
  readonly compaction?: CompactionLimits | undefined;
}

interface AgentToolOptions {
  readonly tools: readonly Tool[];
  /** Tools that a search loads into the conversation. A loaded tool stays loaded, also when the session is resumed. */
  readonly deferredTools?: (() => readonly Tool[]) | undefined;
  /** Tools that come and go during the session: those of MCP servers. */
  readonly liveTools?: LiveTools | undefined;
  readonly hooks?: AgentHooks | undefined;
  /** Removes secrets from the output of tools, hooks and attachments, before the model or a file receives it. */
  readonly redact?: Redact | undefined;
  /** Writes a sentence about the last tools. The gate `emitToolUseSummaries` switches it on. */
  readonly summarizeTools?: QueryDeps['summarizeTools'] | undefined;
}

/** Contract: `active` does not change after the first prompt, because it is part of the cached start of requests. */
interface LiveTools {
  /** The tools that are part of every request. */
  readonly active: () => readonly Tool[];
  /** The names of all tools that can be called, for the first line of a run. */
  readonly names: () => readonly string[];
  /** Finds a tool that is not part of a request. Waits for a server that is still connecting. */
  readonly find: (name: string, signal: AbortSignal) => Promise<Tool | undefined>;
  readonly servers: () => readonly { readonly name: string; readonly status: string }[];
}

/** The prompt, and the messages that join the conversation beside it. */
interface AgentPromptOptions {
  /** The name of the agent that the conversation runs as. The session stores it. */
  readonly agentName?: string | undefined;
  /** In place of the built-in prompt. */
  readonly systemPrompt?: readonly string[] | undefined;
  readonly appendSystemPrompt?: string | undefined;
  /** Facts before the conversation, such as instructions and the date. The model may ignore them. Fixed when the session begins. */
  readonly userContext?: Readonly<Record<string, string>> | undefined;
  /** Facts after the system prompt, beside the working directory. Fixed when the session begins. */
  readonly systemContext?: Readonly<Record<string, string>> | undefined;
  /** In place of the built-in instructions for plan mode. */
  readonly planInstructions?: string | undefined;
  /** The facts after the system prompt join the first message, so that sessions of several places share the prompt. */
  readonly isPromptShared?: boolean | undefined;
  /** The answer must be an object of this JSON schema. It is returned as `structured_output`. */
  readonly outputSchema?: JsonObject | undefined;
  /** Takes the prompts that arrived during a turn for this agent: undefined is the main thread. They join that turn. */
  readonly takeQueued?: ((agentId: string | undefined) => readonly QueuedPrompt[]) | undefined;
  /**
   * Attachments between two requests of a run: instructions and skills for files that were read. If they take longer than
   * `turnEndStepMs`, they join the next turn.
   */
  readonly gather?: ((context: ToolUseContext) => Promise<readonly Attachment[]>) | undefined;
  /**
   * Takes texts about events beside the conversation: ended background tasks, reports of subagents, changed servers. They are
   * attached to the next prompt, or between two requests of a run. Each is returned once.
   */
  readonly news?: (() => readonly Attachment[]) | undefined;
  /** Attachments that a compaction adds to the new history in their current state: instructions that joined, skills in use. */
  readonly standing?: (() => Promise<readonly Attachment[]>) | undefined;
  /** Commands that the host itself reads from prompts, beside `/compact`. The first line names them. */
  readonly slashCommands?: readonly string[] | undefined;
  /** Replaces a prompt that is a command by the text of the command. Not called for a verbatim prompt. */
  readonly expandPrompt?: ExpandPrompt | undefined;
  /** A prompt that was cut off continues, with the entries of its run so far. The command and the skills that it uses become active again. */
  readonly onContinue?: ((run: readonly Entry[]) => Promise<void>) | undefined;
  /** A prompt has ended, however it ended. */
  readonly onPromptEnd?: (() => void) | undefined;
  /** Names in the first line of each prompt: commands and skills from files, plugins. */
  readonly extensions?: (() => ExtensionNames) | undefined;
}

/** `current`: the options of the session now, with all changes since its start. */
type ExpandPrompt = (
  content: UserMessage['content'],
  signal: AbortSignal,
  current: AgentOptions,
) => Promise<ExpandedPrompt>;

export interface ExpandedPrompt extends Pick<PromptHookAnswer, 'block' | 'context'> {
  readonly content: UserMessage['content'];
  /** The part of the prompt that the user wrote. Undefined: all of the given one. */
  readonly typed?: UserMessage['content'] | undefined;
  /** The model and the effort that the command chose. A prompt that is cut off continues with them. */
  readonly turnModel?: TurnModel | undefined;
  /** The command that the prompt uses. It is stored with the prompt. */
  readonly usedCommand?: UsedCommand | undefined;
}

export interface ExtensionNames {
  readonly slashCommands: readonly string[];
  readonly skills: readonly string[];
  readonly plugins: readonly {
    readonly name: string;
    readonly path: string;
    readonly version?: string | undefined;
  }[];
}

interface AgentPermissionOptions {
  /** Names of tools, by the names under which the model may call them. Permission is asked for the tool that runs. */
  readonly toolAliases?: ReadonlyMap<string, string> | undefined;
  /** The mode that the user selected. Without one, a resumed session keeps its own. */
  readonly permissionMode?: PermissionMode | undefined;
  /** The mode of a session that has no mode of its own. */
  readonly defaultPermissionMode?: PermissionMode | undefined;
  /** Live rules can change during the conversation. */
  readonly rules?: Rules | LivePermissions | undefined;
  /** Folders with the settings of the agent. A change there always asks. */
  readonly configDirs?: readonly string[] | undefined;
  /** Files and folders outside of these that configure this run, such as one of `--mcp-config` or the script of a hook. A change to them always asks. */
  readonly configFiles?: (() => readonly string[]) | undefined;
  /** The environment of commands in its current state; the same function that Bash uses. Default: that of this process. */
  readonly commandEnvironment?: (() => Readonly<Record<string, string | undefined>>) | undefined;
  /** Asks the user or the host. Called if no rule decides. Without it, ask means deny. */
  readonly canUseTool?: AskPermission | undefined;
  /** The sandbox for commands; the same one that Bash uses. */
  readonly sandbox?: Pick<SandboxGate, 'enter' | 'sparesQuestions'> | undefined;
  /** The view for commands that are allowed only because they change nothing; the same one that Bash uses. */
  readonly view?: Pick<ReadOnlyView, 'readiness' | 'hasFailed'> | undefined;
}

interface AgentSubagentOptions {
  /** Lets the model start subagents with the tool Agent. */
  readonly subagents?: SubagentSettings | undefined;
  /** Set if this conversation is that of a subagent. */
  readonly identity?: SubagentIdentity | undefined;
  /** The costs of the conversation that started this one. They are charged while this one runs. */
  readonly parentCosts?: ParentCosts | undefined;
}

export interface SubagentSettings {
  /** The types that the model may start. Read when a request is built and when a call starts. */
  readonly definitions: () => readonly AgentDefinition[];
  /** Subagents of one depth that run at the same time. The others wait. Default: 10. */
  readonly maxConcurrent?: number | undefined;
  /** Levels of subagents below the conversation, up to 5. Default: 1, so a subagent does not start others. */
  readonly maxDepth?: number | undefined;
  /**
   * Receives the lines of subagents in the background. Those of others are in the output of the prompt. The subagent waits
   * for a promise that it returns.
   */
  readonly onLine?: ((line: SdkMessage) => unknown) | undefined;
  /** The text and thinking of subagents are also in the output. */
  readonly forwardsText?: boolean | undefined;
  /** Replaces the model of every subagent. */
  readonly model?: string | undefined;
  /** Returns the text of a skill that a definition names. Undefined if there is none. Its commands are calls of that agent. */
  readonly loadSkill?:
    | ((
        name: string,
        use: { readonly signal: AbortSignal; readonly agentId: string },
      ) => Promise<string | undefined>)
    | undefined;
  /** Returns the memory folder of an agent. Undefined if it has none. */
  readonly memoryFolder?: ((definition: AgentDefinition) => string | undefined) | undefined;
  /**
   * Waits for the configured MCP servers that a definition names, and starts those that it describes. Undefined if it has
   * none of its own, or if they must not start. Never rejects.
   */
  readonly openServers?:
    | ((definition: AgentDefinition, signal: AbortSignal) => Promise<AgentServers | undefined>)
    | undefined;
  /** Every call waits for its subagent: none runs in the background. */
  readonly waitsForAll?: boolean | undefined;
  /** The other members of a team. SendMessage reaches them by name. */
  readonly teammates?: Teammates | undefined;
  /** Called when a subagent starts: for telemetry. */
  readonly watch?: ((subagent: WatchedSubagent) => SubagentWatch) | undefined;
}

export interface WatchedSubagent {
  readonly agentId: string;
  /** The type of its definition. */
  readonly type: string;
  /** The call that started it. */
  readonly toolUseId: string;
  readonly modelName: string;
}

/** Follows one subagent. */
export interface SubagentWatch {
  /** Receives every event of its loop. */
  readonly onEvent: (event: LoopEvent) => void;
  /** `failure` is undefined if the task was completed. */
  readonly end: (failure: string | undefined) => void;
}

/** The running MCP servers of one subagent. */
export interface AgentServers {
  readonly tools: readonly Tool[];
  /** Sentences for the model about servers that are not available. */
  readonly notes: readonly string[];
  readonly close: () => Promise<void>;
}

interface Teammates {
  /** The conversation leads the team. */
  readonly leads: boolean;
  readonly has: (name: string) => boolean;
  /** Stores the message for its receivers, and returns their names. Throws if that is not possible. */
  readonly send: (to: string, message: string) => readonly string[];
}

interface AgentLimitOptions {
  readonly maxTurns?: number | undefined;
  /** Needs a known price. Without one, the run does not start. */
  readonly maxBudgetUsd?: number | undefined;
  readonly tokenBudget?: number | undefined;
  readonly taskBudget?: { readonly total: number } | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Switches, limits and retries of the loop. Every other setting of a run has its own option. */
  readonly config?: LoopSettings | undefined;
  /** No background work at the end of a turn. */
  readonly bare?: boolean | undefined;
  /** Asks whether a run that repeats itself should continue. Without it, such a run ends. */
  readonly askToContinue?: QueryDeps['askToContinue'] | undefined;
}

interface AgentSessionOptions {
  readonly cwd: string;
  /** Stores the conversation; in memory by default. Open one with `newSession`, `resumeSession` or `forkSession`. */
  readonly session?: Session | undefined;
  readonly clock?: Clock | undefined;
  readonly uuid?: (() => string) | undefined;
  readonly random?: (() => number) | undefined;
}

/** Work beside the conversation that costs model calls. All of it is off by default. */
interface AgentBackgroundOptions {
  /** Suggests the next prompt after a turn, as a line `prompt_suggestion`. */
  readonly promptSuggestions?: boolean | undefined;
  /** The memory folder of the project. Heddle then reads relevant memories, and stores new ones after a turn. */
  readonly memory?: string | undefined;
  /** Receives lines that belong to no prompt, such as suggestions. */
  readonly onLine?: ((line: SdkMessage) => void) | undefined;
}

/** The output of the agent, and the callbacks that follow a run. */
interface AgentObserveOptions {
  readonly includePartialMessages?: boolean | undefined;
  /** Each prompt is repeated in the output after it is stored. */
  readonly replayUserMessages?: boolean | undefined;
  /** Called when a prompt is stored, before the run starts. */
  readonly onAccepted?: ((userMessageId: string) => Promise<void>) | undefined;
  /** Receives every event of the loop after it is stored: for a screen, a recorder, a test. */
  readonly onEvent?: ((event: LoopEvent) => void) | undefined;
}

/** An optional value that is undefined counts as absent. */
export interface AgentOptions
  extends AgentModelOptions,
    AgentToolOptions,
    AgentPromptOptions,
    AgentPermissionOptions,
    AgentSubagentOptions,
    AgentLimitOptions,
    AgentSessionOptions,
    AgentBackgroundOptions,
    AgentObserveOptions {}

/** The options that may change from one prompt to the next. */
export type Changes = Partial<
  Pick<
    AgentOptions,
    | 'model'
    | 'modelName'
    | 'fallbackModel'
    | 'requestOptions'
    | 'config'
    | 'apiKeySource'
    | 'loadPrice'
    | 'loadFacts'
    | 'context'
    | 'systemPrompt'
    | 'appendSystemPrompt'
    | 'outputSchema'
    | 'hooks'
    | 'promptSuggestions'
    | 'planInstructions'
    | 'isPromptShared'
    | 'toolAliases'
  >
>;

/** The options with all changes that have a value. An undefined value leaves the option unchanged. */
export function applyChanges(options: AgentOptions, changes: Changes): AgentOptions {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...options, ...Object.fromEntries(given) };
}

type LoopSettings = Pick<ConfigChanges, 'gates' | 'limits' | 'retry'>;

const LOOP_SETTINGS: readonly (keyof LoopSettings)[] = ['gates', 'limits', 'retry'];
const GATED_LEVELS = {
  snip: 'historySnip',
  collapse: 'contextCollapse',
  cachedMicrocompact: 'cachedMicrocompact',
};

/** The reason why these options cannot be used. A host without a compiler would not notice that they have no effect. */
export function mistakeInSettings({ config = {}, context = {} }: AgentOptions): string | undefined {
  const unknown = Object.keys(config).find((name) => !LOOP_SETTINGS.some((known) => known === name));
  if (unknown !== undefined)
    return `The option config.${unknown} does not exist. Give it as an option of the agent, or leave it out.`;
  const gated = Object.entries(GATED_LEVELS).find(([level]) => level in (context.levels ?? {}));
  if (gated) return `The option context.levels.${gated[0]} does not exist. Use config.gates.${gated[1]}.`;
  return undefined;
}

export interface AgentHooks {
  /** Around every call: may decide about it, change its input, add to its result, or end the run. */
  readonly tools?: Partial<ToolHooks>;
  /** Around every compaction: may forbid it, or add instructions. */
  readonly compaction?: CompactionHooks;
  /** Before a prompt is stored: may block it, or add context for the model. */
  readonly prompt?: (prompt: {
    readonly text: string;
    /** False for a text that the program sends, such as the reports of subagents. */
    readonly isOfUser: boolean;
    readonly signal: AbortSignal;
  }) => Promise<PromptHookAnswer>;
  /** Before the user is asked about a call: may answer in place of the user. Undefined leaves the question to the user. */
  readonly permission?: (
    question: PermissionQuestion,
    signal: AbortSignal,
  ) => Promise<PermissionAnswer | undefined>;
  /** Runs when a turn of a dispatched job ends, to store the state of the job. */
  readonly job?: (answer: readonly AssistantMessage[], signal: AbortSignal) => Promise<void>;
  /** Runs after the stop hooks, with the same contract. Undefined: the conversation is not part of a team. */
  readonly team?: ((input: StopHookQuestion) => Promise<StopHookAnswer | undefined>) | undefined;
  /** Runs when the model has finished: may let it continue, or end the run. */
  readonly stop?: ((input: StopHookQuestion) => Promise<StopHookAnswer>) | undefined;
  /** A call was denied for good. Not waited for. */
  readonly permissionDenied?: (denial: {
    readonly tool: string;
    readonly toolUseId: string;
    readonly input: JsonObject;
    readonly reason: string;
  }) => void;
  /** The user is asked about a call, and may be away. Not waited for. */
  readonly question?: (question: PermissionQuestion) => void;
  /** A run ended with an error of the model. Not waited for. */
  readonly stopFailure?: (error: ModelError) => void;
  /** A git worktree is about to be created for a subagent. Returns the reason if it must not. */
  readonly worktreeCreate?: (name: string, signal: AbortSignal) => Promise<string | undefined>;
  /** A git worktree was removed. Not waited for. */
  readonly worktreeRemove?: (folder: string) => void;
  /** A subagent starts. Returns context for it. */
  readonly subagentStart?: (agent: SubagentIdentity, signal: AbortSignal) => Promise<string | undefined>;
  /** The hooks of a subagent. Without it, a subagent has the hooks of its parent for calls, questions and compactions. */
  readonly forSubagent?: (agent: SubagentIdentity) => AgentHooks;
}

/** Identifies a subagent on every surface. */
export interface SubagentIdentity {
  readonly id: string;
  /** The name of its definition. */
  readonly type: string;
  /** Its task in a few words, for people. */
  readonly description?: string | undefined;
  /** The file of its session. Undefined if it is kept in memory. */
  readonly transcript?: string | undefined;
  /** The conversation so far, for hooks at its end. */
  readonly messages?: (() => Iterable<Message>) | undefined;
  /** Hooks that run for it alone, in the form of the settings. */
  readonly hooks?: JsonObject | undefined;
}

export interface PromptHookAnswer {
  /** The reason why the prompt is not submitted. */
  readonly block?: string | undefined;
  readonly context?: string | undefined;
  /** A title for the session. */
  readonly title?: string | undefined;
}

export interface StopHookQuestion {
  /** The model continued because a stop hook blocked before. */
  readonly stopHookActive: boolean;
  readonly signal: AbortSignal;
}

export interface StopHookAnswer {
  /** The reason why the model must continue. */
  readonly block?: string | undefined;
  /** The hook that blocked, for the report of a run that never stops. */
  readonly blockedBy?: string | undefined;
  readonly prevent?: string | undefined;
}
