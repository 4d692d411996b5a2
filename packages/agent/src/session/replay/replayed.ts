/** Reads a log and traces the state machine through it. */
import {
  type ConfigChanges,
  type Entry,
  errorMessage,
  type QueryConfig,
  queryConfig,
  type RecordedRun,
  recordedRuns,
  type TracedIteration,
  traceIterations,
  traceRun,
} from '@heddle/core';
import { decodedLines } from '../codec/read-lines.ts';

export interface ReplayedLog {
  readonly file: string;
  readonly entries: readonly Entry[];
  /** Lines of the log that could not be read. */
  readonly damaged: number;
  readonly runs: readonly TracedRun[];
}

/** Returns an error message if there is nothing to replay. */
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
  if (entries.length === 0) return `${file} is not a session log`;
  return { file, entries, damaged, runs: [...recordedRuns(entries)].map(traceWithSettings) };
}

export function sessionName(file: string): string {
  return file.replace(/^.*[/\\]/, '').replace(/\.jsonl$/, '');
}

export function hasDiverged({ runs }: ReplayedLog): boolean {
  return runs.some(({ iterations }) => iterations.some(({ verdict }) => verdict === 'parted'));
}

// A log does not contain the configuration of its runs. So each run is replayed with the default settings first, and then
// with settings that a host or user may have changed. The run diverges only if the machine disagrees with all of them.

export interface TracedRun {
  readonly iterations: readonly TracedIteration[];
  /** The settings that differ from the defaults; empty if none do. */
  readonly settings: string;
}

const CHANGES: readonly { readonly name: string; readonly change: ConfigChanges }[] = [
  { name: '', change: {} },
  { name: 'context collapse on', change: { gates: { contextCollapse: true } } },
  { name: 'a user to ask', change: { canAsk: true } },
  { name: 'no raised output cap', change: { gates: { outputEscalation: false } } },
  { name: 'no autocompact', change: { gates: { autoCompact: false } } },
  { name: 'no compaction for errors', change: { gates: { reactiveCompact: false } } },
  { name: 'no compaction', change: { gates: { autoCompact: false, reactiveCompact: false } } },
  { name: 'no repetition check', change: { gates: { repetition: false } } },
];

function traceWithSettings(run: RecordedRun): TracedRun {
  const { config, settings } = findSettings(run);
  return { iterations: traceRun(run, config), settings };
}

/** The settings that explain a run, and their description. It is empty for the defaults. */
interface FoundSettings {
  readonly config: QueryConfig;
  readonly settings: string;
}

/** Returns the first settings with which the machine decides as recorded, or the defaults if there are none. */
export function findSettings(run: RecordedRun): FoundSettings {
  const tokenBudget = budgetOf(run);
  const budget = tokenBudget === undefined ? [] : [`a token budget of ${tokenBudget}`];
  for (const { name, change } of CHANGES) {
    const config = queryConfig({ sessionId: '', ...change, tokenBudget });
    if (isExplained(run, config))
      return { config, settings: [...(name === '' ? [] : [name]), ...budget].join(', ') };
  }
  return { config: queryConfig({ sessionId: '', tokenBudget }), settings: '' };
}

function isExplained(run: RecordedRun, config: QueryConfig): boolean {
  for (const { verdict } of traceIterations(run, config)) if (verdict === 'parted') return false;
  return true;
}

/** Finds the roundest token budget that matches the recorded percentages. */
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
