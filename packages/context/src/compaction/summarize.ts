/**
 * Asks the model for a handoff. The request is a fork of the conversation: the same system prompt, tools and messages, and
 * one instruction behind them, so that it reads what the conversation has cached. Nothing of it is written to the cache.
 */
import {
  AnswerReader,
  type Clock,
  createRequestBuilder,
  decideAttempt,
  DEFAULT_RETRY,
  FIRST_ATTEMPT,
  type EndClass,
  History,
  isSpent,
  isToolUse,
  type Message,
  modelError,
  type ModelError,
  type ModelPort,
  type ModelRequest,
  optionsFor,
  type PromptHead,
  rejectedBlockName,
  type RequestOptions,
  requestView,
  type RequestView,
  type RetryPolicy,
  specsOf,
  type Spent,
  textOf,
  thinkingAfterLoss,
  type ToolUseContext,
  type Usage,
  withJitter,
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

/** The user waits for a compaction, so it gives up sooner than an answer would. */
const PATIENCE: Partial<RetryPolicy> = { maxAttempts: 3, maxServerWaitMs: 60_000 };

export function modelSummarizer(deps: SummarizerDeps): Summarize {
  const policy = { ...DEFAULT_RETRY, ...PATIENCE, ...deps.retry };
  return async (request) => {
    const { signal } = request.context;
    const spent: Spent[] = [];
    const refused = new Set(deps.refusedBlocks?.());
    let tries = FIRST_ATTEMPT;
    while (true) {
      // The run may have ended during a hook or a wait of this loop.
      if (signal.aborted) return { ok: false, why: ABORTED.message, class: ABORTED.class, spent };
      const built = forkOf(request, deps, refused);
      const { text, error, usage, calls } = await ask(deps.model, built, signal);
      if (isSpent(usage)) spent.push({ model: request.context.model, usage });
      const facts = { error, calls, paused: false, empty: text === '', aborted: signal.aborted };
      const verdict = decideAttempt(facts, tries, policy);
      if (verdict.do === 'retry') await deps.clock.sleep(withJitter(verdict, deps.random), signal);
      else if (verdict.do === 'replace_block') refuse(refused, built, error);
      else if (text !== '' && (!error || error.class === 'output_cap')) return { ok: true, text, spent };
      else {
        const failed = error ?? NO_TEXT;
        return { ok: false, why: failed.message, class: failed.class, spent };
      }
      tries = verdict.tries;
    }
  };
}

const ABORTED = modelError('aborted', 'The compaction was interrupted.');
const NO_TEXT = modelError('empty', 'The summarizer returned no text.');

function forkOf(request: SummaryRequest, deps: SummarizerDeps, refused: ReadonlySet<string>): ModelRequest {
  const { messages, instruction, context } = request;
  const builder = createRequestBuilder();
  const view = viewOf(request, deps, refused);
  // These are never sent. The builder learns from them which prefixes are cached.
  for (const earlier of earlierRequests(messages)) builder.build({ ...view, skipCacheWrite: false }, earlier);
  const asked: Message = {
    type: 'user',
    uuid: `ask:${context.model}`,
    at: 0,
    content: instruction,
    isMeta: true,
  };
  return builder.build(view, messages.append([asked])).request;
}

/**
 * Returns the messages of the last requests, oldest first. Each request ended where an answer begins. They follow from the
 * history alone, so this works between two prompts and in another process. Unanswered requests leave no trace there.
 */
function earlierRequests(messages: History<Message>): History<Message>[] {
  const all = messages.since(0);
  const starts = new Map<string, number>();
  for (const [index, message] of all.entries()) {
    if (message.type !== 'assistant' || message.apiError !== undefined) continue;
    if (!starts.has(message.responseId)) starts.set(message.responseId, index);
  }
  return [...starts.values()]
    .slice(-MOST_READ_MARKS)
    .filter((start) => start > 0)
    .map((start) => History.of(all.slice(0, start)));
}

/** The API allows four cache marks. One of them follows the system prompt. */
const MOST_READ_MARKS = 3;

function viewOf(
  { context, maxTokens }: SummaryRequest,
  { head, model, options: given = {}, serverEdits }: SummarizerDeps,
  refusedBlocks: ReadonlySet<string>,
): RequestView {
  const facts = model.factsOf?.(context.model);
  const options = optionsFor(facts, given);
  const thinking = options.thinking?.type === 'enabled' ? options.thinking.budget_tokens : 0;
  return requestView({
    ...head,
    model: context.model,
    // Thinking counts against the same cap. Switching it off would lose the cached messages.
    maxOutputTokens: maxTokens + thinking,
    tools: specsOf(context.tools),
    skipCacheWrite: true,
    refusedBlocks,
    thinkingAfterLoss: thinkingAfterLoss(facts, options.effort),
    options: withServerEdits(options, serverEdits?.(context)),
  });
}

interface Asked {
  readonly text: string;
  readonly calls: number;
  readonly error: ModelError | undefined;
  readonly usage: Usage;
}

async function ask(model: ModelPort, request: ModelRequest, signal: AbortSignal): Promise<Asked> {
  const reader = new AnswerReader();
  let [text, calls] = ['', 0];
  let error: ModelError | undefined;
  for await (const record of model(request, signal)) {
    if (record.type === 'model_error') error = record;
    else if (record.type !== 'done') {
      const finished = reader.push(record);
      if (!finished) continue;
      text += textOf([finished.block]);
      if (isToolUse(finished.block)) calls++;
    }
  }
  text += reader.unfinishedText();
  return { text: text.trim(), calls, error: error ?? endOf(reader), usage: reader.usage };
}

function endOf({ endsAs }: AnswerReader): ModelError | undefined {
  return endsAs && modelError(endsAs, ENDS[endsAs]);
}

const ENDS: Readonly<Record<EndClass, string>> = {
  network: 'The stream ended before the summary was complete.',
  output_cap: 'The summary was cut off at the output limit.',
  overflow: "The summary ran into the end of the model's context window.",
  refusal: 'The model declined to summarize the conversation.',
};

function refuse(refused: Set<string>, request: ModelRequest, error: ModelError | undefined): void {
  const block = error?.block && request.messages.at(error.block.message)?.content[error.block.block];
  if (block) refused.add(rejectedBlockName(block));
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
