/** What one run of the loop is given, out of what the host gave and what the session remembers. */
import type {
  ContextDoor,
  EntryBody,
  FileStateCache,
  QueryParams,
  SessionSnapshot,
  ToolHooks,
  ToolUseContext,
} from '@heddle/core';
import { defaultSystemPrompt } from '../prompt/system-prompt.ts';
import type { PermissionDenial } from '../sdk/message.ts';
import type { Session } from '../session/open/open.ts';
import { productionDeps } from './deps.ts';
import type { AgentOptions } from './options.ts';
import { permissionOf } from './permission.ts';
import { STRUCTURED_OUTPUT, type StructuredOutput } from './structured-output.ts';

export interface RunSetup {
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly fileState: FileStateCache;
  readonly context: ContextDoor;
  readonly store: (body: EntryBody) => void;
  readonly denials: PermissionDenial[];
  readonly structured: StructuredOutput | undefined;
}

/** Fixed for the session: what changes later arrives as messages. */
export function snapshotOf(options: AgentOptions): SessionSnapshot {
  const { systemPrompt, appendSystemPrompt, cwd, modelName } = options;
  return {
    cwd,
    model: modelName,
    systemPrompt: [
      ...(systemPrompt ?? defaultSystemPrompt()),
      ...(appendSystemPrompt ? [appendSystemPrompt] : []),
    ],
    userContext: options.userContext ?? {},
    systemContext: { 'Working directory': cwd, ...options.systemContext },
  };
}

/** What stands before the conversation: the session's own, unless the host brings another. */
export function headOf(options: AgentOptions, session: Session): SessionSnapshot {
  return options.systemPrompt ? snapshotOf(options) : (session.snapshot ?? snapshotOf(options));
}

export function paramsOf(options: AgentOptions, setup: RunSetup): QueryParams {
  const { fallbackModel, maxTurns, tokenBudget, taskBudget, requestOptions, config } = options;
  const { structured } = setup;
  const snapshot = headOf(options, setup.session);
  const toolUseContext: ToolUseContext = {
    tools: structured ? [...options.tools, structured.tool] : options.tools,
    model: options.modelName,
    permissionMode: options.permissionMode ?? 'default',
    signal: setup.signal,
    workingDirectory: options.cwd,
    additionalDirectories: [],
    agentId: undefined,
    fileState: setup.fileState,
  };
  const deps = productionDeps(options, setup.context);
  return {
    messages: setup.session.projection.messages,
    systemPrompt: snapshot.systemPrompt,
    userContext: snapshot.userContext,
    systemContext: snapshot.systemContext,
    canUseTool: permissionOf(options, setup),
    toolUseContext,
    querySource: 'sdk',
    ...(fallbackModel === undefined ? {} : { fallbackModel }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
    ...(taskBudget === undefined ? {} : { taskBudget }),
    ...(requestOptions === undefined ? {} : { requestOptions }),
    config: {
      ...config,
      sessionId: setup.session.id,
      bare: options.bare ?? false,
      partialMessages: options.includePartialMessages ?? false,
      ...(config?.gates ? { gates: config.gates } : {}),
      limits: {
        ...(options.maxOutputTokens ? { maxOutputTokens: options.maxOutputTokens } : {}),
        ...config?.limits,
      },
    },
    deps: structured ? { ...deps, ...watching(structured, deps) } : deps,
  };
}

/** A valid output ends the run, and so does one invalid output too many; an end without one is sent back to work. */
function watching(
  structured: StructuredOutput,
  deps: QueryParams['deps'],
): Pick<QueryParams['deps'], 'toolHooks' | 'turnEnd'> {
  const toolHooks: ToolHooks = {
    ...deps.toolHooks,
    after: async (call, result, signal) => {
      const said = await deps.toolHooks.after(call, result, signal);
      if (call.tool !== STRUCTURED_OUTPUT) return said;
      return { ...said, stop: { hook: STRUCTURED_OUTPUT, message: 'The output was given.' } };
    },
    afterFailure: async (call, failure, signal) => {
      const said = await deps.toolHooks.afterFailure(call, failure, signal);
      if (call.tool !== STRUCTURED_OUTPUT || !structured.exhausted) return said;
      return { ...said, stop: { hook: STRUCTURED_OUTPUT, message: 'No valid output was given.' } };
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
