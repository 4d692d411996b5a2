/**
 * The machine: decides what the loop does next, as a pure function over plain data. It reads like a
 * decision table, which `docs/machine.md` prints: one function for each event, one statement for each row. The first row
 * that applies wins.
 */
import type { AbortCause } from '../abort.ts';
import { blockingLimitApplies, GUARDS, type Guards } from './guards.ts';
import { judgeBudget, lineageOf, noteAutoCompact, noteCalls, repeated } from './ledger.ts';
import type { QueryConfig } from './config.ts';
import { type ContinueDecision, continueWith } from './continues.ts';
import type { Effect, MachineEvent, OverflowCause, PreparedContext, Step } from './effects.ts';
import type { LoopState, RepeatedCall, Terminal, Transition } from './state.ts';

/** `first` is done, in order, before the decision takes effect. */
export type Decision =
  | {
      readonly kind: 'do';
      readonly effect: Effect;
      readonly turn: LoopState;
      readonly first: readonly Step[];
    }
  | {
      readonly kind: 'continue';
      readonly transition: Transition;
      readonly turn: LoopState;
      readonly first: readonly Step[];
    }
  | {
      readonly kind: 'stop';
      readonly terminal: Terminal;
      readonly turn: LoopState;
      readonly first: readonly Step[];
    };

type EventOf<T extends MachineEvent['type']> = Extract<MachineEvent, { type: T }>;

interface DecisionInput {
  readonly turn: LoopState;
  readonly config: QueryConfig;
  readonly guards: Guards;
}

/** Total and exhaustive. `guards` is a parameter so that the explorer can take one away and watch the proof fail. */
export function decide(
  turn: LoopState,
  event: MachineEvent,
  config: QueryConfig,
  guards: Guards = GUARDS,
): Decision {
  const given: DecisionInput = { turn, config, guards };
  if (event.type === 'began') return afterBeginning(given);
  if (event.aborted) return afterAbort(given, event.aborted, phaseOf(event));
  switch (event.type) {
    case 'prepared':
      return afterPreparing(given, event.context);
    case 'streamed':
      return afterStreaming(given, event);
    case 'drained':
      return event.committed
        ? proceed(continueWith('collapse_drain_retry', turn, config, {}), [{ type: 'tombstone_attempt' }])
        : compactOrRelease(given, 'overflow');
    case 'compacted':
      return event.result.ok
        ? proceed(continueWith('reactive_compact_retry', turn, config, event.result), [
            { type: 'tombstone_attempt' },
          ])
        : releaseOverflow(given, event.cause);
    case 'hooks_ran':
      return afterStopHooks(given, event);
    case 'tools_ran':
      return afterTools(given, event);
    case 'asked':
      return event.goOn
        ? attach(given, { ...turn, ledger: { ...turn.ledger, repetition: [] } }, [])
        : stopRepeating(given, turn);
    case 'attached':
      return afterAttaching(given);
    case 'threw':
      return afterThrow(given, event);
  }
}

function afterBeginning({ turn, config, guards }: DecisionInput): Decision {
  const autoCompact = config.gates.autoCompact && guards.mayAutoCompact(turn.state, config.limits);
  const stage = config.gates.contextCollapse && guards.mayStage(turn);
  return perform({ type: 'prepare', stage, autoCompact, lineage: lineageOf(turn.state) }, turn);
}

function afterAbort({ turn }: DecisionInput, cause: AbortCause, during: 'streaming' | 'tools'): Decision {
  const say: Step[] = cause === 'interrupt' ? [] : [{ type: 'say', what: { about: 'interrupted', during } }];
  if (during === 'tools') {
    return stop(turn, { reason: 'aborted_tools' }, [
      { type: 'close_open_calls', why: 'interrupted' },
      ...say,
    ]);
  }
  return stop(turn, { reason: 'aborted_streaming' }, [
    { type: 'keep_interrupted' },
    { type: 'close_open_calls', why: 'interrupted' },
    ...say,
  ]);
}

