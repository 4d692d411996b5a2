/**
 * The driver. It yields before it acts, performs the effects that the machine chose, and reports back what happened.
 * It holds no policy. A generator stops at `yield` until its consumer asks for more, so the consumer has stored every event
 * before the next step.
 */
import { decide } from '../machine/decide.ts';
import type { Effect, HookMessage, MachineEvent } from '../machine/effects.ts';
import {
  type Handle,
  initialLoopState,
  type LoopState,
  type Terminal,
  type Transition,
} from '../machine/state.ts';
import { type AssistantMessage, callsOf, resultsOf, type UserMessage } from '../messages/message.ts';
import { errorMessage } from '../thrown.ts';
import { NO_ANSWER, resultMessages } from './answer.ts';
import { compactReactively, drainCollapses, prepareContext } from './effects/context.ts';
import { streamAnswer } from './effects/stream.ts';
import { runTools } from './effects/run-tools.ts';
import { attach, runStopHooks } from './effects/turn-end.ts';
import {
  type EffectEnd,
  firstProgress,
  messageEvent,
  openEnvironment,
  type PendingSummary,
  type RunEnvironment,
  type RunProgress,
  startIteration,
} from './environment.ts';
import type { LoopEvent } from './events.ts';
import { composeHistory } from './history.ts';
import { LocalMediaError, type QueryParams } from './params.ts';
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

async function* runToEnd(params: QueryParams, leaving: AbortSignal): AsyncGenerator<LoopEvent, Terminal> {
  const env = openEnvironment(params, leaving);
  try {
    return yield* queryLoop(env);
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

async function* queryLoop(env: RunEnvironment): AsyncGenerator<LoopEvent, Terminal> {
  const { config } = env;
  let progress = firstProgress(env);
  let { loop, event } = startOf(env, progress);
  yield { type: 'stream_request_start' };
  while (true) {
    const decision = decide(loop, event, config);
    if (decision.first.length > 0) progress = yield* takeSteps(env, progress, decision.first);
    loop = decision.loop;
    switch (decision.kind) {
      case 'do':
        ({ event, progress } = yield* perform(env, progress, decision.effect));
        break;
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
}

/** A run that was cut off after an answer continues with the end of its stream. */
function startOf(
  { params: { resume, autoCompactTracking }, deps, aborted }: RunEnvironment,
  { answer }: RunProgress,
): { loop: LoopState; event: MachineEvent } {
  if (!resume) {
    const loop = initialLoopState({ startedAt: deps.clock.now(), autoCompactTracking });
    return { loop, event: { type: 'began' } };
  }
  const { loop } = resume;
  if (!resume.answer || answer.blocks.length === 0) return { loop, event: { type: 'began' } };
  const { ended } = resume.answer;
  const calls = callsOf(answer.blocks).length;
  return { loop, event: { type: 'streamed', calls, ended, staged: deps.context.staged(), aborted } };
}

/** An exception in our own code, or of a port that did not end after an abort, becomes an event that ends the run. */
async function* perform(
  env: RunEnvironment,
  progress: RunProgress,
  effect: Effect,
): AsyncGenerator<LoopEvent, { event: MachineEvent; progress: RunProgress }> {
  let end: EffectEnd;
  try {
    end = yield* dispatch(env, progress, effect);
  } catch (thrown) {
    end = { thrown, changed: {} };
  }
  const now = { ...progress, ...end.changed };
  if ('event' in end) return { event: end.event, progress: now };
  const { thrown } = end;
  const media = thrown instanceof LocalMediaError;
  const { aborted } = env;
  const message = errorMessage(thrown);
  return { event: { type: 'threw', during: effect.type, media, message, aborted }, progress: now };
}

/** A plain function: each generator around another one costs promises for every event that passes through it. */
function dispatch(
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

// oxlint-disable-next-line require-yield -- every effect is a generator, and the question is not an event.
async function* askUser(
  env: RunEnvironment,
  { calls }: Extract<Effect, { type: 'ask' }>,
): AsyncGenerator<LoopEvent, EffectEnd> {
  const continues = await env.waitFor(env.deps.askToContinue(calls, env.signal));
  return { event: { type: 'asked', continues, aborted: env.aborted } };
}

/** Composes the conversation that the machine asked for, and reports why the loop continues. */
async function* continueRun(
  env: RunEnvironment,
  progress: RunProgress,
  { state }: LoopState,
  transition: Transition,
): AsyncGenerator<LoopEvent, RunProgress> {
  const summary = followSummary(env, progress, state.pendingToolUseSummary);
  const percentUsed = transition.reason === 'token_budget_continuation' ? transition.percentUsed : 0;
  const { history, written } = composeHistory(state.messages, progress, env.write, percentUsed);
  for (const message of written) yield messageEvent(message);
  yield { type: 'transition', transition, turnCount: state.turnCount };
  env.stopAtEnd(undefined);
  return { ...progress, ...startIteration(history), summary };
}

/** A new handle of the machine starts a summary. No handle drops the pending one. */
function followSummary(
  { deps, signal }: RunEnvironment,
  { summary, answer }: RunProgress,
  handle: Handle | undefined,
): PendingSummary | undefined {
  if (handle === undefined) return undefined;
  if (summary?.handle === handle) return summary;
  const results = new Map<string, UserMessage>();
  for (const message of resultMessages(answer))
    if (message.type === 'user')
      for (const { tool_use_id: id } of resultsOf(message)) results.set(id, message);
  const calls = callsOf(answer.blocks).flatMap((call) => {
    const result = results.get(call.id);
    return result ? [{ call, result }] : [];
  });
  let text: string | undefined;
  const write = async (): Promise<void> => {
    try {
      text = await deps.summarizeTools(calls, signal);
    } catch {
      // The summary is a convenience: the run continues without it.
    }
  };
  void write();
  return { handle, toolUseIds: calls.map(({ call }) => call.id), text: () => text };
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
