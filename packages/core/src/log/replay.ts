/**
 * The replay check: is this log a walk of the machine? What the log tells of each iteration is fed to `decide`, without a model, a
 * clock or a disk; what it was recorded to have decided must be what the machine decides. `trace.ts` shows the walk itself.
 */
import type { QueryConfig } from '../machine/config.ts';
import type { EntryBody } from './entry.ts';
import { recordedRuns } from './recorded.ts';
import { traceRun, wordsOf } from './trace.ts';

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
    for (const [at, { verdict, recorded, instead }] of traceRun(run, config).entries()) {
      if (verdict === 'confirmed') confirmed++;
      if (verdict === 'undecided') undecided++;
      if (verdict !== 'parted' || !recorded.decided) continue;
      mismatches.push({
        run: runs,
        iteration: at + 1,
        recorded: wordsOf(recorded.decided),
        instead: instead.map(wordsOf),
      });
    }
  }
  return { runs, confirmed, undecided, mismatches };
}
