/**
 * The `stream` effect: attempts at one answer until one is accepted. The policy of attempts (retry, fallback, pause, re-ask,
 * rejected block) decides after each attempt. The machine receives only the end.
 */
import type { Effect, StreamEnd } from '../../machine/effects.ts';
import { modelError, type ModelError } from '../../messages/model-error.ts';
import { isSpent } from '../../messages/usage.ts';
import { modelFields } from '../../model/facts.ts';
import {
  type AnotherAttempt,
  type AttemptFacts,
  decideAttempt,
  FIRST_ATTEMPT,
  streamEnd,
  withJitter,
} from '../../machine/attempts.ts';
import { newlyRejectedBlock } from '../../request/normalize/model-steps.ts';
import type { CacheSafeParams } from '../../request/side-query.ts';
import { requestSpec, type RequestSpec } from '../../request/request-spec.ts';
import { specsOf, withoutChosenModel } from '../../tools/tool.ts';
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
  | 'lastSent'
  | 'outputTokens'
>;

export async function* streamAnswer(
  env: RunEnvironment,
  given: StreamProgress,
  effect: StreamEffect,
): AsyncGenerator<LoopEvent, EffectEnd> {
  const { deps, config } = env;
  let changed = given;
  let tries = { ...FIRST_ATTEMPT, fallbacksLeft: given.fallbacks.length };
  try {
    while (true) {
      const before = changed;
      const early = takeSummary(before.summary);
      if (early.event) yield early.event;
      const { request, repairs, rewrotePrefix, sent } = buildRequest(env, before, effect, tries.paused);
      if (repairs.length > 0) yield { type: 'mended', mends: repairs };
      if (rewrotePrefix) yield { type: 'prefix_rewritten' };
      const attempt = yield* runAttempt(env, before, request);
      const { answer, executor, error, threw, reader, rateLimits } = attempt;
      const outputTokens = before.outputTokens + reader.usage.output_tokens;
      changed = { ...before, summary: early.summary, lastSent: sent, answer, executor, outputTokens };
      if (threw) return { ...threw, changed };
      if (rateLimits) yield { type: 'rate_limits', limits: rateLimits };
      if (error?.window !== undefined) deps.context.learnWindow(changed.context.model, error.window);
      const rejected = newlyRejectedBlock(changed.rejectedBlocks, request, error);
      const facts: AttemptFacts = {
        error,
        calls: completeCalls(answer).length,
        paused: reader.stopReason === 'pause_turn',
        empty: isEmptyAnswer(answer),
        aborted: env.aborted !== undefined,
        refusedInVain: rejected === undefined,
        asksForThinking: request.options.thinking !== undefined,
      };
      const decision = decideAttempt(facts, tries, config.retry);
      if (decision.do === 'accept') {
        const ended = streamEnd(facts);
        const failed = facts.calls > 0 || ended.well ? undefined : ended.error;
        for (const event of acceptEvents(env, attempt, failed)) yield event;
        const late = takeSummary(changed.summary);
        if (late.event) yield late.event;
        changed = afterAnswer(changed, reader.responseId, failed, late.summary);
        const staged = deps.context.staged();
        // Asked again: the consumer may have aborted when it received the end of the answer.
        const { aborted } = env;
        return { event: { type: 'streamed', calls: facts.calls, ended, staged, aborted }, changed };
      }
      yield* spentEvents(attempt);
      const failure = error ?? NOTHING_RECEIVED;
      const delayMs = decision.do === 'retry' ? withJitter(decision, deps.random) : 0;
      if (decision.do === 'retry') {
        const { attempts } = decision.tries;
        const { maxAttempts } = config.retry;
        yield { type: 'retry', attempt: attempts, maxAttempts, delayMs, error: failure };
      }
      const blocksBefore = before.answer.blocks.length;
      const about = { blocksBefore, rejected, delayMs, error: failure };
      changed = yield* prepareAnother(env, changed, decision, about);
      tries = decision.tries;
      const { aborted } = env;
      if (aborted) {
        const ended: StreamEnd = { well: false, error: failure };
        return { event: { type: 'streamed', calls: 0, ended, staged: false, aborted }, changed };
      }
    }
  } catch (thrown) {
    return { thrown, changed };
  }
}

function buildRequest(env: RunEnvironment, given: StreamProgress, effect: StreamEffect, paused: boolean) {
  const spec = requestSpecOf(env, given, effect, paused);
  const messages = paused ? given.view.append(given.answer.blocks) : given.view;
  const sent = { spec, sent: messages };
  if (env.sharesPrefix) reportSent(env, sent);
  return { ...env.builder.build(spec, messages), sent };
}

/** Side queries are a convenience: the run continues if their port fails. */
function reportSent({ deps }: RunEnvironment, sent: CacheSafeParams): void {
  try {
    deps.requestSent(sent);
  } catch {
    // The next request is reported again.
  }
}

