/** The list of all sessions, with a filter. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SessionCard, ViewerSource } from '../../model/api.ts';
import { agoText, countText, dateText, folderName, moneyText, sizeText } from '../data/format.ts';
import { hashOf } from '../data/route.ts';
import { PagesNav } from '../parts/pages-nav.tsx';
import { Problem } from '../parts/problem.tsx';

/** The number of rows at first, and with each press of the button. More rows at once make typing in the filter slow. */
const ROWS = 200;

export function SessionsPage({ source }: { readonly source: ViewerSource }) {
  const [sessions, setSessions] = useState<readonly SessionCard[]>();
  const [error, setError] = useState('');
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState<string>();
  const [rows, setRows] = useState(ROWS);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Heddle sessions';
    source.sessions().then(setSessions, (thrown: unknown) => setError(String(thrown)));
    field.current?.focus();
  }, [source]);
  const shown = useMemo(() => matching(sessions ?? [], filter), [sessions, filter]);
  if (error !== '') return <Problem title="The sessions could not be read." message={error} />;
  const total = shown.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  return (
    <main class="sessions">
      <header class="top">
        <PagesNav current="sessions" />
        <input
          ref={field}
          type="search"
          placeholder="Filter by title, folder or model"
          aria-label="Filter sessions"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <span class="dim">
          {sessions ? `${countText(shown.length)} sessions, ${moneyText(total)}` : 'Reading…'}
        </span>
      </header>
      <ul class="cards">
        {shown.slice(0, rows).map((session) => (
          <SessionItem key={session.id} session={session} chosen={chosen} onChoose={setChosen} />
        ))}
      </ul>
      {sessions?.length === 0 ? (
        <Problem title="There are no sessions yet." message="Start one with: heddle" />
      ) : null}
      {shown.length > rows ? (
        <button type="button" class="more" onClick={() => setRows(rows + ROWS)}>
          Show more ({countText(shown.length - rows)})
        </button>
      ) : null}
      {sessions && sessions.length > 0 && shown.length === 0 ? (
        <p class="dim">No session matches the filter.</p>
      ) : null}
    </main>
  );
}

interface SessionItemProps {
  readonly session: SessionCard;
  /** The session to compare another one with. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

function SessionItem({ session, chosen, onChoose }: SessionItemProps) {
  const { id, title, cwd, model, lastAt, messages, bytes, costUsd, isFork } = session;
  return (
    <li class="card-item">
      <a class="card" href={hashOf({ page: 'session', id, view: 'timeline', line: undefined })}>
        <strong>{title === '' ? id : title}</strong>
        <span class="card-facts">
          <span title={cwd}>{folderName(cwd)}</span>
          <span>{model}</span>
          {isFork ? <span class="chip">fork</span> : null}
        </span>
        <span class="card-numbers">
          <span title={dateText(lastAt)}>{agoText(lastAt, Date.now())}</span>
          <span>{countText(messages)} messages</span>
          <span>{sizeText(bytes)}</span>
          <span class="money">{moneyText(costUsd)}</span>
        </span>
      </a>
      {chosen !== undefined && chosen !== id ? (
        <a class="compare-link" href={hashOf({ page: 'compare', left: chosen, right: id })}>
          compare with this
        </a>
      ) : (
        <button type="button" class="compare-link" onClick={() => onChoose(chosen === id ? undefined : id)}>
          {chosen === id ? 'chosen' : 'compare'}
        </button>
      )}
    </li>
  );
}

function matching(sessions: readonly SessionCard[], filter: string): readonly SessionCard[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return sessions;
  return sessions.filter(({ id, title, cwd, model }) => {
    const text = `${id} ${title} ${cwd} ${model}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
