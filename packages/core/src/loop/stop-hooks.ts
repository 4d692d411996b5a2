/**
 * The end of a turn, in the order of the specification. Steps 3 to 5 are background work: started, never waited for, and
 * left out in bare mode; subagents have none of it, nor do they hold turn-scoped resources. An abort ends the walk at the
 * step it has reached.
 */
import type { HookWord } from '../machine/happened.ts';
import type { Effect } from '../machine/effect.ts';
import type { Happened } from '../machine/happened.ts';
import { abortCause } from '../abort.ts';
import type { StopHookInput, StopHookOutcome } from './deps.ts';
import type { LoopEvent } from './events.ts';
import type { Run } from './run.ts';
import { relayUntilAborted, untilAborted } from './until-aborted.ts';

export async function* runStopHooks(
  run: Run,
  { stopHookActive }: Extract<Effect, { type: 'stop_hooks' }>,
): AsyncGenerator<LoopEvent, Happened> {
  const { blockingErrors, preventContinuation } = yield* handleStopHooks(run, stopHookActive);
  run.iteration.hookErrors = blockingErrors;
  return {
    type: 'hooks_ran',
    prevented: preventContinuation,
    blocking: blockingErrors,
    outputTokens: run.outputTokens,
    now: run.deps.clock.now(),
    aborted: abortCause(run.scope.signal),
  };
}

async function* handleStopHooks(
  run: Run,
  stopHookActive: boolean,
): AsyncGenerator<LoopEvent, StopHookOutcome> {
  const { config, context, iteration, deps } = run;
  const { turnEnd } = deps;
  const { signal } = run.scope;
  const messages = iteration.prepared.append(iteration.answer);
  const isMain = !config.isSubagent;
  if (isMain && (config.querySource === 'repl_main_thread' || config.querySource === 'sdk')) {
    turnEnd.saveCacheSafeParams({ messages, context });
  }
  await untilAborted(run, turnEnd.classifyJob(iteration.answer, signal));
  if (signal.aborted) return NO_OBJECTION;
  if (isMain && !config.bare) {
    turnEnd.suggestPrompt(messages);
    turnEnd.extractMemories(messages);
    turnEnd.consolidateMemories();
  }
  if (isMain) await untilAborted(run, turnEnd.releaseTurnResources(signal));
  if (signal.aborted) return NO_OBJECTION;
  const input: StopHookInput = { messages, answer: iteration.answer, stopHookActive, context };
  const user = yield* relayUntilAborted(run, turnEnd.userStopHooks(input), asItIs);
  if (signal.aborted || user.preventContinuation || user.blockingErrors.length > 0) return user;
  return yield* relayUntilAborted(run, turnEnd.teamHooks(input), asItIs);
}

function asItIs(event: LoopEvent): readonly LoopEvent[] {
  return [event];
}

export const NO_OBJECTION: StopHookOutcome = {
  blockingErrors: [] as readonly HookWord[],
  preventContinuation: undefined,
};
