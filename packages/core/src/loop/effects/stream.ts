/**
 * The `stream` effect: attempts at one answer until one is accepted. The policy of attempts (retry, fallback, pause, re-ask,
 * rejected block) decides after each attempt. The machine receives only the end.
 */
import type { Effect } from '../../machine/effect.ts';
import type { StreamEnd } from '../../machine/happened.ts';
import { modelError, type ModelError } from '../../messages/model-error.ts';
import { isSpent } from '../../messages/usage.ts';
import { optionsFor, optionsWithoutThinking, thinkingAfterLoss } from '../../model/facts.ts';
import type { ModelRequest } from '../../model/port.ts';
import { decideAttempt, NO_ATTEMPTS, type AttemptDecision, type AttemptFacts } from '../../model/retry.ts';
import { rejectedBlockName } from '../../request/normalize/model-steps.ts';
import { requestView, type RequestView } from '../../request/view.ts';
import { specsOf } from '../../tools/tool.ts';
import { completeCalls, isEmptyAnswer, retract } from '../answer.ts';
import {
  type EffectEnd,
  messageEvent,
  type PendingSummary,
  type RunEnvironment,
  type RunProgress,
} from '../environment.ts';
import type { LoopEvent } from '../events.ts';
import { EMPTY_ANSWER } from '../texts.ts';
import { type AttemptEnd, runAttempt } from './attempt.ts';

type StreamEffect = Extract<Effect, { type: 'stream' }>;

/** The values that attempts change. */
type StreamProgress = Pick<
  RunProgress,
  | 'history'
  | 'view'
  | 'answer'
  | 'executor'
  | 'context'
  | 'fallbacks'
  | 'leavesOutThinking'
  | 'rejectedBlocks'
  | 'summary'
  | 'outputTokens'
>;

export async function* streamAnswer(
  env: RunEnvironment,
  given: StreamProgress,
  effect: StreamEffect,
): AsyncGenerator<LoopEvent, EffectEnd> {
  const { deps, config } = env;
  let changed = given;
  let tries = NO_ATTEMPTS;
  let paused = false;
  try {
    while (true) {
      const blocksBefore = changed.answer.blocks.length;
      const { request, attempt, now } = yield* sendAttempt(env, changed, effect, paused);
      changed = now;
      const { answer, error, threw, reader } = attempt;
      if (threw) return { ...threw, changed };
      if (error?.window !== undefined) deps.context.learnWindow(changed.context.model, error.window);
      const rejected = newlyRejected(changed.rejectedBlocks, request, error);
      const facts: AttemptFacts = {
        error,
        calls: completeCalls(answer).length,
        paused: reader.stopReason === 'pause_turn',
        empty: isEmptyAnswer(answer),
        fallbackAvailable: changed.fallbacks.length > 0,
        refusedInVain: rejected === undefined,
        asksForThinking: request.options.thinking !== undefined,
      };
      const decision = env.aborted ? ACCEPT : decideAttempt(facts, tries, config.retry, deps.random);
      if (decision.do === 'accept') {
        changed = yield* acceptAttempt(env, changed, attempt, facts);
        const ended = streamEnd(facts);
        const staged = deps.context.staged();
        // Asked again: the consumer may have aborted when it received the end of the answer.
        const { aborted } = env;
        return { happened: { type: 'streamed', calls: facts.calls, ended, staged, aborted }, changed };
      }
      yield* spentEvents(attempt);
      const failure = error ?? NOTHING_RECEIVED;
      if (decision.do === 'retry') {
        const { maxAttempts } = config.retry;
        const { delayMs } = decision;
        yield { type: 'retry', attempt: decision.tries.attempts, maxAttempts, delayMs, error: failure };
      }
      const keptBlocks = keepsEarlierBlocks(decision) ? blocksBefore : 0;
      if (decision.do !== 'resume_pause') changed = yield* retractAttempt(env, changed, keptBlocks);
      changed = yield* prepareAnother(env, changed, decision, { rejected, error: failure });
      tries = decision.tries;
      paused = isPausedAfter(decision, paused);
      const { aborted } = env;
      if (aborted) {
        const ended: StreamEnd = { well: false, error: failure };
        return { happened: { type: 'streamed', calls: 0, ended, staged: false, aborted }, changed };
      }
    }
  } catch (thrown) {
    return { thrown, changed };
  }
}

