/** The production `QueryDeps`: the real clock and ids, and the ports of the host. */
import {
  type ContextPort,
  type QueryDeps,
  type QueuedCommand,
  type Redact,
  type ToolHooks,
} from '@heddle/core';
import { systemClock } from '@heddle/models';
import { changedFiles } from '../attachments/changed-files.ts';
import { TodoReminder } from '../attachments/todo-reminder.ts';
import type { AgentOptions } from './options.ts';
import type { SessionBackground } from './session-background.ts';
import { turnEndPort } from './turn-end.ts';
import { newUuid } from '../session/uuid.ts';

interface DepsSetup {
  readonly background: SessionBackground;
  readonly takeRestored: (agentId: string | undefined) => readonly QueuedCommand[];
}

export function productionDeps(
  options: AgentOptions,
  context: ContextPort,
  { background, takeRestored }: DepsSetup,
): QueryDeps {
  const redact: Redact = options.redact ?? ((value) => value);
  const reminder = new TodoReminder();
  return {
    redact,
    model: options.model,
    clock: options.clock ?? systemClock,
    ids: { uuid: options.uuid ?? newUuid },
    random: options.random ?? Math.random,
    context,
    toolHooks: { ...noToolHooks, ...options.hooks?.tools },
    turnEnd: turnEndPort({ hooks: options.hooks ?? {}, redact, background }),
    requestSent: (params) => background.fork.saveSent(params),
    attachments: {
      begin: (scope, messages, { agentId }) => {
        if (scope === 'run' && agentId === undefined) background.prefetch(messages);
      },
      takeQueued: ({ agentId }) => [...takeRestored(agentId), ...(options.takeQueued?.(agentId) ?? [])],
      gather: async (messages, context) => {
        const [files, others] = await Promise.all([
          changedFiles(context.fileState),
          options.gather?.(context),
        ]);
        const todos = context.agentId === undefined ? reminder.attachments(messages) : [];
        const memories = context.agentId === undefined ? background.takeMemories() : [];
        return redact([...files, ...memories, ...todos, ...(options.news?.() ?? []), ...(others ?? [])]);
      },
    },
    askToContinue: options.askToContinue ?? (() => Promise.resolve(false)),
    summarizeTools: options.summarizeTools ?? background.describeCalls,
  };
}

export const noToolHooks: ToolHooks = {
  before: () => Promise.resolve({}),
  after: () => Promise.resolve({}),
  afterFailure: () => Promise.resolve({}),
};
