/** Loads the timelines of a session's subagents. */
import { useEffect, useState } from 'preact/hooks';
import type { ViewerSource } from '../../model/api.ts';
import type { LogFact } from '../../model/facts.ts';
import { timelineOf } from '../../model/timeline.ts';
import type { NamedTimeline } from '../../model/timeline-layout.ts';

/** More subagents would make the picture unreadable. */
const MAX_SUBAGENTS = 20;
const NONE: readonly NamedTimeline[] = [];

/** `now` changes while the session is live, and the subagents are read again. */
export function useSubagents(
  source: ViewerSource,
  id: string,
  now: number | undefined,
): readonly NamedTimeline[] {
  const [timelines, setTimelines] = useState(NONE);
  useEffect(() => {
    const stop = new AbortController();
    load(source, id, now, stop.signal).then(
      (list) => (stop.signal.aborted ? undefined : setTimelines(list.length === 0 ? NONE : list)),
      () => undefined,
    );
    return () => stop.abort();
  }, [source, id, now]);
  return timelines;
}

async function load(
  source: ViewerSource,
  id: string,
  now: number | undefined,
  signal: AbortSignal,
): Promise<NamedTimeline[]> {
  const children = await source.subagents(id);
  return Promise.all(
    children.slice(0, MAX_SUBAGENTS).map(async (child) => {
      const facts = await allFacts(source, child, signal);
      const prompt = facts.find((fact) => fact.type === 'message' && fact.kind === 'prompt');
      const name = prompt?.type === 'message' && prompt.label !== '' ? prompt.label : child;
      return { name, timeline: timelineOf(facts, now) };
    }),
  );
}

async function allFacts(source: ViewerSource, id: string, signal: AbortSignal): Promise<LogFact[]> {
  const facts: LogFact[] = [];
  for (let from = 0, more = true; more && !signal.aborted; ) {
    const page = await source.facts(id, from, false, signal);
    facts.push(...page.facts);
    more = page.more && page.next > from;
    from = page.next;
  }
  return facts;
}