/** Builds the next request and makes one attempt with it. */
async function* sendAttempt(
  env: RunEnvironment,
  given: StreamProgress,
  effect: StreamEffect,
  paused: boolean,
): AsyncGenerator<LoopEvent, { request: ModelRequest; attempt: AttemptEnd; now: StreamProgress }> {
  const summary = yield* offerSummary(given.summary);
  const messages = paused ? given.view.append(given.answer.blocks) : given.view;
  const view = requestViewOf(env, given, effect, paused);
  const { request, repairs, rewrotePrefix } = env.builder.build(view, messages);
  if (repairs.length > 0) yield { type: 'mended', mends: repairs };
  if (rewrotePrefix) yield { type: 'prefix_rewritten' };
  const attempt = yield* runAttempt(env, given, request);
  const { answer, executor, reader } = attempt;
  const outputTokens = given.outputTokens + reader.usage.output_tokens;
  return { request, attempt, now: { ...given, summary, answer, executor, outputTokens } };
}

const ACCEPT = { do: 'accept' } as const;
const NOTHING_RECEIVED = modelError('empty', 'The model gave no answer.');

type Another = Exclude<AttemptDecision, { do: 'accept' }>;

/** Blocks of earlier, paused attempts stay unless another model or a new question starts the answer again. */
function keepsEarlierBlocks({ do: what }: Another): boolean {
  return what !== 'fall_back' && what !== 'ask_again';
}

/** A paused answer belongs to the model that began it. */
function isPausedAfter(decision: Another, paused: boolean): boolean {
  return decision.do === 'resume_pause' || (paused && keepsEarlierBlocks(decision));
}

async function* retractAttempt(
  env: RunEnvironment,
  now: StreamProgress,
  keptBlocks: number,
): AsyncGenerator<LoopEvent, StreamProgress> {
  const { answer, retracted } = retract(now.answer, keptBlocks);
  now.executor?.discard();
  env.stopAtEnd(undefined);
  if (retracted.length > 0) yield { type: 'tombstone', uuids: retracted };
  return { ...now, answer, executor: undefined };
}

/** Does what the next attempt needs. */
async function* prepareAnother(
  { deps, write, signal }: RunEnvironment,
  now: StreamProgress,
  decision: Another,
  { rejected, error }: { readonly rejected: string | undefined; readonly error: ModelError },
): AsyncGenerator<LoopEvent, StreamProgress> {
  switch (decision.do) {
    case 'retry':
      await deps.clock.sleep(decision.delayMs, signal);
      return now;
    case 'resume_pause':
      return now;
    case 'leave_out_thinking':
      return { ...now, leavesOutThinking: true };
    case 'replace_block':
      if (rejected === undefined) return now;
      yield { type: 'refused', blocks: [rejected] };
      return { ...now, rejectedBlocks: new Set([...now.rejectedBlocks, rejected]) };
    case 'ask_again': {
      const again = write.hidden(EMPTY_ANSWER);
      const history = now.history.append([again]);
      yield messageEvent(again);
      return { ...now, history, view: now.view === now.history ? history : now.view.append([again]) };
    }
    case 'fall_back': {
      // Thinking blocks keep their signatures. The request builder leaves them out for another model.
      const [next, ...fallbacks] = now.fallbacks;
      if (next === undefined) return now;
      const notice = `Switched from ${now.context.model} to ${next}: ${error.message}`;
      yield messageEvent(write.system('model_fallback', notice, 'warning'));
      return { ...now, fallbacks, leavesOutThinking: false, context: { ...now.context, model: next } };
    }
  }
}

