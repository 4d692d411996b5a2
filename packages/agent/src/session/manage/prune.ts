/** Which sessions go when somebody tidies up. Pure. */
import type { SessionSummary } from '../listing/summary.ts';

export interface PruneChoice {
  readonly olderThanMs?: number | undefined;
  readonly largerThanBytes?: number | undefined;
  /** So many of the newest stay, whatever else is asked. */
  readonly keep?: number | undefined;
}

export interface Weighed extends SessionSummary {
  /** All that it takes on the disk. */
  readonly totalBytes: number;
}

/** Those to which everything that was asked applies. Asked nothing, none. */
export function toPrune(
  sessions: readonly Weighed[],
  { olderThanMs, largerThanBytes, keep }: PruneChoice,
  now: number,
): Weighed[] {
  if (olderThanMs === undefined && largerThanBytes === undefined && keep === undefined) return [];
  return [...sessions]
    .sort((left, right) => right.lastAt - left.lastAt)
    .slice(keep ?? 0)
    .filter(({ lastAt }) => olderThanMs === undefined || now - lastAt > olderThanMs)
    .filter(({ totalBytes }) => largerThanBytes === undefined || totalBytes > largerThanBytes);
}
