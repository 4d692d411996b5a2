/** The shared part of the tools that change one file. Each tool adds only its change and its report. */
import type { CallContext, Tool, ToolUseContext } from '@heddle/core';
import {
  type FileChange,
  intentOf,
  performChange,
  planChange,
  type PlannedChange,
  settleInterruptedChange,
  validateChange,
} from './change.ts';
import type { FileTools } from './deps.ts';

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

export function changeFile<Input, About>(
  tools: FileTools,
  pathOf: (input: Input) => string,
  changeOf: (input: Input) => FileChange<About>,
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
      recallOutcome: settleInterruptedChange,
    },
    perform: (input, context) => performChange(pathOf(input), changeOf(input), context, tools),
  };
}
