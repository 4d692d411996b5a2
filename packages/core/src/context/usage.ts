/** How full the window is and what fills it: what `/context` shows, as data. */
import { type Breakdown, breakdownOf, type BreakdownInput } from './breakdown.ts';
import { type WindowState, windowState, type Thresholds } from './thresholds.ts';

/** The categories are estimates and add up to `used`; `state.tokens` starts from what the server counted last. */
export interface ContextUsage extends Breakdown {
  readonly model: string;
  readonly thresholds: Thresholds;
  readonly state: WindowState;
}

export function usageOf(
  input: BreakdownInput & { readonly model: string; readonly tokens: number },
): ContextUsage {
  const { model, thresholds, tokens } = input;
  return { ...breakdownOf(input), model, thresholds, state: windowState(tokens, thresholds) };
}
