/**
 * The driver. It yields before it acts, performs the effects that the machine names, and feeds back what happened; it
 * holds no policy. A generator stands still at `yield` until its consumer asks for more, so whatever was yielded has been
 * stored before the next step is taken.
 */
import { decide } from '../machine/decide.ts';
import type { MachineEvent } from '../machine/happened.ts';
import { initialLoopState, type LoopState } from '../machine/state.ts';
import type { Terminal, Transition } from '../machine/terminal.ts';
import { errorMessage } from '../thrown.ts';
import { composeHistory } from './run/cook.ts';
import type { LoopEvent } from './run/events.ts';
import { withImmediateReturn } from './run/leave.ts';
import type { QueryParams } from './run/params.ts';
import { perform } from './effects/perform.ts';
import { beginRun, endRun, messageEvent, newIteration, type Run } from './run/run.ts';
import { takeSteps } from './steps.ts';
import { followSummary } from './effects/summary.ts';

/**
 * Runs one prompt to its end. Queued commands that joined the run are reported `completed` once the loop has returned; a
 * throw or an early `.return()` leaves them `started`, which is how interrupted work is recognised.
 */
export function query(params: QueryParams): AsyncGenerator<LoopEvent, Terminal> {
  const leaving = new AbortController();
  return withImmediateReturn(runToEnd(params, leaving.signal), () => leaving.abort());
}

async function* runToEnd(params: QueryParams, leaving: AbortSignal): AsyncGenerator<LoopEvent, Terminal> {
  const run = beginRun(params);
  leaving.addEventListener('abort', () => void endRun(run));
  try {
    const terminal = yield* queryLoop(run);
    for (const commandId of run.commands) yield { type: 'command', commandId, state: 'completed' };
    return terminal;
  } catch (thrown) {
    // The last resort: what failed is the telling itself, so nothing more is told.
    return { reason: 'model_error', message: errorMessage(thrown) };
  } finally {
    // A consumer that walks away ends everything below, and waits for it.
    await endRun(run);
  }
}

async function* queryLoop(run: Run): AsyncGenerator<LoopEvent, Terminal> {
  const { config, params, deps } = run;
  let turn = initialLoopState({
    startedAt: deps.clock.now(),
    autoCompactTracking: params.autoCompactTracking,
  });
  while (true) {
    yield { type: 'stream_request_start' };
    let happened: MachineEvent = { type: 'began' };
    let transition: Transition;
    while (true) {
      const decision = decide(turn, happened, config);
      yield* takeSteps(run, decision.first);
      turn = decision.turn;
      if (decision.kind === 'stop') return decision.terminal;
      if (decision.kind === 'continue') {
        transition = decision.transition;
        break;
      }
      happened = yield* perform(run, decision.effect);
    }
    yield* startIteration(run, turn, transition);
  }
}

/** Cooks the conversation that the machine asked for, and says why the loop goes on. */
async function* startIteration(
  run: Run,
  { state }: LoopState,
  transition: Transition,
): AsyncGenerator<LoopEvent, void> {
  followSummary(run, state.pendingToolUseSummary);
  const percentUsed = transition.reason === 'token_budget_continuation' ? transition.percentUsed : 0;
  const { history, written } = composeHistory(run, state.messages, percentUsed);
  for (const message of written) yield messageEvent(message);
  yield { type: 'transition', transition, turnCount: state.turnCount };
  run.iteration = newIteration(history);
}