function afterPreparing(given: DecisionInput, context: PreparedContext): Decision {
  const { config, guards } = given;
  const noted = noteAutoCompact(given.turn, context.autoCompact, config);
  const turn = withStaged(noted, config.gates.contextCollapse || noted.ledger.stagedSinceAnswer);
  if (blockingLimitApplies(turn, context, config, guards)) {
    return stop(turn, { reason: 'blocking_limit' }, [{ type: 'say', what: { about: 'prompt_too_long' } }]);
  }
  const { taskBudget } = config;
  return perform(
    {
      type: 'stream',
      maxOutputTokens:
        turn.state.maxOutputTokensOverride ?? config.outputCap ?? config.limits.maxOutputTokens,
      taskBudget: taskBudget && {
        total: taskBudget.total,
        remaining: turn.ledger.taskBudgetRemaining ?? taskBudget.total,
      },
    },
    turn,
  );
}

function afterStreaming(given: DecisionInput, { calls, ended, staged }: EventOf<'streamed'>): Decision {
  const { turn, config, guards } = given;
  const { state } = turn;
  // A good answer: collapses may be staged again.
  const good = withStaged(turn, false);
  if (calls > 0) return perform({ type: 'run_tools' }, good, ended.well ? [] : [{ type: 'drop_unfinished' }]);
  if (ended.well) return perform({ type: 'stop_hooks', stopHookActive: state.stopHookActive }, good);
  const { error } = ended;
  switch (error.class) {
    case 'overflow':
      return config.gates.contextCollapse && staged && guards.mayDrain(turn)
        ? perform({ type: 'drain' }, turn)
        : compactOrRelease(given, 'overflow');
    case 'media':
      return compactOrRelease(given, 'media');
    case 'output_cap':
      if (mayEscalate(given)) {
        return proceed(continueWith('max_output_tokens_escalate', turn, config, {}), [
          { type: 'tombstone_attempt' },
        ]);
      }
      if (guards.mayResume(state, config.limits)) {
        const resumed = continueWith('max_output_tokens_recovery', turn, config, {});
        return proceed(resumed, [{ type: 'keep_partial' }]);
      }
      return stop(turn, { reason: 'completed', truncated: true }, [
        { type: 'keep_partial' },
        ...RELEASE_AND_TELL_HOOKS,
      ]);
    case 'refusal':
      return stop(turn, { reason: 'completed', refused: true }, [{ type: 'release' }]);
    default:
      return stop(turn, { reason: 'api_error', error }, RELEASE_AND_TELL_HOOKS);
  }
}

function withStaged(turn: LoopState, stagedSinceAnswer: boolean): LoopState {
  if (turn.ledger.stagedSinceAnswer === stagedSinceAnswer) return turn;
  return { ...turn, ledger: { ...turn.ledger, stagedSinceAnswer } };
}

/** A cap that the caller gave is a decision of the caller, so only the default cap is raised. */
function mayEscalate({ turn: { state }, config, guards }: DecisionInput): boolean {
  return (
    config.gates.outputEscalation &&
    config.outputCap === undefined &&
    guards.overrideIsFree(state) &&
    guards.nothingResumedYet(state)
  );
}

function compactOrRelease(given: DecisionInput, cause: OverflowCause): Decision {
  const { turn, config, guards } = given;
  if (config.gates.reactiveCompact && guards.mayCompact(turn))
    return perform({ type: 'compact', cause, lineage: lineageOf(turn.state) }, turn);
  return releaseOverflow(given, cause);
}

function releaseOverflow({ turn }: DecisionInput, cause: OverflowCause): Decision {
  const terminal: Terminal =
    cause === 'overflow'
      ? { reason: 'prompt_too_long' }
      : { reason: 'image_error', message: 'The request holds media that could not be made to fit.' };
  return stop(turn, terminal, RELEASE_AND_TELL_HOOKS);
}

function afterStopHooks({ turn, config, guards }: DecisionInput, event: EventOf<'hooks_ran'>): Decision {
  const [blocking] = event.blocking;
  if (event.prevented) return preventedBy(turn, event.prevented.hook, event.prevented.message);
  if (blocking) {
    if (guards.mayBlockAgain(turn, config.limits))
      return proceed(continueWith('stop_hook_blocking', turn, config, {}));
    const blocks = turn.ledger.stopHookBlocks;
    return preventedBy(
      turn,
      blocking.hook,
      `It sent the run back ${blocks} times and would not let go: ${blocking.message}`,
    );
  }
  if (config.gates.tokenBudget && config.tokenBudget && !config.isSubagent) {
    const verdict = judgeBudget(
      turn.ledger.budget,
      event,
      config.tokenBudget,
      config.limits,
      guards.gainsDiminish,
    );
    return verdict.goOn
      ? proceed(continueWith('token_budget_continuation', turn, config, verdict))
      : stop(turn, { reason: 'completed', budget: verdict.report });
  }
  return stop(turn, { reason: 'completed' });
}

