/** Guards that always pass, to replace a real one: the proof must then fail. */
import { GUARDS, type Guards } from '@heddle/core';

export const PERMISSIVE: Guards = {
  mayStage: () => true,
  mayDrain: () => true,
  mayCompact: () => true,
  overrideIsFree: () => true,
  nothingResumedYet: () => true,
  mayResume: () => true,
  mayBlockAgain: () => true,
  mayAutoCompact: () => true,
  mayTakeAnotherTurn: () => true,
  repeatsTooOften: () => false,
  gainsDiminish: () => false,
};

export function withoutGuard(name: keyof Guards): Guards {
  return { ...GUARDS, [name]: PERMISSIVE[name] };
}
