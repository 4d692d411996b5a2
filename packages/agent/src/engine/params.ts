/** The parameters of one run, from the options of the host and the state of the session. */
import { type ContextPipeline, contextOptions, thresholdsOf, withServerEdits } from '@heddle/context';
import {
  type CacheSafeParams,
  DEFAULT_LIMITS,
  type EntryBody,
  type FileStateCache,
  type MessageHistory,
  type ModelPort,
  modelFields,
  type QueryParams,
  type QueuedPrompt,
  requestSpec,
  type ResumePoint,
  type SessionSnapshot,
  type SessionState,
  specsOf,
  type ToolHooks,
  type ToolUseContext,
} from '@heddle/core';
import { systemClock } from '@heddle/models';
import { contextPortOf } from '../context/context-port.ts';
import type { Session } from '../session/open/open.ts';
import type { Denials } from './denials.ts';
import { productionDeps } from './deps.ts';
import { recordRequests } from './record-requests.ts';
import type { AgentOptions } from './options.ts';
import type { SessionBackground } from './session-background.ts';
import { deniedFilesOf, liveOf, permissionOf, unaskedFilesOf, workingFoldersOf } from './permission.ts';
import { contextChangesOf, fallbacksOf } from '../cost/cost-tracker.ts';
import { toolsOf, whereNote } from './session-state.ts';
import { STRUCTURED_OUTPUT, type StructuredOutput } from './structured-output.ts';

interface RunSetup {
  readonly model: ModelPort;
  readonly session: Session;
  /** The system prompt and facts before the conversation. */
  readonly head: SessionSnapshot;
  readonly signal: AbortSignal;
  readonly fileState: FileStateCache;
  /** The state after the earlier runs. */
  readonly state: SessionState | undefined;
  readonly context: ContextPipeline;
  readonly store: (body: EntryBody) => void;
  readonly stored: () => Promise<void> | undefined;
  /** Called with the first record of an answer. */
  readonly answering: () => void;
  readonly denials: Denials;
  readonly structured: StructuredOutput | undefined;
  /** The point at which a cut-off prompt continues. */
  readonly resume?: ResumePoint | undefined;
  readonly background: SessionBackground;
  /** Takes the queued prompts of an earlier process for this agent. */
  readonly takeRestored: (agentId: string | undefined) => readonly QueuedPrompt[];
}

export function paramsOf(options: AgentOptions, setup: RunSetup): QueryParams {
  const { maxTurns, tokenBudget, taskBudget, requestOptions, config } = options;
  const { structured, state, head } = setup;
  const tools = toolsOf(options, state);
  const toolUseContext: ToolUseContext = {
    tools: structured ? [...tools, structured.tool] : tools,
    model: options.modelName,
    // A subagent has no mode of its own, but a limit.
    permissionMode: (options.identity && liveOf(options).mode) ?? state?.permissionMode ?? 'default',
    signal: setup.signal,
    workingDirectory: state?.workingDirectory ?? options.cwd,
    additionalDirectories: [],
    agentId: options.identity?.id,
    fileState: setup.fileState,
    ...(options.toolAliases ? { toolAliases: options.toolAliases } : {}),
    ...(options.deferredTools ? { deferredTools: options.deferredTools } : {}),
    ...(options.liveTools ? { findTool: options.liveTools.find } : {}),
    deniedFiles: deniedFilesOf(options, options.cwd),
    unaskedFiles: unaskedFilesOf(options, options.cwd),
    workingFolders: () => workingFoldersOf(options),
    turnResources: setup.background.resources,
  };
  const production = productionDeps(options, setup.context, setup);
  const toolHooks = noting(production.toolHooks, setup.denials);
  const deps = {
    ...production,
    toolHooks,
    model: recordRequests(setup.model, {
      store: setup.store,
      thresholdsOf: (model) => thresholdsOf(contextOptions(contextChangesOf(options)), model),
      sent: () => setup.context.countSent(),
      answering: setup.answering,
    }),
  };
  const outputCap = options.maxOutputTokens ?? config?.limits?.maxOutputTokens;
  return {
    messages: setup.session.projection.messages,
    systemPrompt: head.systemPrompt,
    userContext: head.userContext,
    systemContext: head.systemContext,
    authorizeCall: permissionOf(options, setup),
    toolUseContext,
    querySource: options.identity ? `agent:${options.identity.type}` : 'sdk',
    fallbackModel: fallbacksOf(options),
    maxTurns,
    tokenBudget,
    taskBudget,
    requestOptions: withServerEdits(requestOptions ?? {}, setup.context.serverEdits(toolUseContext)),
    refusedBlocks: setup.session.projection.refused,
    maxOutputTokensOverride: outputCap,
    autoCompactTracking: setup.session.projection.autoCompactTracking,
    resume: setup.resume,
    config: {
      ...config,
      sessionId: setup.session.id,
      bare: options.bare ?? false,
      canAsk: options.askToContinue !== undefined,
      partialMessages: options.includePartialMessages ?? false,
    },
    deps: structured ? { ...deps, ...watching(structured, deps) } : deps,
  };
}

