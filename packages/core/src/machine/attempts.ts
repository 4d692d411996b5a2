/**
 * The machine inside one `stream` effect: what to do after an attempt. `decideAttempt` is pure, total and plain data, like
 * `decide`. Each remedy has a guard and a bound. The outer machine receives only how the whole stream ended.
 */
import { modelError, type ModelError, type ModelErrorClass } from '../messages/model-error.ts';
import type { StreamEnd } from './effects.ts';

export interface RetryPolicy {
  /** The first attempt and its retries. */
  readonly maxAttempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** A server that asks for a longer wait than this gets no further attempt. */
  readonly maxServerWaitMs: number;
  /** Overloaded attempts after which the fallback model takes over. */
  readonly overloadsBeforeFallback: number;
  readonly maxPauses: number;
  readonly maxRefusedBlocks: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  maxAttempts: 11,
  firstDelayMs: 500,
  maxDelayMs: 32_000,
  maxServerWaitMs: 10 * 60_000,
  overloadsBeforeFallback: 3,
  maxPauses: 10,
  maxRefusedBlocks: 20,
};

/** The uses of each remedy in this stream. */
export interface AttemptState {
  /** Attempts with the model in use. */
  readonly attempts: number;
  readonly overloads: number;
  readonly pauses: number;
  readonly refusedBlocks: number;
  readonly askedAgain: boolean;
  /** True if thinking was left out of the request because the server rejected it. */
  readonly withoutThinking: boolean;
  /** Fallback models that are left. The number only shrinks, so it bounds the changes of model. */
  readonly fallbacksLeft: number;
  /** True if the next attempt continues a paused answer. */
  readonly paused: boolean;
}

export const FIRST_ATTEMPT: AttemptState = {
  attempts: 1,
  overloads: 0,
  pauses: 0,
  refusedBlocks: 0,
  askedAgain: false,
  withoutThinking: false,
  fallbacksLeft: 0,
  paused: false,
};

/** How an attempt ended. */
export interface AttemptFacts {
  readonly error: ModelError | undefined;
  /** Complete calls of the answer. An answer with calls is never requested again. */
  readonly calls: number;
  readonly paused: boolean;
  /** True if the answer has neither text nor calls. */
  readonly empty: boolean;
  /** True if the run was aborted. No further attempt starts. */
  readonly aborted?: boolean;
  /** True if the request had a thinking option. */
  readonly asksForThinking?: boolean;
  /** True if the rejected block is not in the request, or was already replaced. Another attempt would end the same way. */
  readonly refusedInVain?: boolean;
}

export type AttemptDecision = { readonly do: 'accept' } | AnotherAttempt;

/** `keeps`: the blocks of the answer that stay. Blocks of earlier attempts exist only in a paused answer. */
export type AnotherAttempt = {
  readonly tries: AttemptState;
  readonly keeps: 'everything' | 'earlier attempts' | 'nothing';
} & (
  | { readonly do: 'retry'; readonly delayMs: number; readonly jitterMs: number }
  | { readonly do: 'fall_back' | 'resume_pause' | 'ask_again' | 'replace_block' | 'leave_out_thinking' }
);

/** Each guard stops one remedy from running forever. */
export interface AttemptGuards {
  mayResumePause(tries: AttemptState, policy: RetryPolicy): boolean;
  mayAskAgain(tries: AttemptState): boolean;
  mayReplaceBlock(tries: AttemptState, policy: RetryPolicy): boolean;
  mayLeaveOutThinking(tries: AttemptState): boolean;
  mayFallBack(tries: AttemptState): boolean;
  mayRetry(tries: AttemptState, policy: RetryPolicy): boolean;
}

export const ATTEMPT_GUARDS: AttemptGuards = {
  mayResumePause: (tries, policy) => tries.pauses < policy.maxPauses,
  mayAskAgain: (tries) => !tries.askedAgain,
  mayReplaceBlock: (tries, policy) => tries.refusedBlocks < policy.maxRefusedBlocks,
  mayLeaveOutThinking: (tries) => !tries.withoutThinking,
  mayFallBack: (tries) => tries.fallbacksLeft > 0,
  mayRetry: (tries, policy) => tries.attempts < policy.maxAttempts,
};

/** Errors that can pass by themselves. */
const RETRIED: ReadonlySet<ModelErrorClass> = new Set([
  'network',
  'stall',
  'rate_limit',
  'overloaded',
  'server',
]);

