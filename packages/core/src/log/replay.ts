/**
 * The replay check: is this log a walk of the machine? What the log tells of each iteration is fed to `decide`, without a model, a
 * clock or a disk; what it was recorded to have decided must be what the machine decides. Where the log leaves something open,
 * every possibility is followed, and one must lead where the log went.
 */
import type { QueryConfig } from '../machine/config.ts';
import { decide, type Decision } from '../machine/decide.ts';
import type { Happened } from '../machine/happened.ts';
import { firstTurn, type Turn } from '../machine/state.ts';
import type { EntryBody } from './entry.ts';
import { possible } from './possible.ts';
import { type Decided, type RecordedIteration, type RecordedRun, recordedRuns } from './recorded.ts';

export interface Replayed {
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
  /** What the machine would have decided. */
  readonly instead: readonly string[];
}

/** `config`: what the runs were configured with. A turn limit that ended a run is known from the log itself. */
export function replay(entries: Iterable<EntryBody>, config: QueryConfig): Replayed {
  const mismatches: Mismatch[] = [];
  let runs = 0;
  let confirmed = 0;
  let undecided = 0;
  for (const run of recordedRuns(entries)) {
    runs++;
    let turns = [firstTurn({ startedAt: 0 })];
    for (const [index, recorded] of run.entries()) {
      if (!recorded.decided || isTheEngines(recorded.decided)) {
        undecided++;
        break;
      }
      const decisions = turns.flatMap((turn) =>
        walk(turn, { type: 'began' }, recorded, configOf(run, config)),
      );
      const words = wordsOf(recorded.decided);
      const matching = decisions.filter((decision) => wordsOfDecision(decision) === words);
      if (matching.length === 0) {
        const instead = [...new Set(decisions.map(wordsOfDecision))];
        mismatches.push({ run: runs, iteration: index + 1, recorded: words, instead });
        // What follows started from a state that nobody knows.
        break;
      }
      confirmed++;
      turns = distinct(matching.map(({ turn }) => turn));
    }
  }
  return { runs, confirmed, undecided, mismatches };
}

/** All decisions that one iteration can come to. Ends, because the machine's effects lead out of the iteration. */
function walk(turn: Turn, happened: Happened, recorded: RecordedIteration, config: QueryConfig): Decision[] {
  const decision = decide(turn, happened, config);
  if (decision.kind !== 'do') return [decision];
  return possible(decision.effect, recorded, config).flatMap((next) =>
    walk(decision.turn, next, recorded, config),
  );
}

/** The budget in dollars is kept by the engine, which alone knows prices. */
function isTheEngines(decided: Decided): boolean {
  return decided.kind === 'stop' && decided.terminal.reason === 'max_budget_usd';
}

function configOf(run: RecordedRun, config: QueryConfig): QueryConfig {
  const last = run.at(-1)?.decided;
  if (last?.kind !== 'stop' || last.terminal.reason !== 'max_turns') return config;
  return { ...config, maxTurns: last.terminal.maxTurns };
}

function wordsOfDecision(decision: Decision): string {
  if (decision.kind === 'stop') return wordsOf({ kind: 'stop', terminal: decision.terminal });
  const { transition, turnCount } = decision.turn.state;
  return transition ? wordsOf({ kind: 'continue', transition, turnCount }) : 'nothing';
}

/** Times are left out: the log's are not the clock's. */
function wordsOf(decided: Decided): string {
  return JSON.stringify(decided, (key, value: unknown) => (key === 'durationMs' ? undefined : value));
}

function distinct(turns: readonly Turn[]): Turn[] {
  return [...new Map(turns.map((turn) => [JSON.stringify(turn), turn])).values()];
}
