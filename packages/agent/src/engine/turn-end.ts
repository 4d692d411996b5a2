/** The production port for the end of a turn: background work, resources of the turn, and the hooks of the host. */
import { NO_STOP_HOOK_RESULT, type Redact, type StopHookOutcome, type TurnEndPort } from '@heddle/core';
import type { AgentHooks, StopHookAnswer, StopHookQuestion } from './options.ts';
import type { SessionBackground } from './session-background.ts';

export interface TurnEndSetup {
  readonly hooks: AgentHooks;
  readonly redact: Redact;
  readonly background: SessionBackground;
}

export function turnEndPort({ hooks, redact, background }: TurnEndSetup): TurnEndPort {
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
