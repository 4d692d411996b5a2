/** The production `QueryDeps`: the real clock and ids, the port for the end of a turn, and the ports of the host. */
import {
  type ContextPort,
  NO_STOP_HOOK_RESULT,
  type QueryDeps,
  type QueuedPrompt,
  type Redact,
  type StopHookOutcome,
  type ToolHooks,
  type TurnEndPort,
} from '@heddle/core';
import { systemClock } from '@heddle/models';
import { changedFiles, TodoReminder } from '../attachments/automatic-attachments.ts';
import { newUuid } from '../session/uuid.ts';
import type { AgentHooks, AgentOptions, StopHookAnswer, StopHookQuestion } from './options.ts';
import { unaskedFilesOf } from './permission.ts';
import type { SessionBackground } from './session-background.ts';

interface DepsSetup {
  readonly background: SessionBackground;
  readonly takeRestored: (agentId: string | undefined) => readonly QueuedPrompt[];
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
          changedFiles(context.fileState, unaskedFilesOf(options, options.cwd)),
          options.gather?.(context),
        ]);
        // The run ended meanwhile. The next one takes the news.
        if (context.signal.aborted) return [];
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

interface TurnEndSetup {
  readonly hooks: AgentHooks;
  readonly redact: Redact;
  readonly background: SessionBackground;
}

/** Connects the end of a turn to background work, resources of the turn, and the hooks of the host. */
function turnEndPort({ hooks, redact, background }: TurnEndSetup): TurnEndPort {
  return {
    saveCacheSafeParams: (params) => background.fork.saveSent(params),
    classifyJob: async (answer, signal) => hooks.job?.(answer, signal),
    suggestPrompt: () => background.suggest(),
    extractMemories: () => background.extract(),
    consolidateMemories: () => background.consolidate(),
    releaseTurnResources: () => background.resources.releaseAll(),
    userStopHooks: ({ stopHookActive, context: { signal } }) =>
      runHook('stop', hooks.stop, { stopHookActive, signal }, redact),
    teamHooks: ({ stopHookActive, context: { signal } }) =>
      runHook('team', hooks.team, { stopHookActive, signal }, redact),
    stopFailure: (error) => hooks.stopFailure?.(error),
  };
}

async function* runHook(
  name: string,
  hook: ((question: StopHookQuestion) => Promise<StopHookAnswer | undefined>) | undefined,
  question: StopHookQuestion,
  redact: Redact,
): ReturnType<TurnEndPort['userStopHooks']> {
  const given = await hook?.(question);
  if (!given) return NO_STOP_HOOK_RESULT;
  const answer = redact(given);
  yield { type: 'hook_progress', hook: name, text: answer.block ?? answer.prevent ?? 'passed' };
  return outcomeOf(name, answer);
}

function outcomeOf(name: string, { block, blockedBy, prevent }: StopHookAnswer): StopHookOutcome {
  return {
    blockingErrors: block === undefined ? [] : [{ hook: blockedBy ?? name, message: block }],
    preventContinuation: prevent === undefined ? undefined : { hook: name, message: prevent },
  };
}
