/** Two sessions side by side: their figures, and their steps with equal steps in the same row. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { SessionCard, ViewerSource } from '../../model/api.ts';
import {
  type ComparedFigure,
  comparedFigures,
  comparedRows,
  type ComparedStep,
} from '../../model/compare.ts';
import { countText, durationText, moneyText, percentText, visibleText } from '../data/format.ts';
import { go, hashOf } from '../data/route.ts';
import { useSession } from '../data/use-session.ts';

interface ComparePageProps {
  readonly source: ViewerSource;
  readonly left: string;
  readonly right: string;
}

export function ComparePage({ source, left, right }: ComparePageProps) {
  const [sessions, setSessions] = useState<readonly SessionCard[]>([]);
  useEffect(() => {
    document.title = 'Compare sessions · Heddle';
    void source.sessions().then(setSessions);
  }, [source]);
  const [one, two] = [useSession(source, left), useSession(source, right)];
  const figures = useMemo(() => comparedFigures(one.facts, two.facts), [one.facts, two.facts]);
  const rows = useMemo(() => comparedRows(one.facts, two.facts), [one.facts, two.facts]);
  return (
    <main class="sessions compare">
      <header class="top">
        <a class="back" href={hashOf({ page: 'sessions' })} aria-label="All sessions">
          ‹
        </a>
        <SessionChoice
          label="Left session"
          sessions={sessions}
          id={left}
          onChoose={(id) => go({ page: 'compare', left: id, right })}
        />
        <SessionChoice
          label="Right session"
          sessions={sessions}
          id={right}
          onChoose={(id) => go({ page: 'compare', left, right: id })}
        />
      </header>
      <div class="table">
        <table>
          <tbody>
            {figures.map((figure) => (
              <tr key={figure.name}>
                <td>{figure.name}</td>
                <td>{valueText(figure.kind, figure.left)}</td>
                <td>{valueText(figure.kind, figure.right)}</td>
                <td class="dim">{differenceText(figure)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h2>Steps</h2>
      <div class="pairs">
        {rows.map((row, index) => (
          <div key={index} class={row.isSame ? 'pair' : 'pair different'}>
            <Step step={row.left} id={left} />
            <Step step={row.right} id={right} />
          </div>
        ))}
      </div>
    </main>
  );
}

interface SessionChoiceProps {
  readonly label: string;
  readonly sessions: readonly SessionCard[];
  readonly id: string;
  readonly onChoose: (id: string) => void;
}

function SessionChoice({ label, sessions, id, onChoose }: SessionChoiceProps) {
  return (
    <select aria-label={label} value={id} onChange={(event) => onChoose(event.currentTarget.value)}>
      {sessions.map((session) => (
        <option key={session.id} value={session.id}>
          {visibleText(session.title.slice(0, 70))} ({session.id.slice(0, 8)})
        </option>
      ))}
    </select>
  );
}

function Step({ step, id }: { readonly step: ComparedStep | undefined; readonly id: string }) {
  if (!step) return <span class="step-empty" />;
  const { line, text, isError } = step;
  return (
    <a
      class={isError ? 'pair-step bad-text' : 'pair-step'}
      href={hashOf({ page: 'session', id, view: 'transcript', line })}
      title={text}
    >
      {visibleText(text)}
    </a>
  );
}

function valueText(kind: ComparedFigure['kind'], value: number): string {
  switch (kind) {
    case 'count':
      return countText(value);
    case 'money':
      return moneyText(value);
    case 'time':
      return durationText(value);
    case 'share':
      return percentText(value);
  }
}

function differenceText({ left, right }: ComparedFigure): string {
  if (left === right) return 'same';
  if (left === 0) return '';
  const change = (right - left) / left;
  return `${change > 0 ? '+' : '−'}${percentText(Math.abs(change))}`;
}
