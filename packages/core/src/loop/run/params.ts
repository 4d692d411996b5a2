/** What a run is given. */
import type { ConfigChanges } from '../../machine/config.ts';
import type { AutoCompactTracking } from '../../machine/state.ts';
import type { Message } from '../../messages/message.ts';
import type { QuerySource } from '../../machine/config.ts';
import type { RequestOptions } from '../../model/port.ts';
import type { ToolUseContext } from '../../tools/context.ts';
import type { CanUseTool } from '../../tools/tool.ts';
import type { QueryDeps } from './deps.ts';

export interface QueryParams {
  readonly messages: Iterable<Message>;
  /** Layers in a stable order; they carry the cache marks. */
  readonly systemPrompt: readonly string[];
  readonly userContext: Readonly<Record<string, string>>;
  readonly systemContext: Readonly<Record<string, string>>;
  readonly canUseTool: CanUseTool;
  readonly toolUseContext: ToolUseContext;
  readonly querySource: QuerySource;
  /** Models that take over in this order when the one before is overloaded or does not exist. */
  readonly fallbackModel?: string | readonly string[];
  /** The caller's output cap, in tokens. It holds for the whole run and is never raised. */
  readonly maxOutputTokensOverride?: number;
  /** What earlier runs of the conversation know of its compactions, as `Projection` has it. */
  readonly autoCompactTracking?: AutoCompactTracking | undefined;
  /** Unset or 0: no limit. */
  readonly maxTurns?: number;
  readonly skipCacheWrite?: boolean;
  readonly taskBudget?: { readonly total: number };
  readonly tokenBudget?: number;
  readonly requestOptions?: GivenOptions;
  /** Blocks of the history that the API refused in earlier runs, as `refused` events named them. */
  readonly refusedBlocks?: Iterable<string>;
  /** Gates, limits and the session: snapshotted when the run begins. */
  readonly config: { readonly sessionId: string } & RunConfig;
  readonly deps: QueryDeps;
}

/** What a run is told elsewhere, by a parameter of its own or by its context, is not said a second time here. */
export type RunConfig = Omit<
  ConfigChanges,
  'sessionId' | 'querySource' | 'isSubagent' | 'maxTurns' | 'tokenBudget' | 'taskBudget' | 'outputCap'
>;

/** Fast mode is a gate, and what is left of the task budget the machine counts. */
export type GivenOptions = Omit<RequestOptions, 'fastMode' | 'taskBudget'>;
