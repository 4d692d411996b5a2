/**
 * The driver. It yields before it acts, performs the effects that the machine chose, and reports back what happened.
 * It holds no policy. A generator stops at `yield` until its consumer asks for more, so the consumer has stored every event
 * before the next step.
 */
import { decide } from '../machine/decide.ts';
import type { Effect, HookMessage, MachineEvent } from '../machine/effects.ts';
import type { Terminal } from '../machine/state.ts';
import type { AssistantMessage } from '../messages/message.ts';
import { errorMessage } from '../thrown.ts';
import { NO_ANSWER } from './answer.ts';
import { compactReactively, drainCollapses, prepareContext } from './effects/context.ts';
import { streamAnswer } from './effects/stream.ts';
import { runTools } from './effects/run-tools.ts';
import { askUser, attach, runStopHooks } from './effects/turn-end.ts';
import { type EffectEnd, openEnvironment, type RunEnvironment, type RunProgress } from './environment.ts';
import type { LoopEvent } from './events.ts';
import { continueRun } from './history.ts';
import { LocalMediaError, type QueryParams } from './params.ts';
import { firstProgress, startRun } from './start.ts';
import { takeSteps } from './steps.ts';
import { returnEarly } from './wait.ts';

/**
 * Runs one prompt to its end.
 *
 * Contract:
 * - Returns exactly one `Terminal`, and yields nothing after it. Never throws.
 * - Queued commands that joined the run are reported `completed` when the loop has returned. A throw of the consumer or an
 *   early `return()` leaves them `started`, so a user interface can recognize interrupted work.
 */
export function query(params: QueryParams): AsyncGenerator<LoopEvent, Terminal> {
  const leaving = new AbortController();
  return withImmediateReturn(runToEnd(params, leaving.signal), () => leaving.abort());
}

/** One generator from here to the effects: each one around another costs promises for every event that passes through it. */
async function* runToEnd(params: QueryParams, leaving: AbortSignal): AsyncGenerator<LoopEvent, Terminal> {
  const env = openEnvironment(params, leaving);
  const { config } = env;
  try {
    let { progress, loop, event } = startRun(env);
    yield { type: 'stream_request_start' };
    while (true) {
      const decision = decide(loop, event, config);
      if (decision.first.length > 0) progress = yield* takeSteps(env, progress, decision.first);
      loop = decision.loop;
      switch (decision.kind) {
        case 'do': {
          let end: EffectEnd;
          try {
            end = yield* perform(env, progress, decision.effect);
          } catch (thrown) {
            end = { thrown };
          }
          progress = { ...progress, ...end.changed };
          event = 'event' in end ? end.event : thrownEvent(env, decision.effect, end.thrown);
          break;
        }
        case 'continue':
          progress = yield* continueRun(env, progress, loop, decision.transition);
          event = { type: 'began' };
          yield { type: 'stream_request_start' };
          break;
        case 'stop':
          for (const commandId of progress.commands) yield { type: 'command', commandId, state: 'completed' };
          return decision.terminal;
      }
    }
  } catch (thrown) {
    // The last resort: the report of a failure failed itself, so nothing more is reported.
    return { reason: 'model_error', message: errorMessage(thrown) };
  } finally {
    // Ends everything below and waits for it, also if the consumer leaves early.
    await env.end();
  }
}

/**
 * Runs the calls of an answer that an earlier run left open: the same events, without a model. Returns the message of a hook
 * that stops the next run.
 */
export function finishCalls(
  params: QueryParams,
  blocks: readonly AssistantMessage[],
): AsyncGenerator<LoopEvent, HookMessage | undefined> {
  const leaving = new AbortController();
  return withImmediateReturn(finish(params, blocks, leaving.signal), () => leaving.abort());
}

async function* finish(
  params: QueryParams,
  blocks: readonly AssistantMessage[],
  leaving: AbortSignal,
): AsyncGenerator<LoopEvent, HookMessage | undefined> {
  const env = openEnvironment(params, leaving);
  try {
    const given = { ...firstProgress(env), answer: { ...NO_ANSWER, blocks } };
    const end = yield* runTools(env, given);
    if ('thrown' in end) throw end.thrown;
    return end.event.type === 'tools_ran' ? end.event.stoppedBy : undefined;
  } finally {
    await env.end();
  }
}

/** An exception in our own code, or of a port that did not end after an abort, becomes an event that ends the run. */
function thrownEvent({ aborted }: RunEnvironment, effect: Effect, thrown: unknown): MachineEvent {
  const media = thrown instanceof LocalMediaError;
  return { type: 'threw', during: effect.type, media, message: errorMessage(thrown), aborted };
}

function perform(
  env: RunEnvironment,
  progress: RunProgress,
  effect: Effect,
): AsyncGenerator<LoopEvent, EffectEnd> {
  switch (effect.type) {
    case 'prepare':
      return prepareContext(env, progress, effect);
    case 'stream':
      return streamAnswer(env, progress, effect);
    case 'drain':
      return drainCollapses(env);
    case 'compact':
      return compactReactively(env, progress, effect);
    case 'run_tools':
      return runTools(env, progress);
    case 'attach':
      return attach(env, progress, effect);
    case 'stop_hooks':
      return runStopHooks(env, progress, effect);
    case 'ask':
      return askUser(env, effect);
  }
}

/**
 * Makes `return()` take effect at once. A generator handles `return()` only at its next `yield`, and a pending `next()` may
 * wait for a tool or a model until then. So `leave` runs first and ends the pending work.
 */
function withImmediateReturn<T, R>(steps: AsyncGenerator<T, R>, leave: () => void): AsyncGenerator<T, R> {
  const end = steps.return.bind(steps);
  // Own methods of the object: `break` and `await using` call them as well.
  return Object.assign(steps, {
    return(value: R | PromiseLike<R>) {
      leave();
      return end(value);
    },
    async throw(thrown: unknown): Promise<never> {
      // The exception stays outside: the loop would report it as a bug of its own.
      await returnEarly(steps);
      throw thrown;
    },
  });
}
