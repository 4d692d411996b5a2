/** The cost of each request, its reads from the cache, and the causes of lost prefixes. */
import { useMemo } from 'preact/hooks';
import { cacheShare, costsByModel, type RequestCost, requestCosts } from '../../model/money.ts';
import { clockText, countText, moneyText, percentText, shortCount } from '../data/format.ts';
import type { SessionData } from '../data/use-session.ts';
import { Chart, type ChartSeries } from '../parts/chart.tsx';
import { NoAnswers } from '../parts/problem.tsx';

interface MoneyViewProps {
  readonly data: SessionData;
  readonly line: number | undefined;
  readonly onSelect: (line: number) => void;
}

const TOKEN_KINDS = [
  ['cacheRead', 'cache read', 'kind-system'],
  ['cacheWrite', 'cache write', 'kind-tools'],
  ['input', 'not cached', 'kind-messages'],
  ['output', 'output', 'kind-results'],
] as const;

export function MoneyView({ data, line, onSelect }: MoneyViewProps) {
  const costs = useMemo(() => requestCosts(data.facts), [data.facts]);
  const cost = useMemo(() => costSeries(costs), [costs]);
  const tokens = useMemo(() => tokenSeries(costs), [costs]);
  const misses = useMemo(() => costs.filter(({ cacheMiss }) => cacheMiss !== undefined), [costs]);
  const marks = useMemo(
    () =>
      costs.flatMap(({ cacheMiss }, index) =>
        cacheMiss === undefined ? [] : [{ at: index + 1, color: 'bad' }],
      ),
    [costs],
  );
  if (costs.length === 0) return <NoAnswers title="No request has a cost yet." facts={data.facts} />;
  const unpriced = costs.filter(({ costUsd }) => costUsd === undefined).length;
  const pick = (index: number): void => {
    const chosen = costs[index];
    if (chosen) onSelect(chosen.line);
  };
  return (
    <section class="money-view" aria-label="Money">
      <p class="lead">
        <b>{moneyText(costs.at(-1)?.totalUsd)}</b> for {countText(costs.length)} requests.{' '}
        {percentText(cacheShare(costs))} of the input was read from the cache.
        {unpriced > 0 ? ` ${countText(unpriced)} requests have no known price.` : ''}
      </p>
      <Chart
        series={cost}
        stacked={false}
        marks={[]}
        format={moneyText}
        label="Cost of each request, and in total"
        onPick={pick}
        height={220}
      />
      <Chart
        series={tokens}
        stacked
        marks={marks}
        format={shortCount}
        label="Tokens of each request by price"
        onPick={pick}
        height={220}
      />
      <ModelTable costs={costs} />
      <h2>Lost cache prefixes</h2>
      {misses.length === 0 ? <p class="dim">Every request read the cached prefix.</p> : null}
      <ul class="changes">
        {misses.map((miss) => (
          <li key={miss.line}>
            <button
              type="button"
              class={miss.line === line ? 'change selected' : 'change'}
              onClick={() => onSelect(miss.line)}
            >
              <b>{countText(miss.tokens.input + miss.tokens.cacheWrite)} tokens</b>
              <span>{miss.cacheMiss}</span>
              <time>{clockText(miss.at)}</time>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ModelTable({ costs }: { readonly costs: readonly RequestCost[] }) {
  return (
    <div class="table">
      <table>
        <thead>
          <tr>
            <th>model</th>
            <th>requests</th>
            <th>cache read</th>
            <th>cache write</th>
            <th>not cached</th>
            <th>output</th>
            <th>cost</th>
          </tr>
        </thead>
        <tbody>
          {costsByModel(costs).map(({ model, requests, tokens, costUsd, unpriced }) => (
            <tr key={model}>
              <td>{model}</td>
              <td>{countText(requests)}</td>
              <td>{countText(tokens.cacheRead)}</td>
              <td>{countText(tokens.cacheWrite)}</td>
              <td>{countText(tokens.input)}</td>
              <td>{countText(tokens.output)}</td>
              <td>{unpriced === requests ? 'unknown' : moneyText(costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function costSeries(costs: readonly RequestCost[]): ChartSeries[] {
  return [
    {
      label: 'cost',
      color: 'run',
      kind: 'bars',
      scale: 'left',
      values: costs.map(({ costUsd }) => costUsd ?? null),
    },
    {
      label: 'total',
      color: 'accent',
      kind: 'line',
      scale: 'right',
      values: costs.map(({ totalUsd }) => totalUsd),
    },
  ];
}

function tokenSeries(costs: readonly RequestCost[]): ChartSeries[] {
  return TOKEN_KINDS.map(([name, label, color]) => ({
    label,
    color,
    kind: 'bars',
    scale: 'left',
    values: costs.map(({ tokens }) => tokens[name]),
  }));
}
