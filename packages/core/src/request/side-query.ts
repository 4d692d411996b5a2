/**
 * A side query: a question to the model beside a conversation. It runs no tool and changes nothing. A fork of the
 * conversation has the same system prompt, tools and messages, and the question behind them, so it reads the cached prefix.
 */
import type { Clock } from '../clock.ts';
import {
  type AttemptFacts,
  decideAttempt,
  DEFAULT_RETRY,
  FIRST_ATTEMPT,
  type RetryPolicy,
  withJitter,
} from '../machine/attempts.ts';
import { isToolUse, textOf } from '../messages/blocks.ts';
import { History } from '../messages/history.ts';
import type { Message, MessageHistory } from '../messages/message.ts';
import { modelError, type ModelError, type ModelErrorClass } from '../messages/model-error.ts';
import { isSpent, type Spent, type Usage } from '../messages/usage.ts';
import type { ModelPort, ModelRequest } from '../model/port.ts';
import { AnswerReader } from '../model/reader.ts';
import { errorMessage } from '../thrown.ts';
import { createRequestBuilder } from './builder.ts';
import { newlyRejectedBlock } from './normalize/model-steps.ts';
import type { RequestSpec } from './request-spec.ts';

/** The parameters of a request as it was sent. A request with the same ones shares its cached prefix. */
export interface CacheSafeParams {
  readonly spec: RequestSpec;
  readonly sent: MessageHistory;
}

export interface SideQuery {
  readonly spec: RequestSpec;
  /** The messages of requests that were sent before, oldest first. The query reads what they have cached. */
  readonly earlier: readonly MessageHistory[];
  /** The messages of this query. The last one is the question. */
  readonly messages: MessageHistory;
}

export interface SideQueryDeps {
  readonly model: ModelPort;
  readonly clock: Clock;
  /** Returns a number in [0, 1), for the jitter of retry delays. */
  readonly random: () => number;
  readonly retry?: Partial<RetryPolicy> | undefined;
}

export type SideAnswer =
  | { readonly ok: true; readonly text: string; readonly spent: readonly Spent[] }
  | {
      readonly ok: false;
      readonly why: string;
      readonly class: ModelErrorClass;
      /** The number of tool calls in the answer. None of them was run. */
      readonly calls: number;
      readonly spent: readonly Spent[];
    };

/** The user or the run waits for a side query, so it gives up sooner than an answer would. */
const PATIENCE: Partial<RetryPolicy> = { maxAttempts: 3, maxServerWaitMs: 60_000 };

/**
 * Sends the query, and retries it like a request of the loop.
 *
 * Contract:
 * - Never throws. An aborted signal ends it with the class `aborted`.
 * - Nothing of it is written to the cache.
 * - An answer that was cut off at the output limit counts.
 */
export async function askAside(
  query: SideQuery,
  deps: SideQueryDeps,
  signal: AbortSignal,
): Promise<SideAnswer> {
  const policy = { ...DEFAULT_RETRY, ...PATIENCE, ...deps.retry };
  const spent: Spent[] = [];
  const rejectedBlocks = new Set(query.spec.refusedBlocks);
  let tries = FIRST_ATTEMPT;
  while (true) {
    // The caller may have ended during a hook or a wait of this loop.
    if (signal.aborted) return { ok: false, why: ABORTED.message, class: ABORTED.class, calls: 0, spent };
    const request = sideRequest(query, rejectedBlocks);
    const { text, error, usage, calls } = await readAnswer(deps.model, request, signal);
    if (isSpent(usage)) spent.push({ model: query.spec.model, usage });
    const rejected = newlyRejectedBlock(rejectedBlocks, request, error);
    const facts: AttemptFacts = {
      error,
      calls,
      paused: false,
      empty: text === '',
      aborted: signal.aborted,
      refusedInVain: rejected === undefined,
    };
    const decision = decideAttempt(facts, tries, policy);
    if (decision.do === 'retry') await deps.clock.sleep(withJitter(decision, deps.random), signal);
    else if (decision.do === 'replace_block' && rejected !== undefined) rejectedBlocks.add(rejected);
    else if (text !== '' && (!error || error.class === 'output_cap')) return { ok: true, text, spent };
    else {
      const failed = error ?? NO_TEXT;
      return { ok: false, why: failed.message, class: failed.class, calls, spent };
    }
    tries = decision.tries;
  }
}

const ABORTED = modelError('aborted', 'The side query was interrupted.');
const NO_TEXT = modelError('empty', 'The model returned no text.');

function sideRequest(
  { spec, earlier, messages }: SideQuery,
  refusedBlocks: ReadonlySet<string>,
): ModelRequest {
  const builder = createRequestBuilder();
  const own = { ...spec, refusedBlocks, continuesAnswer: false };
  // These are never sent. The builder learns from them which prefixes are cached.
  for (const sent of earlier) builder.build({ ...own, skipCacheWrite: false }, sent);
  return builder.build({ ...own, skipCacheWrite: true }, messages).request;
}

/**
 * Returns the messages of the last requests, oldest first. Each request ended where an answer begins. They follow from the
 * history alone, so this works between two prompts and in another process. Unanswered requests leave no trace there.
 */
export function earlierRequests(messages: MessageHistory): MessageHistory[] {
  const all = messages.since(0);
  const starts = new Map<string, number>();
  for (const [index, message] of all.entries()) {
    if (message.type !== 'assistant' || message.apiError !== undefined) continue;
    if (!starts.has(message.responseId)) starts.set(message.responseId, index);
  }
  return [...starts.values()]
    .slice(-MOST_READ_MARKS)
    .filter((start) => start > 0)
    .map((start) => History.of<Message>(all.slice(0, start)));
}

/** The API allows four cache marks. One of them follows the system prompt. */
const MOST_READ_MARKS = 3;

interface ReadAnswer {
  readonly text: string;
  readonly calls: number;
  readonly error: ModelError | undefined;
  readonly usage: Usage;
}

async function readAnswer(model: ModelPort, request: ModelRequest, signal: AbortSignal): Promise<ReadAnswer> {
  const reader = new AnswerReader();
  let [text, calls] = ['', 0];
  let error: ModelError | undefined;
  try {
    for await (const record of model(request, signal)) {
      if (record.type === 'model_error') error = record;
      else if (record.type !== 'done') {
        const finished = reader.push(record);
        if (!finished) continue;
        text += textOf([finished.block]);
        if (isToolUse(finished.block)) calls++;
      }
    }
  } catch (thrown) {
    // A bug of the port. The run beside which this query is asked must not end with it.
    error = modelError('internal', errorMessage(thrown));
  }
  text += reader.unfinishedText();
  return { text: text.trim(), calls, error: error ?? reader.endError, usage: reader.usage };
}
