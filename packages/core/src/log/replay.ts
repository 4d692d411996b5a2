/**
 * Checks a log against the machine. The recorded facts of each iteration are passed to `decide`, without a model, a clock or a
 * disk. The machine must come to the recorded decision. `traceRun` returns every step.
 */
import type { AbortCause } from '../abort.ts';
import type { QueryConfig } from '../machine/config.ts';
import { decide, type Decision } from '../machine/decide.ts';
import type { AutoCompactResult, Effect, HookMessage, MachineEvent, StreamEnd } from '../machine/effects.ts';
import { GUARDS, type Guards } from '../machine/guards.ts';
import { initialLoopState, type LoopState } from '../machine/state.ts';
import type { ModelErrorClass } from '../messages/model-error.ts';
import type { EntryBody } from './entry.ts';
import { type RecordedDecision, type RecordedIteration, type RecordedRun, recordedRuns } from './recorded.ts';

export interface ReplayResult {
  readonly runs: number;
  /** Iterations whose recorded decision the machine confirms. */
  readonly confirmed: number;
  /** Iterations without a decision of the machine: the log ends in them, or the engine ended the run. */
  readonly undecided: number;
  readonly mismatches: readonly Mismatch[];
}

export interface Mismatch {
  /** Both counted from 1. */
  readonly run: number;
  readonly iteration: number;
  readonly recorded: string;
  /** The decisions of the machine. */
  readonly instead: readonly string[];
}

/** `config` is the configuration of the runs. A turn limit that ended a run is taken from the log. */
export function replayLogEntries(entries: Iterable<EntryBody>, config: QueryConfig): ReplayResult {
  const mismatches: Mismatch[] = [];
  let runs = 0;
  let confirmed = 0;
  let undecided = 0;
  for (const run of recordedRuns(entries)) {
    runs++;
    for (const [at, { verdict, recorded, instead }] of traceRun(run, config).entries()) {
      if (verdict === 'confirmed') confirmed++;
      if (verdict === 'undecided') undecided++;
      if (verdict !== 'parted' || !recorded.decided) continue;
      mismatches.push({
        run: runs,
        iteration: at + 1,
        recorded: describeStep(recorded.decided),
        instead: instead.map(describeStep),
      });
    }
  }
  return { runs, confirmed, undecided, mismatches };
}

/**
 * Returns every event that an effect can have had according to the log. Recorded facts are fixed: calls and results, the
 * answer, tokens, compaction and draining. All other facts are open: staged collapses, the time of an abort, the texts of
 * hooks. No fact is open that the log could contradict.
 */
function possibleEventsAt(effect: Effect, recorded: RecordedIteration, config: QueryConfig): MachineEvent[] {
  const events = outcomes(effect, recorded, config).flatMap((outcome) => withAborts(outcome, recorded));
  return [...events, ...exceptions(effect, recorded)];
}

function outcomes(effect: Effect, recorded: RecordedIteration, config: QueryConfig): Unwatched[] {
  const { calls, asked, levels, decided, outputTokens } = recorded;
  const terminal = decided?.kind === 'stop' ? decided.terminal : undefined;
  const staged = config.gates.contextCollapse ? EITHER : [false];
  switch (effect.type) {
    case 'prepare':
      // If a limit prevented the call, the log has no call.
      return (asked ? [false] : EITHER).flatMap((overLimit) =>
        autoCompactions(recorded, config).flatMap((autoCompact) =>
          staged.map(
            (one) => ({ type: 'prepared', context: { overLimit, staged: one, autoCompact } }) as const,
          ),
        ),
      );
    case 'stream':
      return streamEnds(recorded).flatMap((ended) =>
        staged.map((one) => ({ type: 'streamed', calls: calls.length, ended, staged: one }) as const),
      );
    case 'drain':
      return [{ type: 'drained', committed: levels.has('drain') }];
    case 'compact':
      return levels.has('reactive_compact')
        ? [{ type: 'compacted', cause: effect.cause, result: { ok: true, id: '', replacedTokens: 0 } }]
        : [{ type: 'compacted', cause: effect.cause, result: { ok: false } }];
    case 'run_tools': {
      const stoppedBy = terminal?.reason === 'hook_stopped' ? hookMessageOf(terminal) : undefined;
      const contextChanged = recorded.entries.some((entry) => entry.type === 'stance');
      return [{ type: 'tools_ran', calls, stoppedBy, contextChanged }];
    }
    case 'ask':
      return EITHER.map((continues) => ({ type: 'asked', continues }));
    case 'attach':
      return [{ type: 'attached' }];
    case 'stop_hooks': {
      const prevented = terminal?.reason === 'stop_hook_prevented' ? hookMessageOf(terminal) : undefined;
      const isBlocked = decided?.kind === 'continue' && decided.transition.reason === 'stop_hook_blocking';
      const blocking = isBlocked ? [ANY_HOOK_MESSAGE] : [];
      return outputTokens.map((tokens) => ({
        type: 'hooks_ran',
        prevented,
        blocking,
        outputTokens: tokens,
        now: 0,
      }));
    }
  }
}

