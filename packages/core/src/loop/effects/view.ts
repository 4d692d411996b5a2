/** The frozen view of the next request, out of what the run holds. */
import type { Effect } from '../../machine/effect.ts';
import { optionsFor, optionsWithoutThinking, thinkingAfterLoss } from '../../model/facts.ts';
import { requestView, type RequestView } from '../../request/view.ts';
import { specsOf } from '../../tools/tool.ts';
import type { Run } from '../run/run.ts';

export function requestViewOf(
  run: Run,
  effect: Extract<Effect, { type: 'stream' }>,
  continuesAnswer: boolean,
): RequestView {
  const { params, context, config } = run;
  const { taskBudget } = effect;
  const facts = run.deps.model.factsOf?.(context.model);
  const options = optionsFor(facts, {
    ...params.requestOptions,
    ...(config.gates.fastMode ? { fastMode: true } : {}),
    ...(taskBudget ? { taskBudget } : {}),
  });
  return requestView({
    model: context.model,
    maxOutputTokens: Math.min(effect.maxOutputTokens, facts?.maxOutputTokens ?? Number.POSITIVE_INFINITY),
    systemPrompt: params.systemPrompt,
    systemContext: params.systemContext,
    userContext: params.userContext,
    tools: specsOf(context.tools),
    skipCacheWrite: params.skipCacheWrite ?? false,
    refusedBlocks: run.refused,
    continuesAnswer,
    options: run.leavesOutThinking ? optionsWithoutThinking(options) : options,
    thinkingAfterLoss: thinkingAfterLoss(facts, options.effort),
  });
}
