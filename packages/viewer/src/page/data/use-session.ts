/** Loads the facts of a session page by page, and then follows its growth. */
import { useEffect, useState } from 'preact/hooks';
import type { ViewerSource } from '../../model/api.ts';
import { type LogFact, withoutRepeatedAnswers } from '../../model/facts.ts';

export interface SessionData {
  readonly facts: readonly LogFact[];
  /** All lines of the log were read once. */
  readonly isComplete: boolean;
  readonly torn: boolean;
  readonly error: string | undefined;
  /** When the log has grown last while it was watched. */
  readonly grewAt: number | undefined;
}

const EMPTY: SessionData = {
  facts: [],
  isComplete: false,
  torn: false,
  error: undefined,
  grewAt: undefined,
};

const AFTER_ERROR_MS = 2_000;

/** While a long log is read, the views are computed again after this time. */
const PUBLISH_MS = 1_000;

export function useSession(source: ViewerSource, id: string): SessionData {
  const [data, setData] = useState<SessionData>(EMPTY);
  useEffect(() => {
    const stop = new AbortController();
    setData(EMPTY);
    void follow(source, id, stop.signal, setData);
    return () => stop.abort();
  }, [source, id]);
  return data;
}

/** Ends when the signal is aborted, or when an exported file was read. */
async function follow(
  source: ViewerSource,
  id: string,
  signal: AbortSignal,
  publish: (data: SessionData) => void,
): Promise<void> {
  let data = EMPTY;
  let from = 0;
  let version: number | undefined;
  let published = 0;
  while (!signal.aborted) {
    try {
      const page = await source.facts(id, from, data.isComplete, signal);
      if (version !== undefined && page.version !== version) {
        data = EMPTY;
        from = 0;
        version = undefined;
        continue;
      }
      version = page.version;
      const hasGrown = page.next > from || page.torn !== data.torn || data.error !== undefined;
      const isFirst = !data.isComplete && !page.more;
      from = page.next;
      if (hasGrown || isFirst) {
        data = {
          facts: page.facts.length > 0 ? withoutRepeatedAnswers(data.facts.concat(page.facts)) : data.facts,
          isComplete: data.isComplete || !page.more,
          torn: page.torn,
          error: undefined,
          grewAt: data.isComplete && page.facts.length > 0 ? Date.now() : data.grewAt,
        };
        const isDue = Date.now() - published > PUBLISH_MS;
        if (data.isComplete || published === 0 || isDue) {
          publish(data);
          published = Date.now();
        }
      }
      if (source.kind === 'file') return;
    } catch (thrown) {
      if (signal.aborted) return;
      data = { ...data, error: thrown instanceof Error ? thrown.message : String(thrown) };
      publish(data);
      const { promise, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, AFTER_ERROR_MS);
      await promise;
    }
  }
}

/** Returns true if the last run has no end and the log grew a short time ago. */
export function isLive({ facts, grewAt }: SessionData, now: number): boolean {
  const last = facts.findLast(({ type }) => type !== 'title');
  if (!last || last.type === 'end') return false;
  return now - Math.max(grewAt ?? 0, last.at) < LIVE_MS;
}

/** A tool may run for minutes without a new line. */
const LIVE_MS = 2 * 60_000;