function preventedBy(turn: LoopState, hook: string, message: string): Decision {
  return stop(turn, { reason: 'stop_hook_prevented', hook, message }, [
    { type: 'say', what: { about: 'stop_hook_prevented', hook, message } },
  ]);
}

function afterTools(
  given: DecisionInput,
  { calls, stoppedBy, contextChanged }: EventOf<'tools_ran'>,
): Decision {
  const { config, guards } = given;
  const { state, ledger } = given.turn;
  const { limits, gates } = config;
  const repetition = gates.repetition ? noteCalls(ledger.repetition, calls) : [];
  const toolUseContext = state.toolUseContext + Number(contextChanged);
  const turn: LoopState = { state: { ...state, toolUseContext }, ledger: { ...ledger, repetition } };
  if (stoppedBy) {
    return stop(turn, { reason: 'hook_stopped', ...stoppedBy }, [
      { type: 'say', what: { about: 'hook_stopped', ...stoppedBy } },
    ]);
  }
  if (repetition.some((call) => guards.repeatsTooOften(call.count, limits))) {
    const circle = repeated(repetition, limits.repetitionNudge);
    return config.canAsk ? perform({ type: 'ask', calls: circle }, turn) : stopRepeating(given, turn);
  }
  const now = new Set(calls.map((call) => call.fingerprint));
  const nudge = repetition.filter(
    (call) => call.count === limits.repetitionNudge && now.has(call.fingerprint),
  );
  return attach(
    given,
    turn,
    nudge.map(({ tool, count }) => ({ tool, count })),
  );
}

function attach(
  { config, guards }: DecisionInput,
  turn: LoopState,
  nudge: readonly RepeatedCall[],
): Decision {
  // A run that may not call the model again must leave queued commands in the queue.
  const drainQueue = guards.mayTakeAnotherTurn(turn.state, config.maxTurns);
  return perform({ type: 'attach', drainQueue, nudge }, turn);
}

function stopRepeating({ config }: DecisionInput, turn: LoopState): Decision {
  const calls = repeated(turn.ledger.repetition, config.limits.repetitionNudge);
  return stop(turn, { reason: 'repetition_stopped', calls }, [
    { type: 'say', what: { about: 'repetition', calls } },
  ]);
}

function afterAttaching({ turn, config, guards }: DecisionInput): Decision {
  const { maxTurns } = config;
  if (maxTurns && !guards.mayTakeAnotherTurn(turn.state, maxTurns)) {
    // The turn that would come next is the one that is not taken.
    const turnCount = turn.state.turnCount + 1;
    return stop(turn, { reason: 'max_turns', turnCount, maxTurns }, [
      { type: 'say', what: { about: 'max_turns', maxTurns, turnCount } },
    ]);
  }
  return proceed(continueWith('next_turn', turn, config, {}));
}

function afterThrow({ turn }: DecisionInput, { media, message }: EventOf<'threw'>): Decision {
  return stop(turn, { reason: media ? 'image_error' : 'model_error', message }, [
    { type: 'close_open_calls', why: 'failed' },
    { type: 'say', what: { about: 'thrown', message } },
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

const RELEASE_AND_TELL_HOOKS: readonly Step[] = [{ type: 'release' }, { type: 'fire_stop_failure' }];

function perform(effect: Effect, turn: LoopState, first: readonly Step[] = []): Decision {
  return { kind: 'do', effect, turn, first };
}

function proceed(turn: ContinueDecision, first: readonly Step[] = []): Decision {
  return { kind: 'continue', transition: turn.state.transition, turn, first };
}

function stop(turn: LoopState, terminal: Terminal, first: readonly Step[] = []): Decision {
  return { kind: 'stop', terminal, turn, first };
}