function afterAnswer(
  given: StreamProgress,
  responseId: string,
  error: ModelError | undefined,
  summary: PendingSummary | undefined,
): StreamProgress {
  return { ...given, summary, answer: { ...given.answer, responseId, error } };
}

const NOTHING_RECEIVED = modelError('empty', 'The model gave no answer.');

interface FailedAttempt {
  /** The number of blocks from earlier attempts. */
  readonly blocksBefore: number;
  readonly rejected: string | undefined;
  readonly delayMs: number;
  readonly error: ModelError;
}

/** Retracts what the failed attempt left, and does what the next one needs. */
async function* prepareAnother(
  env: RunEnvironment,
  given: StreamProgress,
  decision: AnotherAttempt,
  { blocksBefore, rejected, delayMs, error }: FailedAttempt,
): AsyncGenerator<LoopEvent, StreamProgress> {
  const { deps, write, signal } = env;
  let now = given;
  if (decision.keeps !== 'everything') {
    const { answer, retracted } = retract(given.answer, decision.keeps === 'nothing' ? 0 : blocksBefore);
    given.executor?.discard();
    env.releaseExecutor();
    if (retracted.length > 0) yield { type: 'tombstone', uuids: retracted };
    now = { ...given, answer, executor: undefined };
  }
  switch (decision.do) {
    case 'retry':
      await deps.clock.sleep(delayMs, signal);
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
      const from = now.context.model;
      const notice = `Switched from ${from} to ${next}: ${error.message}`;
      const details = { from, to: next, error: error.class };
      yield messageEvent({ ...write.system('model_fallback', notice, 'warning'), details });
      const { turnModel } = now.context;
      const effort = turnModel ? { turnModel: withoutChosenModel(turnModel) } : {};
      const context = { ...now.context, model: next, ...effort };
      return { ...now, fallbacks, leavesOutThinking: false, context };
    }
  }
}

/** Announces an answer that counts with its end. Any other attempt is announced only with its cost. */
function* acceptEvents(
  { deps, write }: RunEnvironment,
  attempt: AttemptEnd,
  error: ModelError | undefined,
): Generator<LoopEvent, void> {
  const { reader, requestId, notice } = attempt;
  const { responseId, model, stopReason, usage, appliedEdits } = reader;
  if (error === undefined || error.class === 'refusal') {
    const cleared = deps.context.answered({ responseId, usage, appliedEdits });
    if (cleared) yield { type: 'context', report: cleared };
    const request = requestId === undefined ? {} : { requestId };
    yield { type: 'answer_end', responseId, model, stopReason, usage, ...request };
  } else yield* spentEvents(attempt);
  if (notice !== undefined) yield messageEvent(write.system('informational', notice, 'warning'));
}

interface TakenSummary {
  readonly event: LoopEvent | undefined;
  readonly summary: PendingSummary | undefined;
}

/** Returns an event if the summary of the last tool calls is ready. Then the returned summary keeps only its handle. */
function takeSummary(summary: PendingSummary | undefined): TakenSummary {
  const text = summary?.text();
  if (!summary || !text) return { event: undefined, summary };
  const { toolUseIds } = summary;
  return {
    event: { type: 'tool_use_summary', summary: text, toolUseIds },
    summary: { ...summary, text: () => undefined },
  };
}

function* spentEvents({ reader: { usage, model } }: AttemptEnd): Generator<LoopEvent, void> {
  if (isSpent(usage)) yield { type: 'spent', model, usage };
}

/** The frozen parameters of the next request. */
function requestSpecOf(
  { params, config, deps }: RunEnvironment,
  { context, rejectedBlocks, leavesOutThinking }: StreamProgress,
  { maxOutputTokens, taskBudget }: StreamEffect,
  continuesAnswer: boolean,
): RequestSpec {
  const facts = deps.model.factsOf?.(context.model);
  const options = {
    ...params.requestOptions,
    ...(context.turnModel?.effort ? { effort: context.turnModel.effort } : {}),
    ...(config.gates.fastMode ? { fastMode: true } : {}),
    ...(taskBudget ? { taskBudget } : {}),
  };
  return requestSpec({
    model: context.model,
    maxOutputTokens: Math.min(maxOutputTokens, facts?.maxOutputTokens ?? Number.POSITIVE_INFINITY),
    systemPrompt: params.systemPrompt,
    systemContext: params.systemContext,
    userContext: params.userContext,
    tools: specsOf(context.tools),
    skipCacheWrite: params.skipCacheWrite ?? false,
    refusedBlocks: rejectedBlocks,
    continuesAnswer,
    ...modelFields(facts, options, leavesOutThinking),
  });
}
