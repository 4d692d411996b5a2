/**
 * The replay check: is this log a walk of the machine? What the log tells of each iteration is fed to `decide`, without a model, a
 * clock or a disk; what it was recorded to have decided must be what the machine decides. `trace.ts` shows the walk itself.
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
  /** Iterations that the log breaks off in, or that the engine around the loop ended: nothing of the machine's to compare. */
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

/** `config`: what the runs were configured with. A turn limit that ended a run is known from the log itself. */
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

// The events that an effect can have had, as far as the log tells. Recorded facts are fixed: calls and their results, whether
// the answer counted, tokens, what compaction and draining did. Everything else is left open: whether collapses were
// staged, when an abort came, which words a hook used. Nothing is left open that the log could contradict.

function possibleEventsAt(effect: Effect, recorded: RecordedIteration, config: QueryConfig): MachineEvent[] {
  const thrown = exceptions(effect, recorded);
  const happened = outcomes(effect, recorded, config);
  return [...happened.flatMap((outcome) => withAborts(outcome, recorded)), ...thrown];
}

function outcomes(effect: Effect, recorded: RecordedIteration, config: QueryConfig): Unwatched[] {
  const { calls, asked, levels, decided, outputTokens } = recorded;
  const terminal = decided?.kind === 'stop' ? decided.terminal : undefined;
  const staged = config.gates.contextCollapse ? EITHER : [false];
  switch (effect.type) {
    case 'prepare':
      // A limit that forbade the call leaves no trace of one.
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
      const stoppedBy = terminal?.reason === 'hook_stopped' ? wordOf(terminal) : undefined;
      const contextChanged = recorded.entries.some((entry) => entry.type === 'stance');
      return [{ type: 'tools_ran', calls, stoppedBy, contextChanged }];
    }
    case 'ask':
      return EITHER.map((goOn) => ({ type: 'asked', goOn }));
    case 'attach':
      return [{ type: 'attached' }];
    case 'stop_hooks': {
      const prevented = terminal?.reason === 'stop_hook_prevented' ? wordOf(terminal) : undefined;
      const isBlocked = decided?.kind === 'continue' && decided.transition.reason === 'stop_hook_blocking';
      const blocking = isBlocked ? [SOME_WORD] : [];
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
const SOME_WORD: HookMessage = { hook: '', message: '' };

/** Before it is known whether an abort came. */
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

/** An answer that counted ended well, was cut behind complete calls, or was a refusal; any other ended with an error. */
function streamEnds({ answered, calls, decided }: RecordedIteration): StreamEnd[] {
  const terminal = decided?.kind === 'stop' ? decided.terminal : undefined;
  if (terminal?.reason === 'api_error') return [{ well: false, error: terminal.error }];
  if (!answered) return (isAbort(decided) ? ABORTED_FIRST : LEFT_NO_ANSWER).map(failed);
  return calls.length > 0 ? [{ well: true }] : [{ well: true }, failed('refusal')];
}

const LEFT_NO_ANSWER: readonly ModelErrorClass[] = ['overflow', 'media', 'output_cap', 'aborted'];
/** An interrupted run needs no earlier error as an explanation. */
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

function wordOf({ hook, message }: HookMessage): HookMessage {
  return { hook, message };
}

// The walk of the machine through a log, step by step: what is known to have happened is fed to `decide` again, and each of
// its answers is kept with the guards that it asked. If the log leaves something open, every possibility is followed; of
// those that lead where the log went, the first is told.

export interface TracedStep {
  /** As the machine knew it. */
  readonly turn: LoopState;
  readonly happened: MachineEvent;
  /** The guards that were asked, in order, with their answers. */
  readonly guards: readonly { readonly guard: keyof Guards; readonly answer: boolean }[];
  readonly decision: Decision;
}

export interface TracedIteration {
  readonly recorded: RecordedIteration;
  /**
   * `confirmed`: the machine decides what was recorded. `parted`: it does not. `undecided`: the log breaks off here, or the
   * engine around the loop ended it. `unchecked`: it began in an unknown state.
   */
  readonly verdict: 'confirmed' | 'parted' | 'undecided' | 'unchecked';
  /** The way to the recorded decision; where there is none, to the first that the machine would have come to. */
  readonly steps: readonly TracedStep[];
  /** The decisions of the machine, if they differ from the log. */
  readonly instead: readonly RecordedDecision[];
}

/** `config`: what the run was configured with. A turn limit that ended it and a caller's cap are known from the log. */
export function traceRun(run: RecordedRun, config: QueryConfig): TracedIteration[] {
  const known = configOf(run, config);
  let turns: readonly LoopState[] = [
    initialLoopState({ startedAt: 0, autoCompactTracking: run[0]?.compactions }),
  ];
  return run.map((recorded): TracedIteration => {
    const { decided } = recorded;
    if (turns.length === 0) return { recorded, verdict: 'unchecked', steps: [], instead: [] };
    const walks = turns.flatMap((turn) => walk(turn, { type: 'began' }, recorded, known));
    if (!decided || isTheEngines(decided, recorded)) {
      turns = [];
      const [first = []] = walks;
      const steps = decided ? [] : first.slice(0, recordedSteps(first, recorded));
      return { recorded, verdict: 'undecided', steps, instead: [] };
    }
    const words = describeStep(decided);
    const matching = walks.filter((steps) => wordsOfWalk(steps) === words);
    turns = distinct(matching.flatMap((steps) => steps.at(-1)?.decision.turn ?? []));
    const [first] = matching;
    if (first) return { recorded, verdict: 'confirmed', steps: first, instead: [] };
    return {
      recorded,
      verdict: 'parted',
      steps: walks[0] ?? [],
      instead: [...new Map(walks.map((steps) => [wordsOfWalk(steps), decidedBy(steps)])).values()],
    };
  });
}

/** A decision as one line of JSON. Times are left out: the log's are not the clock's. */
function describeStep(decided: RecordedDecision): string {
  return JSON.stringify(decided, (key, value: unknown) => (key === 'durationMs' ? undefined : value));
}

/** All ways through one iteration. Ends, because the machine's effects lead out of the iteration. */
function walk(
  turn: LoopState,
  happened: MachineEvent,
  recorded: RecordedIteration,
  config: QueryConfig,
): readonly TracedStep[][] {
  const { guards, asked } = watchedGuards();
  const decision = decide(turn, happened, config, guards);
  const step: TracedStep = { turn, happened, guards: asked, decision };
  if (decision.kind !== 'do') return [[step]];
  return possibleEventsAt(decision.effect, recorded, config).flatMap((next) =>
    walk(decision.turn, next, recorded, config).map((steps) => [step].concat(steps)),
  );
}

function watchedGuards(): { readonly guards: Guards; readonly asked: TracedStep['guards'] } {
  const asked: { guard: keyof Guards; answer: boolean }[] = [];
  const noted = (guard: keyof Guards, answer: boolean): boolean => {
    asked.push({ guard, answer });
    return answer;
  };
  const guards: Guards = {
    mayStage: (turn) => noted('mayStage', GUARDS.mayStage(turn)),
    mayDrain: (turn) => noted('mayDrain', GUARDS.mayDrain(turn)),
    mayCompact: (turn) => noted('mayCompact', GUARDS.mayCompact(turn)),
    overrideIsFree: (state) => noted('overrideIsFree', GUARDS.overrideIsFree(state)),
    nothingResumedYet: (state) => noted('nothingResumedYet', GUARDS.nothingResumedYet(state)),
    mayResume: (state, limits) => noted('mayResume', GUARDS.mayResume(state, limits)),
    mayBlockAgain: (turn, limits) => noted('mayBlockAgain', GUARDS.mayBlockAgain(turn, limits)),
    mayAutoCompact: (state, limits) => noted('mayAutoCompact', GUARDS.mayAutoCompact(state, limits)),
    mayTakeAnotherTurn: (state, maxTurns) =>
      noted('mayTakeAnotherTurn', GUARDS.mayTakeAnotherTurn(state, maxTurns)),
    repeatsTooOften: (count, limits) => noted('repeatsTooOften', GUARDS.repeatsTooOften(count, limits)),
    gainsDiminish: (ledger, gained, limits) =>
      noted('gainsDiminish', GUARDS.gainsDiminish(ledger, gained, limits)),
  };
  return { guards, asked };
}

/** How far a walk tells what the log of a run that broke off still shows to have happened. */
function recordedSteps(steps: readonly TracedStep[], recorded: RecordedIteration): number {
  const unknown = steps.findIndex(({ happened }) => !isRecorded(happened.type, recorded));
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
 * The budget in dollars is kept by the engine, which alone knows prices; and where a hook ended a run before the model was
 * asked, it stood around a call that an earlier run had left open.
 */
function isTheEngines(decided: RecordedDecision, { asked }: RecordedIteration): boolean {
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

/** A cut answer was resumed, or ended the run, although the cap was never raised: the caller had set it. */
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

function wordsOfWalk(steps: readonly TracedStep[]): string {
  return describeStep(decidedBy(steps));
}

/** A walk ends where the iteration does. */
function decidedBy(steps: readonly TracedStep[]): RecordedDecision {
  const decision = steps.at(-1)?.decision;
  switch (decision?.kind) {
    case 'stop':
      return { kind: 'stop', terminal: decision.terminal };
    case 'continue':
      return {
        kind: 'continue',
        transition: decision.transition,
        turnCount: decision.turn.state.turnCount,
      };
    default:
      throw new Error('An iteration ended with an effect.');
  }
}

function distinct(turns: readonly LoopState[]): LoopState[] {
  return [...new Map(turns.map((turn) => [JSON.stringify(turn), turn])).values()];
}