const EITHER: readonly boolean[] = [false, true];
const ANY_HOOK_MESSAGE: HookMessage = { hook: '', message: '' };

/** An event without the field for an abort, which `withAborts` adds. */
type Unwatched = MachineEvent extends infer One
  ? One extends { type: 'began' }
    ? never
    : Omit<One, 'aborted'>
  : never;

function withAborts(outcome: Unwatched, { decided }: RecordedIteration): MachineEvent[] {
  const causes: readonly (AbortCause | undefined)[] = isAbort(decided) ? [undefined, 'cancel'] : [undefined];
  return causes.map((aborted) => Object.assign({}, outcome, { aborted }));
}

function isAbort(decided: RecordedIteration['decided']): boolean {
  if (decided?.kind !== 'stop') return false;
  const { reason } = decided.terminal;
  return reason === 'aborted_streaming' || reason === 'aborted_tools';
}

function autoCompactions(
  { levels, failedLevels }: RecordedIteration,
  { gates }: QueryConfig,
): AutoCompactResult[] {
  if (levels.has('autocompact')) return [{ outcome: 'compacted', id: '', replacedTokens: 0 }];
  if (failedLevels.has('autocompact')) return [{ outcome: 'failed' }];
  return gates.autoCompact ? [{ outcome: 'idle' }, { outcome: 'failed' }] : [{ outcome: 'idle' }];
}

/** A recorded answer ended well, was cut after complete calls, or was a refusal. Without one, the stream ended with an error. */
function streamEnds({ answered, calls, decided }: RecordedIteration): StreamEnd[] {
  const terminal = decided?.kind === 'stop' ? decided.terminal : undefined;
  if (terminal?.reason === 'api_error') return [{ well: false, error: terminal.error }];
  if (!answered) return (isAbort(decided) ? ABORTED_FIRST : LEFT_NO_ANSWER).map(failed);
  return calls.length > 0 ? [{ well: true }] : [{ well: true }, failed('refusal')];
}

const LEFT_NO_ANSWER: readonly ModelErrorClass[] = ['overflow', 'media', 'output_cap', 'aborted'];
/** The abort is the first explanation of an interrupted run, before any error. */
const ABORTED_FIRST: readonly ModelErrorClass[] = ['aborted', 'overflow', 'media', 'output_cap'];

function failed(errorClass: ModelErrorClass): StreamEnd {
  return { well: false, error: { type: 'model_error', class: errorClass, message: '' } };
}

function exceptions({ type }: Effect, { decided }: RecordedIteration): MachineEvent[] {
  if (decided?.kind !== 'stop') return [];
  const { terminal } = decided;
  if (terminal.reason !== 'model_error' && terminal.reason !== 'image_error') return [];
  const media = terminal.reason === 'image_error';
  return [{ type: 'threw', during: type, media, message: terminal.message, aborted: undefined }];
}

function hookMessageOf({ hook, message }: HookMessage): HookMessage {
  return { hook, message };
}

/**
 * One decision of the machine while a log is replayed. If the log leaves a fact open, every possibility is followed. The
 * trace has the first sequence of steps that ends with the recorded decision.
 */
export interface TracedStep {
  /** The state before the decision. */
  readonly loop: LoopState;
  readonly event: MachineEvent;
  /** The guards that `decide` called, in order, with their answers. */
  readonly guards: readonly { readonly guard: keyof Guards; readonly answer: boolean }[];
  readonly decision: Decision;
}

export interface TracedIteration {
  readonly recorded: RecordedIteration;
  /**
   * - `confirmed`: the machine comes to the recorded decision.
   * - `parted`: it does not.
   * - `undecided`: the log ends here, or the engine ended the run.
   * - `unchecked`: the state before the iteration is unknown.
   */
  readonly verdict: 'confirmed' | 'parted' | 'undecided' | 'unchecked';
  /** The steps to the recorded decision. If there are none, the steps to the first possible decision. */
  readonly steps: readonly TracedStep[];
  /** The decisions of the machine, if they differ from the log. */
  readonly instead: readonly RecordedDecision[];
}

