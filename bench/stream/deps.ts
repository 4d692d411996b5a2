// The loop's dependencies in their simplest form: the loop and the adapter are measured, not their
// environment.
import { type ModelPort, NO_STOP_HOOK_RESULT, type QueryDeps, type Tool, type ToolUseContext } from '@heddle/core';
import { systemClock } from '@heddle/models';

let ids = 0;

export function plainDeps(model: ModelPort): QueryDeps {
  return {
    redact: (value) => value,
    model,
    clock: systemClock,
    ids: { uuid: () => `m${++ids}` },
    random: Math.random,
    requestSent: () => undefined,
    context: {
      async *prepare({ messages }) {
        return { messages, view: messages, overLimit: false, autoCompact: { outcome: 'idle' } };
      },
      drain: () => Promise.resolve({ committed: 0, report: undefined }),
      compact: () => Promise.resolve({ ok: false, why: 'off' }),
      answered: () => undefined,
      learnWindow: () => undefined,
      staged: () => false,
    },
    toolHooks: {
      before: () => Promise.resolve({}),
      after: () => Promise.resolve({}),
      afterFailure: () => Promise.resolve({}),
    },
    turnEnd: {
      saveCacheSafeParams: () => undefined,
      classifyJob: () => Promise.resolve(),
      suggestPrompt: () => undefined,
      extractMemories: () => undefined,
      consolidateMemories: () => undefined,
      releaseTurnResources: () => Promise.resolve(),
      async *userStopHooks() {
        return NO_STOP_HOOK_RESULT;
      },
      async *teamHooks() {
        return NO_STOP_HOOK_RESULT;
      },
      stopFailure: () => undefined,
    },
    attachments: { begin: () => undefined, takeQueued: () => [], gather: () => Promise.resolve([]) },
    askToContinue: () => Promise.resolve(false),
    summarizeTools: () => Promise.resolve(undefined),
  };
}

export function plainContext(model: string, tools: readonly Tool[]): ToolUseContext {
  return {
    tools,
    model,
    permissionMode: 'default',
    signal: new AbortController().signal,
    workingDirectory: '/',
    additionalDirectories: [],
    agentId: undefined,
    fileState: { get: () => undefined, set: () => undefined, paths: () => [] },
  };
}

/** Reports the size of the request that contained the call. */
export function lookTool(seen: (bodyBytes: number) => void): Tool<{ bodyBytes: number }, string> {
  return {
    name: 'Look',
    description: 'Looks.',
    inputJSONSchema: { type: 'object' },
    inputSchema: () => ({
      safeParse: (value) => ({ success: true, data: { bodyBytes: Number(Reflect.get(Object(value), 'bodyBytes')) } }),
    }),
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    maxResultSize: 1_000,
    interruptBehavior: 'cancel',
    call({ bodyBytes }) {
      seen(bodyBytes);
      return Promise.resolve({ data: 'seen' });
    },
    toResult: (content) => ({ content }),
  };
}
