/** The request options that follow from the facts about a model. */
import type { Effort, ModelFacts, RequestOptions, Thinking, ThinkingSupport } from './port.ts';
import { omitUndefined } from '../json.ts';

/** Thinking tokens if a model needs a budget and the caller gave none. An output of 32,000 tokens still has space for text. */
export const DEFAULT_THINKING_BUDGET = 16_000;

/** The least budget that the API accepts. */
const LEAST_THINKING_BUDGET = 1_024;

/**
 * Returns the options that a model accepts, as close as possible to the given ones.
 * If the options do not mention thinking, it is on for every model that supports it.
 */
export function optionsFor(facts: ModelFacts | undefined, given: RequestOptions): RequestOptions {
  if (facts === undefined) return given;
  const { thinking: wanted, effort: wantedEffort, fastMode, ...rest } = given;
  const effort = effortFor(facts, wantedEffort);
  const thinking = facts.thinking === undefined ? wanted : thinkingFor(facts.thinking, wanted, effort);
  return {
    ...rest,
    ...(fastMode === undefined || facts.hasFastMode === false ? {} : { fastMode }),
    ...omitUndefined({ thinking, effort }),
  };
}

interface ModelFields {
  readonly options: RequestOptions;
  readonly thinkingAfterLoss: Thinking | undefined;
  readonly referencesTools: boolean;
}

/** The fields of a request that follow from the facts about its model. */
export function modelFields(
  facts: ModelFacts | undefined,
  given: RequestOptions,
  leavesOutThinking = false,
): ModelFields {
  const options = optionsFor(facts, given);
  return {
    options: leavesOutThinking ? optionsWithoutThinking(options) : options,
    thinkingAfterLoss: thinkingAfterLoss(facts, options.effort),
    referencesTools: facts?.referencesTools ?? false,
  };
}

/** Returns the options without thinking, so that the default of the model applies. */
function optionsWithoutThinking(given: RequestOptions): RequestOptions {
  const rest = { ...given };
  delete rest.thinking;
  return rest;
}

/**
 * The thinking to send for the rest of a turn whose thinking was lost.
 * Undefined: the request keeps its thinking, because the model cannot switch it off and does not ask for what was lost.
 */
function thinkingAfterLoss(facts: ModelFacts | undefined, effort?: Effort): Thinking | undefined {
  if (facts === undefined) return DISABLED;
  const { thinking } = facts;
  if (thinking === undefined || thinking.mode === 'none') return undefined;
  return isOffAllowed(thinking, effort) ? DISABLED : undefined;
}

const DISABLED: Thinking = { type: 'disabled' };

function thinkingFor(
  support: ThinkingSupport,
  wanted: Thinking | undefined,
  effort: Effort | undefined,
): Thinking | undefined {
  if (support.mode === 'none') return undefined;
  switch (wanted?.type) {
    case 'disabled':
    case 'between_tools':
      return thinkingOff(support, effort);
    case 'enabled':
      return support.mode === 'adaptive' ? { type: 'adaptive' } : enabled(wanted.budget_tokens);
    case 'adaptive':
    case undefined:
      return support.mode === 'budget' ? enabled(DEFAULT_THINKING_BUDGET) : { type: 'adaptive' };
  }
}

function enabled(budget: number): Thinking {
  return { type: 'enabled', budget_tokens: Math.max(LEAST_THINKING_BUDGET, budget) };
}

function thinkingOff(support: ThinkingSupport, effort: Effort | undefined): Thinking {
  if (support.off === 'between_tools') return { type: 'between_tools' };
  return isOffAllowed(support, effort) ? DISABLED : { type: 'adaptive' };
}

function isOffAllowed({ off }: ThinkingSupport, effort: Effort | undefined): boolean {
  switch (off) {
    case 'disabled':
      return true;
    case 'below_xhigh':
      return effort !== 'xhigh' && effort !== 'max';
    case 'between_tools':
    case 'never':
      return false;
  }
}

/** From the lowest to the highest. */
export const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** The highest effort that the model accepts and that is not above the wanted one. */
function effortFor({ efforts }: ModelFacts, wanted: Effort | undefined): Effort | undefined {
  if (wanted === undefined || efforts === undefined) return wanted;
  const most = EFFORTS.indexOf(wanted);
  return efforts.findLast((effort) => EFFORTS.indexOf(effort) <= most);
}
