/**
 * The machine: decides what the loop does next, as a pure function over plain data. It reads like a decision table: one
 * function for each event, one statement for each row. The first row that applies wins. `docs/machine.md` lists the decisions
 * that the explorer observed, without their order.
 */
import type { AbortCause } from '../abort.ts';
import { blockingLimitApplies, GUARDS, type Guards } from './guards.ts';
import { checkBudget, lineageOf, noteAutoCompact, noteCalls, repeated } from './ledger.ts';
import type { QueryConfig } from './config.ts';
import { type ContinueDecision, continueWith } from './continues.ts';
import type { Effect, MachineEvent, OverflowCause, PreparedContext, Step } from './effects.ts';
import type { LoopState, RepeatedCall, Terminal, Transition } from './state.ts';

/** `first` is done, in order, before the decision takes effect. */
export type Decision =
  | {
      readonly kind: 'do';
      readonly effect: Effect;
      readonly loop: LoopState;
      readonly first: readonly Step[];
    }
  | {
      readonly kind: 'continue';
      readonly transition: Transition;
      readonly loop: LoopState;
      readonly first: readonly Step[];
    }
  | {
      readonly kind: 'stop';
      readonly terminal: Terminal;
      readonly loop: LoopState;
      readonly first: readonly Step[];
    };

type EventOf<T extends MachineEvent['type']> = Extract<MachineEvent, { type: T }>;

interface DecisionInput {
  readonly loop: LoopState;
  readonly config: QueryConfig;
  readonly guards: Guards;
}

/** Total and exhaustive. `guards` is a parameter so that the explorer can take one away and watch the proof fail. */
export function decide(
  loop: LoopState,
  event: MachineEvent,
  config: QueryConfig,
  guards: Guards = GUARDS,
): Decision {
  const given: DecisionInput = { loop, config, guards };
  if (event.type === 'began') return afterBeginning(given);
  if (event.aborted) return afterAbort(given, event.aborted, phaseOf(event));
  switch (event.type) {
    case 'prepared':
      return afterPreparing(given, event.context);
    case 'streamed':
      return afterStreaming(given, event);
    case 'drained':
      return event.committed
        ? proceed(continueWith('collapse_drain_retry', loop, config, {}), [{ type: 'tombstone_attempt' }])
        : compactOrRelease(given, 'overflow');
    case 'compacted':
      return event.result.ok
        ? proceed(continueWith('reactive_compact_retry', loop, config, event.result), [
            { type: 'tombstone_attempt' },
          ])
        : releaseOverflow(given, event.cause);
    case 'hooks_ran':
      return afterStopHooks(given, event);
    case 'tools_ran':
      return afterTools(given, event);
    case 'asked':
      return event.continues
        ? attach(given, { ...loop, ledger: { ...loop.ledger, repetition: [] } }, [])
        : stopRepeating(given, loop);
    case 'attached':
      return afterAttaching(given);
    case 'threw':
      return afterThrow(given, event);
  }
}

function afterBeginning({ loop, config, guards }: DecisionInput): Decision {
  const autoCompact = config.gates.autoCompact && guards.mayAutoCompact(loop.state, config.limits);
  const stage = config.gates.contextCollapse && guards.mayStage(loop);
  return perform({ type: 'prepare', stage, autoCompact, lineage: lineageOf(loop.state) }, loop);
}

function afterAbort({ loop }: DecisionInput, cause: AbortCause, during: 'streaming' | 'tools'): Decision {
  const notices: Step[] =
    cause === 'interrupt' ? [] : [{ type: 'notify', notice: { about: 'interrupted', during } }];
  if (during === 'tools') {
    return stop(loop, { reason: 'aborted_tools' }, [
      { type: 'close_open_calls', why: 'interrupted' },
      ...notices,
    ]);
  }
  return stop(loop, { reason: 'aborted_streaming' }, [
    { type: 'keep_interrupted' },
    { type: 'close_open_calls', why: 'interrupted' },
    ...notices,
  ]);
}

