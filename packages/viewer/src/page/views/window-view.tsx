/** How full the context window was at each request, and what the context levels removed. */
import { useMemo } from 'preact/hooks';
import { windowHistory, type WindowChange, type WindowSample } from '../../model/window.ts';
import { clockText, countText, percentText, shortCount, visibleText, words } from '../data/format.ts';
import type { SessionData } from '../data/use-session.ts';
import { Chart, type ChartMark, type ChartSeries } from '../parts/chart.tsx';
import { NoAnswers } from '../parts/problem.tsx';

interface WindowViewProps {
  readonly data: SessionData;
  readonly line: number | undefined;
  readonly onSelect: (line: number) => void;
}

const KINDS = ['system', 'tools', 'messages', 'results'] as const;

export function WindowView({ data, line, onSelect }: WindowViewProps) {
  const { samples, changes } = useMemo(() => windowHistory(data.facts), [data.facts]);
  const series = useMemo(() => seriesOf(samples), [samples]);
  const limits = useMemo(() => limitSeries(samples), [samples]);
  const marks = useMemo(() => changes.map((change) => markOf(change, samples)), [changes, samples]);
  const last = samples.at(-1);
  if (!last) return <NoAnswers title="No request has a size yet." facts={data.facts} />;
  const largest = samples.reduce((most, { total }) => Math.max(most, total), 0);
  return (
    <section class="window" aria-label="Window">
      <p class="lead">
        The last request had <b>{countText(last.total)}</b> tokens
        {last.window === undefined ? '' : `, ${percentText(last.total / last.window)} of the window`}. The
        largest had {countText(largest)}.
      </p>
      <Chart
        series={series}
        lines={limits}
        stacked
        marks={marks}
        format={shortCount}
        label="Tokens of each request by kind"
        onPick={(index) => {
          const sample = samples[index];
          if (sample) onSelect(sample.line);
        }}
        height={300}
      />
      <p class="dim">
        Totals are counts of the server. The kinds are estimates
        {last.window === undefined ? '; this log does not contain the size of the window.' : '.'}
      </p>
      <h2>Changes of the context</h2>
      {changes.length === 0 ? <p class="dim">The history was never shortened.</p> : null}
      <ul class="changes">
        {changes.map((change) => (
          <Change key={change.line} change={change} isSelected={change.line === line} onSelect={onSelect} />
        ))}
      </ul>
    </section>
  );
}

interface ChangeProps {
  readonly change: WindowChange;
  readonly isSelected: boolean;
  readonly onSelect: (line: number) => void;
}

function Change({ change, isSelected, onSelect }: ChangeProps) {
  const { line, at, level, tokensBefore, tokensAfter, failed, messagesAfter, replaced } = change;
  const effect =
    failed ??
    `${countText(tokensBefore)} → ${countText(tokensAfter)} tokens${
      messagesAfter === undefined
        ? ''
        : `, ${messagesAfter} ${messagesAfter === 1 ? 'message remains' : 'messages remain'}`
    }${replaced > 0 ? `, ${replaced} messages changed` : ''}`;
  return (
    <li>
      <button type="button" class={isSelected ? 'change selected' : 'change'} onClick={() => onSelect(line)}>
        <b>{words(level)}</b>
        <span class={failed === undefined ? '' : 'bad-text'}>{visibleText(effect)}</span>
        <time>{clockText(at)}</time>
      </button>
    </li>
  );
}

/** The window and the threshold would flatten the picture of a small request. */
const SHOWN_FROM = 0.25;

function limitSeries(samples: readonly WindowSample[]): ChartSeries[] {
  const isNear = samples.some(
    ({ total, threshold }) => total > (threshold ?? Number.POSITIVE_INFINITY) * SHOWN_FROM,
  );
  if (!isNear) return [];
  const values = samples.map(({ threshold }) => threshold ?? null);
  return [{ label: 'compaction due', color: 'bad', kind: 'line', scale: 'left', values }];
}

function seriesOf(samples: readonly WindowSample[]): ChartSeries[] {
  return KINDS.map((kind) => ({
    label: kind,
    color: `kind-${kind}`,
    kind: 'area',
    scale: 'left',
    values: samples.map((sample) => sample[kind]),
  }));
}

/** A change is between the request before it and the request after it. */
function markOf({ line }: WindowChange, samples: readonly WindowSample[]): ChartMark {
  const before = samples.findLastIndex((sample) => sample.line < line);
  return { at: before + 1.5, color: 'context' };
}
