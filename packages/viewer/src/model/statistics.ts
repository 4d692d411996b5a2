/** The statistics of all sessions, added up from a digest of each. Pure. */
import type { LogFact } from './facts.ts';
import { requestCosts } from './money.ts';
import { isFailedEnd, runsOf } from './runs.ts';

export interface StatisticsEntry {
  readonly id: string;
  readonly cwd: string;
  readonly digest: SessionDigest;
}

interface NamedValue {
  readonly name: string;
  readonly value: number;
}

export interface Statistics {
  readonly costUsd: number;
  readonly turns: number;
  /** The newest day first. */
  readonly days: readonly NamedValue[];
  /** The other lists have the largest value first. */
  readonly projects: readonly NamedValue[];
  readonly failures: readonly NamedValue[];
  readonly recoveries: readonly NamedValue[];
  readonly longest: readonly (SessionDigest['longest'][number] & { readonly id: string })[];
}

const MAX_LONGEST_TURNS = 12;

export function statisticsOf(entries: readonly StatisticsEntry[]): Statistics {
  const days = new Sums();
  const projects = new Sums();
  const failures = new Sums();
  const recoveries = new Sums();
  for (const { cwd, digest } of entries) {
    for (const [day, cost] of Object.entries(digest.days)) {
      days.add(day, cost);
      projects.add(cwd, cost);
    }
    for (const [name, count] of Object.entries(digest.failures)) failures.add(name, count);
    for (const [name, count] of Object.entries(digest.recoveries)) recoveries.add(name, count);
  }
  return {
    costUsd: days.values().reduce((sum, { value }) => sum + value, 0),
    turns: entries.reduce((sum, { digest }) => sum + digest.turns, 0),
    days: days.values().sort((one, two) => (one.name < two.name ? 1 : -1)),
    projects: projects.largest(),
    failures: failures.largest(),
    recoveries: recoveries.largest(),
    longest: entries
      .flatMap(({ id, digest }) => digest.longest.map((turn) => Object.assign({ id }, turn)))
      .sort((one, two) => two.ms - one.ms)
      .slice(0, MAX_LONGEST_TURNS),
  };
}

class Sums {
  readonly #sums = new Map<string, number>();

  add(name: string, value: number): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + value);
  }

  values(): NamedValue[] {
    return [...this.#sums].map(([name, value]) => ({ name, value }));
  }

  largest(): NamedValue[] {
    return this.values().sort((one, two) => two.value - one.value);
  }
}

/** The facts of one session for statistics over all sessions. */
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

const MAX_SESSION_TURNS = 5;

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
    .slice(0, MAX_SESSION_TURNS);
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