function afterPreparing(given: DecisionInput, context: PreparedContext): Decision {
  const { config, guards } = given;
  const noted = noteAutoCompact(given.loop, context.autoCompact, config);
  const loop = withStaged(noted, config.gates.contextCollapse || noted.ledger.stagedSinceAnswer);
  if (blockingLimitApplies(loop, context, config, guards)) {
    return stop(loop, { reason: 'blocking_limit' }, [
      { type: 'notify', notice: { about: 'prompt_too_long' } },
    ]);
  }
  const { taskBudget } = config;
  return perform(
    {
      type: 'stream',
      maxOutputTokens:
        loop.state.maxOutputTokensOverride ?? config.outputCap ?? config.limits.maxOutputTokens,
      taskBudget: taskBudget && {
        total: taskBudget.total,
        remaining: loop.ledger.taskBudgetRemaining ?? taskBudget.total,
      },
    },
    loop,
  );
}

function afterStreaming(given: DecisionInput, { calls, ended, staged }: EventOf<'streamed'>): Decision {
  const { loop, config, guards } = given;
  const { state } = loop;
  // A good answer: collapses may be staged again.
  const good = withStaged(loop, false);
  if (calls > 0) return perform({ type: 'run_tools' }, good, ended.well ? [] : [{ type: 'drop_unfinished' }]);
  if (ended.well) return perform({ type: 'stop_hooks', stopHookActive: state.stopHookActive }, good);
  const { error } = ended;
  switch (error.class) {
    case 'overflow':
      return config.gates.contextCollapse && staged && guards.mayDrain(loop)
        ? perform({ type: 'drain' }, loop)
        : compactOrRelease(given, 'overflow');
    case 'media':
      return compactOrRelease(given, 'media');
    case 'output_cap':
      if (mayEscalate(given)) {
        return proceed(continueWith('max_output_tokens_escalate', loop, config, {}), [
          { type: 'tombstone_attempt' },
        ]);
      }
      if (guards.mayResume(state, config.limits)) {
        const resumed = continueWith('max_output_tokens_recovery', loop, config, {});
        return proceed(resumed, [{ type: 'keep_partial' }]);
      }
      return stop(loop, { reason: 'completed', truncated: true }, [
        { type: 'keep_partial' },
        ...RELEASE_AND_RUN_HOOKS,
      ]);
    case 'refusal':
      return stop(loop, { reason: 'completed', refused: true }, [{ type: 'release' }]);
    default:
      return stop(loop, { reason: 'api_error', error }, RELEASE_AND_RUN_HOOKS);
  }
}

function withStaged(loop: LoopState, stagedSinceAnswer: boolean): LoopState {
  if (loop.ledger.stagedSinceAnswer === stagedSinceAnswer) return loop;
  return { ...loop, ledger: { ...loop.ledger, stagedSinceAnswer } };
}

/** A cap that the caller gave is a decision of the caller, so only the default cap is raised. */
function mayEscalate({ loop: { state }, config, guards }: DecisionInput): boolean {
  return (
    config.gates.outputEscalation &&
    config.outputCap === undefined &&
    guards.overrideIsFree(state) &&
    guards.nothingResumedYet(state)
  );
}

function compactOrRelease(given: DecisionInput, cause: OverflowCause): Decision {
  const { loop, config, guards } = given;
  if (config.gates.reactiveCompact && guards.mayCompact(loop))
    return perform({ type: 'compact', cause, lineage: lineageOf(loop.state) }, loop);
  return releaseOverflow(given, cause);
}

function releaseOverflow({ loop }: DecisionInput, cause: OverflowCause): Decision {
  const terminal: Terminal =
    cause === 'overflow'
      ? { reason: 'prompt_too_long' }
      : { reason: 'image_error', message: 'The request holds media that could not be made to fit.' };
  return stop(loop, terminal, RELEASE_AND_RUN_HOOKS);
}

function afterStopHooks({ loop, config, guards }: DecisionInput, event: EventOf<'hooks_ran'>): Decision {
  const [blocking] = event.blocking;
  if (event.prevented) return preventedBy(loop, event.prevented.hook, event.prevented.message);
  if (blocking) {
    if (guards.mayBlockAgain(loop, config.limits))
      return proceed(continueWith('stop_hook_blocking', loop, config, {}));
    const blocks = loop.ledger.stopHookBlocks;
    return preventedBy(
      loop,
      blocking.hook,
      `It blocked the end of the run ${blocks} times: ${blocking.message}`,
    );
  }
  if (config.gates.tokenBudget && config.tokenBudget && !config.isSubagent) {
    const verdict = checkBudget(
      loop.ledger.budget,
      event,
      config.tokenBudget,
      config.limits,
      guards.gainsDiminish,
    );
    return verdict.continues
      ? proceed(continueWith('token_budget_continuation', loop, config, verdict))
      : stop(loop, { reason: 'completed', budget: verdict.report });
  }
  return stop(loop, { reason: 'completed' });
}

