/** The blocking limit: a call that must fail is not made. */
import type { QueryConfig } from './config.ts';
import type { Guards } from './guards.ts';
import type { PreparedContext } from './happened.ts';
import type { Turn } from './state.ts';

/** Unless some remedy is at hand that the failure would set in motion, or has just been tried. */
export function blockingLimitApplies(
  { state, ledger }: Turn,
  { overLimit, staged, autoCompact }: PreparedContext,
  { gates, limits, querySource }: QueryConfig,
  guards: Guards,
): boolean {
  if (!overLimit || querySource === 'compact') return false;
  const justCompacted =
    autoCompact.outcome === 'compacted' || state.transition?.reason === 'reactive_compact_retry';
  const remedy =
    (gates.autoCompact && guards.mayAutoCompact(state, limits)) ||
    (gates.reactiveCompact && guards.mayCompact({ state, ledger })) ||
    (gates.contextCollapse && staged);
  return !justCompacted && !remedy;
}
