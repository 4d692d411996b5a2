/** What the tools that change one file have in common: everything but what they make of it, and what they say about it. */
import type { CallContext, Tool, ToolUseContext } from '@heddle/core';
import {
  type Change,
  intentOf,
  performChange,
  planChange,
  type PlannedChange,
  recallChange,
  validateChange,
} from './change.ts';
import type { FileTools } from './doors.ts';

interface ChangingTool<Input, About> {
  readonly traits: Pick<
    Tool<Input>,
    | 'isReadOnly'
    | 'isConcurrencySafe'
    | 'maxResultSize'
    | 'compactable'
    | 'interruptBehavior'
    | 'validateInput'
    | 'describeIntent'
    | 'recallOutcome'
  >;
  readonly perform: (input: Input, context: CallContext) => Promise<PlannedChange<About>>;
}

export function changing<Input, About>(
  tools: FileTools,
  pathOf: (input: Input) => string,
  changeOf: (input: Input) => Change<About>,
): ChangingTool<Input, About> {
  const plan = (input: Input, context: ToolUseContext) =>
    planChange(pathOf(input), changeOf(input), context, tools);
  return {
    traits: {
      isReadOnly: () => false,
      isConcurrencySafe: () => false,
      maxResultSize: 30_000,
      compactable: true,
      interruptBehavior: 'block',
      validateInput: (input, context) => validateChange(() => plan(input, context)),
      describeIntent: async (input, context) => intentOf(await plan(input, context)),
      recallOutcome: recallChange,
    },
    perform: (input, context) => performChange(pathOf(input), changeOf(input), context, tools),
  };
}
