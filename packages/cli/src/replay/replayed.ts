/** A log and the machine's walk through it. */
import { decodedLines } from '@heddle/agent/sessions';
import {
  type ConfigChanges,
  type Entry,
  errorMessage,
  queryConfig,
  type RecordedRun,
  recordedRuns,
  type TracedIteration,
  traceRun,
} from '@heddle/core';

export interface ReplayedLog {
  readonly file: string;
  readonly entries: readonly Entry[];
  /** Lines of the log that could not be read. */
  readonly damaged: number;
  readonly runs: readonly TracedRun[];
}

/** Answers with a sentence where there is nothing to replay. */
export function replayLog(file: string): ReplayedLog | string {
  const entries: Entry[] = [];
  let damaged = 0;
  try {
    for (const decoded of decodedLines(file)) {
      if (decoded.kind === 'entry') entries.push(decoded.entry);
      if (decoded.kind === 'damaged') damaged++;
    }
  } catch (thrown) {
    return `${file} cannot be read: ${errorMessage(thrown)}`;
  }
  if (entries.length === 0) return `${file} holds no session`;
  return { file, entries, damaged, runs: [...recordedRuns(entries)].map(traceWithSettings) };
}

export function sessionName(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/\.jsonl$/, '');
}

export function hasDiverged({ runs }: ReplayedLog): boolean {
  return runs.some(({ iterations }) => iterations.some(({ verdict }) => verdict === 'parted'));
}

// A log does not say how its runs were configured. A run is replayed with the usual settings first, and then with those that a
// host or a user may have changed, until the machine agrees with it: only what no setting explains is a parting.

interface TracedRun {
  readonly iterations: readonly TracedIteration[];
  /** What must have been set otherwise than usual; empty: nothing. */
  readonly settings: string;
}

const CHANGES: readonly { readonly name: string; readonly change: ConfigChanges }[] = [
  { name: '', change: {} },
  { name: 'context collapse on', change: { gates: { contextCollapse: true } } },
  { name: 'somebody to ask', change: { canAsk: true } },
  { name: 'no raised output cap', change: { gates: { outputEscalation: false } } },
  { name: 'no autocompact', change: { gates: { autoCompact: false } } },
  { name: 'no compaction for errors', change: { gates: { reactiveCompact: false } } },
  { name: 'no compaction', change: { gates: { autoCompact: false, reactiveCompact: false } } },
  { name: 'no watch on repetition', change: { gates: { repetition: false } } },
];

function traceWithSettings(run: RecordedRun): TracedRun {
  const budget = budgetOf(run);
  const tried = CHANGES.map(({ name, change }) => ({
    settings: [
      ...(name === '' ? [] : [name]),
      ...(budget === undefined ? [] : [`a token budget of ${budget}`]),
    ].join(', '),
    trace: () => traceRun(run, queryConfig({ sessionId: '', ...change, tokenBudget: budget })),
  }));
  for (const { settings, trace } of tried) {
    const iterations = trace();
    if (iterations.every(({ verdict }) => verdict !== 'parted')) return { iterations, settings };
  }
  return { iterations: tried[0]?.trace() ?? [], settings: '' };
}

/** The roundest token budget that gives the recorded percentages. */
function budgetOf(run: RecordedRun): number | undefined {
  let least = 0;
  let most = Number.POSITIVE_INFINITY;
  for (const { decided, outputTokens } of run) {
    const percent = percentOf(decided);
    const tokens = outputTokens[0] ?? 0;
    if (percent === undefined || tokens === 0) continue;
    least = Math.max(least, Math.floor((100 * tokens) / (percent + 1)) + 1);
    if (percent > 0) most = Math.min(most, Math.floor((100 * tokens) / percent));
  }
  if (least === 0) return undefined;
  for (let unit = 10 ** Math.ceil(Math.log10(least + 1)); unit >= 1; unit /= 10) {
    const rounded = Math.ceil(least / unit) * unit;
    if (rounded <= most) return rounded;
  }
  return undefined;
}

function percentOf(decided: RecordedRun[number]['decided']): number | undefined {
  if (decided?.kind === 'continue') {
    const { transition } = decided;
    return transition.reason === 'token_budget_continuation' ? transition.percentUsed : undefined;
  }
  const terminal = decided?.terminal;
  return terminal?.reason === 'completed' ? terminal.budget?.percentUsed : undefined;
}