function preventedBy(loop: LoopState, hook: string, message: string): Decision {
  return stop(loop, { reason: 'stop_hook_prevented', hook, message }, [
    { type: 'notify', notice: { about: 'stop_hook_prevented', hook, message } },
  ]);
}

function afterTools(
  given: DecisionInput,
  { calls, stoppedBy, contextChanged }: EventOf<'tools_ran'>,
): Decision {
  const { config, guards } = given;
  const { state, ledger } = given.loop;
  const { limits, gates } = config;
  const repetition = gates.repetition ? noteCalls(ledger.repetition, calls) : [];
  const toolUseContext = state.toolUseContext + Number(contextChanged);
  const loop: LoopState = { state: { ...state, toolUseContext }, ledger: { ...ledger, repetition } };
  if (stoppedBy) {
    return stop(loop, { reason: 'hook_stopped', ...stoppedBy }, [
      { type: 'notify', notice: { about: 'hook_stopped', ...stoppedBy } },
    ]);
  }
  if (repetition.some((call) => guards.repeatsTooOften(call.count, limits))) {
    const circle = repeated(repetition, limits.repetitionNudge);
    return config.canAsk ? perform({ type: 'ask', calls: circle }, loop) : stopRepeating(given, loop);
  }
  const now = new Set(calls.map((call) => call.fingerprint));
  const nudge = repetition.filter(
    (call) => call.count === limits.repetitionNudge && now.has(call.fingerprint),
  );
  return attach(
    given,
    loop,
    nudge.map(({ tool, count }) => ({ tool, count })),
  );
}

function attach(
  { config, guards }: DecisionInput,
  loop: LoopState,
  nudge: readonly RepeatedCall[],
): Decision {
  // A run that may not call the model again must leave queued prompts in the queue.
  const drainQueue = guards.mayTakeAnotherTurn(loop.state, config.maxTurns);
  return perform({ type: 'attach', drainQueue, nudge }, loop);
}

function stopRepeating({ config }: DecisionInput, loop: LoopState): Decision {
  const calls = repeated(loop.ledger.repetition, config.limits.repetitionNudge);
  return stop(loop, { reason: 'repetition_stopped', calls }, [
    { type: 'notify', notice: { about: 'repetition', calls } },
  ]);
}

function afterAttaching({ loop, config, guards }: DecisionInput): Decision {
  const { maxTurns } = config;
  if (maxTurns && !guards.mayTakeAnotherTurn(loop.state, maxTurns)) {
    // The turn that would come next is the one that is not taken.
    const turnCount = loop.state.turnCount + 1;
    return stop(loop, { reason: 'max_turns', turnCount, maxTurns }, [
      { type: 'notify', notice: { about: 'max_turns', maxTurns, turnCount } },
    ]);
  }
  return proceed(continueWith('next_turn', loop, config, {}));
}

function afterThrow({ loop }: DecisionInput, { media, message }: EventOf<'threw'>): Decision {
  return stop(loop, { reason: media ? 'image_error' : 'model_error', message }, [
    { type: 'close_open_calls', why: 'failed' },
    { type: 'notify', notice: { about: 'thrown', message } },
  ]);
}

function phaseOf(event: Exclude<MachineEvent, { type: 'began' }>): 'streaming' | 'tools' {
  const at = event.type === 'threw' ? event.during : event.type;
  switch (at) {
    case 'tools_ran':
    case 'attached':
    case 'asked':
    case 'run_tools':
    case 'attach':
    case 'ask':
      return 'tools';
    default:
      return 'streaming';
  }
}

const RELEASE_AND_RUN_HOOKS: readonly Step[] = [{ type: 'release' }, { type: 'fire_stop_failure' }];

function perform(effect: Effect, loop: LoopState, first: readonly Step[] = []): Decision {
  return { kind: 'do', effect, loop, first };
}

function proceed(loop: ContinueDecision, first: readonly Step[] = []): Decision {
  return { kind: 'continue', transition: loop.state.transition, loop, first };
}

function stop(loop: LoopState, terminal: Terminal, first: readonly Step[] = []): Decision {
  return { kind: 'stop', terminal, loop, first };
}
