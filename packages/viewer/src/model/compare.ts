/** Compares two sessions: their figures, and the steps of their turns side by side. Pure. */
import type { LogFact } from './facts.ts';
import { cacheShare, requestCosts } from './money.ts';
import { runsOf } from './runs.ts';
import { windowHistory } from './window.ts';

export interface ComparedFigure {
  readonly name: string;
  readonly kind: 'count' | 'money' | 'time' | 'share';
  readonly left: number;
  readonly right: number;
}

/** One step of a session: a prompt, a call, or an event. */
export interface ComparedStep {
  readonly line: number;
  readonly text: string;
  readonly isError: boolean;
}

export interface ComparedRow {
  readonly left: ComparedStep | undefined;
  readonly right: ComparedStep | undefined;
  readonly isSame: boolean;
}

export function comparedFigures(left: readonly LogFact[], right: readonly LogFact[]): ComparedFigure[] {
  const [one, two] = [figuresOf(left), figuresOf(right)];
  return one.map(({ name, kind, value }, index) => ({
    name,
    kind,
    left: value,
    right: two[index]?.value ?? 0,
  }));
}

function figuresOf(
  facts: readonly LogFact[],
): { readonly name: string; readonly kind: ComparedFigure['kind']; readonly value: number }[] {
  const runs = runsOf(facts);
  const costs = requestCosts(facts);
  const sum = (value: (run: (typeof runs)[number]) => number): number =>
    runs.reduce((total, run) => total + value(run), 0);
  return [
    { name: 'turns', kind: 'count', value: runs.length },
    { name: 'active time', kind: 'time', value: sum(({ from, to }) => to - from) },
    { name: 'requests', kind: 'count', value: sum(({ requests }) => requests) },
    { name: 'tool calls', kind: 'count', value: sum(({ tools }) => tools) },
    { name: 'failed tool calls', kind: 'count', value: sum(({ failedTools }) => failedTools) },
    {
      name: 'recoveries',
      kind: 'count',
      value: sum(({ recoveries }) => [...recoveries.values()].reduce((total, count) => total + count, 0)),
    },
    { name: 'output tokens', kind: 'count', value: sum(({ tokens }) => tokens.output) },
    {
      name: 'largest request',
      kind: 'count',
      value: windowHistory(facts).samples.reduce((most, { total }) => Math.max(most, total), 0),
    },
    { name: 'read from cache', kind: 'share', value: cacheShare(costs) },
    { name: 'cost', kind: 'money', value: costs.at(-1)?.totalUsd ?? 0 },
  ];
}

/** Longer sessions are compared only up to this number of steps. */
const MAX_STEPS = 1_500;

/** Aligns the steps of both sessions, so that equal steps are in the same row. */
export function comparedRows(left: readonly LogFact[], right: readonly LogFact[]): ComparedRow[] {
  const one = stepsOf(left).slice(0, MAX_STEPS);
  const two = stepsOf(right).slice(0, MAX_STEPS);
  const width = two.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row--)
    for (let column = two.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        one[row]?.text === two[column]?.text
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const rows: ComparedRow[] = [];
  for (let row = 0, column = 0; row < one.length || column < two.length; ) {
    const [a, b] = [one[row], two[column]];
    if (a && b && a.text === b.text) {
      rows.push({ left: a, right: b, isSame: a.isError === b.isError });
      row++;
      column++;
    } else if (a && (!b || at(row + 1, column) >= at(row, column + 1))) {
      rows.push({ left: a, right: undefined, isSame: false });
      row++;
    } else {
      rows.push({ left: undefined, right: b, isSame: false });
      column++;
    }
  }
  return rows;
}

function stepsOf(facts: readonly LogFact[]): ComparedStep[] {
  const failed = new Set(facts.flatMap((fact) => (fact.type === 'outcome' && fact.isError ? [fact.id] : [])));
  return facts.flatMap((fact): ComparedStep[] => {
    const { line } = fact;
    switch (fact.type) {
      case 'message':
        if (fact.kind === 'prompt') return [{ line, text: `▶ ${fact.label}`, isError: false }];
        return fact.parts.flatMap((part) =>
          part.kind === 'call'
            ? [{ line, text: `${part.tool} ${part.about}`.trim(), isError: failed.has(part.id) }]
            : [],
        );
      case 'retry':
        return [{ line, text: `↻ ${fact.error}`, isError: true }];
      case 'context':
        return [{ line, text: `◆ ${fact.level}`, isError: fact.failed !== undefined }];
      case 'end':
        return [{ line, text: `■ ${fact.reason}`, isError: fact.reason !== 'completed' }];
      default:
        return [];
    }
  });
}
