/** Loads the facts of a session's subagents, and follows those that still run. */
import { useEffect, useState } from 'preact/hooks';
import type { SubagentCard, ViewerSource } from '../../model/api.ts';
import type { LogFact } from '../../model/facts.ts';

export interface SubagentData {
  readonly card: SubagentCard;
  readonly facts: readonly LogFact[];
}

/** More subagents would make the picture unreadable. */
const MAX_SUBAGENTS = 20;
/** The pause between two looks. It doubles while nothing changes. */
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 8_000;

/** A subagent without a result and without new lines for this time was cut off. */
const LIVE_MS = 2 * 60_000;
const NONE: readonly SubagentData[] = [];

/** `isSessionLive`: new subagents may start. */
export function useSubagents(
  source: ViewerSource,
  id: string,
  isSessionLive: boolean,
): readonly SubagentData[] {
  const [subagents, setSubagents] = useState(NONE);
  useEffect(() => {
    const stop = new AbortController();
    void follow(source, id, isSessionLive, stop.signal, setSubagents).catch(() => undefined);
    return () => stop.abort();
  }, [source, id, isSessionLive]);
  return subagents;
}

/** Returns true if a subagent has no result and wrote a line a short time ago. */
export function isSubagentLive({ card, facts }: SubagentData, now: number): boolean {
  return card.isOpen && now - (facts.at(-1)?.at ?? 0) < LIVE_MS;
}

/** Ends when nothing can change any more, or when the signal is aborted. */
async function follow(
  source: ViewerSource,
  id: string,
  isSessionLive: boolean,
  signal: AbortSignal,
  publish: (subagents: readonly SubagentData[]) => void,
): Promise<void> {
  const read = new Map<string, ReadFacts>();
  let before = '';
  let pauseMs = SHORTEST_PAUSE_MS;
  while (!signal.aborted) {
    const cards = (await source.subagents(id)).slice(0, MAX_SUBAGENTS);
    const subagents = await Promise.all(
      cards.map(async (card): Promise<SubagentData> => {
        const facts = await readOn(source, card.id, read.get(card.id), signal);
        read.set(card.id, facts);
        return { card, facts: facts.list };
      }),
    );
    const state = JSON.stringify(subagents.map(({ card, facts }) => [card, facts.length]));
    if (state !== before && !signal.aborted) publish(subagents);
    pauseMs = state === before ? Math.min(2 * pauseMs, LONGEST_PAUSE_MS) : SHORTEST_PAUSE_MS;
    before = state;
    const now = Date.now();
    const isChanging = isSessionLive || subagents.some((subagent) => isSubagentLive(subagent, now));
    if (source.kind === 'file' || !isChanging) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, pauseMs);
    await promise;
  }
}

interface ReadFacts {
  readonly list: readonly LogFact[];
  readonly next: number;
  /** Changes if the log was replaced. Then it is read from its beginning. */
  readonly version: number | undefined;
}

const UNREAD: ReadFacts = { list: [], next: 0, version: undefined };

async function readOn(
  source: ViewerSource,
  id: string,
  known: ReadFacts = UNREAD,
  signal: AbortSignal,
): Promise<ReadFacts> {
  const facts = [...known.list];
  let { next, version } = known;
  for (let more = true; more && !signal.aborted; ) {
    const page = await source.facts(id, next, false, signal);
    if (version !== undefined && page.version !== version) return readOn(source, id, UNREAD, signal);
    version = page.version;
    facts.push(...page.facts);
    more = page.more && page.next > next;
    next = page.next;
  }
  return { list: facts.length === known.list.length ? known.list : facts, next, version };
}
