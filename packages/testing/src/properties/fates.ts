/** The planned outcome of each call, by its id. */
import { type CallFate, callId, type RunPlan } from './plan.ts';

export type Fates = ReadonlyMap<string, CallFate>;

export function fatesOf({ attempts }: RunPlan): Fates {
  const fates = new Map<string, CallFate>();
  for (const [at, { blocks }] of attempts.entries()) {
    for (const [index, block] of blocks.entries()) {
      if (block.kind === 'call') fates.set(callId(at + 1, index), block.fate);
    }
  }
  return fates;
}

/** A call outside the plan succeeds. */
export function fateOf(fates: Fates, id: string): CallFate {
  return fates.get(id) ?? EASY;
}

/** The call succeeds. */
export const EASY: CallFate = {
  takesMs: 0,
  ends: 'returns',
  deaf: false,
  progress: 0,
  newContext: 'none',
  before: { waitMs: 0, does: 'pass' },
  permission: { waitMs: 0, does: 'allow' },
  after: { waitMs: 0, does: 'pass' },
};
