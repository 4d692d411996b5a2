/** Figures over all sessions: cost per day and per project, the longest turns, the most common failures. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { SessionCard, ViewerSource } from '../../model/api.ts';
import { statisticsOf, type StatisticsEntry } from '../../model/statistics.ts';
import { countText, durationText, folderName, moneyText, visibleText, words } from '../data/format.ts';
import { hashOf } from '../data/route.ts';
import { PagesNav } from '../parts/pages-nav.tsx';

/** Older sessions are left out, because each file is read as a whole. */
const MAX_SESSIONS = 300;

/** The page shows the figures again after this number of sessions. */
const PUBLISH_EVERY = 10;

export function StatisticsPage({ source }: { readonly source: ViewerSource }) {
  const [entries, setEntries] = useState<readonly StatisticsEntry[]>([]);
  const [total, setTotal] = useState<number>();
  useEffect(() => {
    document.title = 'Heddle statistics';
    const stop = new AbortController();
    void load(source, stop.signal, setTotal, setEntries);
    return () => stop.abort();
  }, [source]);
  const { days, projects, longest, failures, recoveries, costUsd, turns } = useMemo(
    () => statisticsOf(entries),
    [entries],
  );
  return (
    <main class="sessions">
      <header class="top">
        <PagesNav current="statistics" />
        <span class="dim" role="status">
          {total === undefined || entries.length < total
            ? `Reading ${countText(entries.length)} of ${countText(total ?? 0)}…`
            : `${entries.length === MAX_SESSIONS ? 'the newest ' : ''}${countText(entries.length)} sessions, ${countText(turns)} turns, ${moneyText(costUsd)}`}
        </span>
      </header>
      <div class="panels">
        <BarList title="Cost per day" rows={days} format={moneyText} />
        <BarList
          title="Cost per project"
          rows={projects.map(({ name, value }) => ({ name: folderName(name), value }))}
          format={moneyText}
        />
        <BarList title="Failures" rows={failures} format={countText} />
        <BarList title="Recoveries and compactions" rows={recoveries} format={countText} />
      </div>
      <h2>Longest turns</h2>
      <ul class="changes">
        {longest.map(({ id, prompt, line, ms, costUsd: cost }) => (
          <li key={`${id} ${line}`}>
            <a class="change" href={hashOf({ page: 'session', id, view: 'timeline', line })}>
              <b>{durationText(ms)}</b>
              <span>{visibleText(prompt)}</span>
              <span class="dim">{moneyText(cost)}</span>
            </a>
          </li>
        ))}
      </ul>
    </main>
  );
}

interface BarListProps {
  readonly title: string;
  readonly rows: readonly { readonly name: string; readonly value: number }[];
  readonly format: (value: number) => string;
}

function BarList({ title, rows, format }: BarListProps) {
  const most = rows.reduce((largest, { value }) => Math.max(largest, value), 0);
  return (
    <section class="panel">
      <h2>{title}</h2>
      {rows.length === 0 ? <p class="dim">none</p> : null}
      <ul>
        {rows.slice(0, 14).map(({ name, value }) => (
          <li key={name} class="bar-row">
            <span class="bar-name" title={name}>
              {visibleText(words(name))}
            </span>
            <span class="bar-space">
              <i style={{ width: `${most === 0 ? 0 : (100 * value) / most}%` }} />
            </span>
            <span class="bar-value">{format(value)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Reads one session after the other, newest first, so that the server stays free for other requests. */
async function load(
  source: ViewerSource,
  signal: AbortSignal,
  setTotal: (count: number) => void,
  publish: (entries: readonly StatisticsEntry[]) => void,
): Promise<void> {
  const sessions: readonly SessionCard[] = (await source.sessions()).slice(0, MAX_SESSIONS);
  setTotal(sessions.length);
  const entries: StatisticsEntry[] = [];
  for (const { id, cwd } of sessions) {
    try {
      const digest = await source.digest(id, signal);
      entries.push({ id, cwd, digest });
    } catch {
      // The session was deleted, or cannot be read. The others still count.
      setTotal(sessions.length - 1);
    }
    if (signal.aborted) return;
    if (entries.length % PUBLISH_EVERY === 0) publish([...entries]);
  }
  setTotal(entries.length);
  publish([...entries]);
}
