/** The facts of one session for statistics over all sessions. Pure. */
import type { LogFact } from './facts.ts';
import { requestCosts } from './money.ts';
import { isFailedEnd, runsOf } from './runs.ts';

export interface SessionDigest {
  /** Cost in dollars by day, such as `2026-03-14`, in the time zone of the machine. */
  readonly days: Readonly<Record<string, number>>;
  /** The longest turns, longest first. */
  readonly longest: readonly {
    readonly prompt: string;
    readonly line: number;
    readonly ms: number;
    readonly costUsd: number;
  }[];
  /** Failed ends and failed tools by name, with their counts. */
  readonly failures: Readonly<Record<string, number>>;
  readonly recoveries: Readonly<Record<string, number>>;
  readonly turns: number;
}

const LONGEST_TURNS = 5;

export function digestOf(facts: readonly LogFact[]): SessionDigest {
  const runs = runsOf(facts);
  const days: Record<string, number> = {};
  for (const { at, costUsd = 0 } of requestCosts(facts)) add(days, dayOf(at), costUsd);
  const failures: Record<string, number> = {};
  const recoveries: Record<string, number> = {};
  for (const { end, recoveries: own } of runs) {
    if (end && isFailedEnd(end)) add(failures, end.reason, 1);
    for (const [name, count] of own) add(recoveries, name, count);
  }
  const tools = new Map<string, string>();
  for (const fact of facts) {
    if (fact.type === 'intent') tools.set(fact.id, fact.tool);
    if (fact.type === 'outcome' && fact.isError) add(failures, `tool ${tools.get(fact.id) ?? ''}`.trim(), 1);
  }
  const longest = runs
    .map(({ prompt, firstLine: line, from, to, costUsd }) => ({ prompt, line, ms: to - from, costUsd }))
    .sort((one, two) => two.ms - one.ms)
    .slice(0, LONGEST_TURNS);
  return { days, longest, failures, recoveries, turns: runs.length };
}

function add(sums: Record<string, number>, name: string, value: number): void {
  sums[name] = (sums[name] ?? 0) + value;
}

function dayOf(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