const ACCEPT: AttemptDecision = { do: 'accept' };

/** `guards` is a parameter so that the explorer can remove one and see the proof fail. */
export function decideAttempt(
  facts: AttemptFacts,
  tries: AttemptState,
  policy: RetryPolicy,
  guards: AttemptGuards = ATTEMPT_GUARDS,
): AttemptDecision {
  const { error } = facts;
  if (facts.aborted || facts.calls > 0) return ACCEPT;
  if (!error) return afterAnswer(facts, tries, policy, guards);
  const keeps = 'earlier attempts';
  const isReplaceable = error.class === 'refused_block' && error.block && !facts.refusedInVain;
  if (isReplaceable && guards.mayReplaceBlock(tries, policy)) {
    return { do: 'replace_block', keeps, tries: { ...tries, refusedBlocks: tries.refusedBlocks + 1 } };
  }
  if (error.rejects === 'thinking' && facts.asksForThinking && guards.mayLeaveOutThinking(tries)) {
    return { do: 'leave_out_thinking', keeps, tries: { ...tries, withoutThinking: true } };
  }
  const overloads = tries.overloads + (error.class === 'overloaded' ? 1 : 0);
  const isModelGone = error.class === 'not_found' || overloads >= policy.overloadsBeforeFallback;
  if (isModelGone && guards.mayFallBack(tries)) return fallBack(tries);
  if (!isRetried(error, policy) || !guards.mayRetry(tries, policy)) return ACCEPT;
  const next: AttemptState = { ...tries, attempts: tries.attempts + 1, overloads };
  if (error.retryAfterMs !== undefined)
    return { do: 'retry', delayMs: error.retryAfterMs, jitterMs: 0, keeps, tries: next };
  const delayMs = backoff(tries.attempts, policy);
  return { do: 'retry', delayMs, jitterMs: delayMs / 4, keeps, tries: next };
}

function afterAnswer(
  { paused, empty }: AttemptFacts,
  tries: AttemptState,
  policy: RetryPolicy,
  guards: AttemptGuards,
): AttemptDecision {
  if (paused && guards.mayResumePause(tries, policy)) {
    const next: AttemptState = { ...tries, pauses: tries.pauses + 1, paused: true };
    return { do: 'resume_pause', keeps: 'everything', tries: next };
  }
  if (!empty || !guards.mayAskAgain(tries)) return ACCEPT;
  return { do: 'ask_again', keeps: 'nothing', tries: { ...tries, askedAgain: true, paused: false } };
}

/** The next model starts with fresh counts. A paused answer belongs to the model that began it. */
function fallBack(tries: AttemptState): AnotherAttempt {
  const fallbacksLeft = tries.fallbacksLeft - 1;
  const next = { attempts: 1, overloads: 0, withoutThinking: false, paused: false, fallbacksLeft };
  return { do: 'fall_back', keeps: 'nothing', tries: { ...tries, ...next } };
}

function isRetried(error: ModelError, policy: RetryPolicy): boolean {
  if (error.retryAfterMs !== undefined && error.retryAfterMs > policy.maxServerWaitMs) return false;
  // A server can rule out a retry. It cannot order one: a bad key stays bad, and the loop has other remedies.
  return error.shouldRetry !== false && RETRIED.has(error.class);
}

/** The delay doubles with each attempt, up to the limit. */
export function backoff(attempts: number, policy: RetryPolicy): number {
  return Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (attempts - 1));
}

/** Adds up to a quarter, so that many clients do not come back at the same time. `random` is in [0, 1). */
export function withJitter(
  { delayMs, jitterMs }: { readonly delayMs: number; readonly jitterMs: number },
  random: () => number,
): number {
  return jitterMs === 0 ? delayMs : Math.round(delayMs + jitterMs * random());
}

/** How the stream ended if this attempt is accepted. */
export function streamEnd({ error, empty, calls, paused }: AttemptFacts): StreamEnd {
  if (error) return { well: false, error };
  if (calls > 0) return { well: true };
  if (empty) return { well: false, error: modelError('empty', EMPTY_TWICE) };
  if (paused) return { well: false, error: modelError('server', PAUSED_TOO_OFTEN) };
  return { well: true };
}

const EMPTY_TWICE =
  'The model answered with nothing, twice. Send the request again, or choose another model.';
const PAUSED_TOO_OFTEN = 'The server paused this answer again and again. Send the request again later.';
