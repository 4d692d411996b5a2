/** The frozen view of the next request, out of what the run holds. */
import type { Effect } from '../machine/effect.ts';
import type { ToolSpec } from '../model/port.ts';
import type { RequestView } from '../request/view.ts';
import type { Tool } from '../tools/tool.ts';
import type { Run } from './run.ts';

export function viewOf(
  run: Run,
  effect: Extract<Effect, { type: 'stream' }>,
  continuesAnswer: boolean,
): RequestView {
  const { params, context, config } = run;
  const { taskBudget } = effect;
  return {
    model: context.model,
    maxOutputTokens: effect.maxOutputTokens,
    systemPrompt: params.systemPrompt,
    systemContext: params.systemContext,
    userContext: params.userContext,
    tools: specsOf(context.tools),
    normaliseInput: (_tool, input) => input,
    skipCacheWrite: params.skipCacheWrite ?? false,
    allowedBetaBlocks: [],
    refusedBlocks: run.refused,
    continuesAnswer,
    options: {
      ...params.requestOptions,
      ...(config.gates.fastMode ? { fastMode: true } : {}),
      ...(taskBudget ? { taskBudget } : {}),
    },
  };
}

/** The same tools give the same specs, so that the request builder can see at a glance that nothing changed. */
const specs = new WeakMap<readonly Tool[], readonly ToolSpec[]>();

function specsOf(tools: readonly Tool[]): readonly ToolSpec[] {
  const known = specs.get(tools);
  if (known) return known;
  const made = tools.map(({ name, description, inputJSONSchema }) => ({
    name,
    description,
    input_schema: inputJSONSchema,
  }));
  specs.set(tools, made);
  return made;
}
