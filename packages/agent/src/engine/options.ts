/** What a host gives to have an agent. */
import type { CompactionHooks } from '@heddle/context';
import type {
  Attachment,
  Clock,
  ConfigChanges,
  JsonObject,
  LoopEvent,
  ModelPort,
  PermissionMode,
  QueryDeps,
  QueuedCommand,
  Redact,
  RequestOptions,
  Tool,
  ToolHooks,
  ToolUseContext,
} from '@heddle/core';
import type { ContextSettings } from '../context/context-port.ts';
import type { CompactionLimits } from '../context/overrides.ts';
import type { LivePermissions } from '../permission/live-permissions.ts';
import type { Rules } from '../permission/rules/rule.ts';
import type { SandboxGate } from '../sandbox/gate.ts';
import type { ReadOnlyView } from '../sandbox/view/view.ts';
import type { Session } from '../session/open/open.ts';
import type { Price } from '../cost/usage-meter.ts';
import type { AskPermission } from '../permission/question.ts';

export interface AgentOptions {
  readonly model: ModelPort;
  /** The model's name, as requests and reports call it. */
  readonly modelName: string;
  /** Models that take over, in this order, when the one before is overloaded or does not exist. Any spelling of a name works. */
  readonly fallbackModel?: string | readonly string[];
  readonly tools: readonly Tool[];
  /** Tools that a search loads into the conversation. One that was loaded stays so, also when the session is resumed. */
  readonly deferredTools?: () => readonly Tool[];
  readonly cwd: string;
  /** In place of the built-in one. */
  readonly systemPrompt?: readonly string[];
  readonly appendSystemPrompt?: string;
  /** Facts that stand before the conversation and may or may not matter: instructions, the date. Fixed when the session begins. */
  readonly userContext?: Readonly<Record<string, string>>;
  /** Facts behind the system prompt, beside the working directory. Fixed when the session begins. */
  readonly systemContext?: Readonly<Record<string, string>>;
  /** The mode that the user named. Without one, a resumed session keeps its own. */
  readonly permissionMode?: PermissionMode;
  /** The mode of a session that has none of its own. */
  readonly defaultPermissionMode?: PermissionMode;
  /** Live ones can be changed while the conversation goes on. */
  readonly rules?: Rules | LivePermissions;
  /** Where the agent keeps its own settings: a change there always asks. */
  readonly configDirs?: readonly string[];
  /** Asked where no rule decides. Without it, ask means deny. */
  readonly canUseTool?: AskPermission;
  /** Where commands run; the same one that Bash has as its door. */
  readonly sandbox?: Pick<SandboxGate, 'enter' | 'sparesQuestions'>;
  /** Where commands run that are allowed only because they change nothing; the same one that Bash has. */
  readonly view?: Pick<ReadOnlyView, 'readiness' | 'hasFailed'>;
  readonly hooks?: AgentHooks;
  /** Takes secrets out of what tools, hooks and attachments say, before the model or a file gets it. */
  readonly redact?: Redact;
  /** Takes what the user typed while a turn runs: it joins that turn. */
  readonly takeQueued?: () => readonly QueuedCommand[];
  /** What else joins the conversation between two calls: background tasks that ended, reminders. Not waited for long. */
  readonly gather?: (context: ToolUseContext) => Promise<readonly Attachment[]>;
  /** What has happened beside the conversation and is known already: told with the next prompt, or between two calls. */
  readonly news?: () => readonly Attachment[];
  /** What a compaction must carry along as it stands then: open todos. */
  readonly standing?: () => Promise<readonly Attachment[]>;
  /** Writes a sentence on what the last tools did; turn it on with the gate `emitToolUseSummaries`. */
  readonly summariseTools?: QueryDeps['summariseTools'];
  /**
   * Loads what is known of the model, if that takes time. Awaited before the first decision about a conversation that has
   * messages already, so that a resumed session is not judged by a window that is not its model's.
   */
  readonly loadFacts?: () => Promise<void>;
  /** Windows, thresholds and switches of the context levels. */
  readonly context?: ContextSettings;
  /** What the user says about when to compact, whatever the model. */
  readonly compaction?: CompactionLimits;
  readonly maxTurns?: number;
  /** Needs a known price: without one the run does not start. */
  readonly maxBudgetUsd?: number;
  readonly tokenBudget?: number;
  readonly taskBudget?: { readonly total: number };
  readonly maxOutputTokens?: number;
  /** Thinking, effort, betas, metadata. */
  readonly requestOptions?: RequestOptions;
  /** The answer must be an object of this JSON schema; it comes back as `structured_output`. */
  readonly outputSchema?: JsonObject;
  readonly price?: Price;
  /** In place of `price`, for a list that takes time to load. */
  readonly loadPrice?: () => Promise<Price>;
  /** Where the conversation is kept; in memory by default. Open one with `newSession`, `resumeSession` or `forkSession`. */
  readonly session?: Session;
  readonly includePartialMessages?: boolean;
  /** Each prompt is shown back once it is stored. */
  readonly replayUserMessages?: boolean;
  /** No background work at the end of a turn. */
  readonly bare?: boolean;
  readonly apiKeySource?: string;
  /** Commands that the host itself reads from prompts, beside `/compact`: named in the first line. */
  readonly slashCommands?: readonly string[];
  /** Switches, limits and retries of the loop. Everything else about a run has an option of its own. */
  readonly config?: LoopSettings;
  /** Asks whether a run that repeats itself should go on. Without it, such a run ends. */
  readonly askToGoOn?: QueryDeps['askToGoOn'];
  /** Called when a prompt was stored, before anything is done about it. */
  readonly onAccepted?: (userMessageId: string) => Promise<void>;
  /** Sees every event of the loop after it was stored: for a screen, a recorder, a test. */
  readonly onEvent?: (event: LoopEvent) => void;
  readonly clock?: Clock;
  readonly uuid?: () => string;
  readonly random?: () => number;
}

type LoopSettings = Pick<ConfigChanges, 'gates' | 'limits' | 'retry'>;

const LOOP_SETTINGS: readonly (keyof LoopSettings)[] = ['gates', 'limits', 'retry'];
const GATED_LEVELS = {
  snip: 'historySnip',
  collapse: 'contextCollapse',
  cachedMicrocompact: 'cachedMicrocompact',
};

/** Why these options cannot be used, in a sentence. A host without a compiler would not notice that they do nothing. */
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
  /** Around every compaction, whoever asked for it: may forbid it, or add instructions. */
  readonly compaction?: CompactionHooks;
  /** Runs when the model thinks it is done: may send it back to work, or end the run. */
  readonly stop?: (input: {
    readonly stopHookActive: boolean;
    readonly signal: AbortSignal;
  }) => Promise<{ readonly block?: string; readonly prevent?: string }>;
}
