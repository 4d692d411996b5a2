/**
 * Answers requests for the decisions of a run, in pages. One run at a time is replayed, in slices, so that other requests are
 * answered in between. The last replay stays in memory as JSON.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EntryBody, recordedRuns } from '@heddle/core';
import type { WantedDecisions } from '../model/api.ts';
import { decisionsOf, type EntryLines } from '../read/run-decisions.ts';
import { smallEntry } from '../read/small-entry.ts';
import { releaseMemory } from '../read/release-memory.ts';
import type { SessionIndex } from '../read/session-index.ts';

interface Replay {
  readonly index: SessionIndex;
  /** The version of the file. */
  readonly version: number;
  readonly run: number;
  readonly lineCount: number;
  readonly settings: string;
  /** The JSON of each iteration, and of its steps. */
  readonly iterations: readonly { readonly text: string; readonly steps: string }[];
  readonly stepCount: number;
}

const PAGE_ITERATIONS = 400;
const SLICE_LINES = 200;
const SLICE_ITERATIONS = 50;
/** The steps of this number of iterations leave about 20 MB of garbage. */
const RELEASE_ITERATIONS = 1_000;

export class RunReplays {
  #last: Replay | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** Returns a `DecisionPage` as JSON. Returns undefined if there is no such run, or if the signal is aborted. */
  page(index: SessionIndex, query: WantedDecisions, signal: AbortSignal): Promise<string | undefined> {
    const answer = this.#queue.then(() => this.#answer(index, query, signal));
    this.#queue = answer.catch(() => undefined);
    return answer;
  }

  async #answer(
    index: SessionIndex,
    { run, from, line }: WantedDecisions,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const known = this.#last;
    const isSame = known?.index === index && known.version === index.version && known.run === run;
    if (isSame && known.lineCount > line) return pageOf(known, from);
    // The old replay and the new one do not need memory at the same time.
    this.#last = undefined;
    this.#last = await replayRun(index, run, signal);
    return this.#last && pageOf(this.#last, from);
  }
}

async function replayRun(index: SessionIndex, run: number, signal: AbortSignal): Promise<Replay | undefined> {
  const { version } = index;
  const lines: EntryLines = new WeakMap();
  const entries: EntryBody[] = [];
  let lineCount = 0;
  for (const { line, decoded } of index.lines(0)) {
    if (line % SLICE_LINES === 0) await nextTurn();
    if (signal.aborted) return undefined;
    lineCount = line + 1;
    if (decoded.kind !== 'entry') continue;
    const small = smallEntry(decoded.entry);
    lines.set(small, line);
    entries.push(small);
  }
  const recorded = [...recordedRuns(entries)][run];
  if (!recorded) return undefined;
  const decisions = decisionsOf(recorded, lines);
  const iterations: { readonly text: string; readonly steps: string }[] = [];
  let stepCount = 0;
  for (const { iteration, steps } of decisions.iterations) {
    if (iterations.length % SLICE_ITERATIONS === 0) await nextTurn();
    if (iterations.length % RELEASE_ITERATIONS === 0) releaseMemory();
    if (signal.aborted) return undefined;
    stepCount += steps.length;
    iterations.push({ text: JSON.stringify(iteration), steps: JSON.stringify(steps).slice(1, -1) });
  }
  return { index, version, run, lineCount, settings: decisions.settings, iterations, stepCount };
}

function pageOf({ run, settings, stepCount, iterations }: Replay, from: number): string {
  const own = iterations.slice(from, from + PAGE_ITERATIONS);
  const end = from + own.length;
  const next = end < iterations.length ? end : null;
  const steps = own.flatMap((one) => (one.steps === '' ? [] : [one.steps])).join(',');
  const texts = own.map(({ text }) => text).join(',');
  const rest = JSON.stringify({ run, settings, stepCount, next }).slice(0, -1);
  return `${rest},"steps":[${steps}],"iterations":[${texts}]}`;
}
