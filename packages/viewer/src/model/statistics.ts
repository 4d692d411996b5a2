/** Adds up the digests of sessions. Pure. */
import type { SessionDigest } from './digest.ts';

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

const LONGEST_TURNS = 12;

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
      .slice(0, LONGEST_TURNS),
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
