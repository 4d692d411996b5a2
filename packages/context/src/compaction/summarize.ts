/**
 * Asks the model for a handoff. The request is a fork of the conversation: the same system prompt, tools and messages, and
 * one instruction behind them, so that it reads what the conversation has cached. Nothing of it is written to the cache.
 */
import {
  askAside,
  type Clock,
  earlierRequests,
  type Message,
  type ModelPort,
  modelFields,
  type PromptHead,
  type RequestOptions,
  requestSpec,
  type RequestSpec,
  type RetryPolicy,
  specsOf,
  type ToolUseContext,
} from '@heddle/core';
import type { Summarize, SummaryRequest } from '../deps.ts';
import { type ServerEdits, withServerEdits } from '../levels/server-edits.ts';

interface SummarizerDeps {
  readonly model: ModelPort;
  readonly clock: Clock;
  readonly random: () => number;
  readonly head: PromptHead;
  readonly options?: RequestOptions;
  /** The server edits of the conversation's own requests. The fork sends the same ones to share the cached prefix. */
  readonly serverEdits?: (context: ToolUseContext) => ServerEdits | undefined;
  /** The blocks of the conversation that the API has rejected so far. */
  readonly refusedBlocks?: () => Iterable<string>;
  readonly retry?: Partial<RetryPolicy>;
}

export function modelSummarizer(deps: SummarizerDeps): Summarize {
  return async (request) => {
    const { messages, instruction, context } = request;
    const asked: Message = {
      type: 'user',
      uuid: `ask:${context.model}`,
      at: 0,
      content: instruction,
      isMeta: true,
    };
    const query = {
      spec: specOf(request, deps),
      earlier: earlierRequests(messages),
      messages: messages.append([asked]),
    };
    return askAside(query, deps, context.signal);
  };
}

function specOf(
  { context, maxTokens }: SummaryRequest,
  { head, model, options: given = {}, serverEdits, refusedBlocks }: SummarizerDeps,
): RequestSpec {
  const facts = model.factsOf?.(context.model);
  const { options, ...fields } = modelFields(facts, given);
  const thinking = options.thinking?.type === 'enabled' ? options.thinking.budget_tokens : 0;
  return requestSpec({
    ...head,
    model: context.model,
    // Thinking counts against the same cap. Switching it off would lose the cached messages.
    maxOutputTokens: maxTokens + thinking,
    tools: specsOf(context.tools),
    refusedBlocks: new Set(refusedBlocks?.()),
    ...fields,
    options: withServerEdits(options, serverEdits?.(context)),
  });
}

/**
 * The sections of a summary. Intent and next step preserve the task. Decisions prevent deciding again. Files, errors and
 * fixes prevent reading and failing again. The state of work prevents starting over.
 */
const SECTIONS = `## Intent
The final goal of the user, and every constraint and preference they stated. Do not soften or generalize.

## Decisions
Each decision with its reason, and each option that was tried or considered and rejected.

## Files
Each file that matters, with its full path: what was learned from it, what was changed in it, and the few lines of code or text that the work needs to continue, word for word.

## Errors and fixes
Each error that occurred: its message, its cause if it is known, and what fixed it or was tried. State which are still open.

## State of work
The parts that are done and verified, the parts that are half done, and the parts that are not started.

## Next step
The very next action, precise enough to be taken without reading anything else. Only what the user's last request asks for.`;

export const SUMMARY_MARK = 'Write the handoff now';

/**
 * The instruction for the summarizer. It follows the whole conversation, so that the request shares the cached prefix. For
 * the same reason it states twice that the model must not continue the work.
 */
export function summaryInstruction(extra: string | undefined): string {
  const own =
    extra === undefined || extra.trim() === '' ? '' : `\n\nFor this handoff the user asks: ${extra.trim()}`;
  return `The conversation above is about to leave your memory. ${SUMMARY_MARK}: a summary from which you alone can continue the work without a gap. Do not call a tool, do not continue the work, do not address the user.

Use exactly these headings, in this order, and leave none out:

${SECTIONS}

Keep names, paths, numbers, commands and quotations exact. Leave out greetings, praise and what no longer matters.${own}`;
}

/** Returns the text before a piece of a conversation that is too long for one summary. */
export function earlierSummary(summary: string): string {
  return `This is the handoff so far. It covers the whole conversation before the messages below. Include all of it that still matters in the next one.\n\n${summary}`;
}
