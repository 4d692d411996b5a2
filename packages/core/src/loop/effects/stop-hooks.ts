/**
 * The end of a turn, in the order of the specification. Steps 3 to 5 are background work: started, never waited for, and
 * left out in bare mode; subagents have none of it, nor do they hold turn-scoped resources. An abort ends the walk at the
 * step it has reached.
 */
import { abortCause } from '../../abort.ts';
import type { Effect } from '../../machine/effect.ts';
import type { MachineEvent } from '../../machine/happened.ts';
import type { HookEvent, StopHookInput, StopHookOutcome } from '../run/deps.ts';
import type { LoopEvent } from '../run/events.ts';
import type { Run } from '../run/run.ts';
import { relayUntilAborted, untilAborted } from './until-aborted.ts';

export async function* runStopHooks(
  run: Run,
  { stopHookActive }: Extract<Effect, { type: 'stop_hooks' }>,
): AsyncGenerator<LoopEvent, MachineEvent> {
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
  if (signal.aborted) return NO_STOP_HOOK_RESULT;
  if (isMain && !config.bare) {
    turnEnd.suggestPrompt(messages);
    turnEnd.extractMemories(messages);
    turnEnd.consolidateMemories();
  }
  if (isMain) await untilAborted(run, turnEnd.releaseTurnResources(signal));
  if (signal.aborted) return NO_STOP_HOOK_RESULT;
  const input: StopHookInput = { messages, answer: iteration.answer, stopHookActive, context };
  const tell = (event: HookEvent) => relay(run, event);
  const user = yield* relayUntilAborted(run, turnEnd.userStopHooks(input), tell);
  if (signal.aborted || user.preventContinuation || user.blockingErrors.length > 0) return user;
  return yield* relayUntilAborted(run, turnEnd.teamHooks(input), tell);
}

/** What is stored of a conversation is what is sent of it: an attachment is kept for the case that the run goes on. */
function* relay(run: Run, event: HookEvent): Generator<LoopEvent, void> {
  if (event.type === 'message') run.iteration.attachments.push(event.message);
  yield event;
}

export const NO_STOP_HOOK_RESULT: StopHookOutcome = { blockingErrors: [], preventContinuation: undefined };
