/** The production `QueryDeps`: the real clock and ids, and whatever the host gave. The compiler holds them against the loop's own type. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Clock,
  type ContextDoor,
  NO_OBJECTION,
  type QueryDeps,
  type Redact,
  type StopHookOutcome,
  type ToolHooks,
  type TurnEnd,
} from '@heddle/core';
import { changedFiles } from './changed-files.ts';
import type { AgentHooks, AgentOptions } from './options.ts';

export function productionDeps(options: AgentOptions, context: ContextDoor): QueryDeps {
  const redact: Redact = options.redact ?? ((value) => value);
  return {
    redact,
    model: options.model,
    clock: options.clock ?? systemClock,
    ids: { uuid: options.uuid ?? randomUUID },
    random: options.random ?? Math.random,
    context,
    toolHooks: { ...noToolHooks, ...options.hooks?.tools },
    turnEnd: turnEnd(options.hooks ?? {}, redact),
    attachments: {
      begin: () => undefined,
      takeQueued: () => options.takeQueued?.() ?? [],
      gather: async (_messages, context) => {
        const [files, others] = await Promise.all([
          changedFiles(context.fileState),
          options.gather?.(context),
        ]);
        return redact([...files, ...(options.news?.() ?? []), ...(others ?? [])]);
      },
    },
    askToGoOn: options.askToGoOn ?? (() => Promise.resolve(false)),
    summariseTools: options.summariseTools ?? (() => Promise.resolve(undefined)),
  };
}

export const systemClock: Clock = {
  now: Date.now,
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, { signal });
    } catch {
      // Aborted: the wait is over, which is all that was asked.
    }
  },
};

const noToolHooks: ToolHooks = {
  before: () => Promise.resolve({}),
  after: () => Promise.resolve({}),
  afterFailure: () => Promise.resolve({}),
};

function turnEnd(hooks: AgentHooks, redact: Redact): TurnEnd {
  return {
    saveCacheSafeParams: () => undefined,
    classifyJob: () => Promise.resolve(),
    suggestPrompt: () => undefined,
    extractMemories: () => undefined,
    consolidateMemories: () => undefined,
    releaseTurnResources: () => Promise.resolve(),
    async *userStopHooks(input) {
      const { stop } = hooks;
      if (!stop) return NO_OBJECTION;
      const word = redact(await stop({ stopHookActive: input.stopHookActive, signal: input.context.signal }));
      yield { type: 'hook_progress', hook: 'stop', text: word.block ?? word.prevent ?? 'passed' };
      return outcomeOf(word);
    },
    // oxlint-disable-next-line require-yield -- no team, no hooks
    async *teamHooks() {
      return NO_OBJECTION;
    },
    stopFailure: () => undefined,
  };
}

function outcomeOf(word: { readonly block?: string; readonly prevent?: string }): StopHookOutcome {
  return {
    blockingErrors: word.block === undefined ? [] : [{ hook: 'stop', message: word.block }],
    preventContinuation: word.prevent === undefined ? undefined : { hook: 'stop', message: word.prevent },
  };
}