/** Announces an answer that counts with its end. Any other attempt is announced only with its cost. */
async function* acceptAttempt(
  { deps, write }: RunEnvironment,
  now: StreamProgress,
  attempt: AttemptEnd,
  facts: AttemptFacts,
): AsyncGenerator<LoopEvent, StreamProgress> {
  const { reader, requestId, notice } = attempt;
  const { responseId, model, stopReason, usage, appliedEdits } = reader;
  const end = streamEnd(facts);
  const error = facts.calls > 0 || end.well ? undefined : end.error;
  if (error === undefined || error.class === 'refusal') {
    const cleared = deps.context.answered({ responseId, usage, appliedEdits });
    if (cleared) yield { type: 'context', report: cleared };
    const request = requestId === undefined ? {} : { requestId };
    yield { type: 'answer_end', responseId, model, stopReason, usage, ...request };
  } else yield* spentEvents(attempt);
  if (notice !== undefined) yield messageEvent(write.system('informational', notice, 'warning'));
  const summary = yield* offerSummary(now.summary);
  return { ...now, summary, answer: { ...now.answer, responseId, error } };
}

/** Yields the summary of the last tool calls if it is ready. The returned one keeps its handle and is never yielded again. */
function* offerSummary(
  summary: PendingSummary | undefined,
): Generator<LoopEvent, PendingSummary | undefined> {
  const text = summary?.text();
  if (!summary || !text) return summary;
  yield { type: 'tool_use_summary', summary: text, toolUseIds: summary.toolUseIds };
  return { ...summary, text: () => undefined };
}

function streamEnd({ error, empty, calls, paused }: AttemptFacts): StreamEnd {
  if (error) return { well: false, error };
  if (calls > 0) return { well: true };
  if (empty) return { well: false, error: modelError('empty', EMPTY_TWICE) };
  if (paused) return { well: false, error: modelError('server', PAUSED_TOO_OFTEN) };
  return { well: true };
}

const EMPTY_TWICE =
  'The model answered with nothing, twice. Send the request again, or choose another model.';
const PAUSED_TOO_OFTEN = 'The server paused this answer again and again. Send the request again later.';

function* spentEvents({ reader: { usage, model } }: AttemptEnd): Generator<LoopEvent, void> {
  if (isSpent(usage)) yield { type: 'spent', model, usage };
}

/** The frozen view of the next request. */
function requestViewOf(
  { params, config, deps }: RunEnvironment,
  { context, rejectedBlocks, leavesOutThinking }: StreamProgress,
  { maxOutputTokens, taskBudget }: StreamEffect,
  continuesAnswer: boolean,
): RequestView {
  const facts = deps.model.factsOf?.(context.model);
  const options = optionsFor(facts, {
    ...params.requestOptions,
    ...(config.gates.fastMode ? { fastMode: true } : {}),
    ...(taskBudget ? { taskBudget } : {}),
  });
  return requestView({
    model: context.model,
    maxOutputTokens: Math.min(maxOutputTokens, facts?.maxOutputTokens ?? Number.POSITIVE_INFINITY),
    systemPrompt: params.systemPrompt,
    systemContext: params.systemContext,
    userContext: params.userContext,
    tools: specsOf(context.tools),
    skipCacheWrite: params.skipCacheWrite ?? false,
    refusedBlocks: rejectedBlocks,
    continuesAnswer,
    options: leavesOutThinking ? optionsWithoutThinking(options) : options,
    thinkingAfterLoss: thinkingAfterLoss(facts, options.effort),
  });
}

/** Returns the name of the rejected block if another attempt without it can help: it is there and was not replaced. */
function newlyRejected(
  known: ReadonlySet<string>,
  request: ModelRequest,
  error: ModelError | undefined,
): string | undefined {
  if (!error?.block) return undefined;
  const block = request.messages.at(error.block.message)?.content[error.block.block];
  const name = block && rejectedBlockName(block);
  return name === undefined || known.has(name) ? undefined : name;
}
