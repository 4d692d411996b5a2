/** Loads the decisions of a run page by page, and again when the run has grown. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ViewerSource } from '../../model/api.ts';
import type { DecisionPage, RunDecisions } from '../../model/decisions.ts';

export interface LoadedDecisions extends RunDecisions {
  /** The number of decisions of the run. Some may not be loaded yet. */
  readonly stepCount: number;
}

interface Loaded {
  readonly decisions: LoadedDecisions | undefined;
  readonly error: string;
}

const NOTHING: Loaded = { decisions: undefined, error: '' };

/** A run that grows is replayed again after this pause, and after twice the time that the last replay took. */
const SHORTEST_PAUSE_MS = 1_000;

/** `lastLine`: the last line of the run. Undefined if there is no run. */
export function useDecisions(
  source: ViewerSource,
  id: string,
  run: number,
  lastLine: number | undefined,
): Loaded {
  const [loaded, setLoaded] = useState(NOTHING);
  const wanted = useRef(lastLine);
  wanted.current = lastLine;
  const hasRun = lastLine !== undefined;
  useEffect(() => {
    if (!hasRun) return;
    const stop = new AbortController();
    const { signal } = stop;
    setLoaded(NOTHING);
    void follow().catch((thrown: unknown) => {
      if (!signal.aborted) setLoaded({ decisions: undefined, error: messageOf(thrown) });
    });
    return () => stop.abort();

    async function follow(): Promise<void> {
      let decisions: LoadedDecisions | undefined;
      for (let line = -1; !signal.aborted; ) {
        if (wanted.current === undefined || wanted.current <= line) {
          await pause(SHORTEST_PAUSE_MS, signal);
          continue;
        }
        line = wanted.current;
        const began = Date.now();
        decisions = await load(decisions, line);
        if (source.kind === 'file') return;
        await pause(Math.max(SHORTEST_PAUSE_MS, 2 * (Date.now() - began)), signal);
      }
    }

    /** Iterations that were complete before stay as they are. */
    async function load(
      before: LoadedDecisions | undefined,
      line: number,
    ): Promise<LoadedDecisions | undefined> {
      let decisions = before;
      let from: number | null = Math.max(0, (before?.iterations.length ?? 0) - 1);
      while (from !== null && !signal.aborted) {
        const page: DecisionPage = await source.decisions(id, { run, from, line }, signal);
        decisions = joined(decisions, page, from);
        from = page.next;
        if (!signal.aborted) setLoaded({ decisions, error: '' });
      }
      return decisions;
    }
  }, [source, id, run, hasRun]);
  return loaded;
}

/** Replaces the iterations from `from` on by those of the page. */
function joined(before: LoadedDecisions | undefined, page: DecisionPage, from: number): LoadedDecisions {
  const { run, settings, stepCount } = page;
  const steps = (before?.steps ?? []).filter(({ iteration }) => iteration <= from);
  const iterations = (before?.iterations ?? []).slice(0, from);
  return {
    run,
    settings,
    stepCount,
    steps: steps.concat(page.steps),
    iterations: iterations.concat(page.iterations),
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
