/**
 * The walk of the machine through a log, step by step: what is known to have happened is fed to `decide` again, and each of
 * its answers is kept with the guards that it asked. Where the log leaves something open, every possibility is followed; of
 * those that lead where the log went, the first is told.
 */
import type { QueryConfig } from '../machine/config.ts';
import { decide, type Decision } from '../machine/decide.ts';
import { GUARDS, type Guards } from '../machine/guards.ts';
import type { Happened } from '../machine/happened.ts';
import { firstTurn, type Turn } from '../machine/state.ts';
import { possible } from './possible.ts';
import type { Decided, RecordedIteration, RecordedRun } from './recorded.ts';

export interface TracedStep {
  /** As the machine knew it. */
  readonly turn: Turn;
  readonly happened: Happened;
  /** The guards that were asked, in order, with their answers. */
  readonly guards: readonly { readonly guard: keyof Guards; readonly answer: boolean }[];
  readonly decision: Decision;
}

export interface TracedIteration {
  readonly recorded: RecordedIteration;
  /**
   * `confirmed`: the machine decides what was recorded. `parted`: it does not. `undecided`: the log breaks off here, or the
   * engine around the loop ended it. `unchecked`: it began in a state that nobody knows.
   */
  readonly verdict: 'confirmed' | 'parted' | 'undecided' | 'unchecked';
  /** The way to the recorded decision; where there is none, to the first that the machine would have come to. */
  readonly steps: readonly TracedStep[];
  /** What the machine would have decided, where it parts from the log. */
  readonly instead: readonly Decided[];
}

/** `config`: what the run was configured with. A turn limit that ended it and a caller's cap are known from the log. */
export function traceRun(run: RecordedRun, config: QueryConfig): TracedIteration[] {
  const known = configOf(run, config);
  let turns: readonly Turn[] = [firstTurn({ startedAt: 0, autoCompactTracking: run[0]?.compactions })];
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
    const words = wordsOf(decided);
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
export function wordsOf(decided: Decided): string {
  return JSON.stringify(decided, (key, value: unknown) => (key === 'durationMs' ? undefined : value));
}

/** All ways through one iteration. Ends, because the machine's effects lead out of the iteration. */
function walk(
  turn: Turn,
  happened: Happened,
  recorded: RecordedIteration,
  config: QueryConfig,
): readonly TracedStep[][] {
  const { guards, asked } = watchedGuards();
  const decision = decide(turn, happened, config, guards);
  const step: TracedStep = { turn, happened, guards: asked, decision };
  if (decision.kind !== 'do') return [[step]];
  return possible(decision.effect, recorded, config).flatMap((next) =>
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

function isRecorded(type: Happened['type'], { asked, answered, calls, settled }: RecordedIteration): boolean {
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
function isTheEngines(decided: Decided, { asked }: RecordedIteration): boolean {
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
  return wordsOf(decidedBy(steps));
}

/** A walk ends where the iteration does. */
function decidedBy(steps: readonly TracedStep[]): Decided {
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

function distinct(turns: readonly Turn[]): Turn[] {
  return [...new Map(turns.map((turn) => [JSON.stringify(turn), turn])).values()];
}