/** `config` is the configuration of the run. A turn limit that ended it and a cap of the caller are taken from the log. */
export function traceRun(run: RecordedRun, config: QueryConfig): TracedIteration[] {
  return [...traceIterations(run, config)];
}

/** Traces one iteration after the other. The steps of a run with thousands of iterations take tens of megabytes. */
export function* traceIterations(run: RecordedRun, config: QueryConfig): Generator<TracedIteration> {
  const known = configOf(run, config);
  let turns: readonly LoopState[] = [
    initialLoopState({ startedAt: 0, autoCompactTracking: run[0]?.compactions }),
  ];
  const watch = new GuardWatch();
  const trace = (recorded: RecordedIteration): TracedIteration => {
    const { decided } = recorded;
    if (turns.length === 0) return { recorded, verdict: 'unchecked', steps: [], instead: [] };
    const walks = turns.flatMap((loop) => walk(loop, { type: 'began' }, { recorded, config: known, watch }));
    if (!decided || isDecidedByEngine(decided, recorded)) {
      turns = [];
      const [first = []] = walks;
      const steps = decided ? [] : first.slice(0, recordedSteps(first, recorded));
      return { recorded, verdict: 'undecided', steps, instead: [] };
    }
    const expected = describeStep(decided);
    const matching = walks.filter((steps) => {
      const instead = decidedBy(steps);
      return isSameKind(instead, decided) && describeStep(instead) === expected;
    });
    turns = distinct(
      matching.flatMap((steps) => steps.at(-1)?.decision.loop ?? []),
      known,
    );
    const [first] = matching;
    if (first) return { recorded, verdict: 'confirmed', steps: first, instead: [] };
    return {
      recorded,
      verdict: 'parted',
      steps: walks[0] ?? [],
      instead: [...new Map(walks.map((steps) => [describeWalk(steps), decidedBy(steps)])).values()],
    };
  };
  for (const recorded of run) yield trace(recorded);
}

/** Returns a decision as one line of JSON. Durations are left out, because a replay has no clock. */
function describeStep(decided: RecordedDecision): string {
  return JSON.stringify(decided, (key, value: unknown) => (key === 'durationMs' ? undefined : value));
}

/** A cheap comparison. Most of the followed possibilities end in another decision. */
function isSameKind(one: RecordedDecision, other: RecordedDecision): boolean {
  if (one.kind === 'stop') return other.kind === 'stop' && one.terminal.reason === other.terminal.reason;
  return other.kind === 'continue' && one.transition.reason === other.transition.reason;
}

/** The values that all steps through one iteration share. */
interface Walk {
  readonly recorded: RecordedIteration;
  readonly config: QueryConfig;
  readonly watch: GuardWatch;
}

/** Returns all sequences of steps through one iteration. It ends, because the effects of the machine do not form a cycle. */
function walk(loop: LoopState, event: MachineEvent, shared: Walk): readonly TracedStep[][] {
  const decision = decide(loop, event, shared.config, shared.watch.guards);
  const step: TracedStep = { loop, event, guards: shared.watch.take(), decision };
  if (decision.kind !== 'do') return [[step]];
  return possibleEventsAt(decision.effect, shared.recorded, shared.config).flatMap((next) =>
    walk(decision.loop, next, shared).map((steps) => [step].concat(steps)),
  );
}

/** Notes the guards that a decision calls. */
class GuardWatch {
  #asked: { guard: keyof Guards; answer: boolean }[] = [];
  readonly guards: Guards = {
    mayStage: (loop) => this.#note('mayStage', GUARDS.mayStage(loop)),
    mayDrain: (loop) => this.#note('mayDrain', GUARDS.mayDrain(loop)),
    mayCompact: (loop) => this.#note('mayCompact', GUARDS.mayCompact(loop)),
    overrideIsFree: (state) => this.#note('overrideIsFree', GUARDS.overrideIsFree(state)),
    nothingResumedYet: (state) => this.#note('nothingResumedYet', GUARDS.nothingResumedYet(state)),
    mayResume: (state, limits) => this.#note('mayResume', GUARDS.mayResume(state, limits)),
    mayBlockAgain: (loop, limits) => this.#note('mayBlockAgain', GUARDS.mayBlockAgain(loop, limits)),
    mayAutoCompact: (state, limits) => this.#note('mayAutoCompact', GUARDS.mayAutoCompact(state, limits)),
    mayTakeAnotherTurn: (state, maxTurns) =>
      this.#note('mayTakeAnotherTurn', GUARDS.mayTakeAnotherTurn(state, maxTurns)),
    repeatsTooOften: (count, limits) => this.#note('repeatsTooOften', GUARDS.repeatsTooOften(count, limits)),
    gainsDiminish: (ledger, gained, limits) =>
      this.#note('gainsDiminish', GUARDS.gainsDiminish(ledger, gained, limits)),
  };

