/** One session: its facts in the header, and the views. A wide window shows the transcript beside the other views. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ViewerInfo, ViewerSource } from '../../model/api.ts';
import { cacheShare, requestCosts } from '../../model/money.ts';
import { isFailedEnd, type Run, runsOf } from '../../model/runs.ts';
import { countText, durationText, folderName, moneyText, percentText, words } from '../data/format.ts';
import { go, hashOf, type Route, type ViewName, VIEWS } from '../data/route.ts';
import { useMedia } from '../data/use-media.ts';
import { isLive, type SessionData, useSession } from '../data/use-session.ts';
import { Problem } from '../parts/problem.tsx';
import { MachineView } from './machine-view.tsx';
import { MoneyView } from './money-view.tsx';
import { TimelineView } from './timeline-view.tsx';
import { TranscriptView } from './transcript-view.tsx';
import { WindowView } from './window-view.tsx';

type SessionRoute = Extract<Route, { page: 'session' }>;

interface SessionPageProps {
  readonly source: ViewerSource;
  readonly info: ViewerInfo;
  readonly route: SessionRoute;
}

/** From this width on, the transcript has a column of its own. */
const WIDE = '(min-width: 1200px)';

export function SessionPage({ source, info, route }: SessionPageProps) {
  const { id, view, line } = route;
  const data = useSession(source, id);
  const isWide = useMedia(WIDE);
  useViewKeys(route);
  const select = (selected: number): void =>
    go({ ...route, view: isWide || view === 'transcript' ? view : 'transcript', line: selected });
  if (data.error !== undefined && data.facts.length === 0)
    return <Problem title="The session could not be read." message={data.error} />;
  const transcript = (
    <TranscriptView
      source={source}
      id={id}
      canFork={info.canFork}
      data={data}
      line={line}
      onSelect={select}
    />
  );
  return (
    <div class={isWide && view !== 'transcript' ? 'session split' : 'session'}>
      <SessionHeader data={data} route={route} isFile={source.kind === 'file'} />
      <main class="view" id="view">
        {view === 'transcript' ? transcript : null}
        {view === 'timeline' ? (
          <TimelineView source={source} id={id} data={data} line={line} onSelect={select} />
        ) : null}
        {view === 'window' ? <WindowView data={data} line={line} onSelect={select} /> : null}
        {view === 'machine' ? (
          <MachineView source={source} id={id} data={data} line={line} onSelect={select} />
        ) : null}
        {view === 'money' ? <MoneyView data={data} line={line} onSelect={select} /> : null}
      </main>
      {isWide && view !== 'transcript' ? <aside class="beside">{transcript}</aside> : null}
    </div>
  );
}

interface SessionHeaderProps {
  readonly data: SessionData;
  readonly route: SessionRoute;
  readonly isFile: boolean;
}

function SessionHeader({ data, route, isFile }: SessionHeaderProps) {
  const { facts } = data;
  const runs = useMemo(() => runsOf(facts), [facts]);
  const costs = useMemo(() => requestCosts(facts), [facts]);
  const activeMs = runs.reduce((sum, run) => sum + run.to - run.from, 0);
  const tools = runs.reduce((sum, run) => sum + run.tools, 0);
  const failed = runs.reduce((sum, run) => sum + run.failedTools, 0);
  const titled = facts.findLast((fact) => fact.type === 'title')?.title;
  const title = titled || runs[0]?.prompt || route.id;
  useEffect(() => {
    document.title = `${title} · Heddle`;
  }, [title]);
  return (
    <header class="top">
      <div class="title">
        {isFile ? null : (
          <a class="back" href={hashOf({ page: 'sessions' })} aria-label="All sessions">
            ‹
          </a>
        )}
        <h1 title={title}>{title}</h1>
        <StateChip data={data} last={runs.at(-1)} />
        <KeysHelp />
      </div>
      <dl class="numbers">
        <Figure name="folder" value={folderName(cwdOf(facts))} />
        <Figure name="turns" value={countText(runs.length)} />
        <Figure name="active" value={durationText(activeMs)} />
        <Figure name="requests" value={countText(costs.length)} />
        <Figure name="tools" value={failed > 0 ? `${tools} (${failed} failed)` : countText(tools)} />
        <Figure name="cached" value={percentText(cacheShare(costs))} />
        <Figure name="cost" value={moneyText(costs.at(-1)?.totalUsd ?? 0)} />
      </dl>
      <nav class="tabs" aria-label="Views">
        {VIEWS.map((name, index) => (
          <a
            key={name}
            href={hashOf({ ...route, view: name })}
            aria-current={route.view === name ? 'page' : undefined}
            title={`Key ${index + 1}`}
          >
            {name}
          </a>
        ))}
      </nav>
    </header>
  );
}

function StateChip({ data, last }: { readonly data: SessionData; readonly last: Run | undefined }) {
  if (!data.isComplete) return <span class="chip">reading…</span>;
  if (isLive(data, Date.now())) return <span class="chip live">live</span>;
  const reason = last?.end?.reason;
  if (reason === undefined) return <span class="chip warn">unfinished</span>;
  return <span class={isFailedEnd(last?.end) ? 'chip bad' : 'chip good'}>{words(reason)}</span>;
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function cwdOf(facts: SessionData['facts']): string {
  const first = facts.find((fact) => fact.type === 'session');
  return first?.cwd ?? '';
}

/** Number keys switch the view, unless the user types in a field. */
function useViewKeys(route: SessionRoute): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement) return;
      const view: ViewName | undefined = VIEWS[Number(event.key) - 1];
      if (view !== undefined) go({ ...route, view });
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [route]);
}

/** The keys of the page, for the list of KeysHelp. */
const KEYS: readonly (readonly [keys: string, effect: string])[] = [
  ['1 to 5', 'switch the view'],
  ['/', 'search the transcript'],
  ['Enter, Shift-Enter', 'in the search: the next or previous match'],
  ['← →', 'timeline: the next bar; machine: the next decision'],
  ['Shift-← Shift-→', 'timeline: move'],
  ['+ − 0', 'timeline: zoom in, zoom out, show everything'],
  ['Enter', 'timeline: show the bar in the transcript'],
  ['?', 'this list'],
];

/** The list of keys, opened with `?` or its button, and closed with Escape. */
function KeysHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = (): void => {
    if (!dialog.current?.open) dialog.current?.showModal();
  };
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key === '?' && !(event.target instanceof HTMLInputElement)) open();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button type="button" class="keys-button" onClick={open} aria-label="Keys" title="Keys (press ?)">
        ?
      </button>
      <dialog ref={dialog} class="keys" aria-label="Keys">
        <h2>Keys</h2>
        <dl>
          {KEYS.map(([keys, effect]) => (
            <div key={keys + effect}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{effect}</dd>
            </div>
          ))}
        </dl>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  );
}