interface PipelineSetup extends Pick<RunSetup, 'session' | 'head'> {
  readonly uuid: () => string;
  /** Windows that servers stated when they rejected a request, by model. */
  readonly learnedWindows: Map<string, number>;
  readonly state: () => SessionState | undefined;
}

/** The context levels of a session. */
export function contextPipelineOf(options: AgentOptions, setup: PipelineSetup): ContextPipeline {
  const { model, random, cwd, requestOptions, config, compaction = {} } = options;
  const { isForbidden: _, ...limits } = compaction;
  const { session } = setup;
  return contextPortOf({
    model,
    clock: options.clock ?? systemClock,
    uuid: setup.uuid,
    random: random ?? Math.random,
    sessionId: session.id,
    journalPath: session.journal.path,
    cwd,
    head: setup.head,
    requestOptions,
    gates: config?.gates,
    changes: { ...contextChangesOf(options), ...limits },
    learnedWindows: setup.learnedWindows,
    lastAnswer: () => session.projection.lastAnswer,
    hooks: options.hooks?.compaction,
    refusedBlocks: () => session.projection.refused,
    unaskedFiles: unaskedFilesOf(options, cwd),
    standing: async () => [...whereNote(setup.state(), cwd), ...((await options.standing?.()) ?? [])],
  });
}

/** The request that the run of these parameters would send next, with these messages. */
export function requestOf(params: QueryParams, sent: MessageHistory): CacheSafeParams {
  const { systemPrompt, userContext, systemContext, config, deps } = params;
  const { model, tools } = params.toolUseContext;
  const facts = deps.model.factsOf?.(model);
  const fast = config.gates?.fastMode ? { fastMode: true } : {};
  const spec = requestSpec({
    model,
    maxOutputTokens: params.maxOutputTokensOverride ?? DEFAULT_LIMITS.maxOutputTokens,
    systemPrompt,
    systemContext,
    userContext,
    tools: specsOf(tools),
    refusedBlocks: new Set(params.refusedBlocks),
    ...modelFields(facts, { ...params.requestOptions, ...fast }),
  });
  return { spec, sent };
}

/** A call that a hook denies counts as denied, like one that a rule denies. */
function noting(hooks: ToolHooks, denials: Denials): ToolHooks {
  return {
    ...hooks,
    before: async (call, signal) => {
      const answer = await hooks.before(call, signal);
      const { toolUseId: tool_use_id, tool: tool_name, input: tool_input } = call;
      const message = answer.message ?? 'A hook denied this call.';
      if (answer.decision === 'deny')
        denials.note({ tool_name, tool_use_id, tool_input, by: 'hook', message });
      return answer;
    },
  };
}

/** A valid output ends the run. So does one invalid output too many. Without an output, the model continues. */
function watching(
  structured: StructuredOutput,
  deps: QueryParams['deps'],
): Pick<QueryParams['deps'], 'toolHooks' | 'turnEnd'> {
  const toolHooks: ToolHooks = {
    ...deps.toolHooks,
    after: async (call, result, signal) => {
      const answer = await deps.toolHooks.after(call, result, signal);
      if (call.tool !== STRUCTURED_OUTPUT) return answer;
      return { ...answer, stop: { hook: STRUCTURED_OUTPUT, message: 'The output was given.' } };
    },
    afterFailure: async (call, failure, signal) => {
      const answer = await deps.toolHooks.afterFailure(call, failure, signal);
      if (call.tool !== STRUCTURED_OUTPUT || !structured.exhausted) return answer;
      return { ...answer, stop: { hook: STRUCTURED_OUTPUT, message: 'No valid output was given.' } };
    },
  };
  return {
    toolHooks,
    turnEnd: {
      ...deps.turnEnd,
      async *userStopHooks(input) {
        const message = structured.objection();
        if (message === undefined) return yield* deps.turnEnd.userStopHooks(input);
        return { blockingErrors: [{ hook: STRUCTURED_OUTPUT, message }], preventContinuation: undefined };
      },
    },
  };
}