  /** Returns the guards of the last decision. */
  take(): TracedStep['guards'] {
    const asked = this.#asked;
    this.#asked = [];
    return asked;
  }

  #note(guard: keyof Guards, answer: boolean): boolean {
    this.#asked.push({ guard, answer });
    return answer;
  }
}

/** The number of steps that the log of an unfinished run confirms. */
function recordedSteps(steps: readonly TracedStep[], recorded: RecordedIteration): number {
  const unknown = steps.findIndex(({ event }) => !isRecorded(event.type, recorded));
  return unknown < 0 ? steps.length : unknown;
}

function isRecorded(
  type: MachineEvent['type'],
  { asked, answered, calls, settled }: RecordedIteration,
): boolean {
  switch (type) {
    case 'began':
      return true;
    case 'prepared':
      return asked;
    case 'streamed':
      return answered;
    case 'tools_ran':
      return calls.length > 0 && settled;
    default:
      return false;
  }
}

/**
 * Returns true if the engine ended the run. Only the engine knows prices, so it checks the budget in dollars. A hook that ends
 * a run before the first model call belongs to an open call of an earlier run.
 */
function isDecidedByEngine(decided: RecordedDecision, { asked }: RecordedIteration): boolean {
  if (decided.kind !== 'stop') return false;
  const { reason } = decided.terminal;
  return reason === 'max_budget_usd' || (reason === 'hook_stopped' && !asked);
}

function configOf(run: RecordedRun, config: QueryConfig): QueryConfig {
  const last = run.at(-1)?.decided;
  const maxTurns =
    last?.kind === 'stop' && last.terminal.reason === 'max_turns' ? last.terminal.maxTurns : config.maxTurns;
  const outputCap = config.outputCap ?? (hasCallersCap(run) ? config.limits.maxOutputTokens : undefined);
  return { ...config, maxTurns, outputCap };
}

/** Returns true if a cut answer was resumed or ended the run, and the cap was never raised. The caller had set the cap. */
function hasCallersCap(run: RecordedRun): boolean {
  const reasons = new Set(
    run.flatMap(({ decided }) => (decided?.kind === 'continue' ? [decided.transition.reason] : [])),
  );
  const end = run.at(-1)?.decided;
  const wasCut =
    reasons.has('max_output_tokens_recovery') ||
    (end?.kind === 'stop' && end.terminal.reason === 'completed' && end.terminal.truncated === true);
  return wasCut && !reasons.has('max_output_tokens_escalate');
}

function describeWalk(steps: readonly TracedStep[]): string {
  return describeStep(decidedBy(steps));
}

/** The decision at the end of an iteration. */
function decidedBy(steps: readonly TracedStep[]): RecordedDecision {
  const decision = steps.at(-1)?.decision;
  switch (decision?.kind) {
    case 'stop':
      return { kind: 'stop', terminal: decision.terminal };
    case 'continue':
      return {
        kind: 'continue',
        transition: decision.transition,
        turnCount: decision.loop.state.turnCount,
      };
    default:
      throw new Error('An iteration ended with an effect.');
  }
}

/**
 * Returns one of the states that no later decision can distinguish: the first. Without this, a failed compaction that the log does
 * not show would be possible in each iteration, and the number of states would grow with the square of the iterations.
 */
function distinct(turns: readonly LoopState[], { limits }: QueryConfig): readonly LoopState[] {
  if (turns.length < 2) return turns;
  const found = new Map<string, LoopState>();
  for (const loop of turns) {
    const { autoCompactTracking, ...state } = loop.state;
    const failures = autoCompactTracking?.consecutiveFailures ?? 0;
    // The breaker opens at the limit. More failures and the age of a compaction change no decision.
    const breaker = Math.min(failures, limits.autoCompactFailures);
    const key = JSON.stringify([breaker, state, loop.ledger]);
    if (!found.has(key)) found.set(key, loop);
  }
  return [...found.values()];
}
