/** The planned outcome of each call, by its id. */
import { type CallOutcomePlan, callId, type RunPlan } from './plan.ts';

export type PlannedOutcomes = ReadonlyMap<string, CallOutcomePlan>;

export function plannedOutcomesOf({ attempts }: RunPlan): PlannedOutcomes {
  const fates = new Map<string, CallOutcomePlan>();
  for (const [at, { blocks }] of attempts.entries()) {
    for (const [index, block] of blocks.entries()) {
      if (block.kind === 'call') fates.set(callId(at + 1, index), block.fate);
    }
  }
  return fates;
}

/** A call outside the plan succeeds. */
export function plannedOutcomeOf(fates: PlannedOutcomes, id: string): CallOutcomePlan {
  return fates.get(id) ?? SUCCESSFUL_OUTCOME;
}

/** The call succeeds. */
export const SUCCESSFUL_OUTCOME: CallOutcomePlan = {
  takesMs: 0,
  ends: 'returns',
  deaf: false,
  progress: 0,
  newContext: 'none',
  before: { waitMs: 0, does: 'pass' },
  permission: { waitMs: 0, does: 'allow' },
  after: { waitMs: 0, does: 'pass' },
};
