/**
 * Asks the model for a hand-over. The request is a fork of the conversation: the same system prompt, tools and messages, and
 * one instruction behind them, so that it reads what the conversation has cached. Nothing of it is written to the cache.
 */
import { isToolUse, textOf } from '../../messages/blocks.ts';
import { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import { isSpent, type Spent, type Usage } from '../../messages/usage.ts';
import type { Clock } from '../../clock.ts';
import { modelError, type ModelError, type ModelErrorClass } from '../../messages/model-error.ts';
import { optionsFor, thinkingAfterLoss } from '../../model/facts.ts';
import type { ModelPort, ModelRequest, RequestOptions } from '../../model/port.ts';
import { AnswerReader, type EndClass } from '../../model/reader.ts';
import { DEFAULT_RETRY, judgeAttempt, NO_TRIES, type RetryPolicy } from '../../model/retry.ts';
import { createRequestBuilder } from '../../request/builder.ts';
import { refusedName } from '../../request/normalise/refused.ts';
import { type PromptHead, requestView, type RequestView } from '../../request/view.ts';
import type { ToolUseContext } from '../../tools/context.ts';
import { specsOf } from '../../tools/specs.ts';
import { type ServerEdits, withServerEdits } from '../levels/server-edits.ts';

export interface SummaryRequest {
  readonly messages: History<Message>;
  readonly instruction: string;
  readonly maxTokens: number;
  readonly context: ToolUseContext;
}

export type SummaryAnswer =
  | { readonly ok: true; readonly text: string; readonly spent: readonly Spent[] }
  | {
      readonly ok: false;
      readonly why: string;
      readonly class: ModelErrorClass;
      readonly spent: readonly Spent[];
    };

export type Summarise = (request: SummaryRequest) => Promise<SummaryAnswer>;

export interface SummariserDoors {
  readonly model: ModelPort;
  readonly clock: Clock;
  readonly random: () => number;
  readonly head: PromptHead;
  readonly options?: RequestOptions;
  /** What the conversation's own requests ask the server to clear: the fork asks the same, or it would read another prefix. */
  readonly serverEdits?: (context: ToolUseContext) => ServerEdits | undefined;
  /** What the API has refused of the conversation so far. */
  readonly refusedBlocks?: () => Iterable<string>;
  readonly retry?: Partial<RetryPolicy>;
}

/** A compaction is waited for: it gives up sooner than an answer would. */
const PATIENCE: Partial<RetryPolicy> = { maxAttempts: 3, maxServerWaitMs: 60_000 };

export function modelSummariser(doors: SummariserDoors): Summarise {
  const policy = { ...DEFAULT_RETRY, ...PATIENCE, ...doors.retry };
  return async (request) => {
    const { signal } = request.context;
    const spent: Spent[] = [];
    const refused = new Set(doors.refusedBlocks?.());
    let tries = NO_TRIES;
    while (true) {
      // The run may have ended while a hook or this loop waited.
      if (signal.aborted) return { ok: false, why: ABORTED.message, class: ABORTED.class, spent };
      const built = forkOf(request, doors, refused);
      const { text, error, usage, calls } = await ask(doors.model, built, signal);
      if (isSpent(usage)) spent.push({ model: request.context.model, usage });
      const facts = { error, calls, paused: false, empty: text === '', fallbackAvailable: false };
      const verdict = signal.aborted ? ACCEPT : judgeAttempt(facts, tries, policy, doors.random);
      if (verdict.do === 'retry') await doors.clock.sleep(verdict.delayMs, signal);
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

const ACCEPT = { do: 'accept' } as const;
const ABORTED = modelError('aborted', 'The compaction was interrupted.');
const NO_TEXT = modelError('empty', 'The summariser answered with no text.');

function forkOf(request: SummaryRequest, doors: SummariserDoors, refused: ReadonlySet<string>): ModelRequest {
  const { messages, instruction, context } = request;
  const builder = createRequestBuilder();
  const view = viewOf(request, doors, refused);
  // Built first and never sent: the builder learns which prefixes are cached, and marks those that are still the same.
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
 * What the last requests of the conversation sent, oldest first: each ended where an answer begins. The history alone
 * tells it, so it holds between two prompts and in another process. A request that was never answered left no mark there.
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

/** The API allows four marks; one stands behind the system prompt. */
const MOST_READ_MARKS = 3;

function viewOf(
  { context, maxTokens }: SummaryRequest,
  { head, model, options: given = {}, serverEdits }: SummariserDoors,
  refusedBlocks: ReadonlySet<string>,
): RequestView {
  const facts = model.factsOf?.(context.model);
  const options = optionsFor(facts, given);
  const thinking = options.thinking?.type === 'enabled' ? options.thinking.budget_tokens : 0;
  return requestView({
    ...head,
    model: context.model,
    // Thinking comes out of the same cap; switching it off would cost the cached messages.
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
  refusal: 'The model declined to summarise the conversation.',
};

function refuse(refused: Set<string>, request: ModelRequest, error: ModelError | undefined): void {
  const block = error?.block && request.messages.at(error.block.message)?.content[error.block.block];
  if (block) refused.add(refusedName(block));
}
