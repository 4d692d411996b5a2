/**
 * What is done about an attempt that did not end well: pure policy. Each remedy has its own bound, kept in `Tries`; the
 * machine sees only how the whole stream ended.
 */
import type { ModelError, ModelErrorClass } from '../messages/model-error.ts';

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

/** How often each remedy was used in this stream. */
export interface AttemptCounts {
  /** Attempts at the present model. */
  readonly attempts: number;
  readonly overloads: number;
  readonly pauses: number;
  readonly refusedBlocks: number;
  readonly askedAgain: boolean;
  /** Thinking was left out of the request because the server rejected it. */
  readonly withoutThinking: boolean;
}

export const NO_ATTEMPTS: AttemptCounts = {
  attempts: 1,
  overloads: 0,
  pauses: 0,
  refusedBlocks: 0,
  askedAgain: false,
  withoutThinking: false,
};

export interface AttemptFacts {
  readonly error: ModelError | undefined;
  /** Complete calls of the answer; an answer that has some is never repeated. */
  readonly calls: number;
  readonly paused: boolean;
  /** Neither text nor calls. */
  readonly empty: boolean;
  /** A fallback model is left. The list only shrinks, so its length bounds the number of changes. */
  readonly fallbackAvailable: boolean;
  /** The request said something about thinking. */
  readonly asksForThinking?: boolean;
  /** The block that the error names is not in the request, or was replaced before: another attempt would end the same way. */
  readonly refusedInVain?: boolean;
}

export type AttemptDecision =
  | { readonly do: 'accept' }
  | { readonly do: 'retry'; readonly delayMs: number; readonly tries: AttemptCounts }
  | { readonly do: 'fall_back'; readonly tries: AttemptCounts }
  | { readonly do: 'resume_pause'; readonly tries: AttemptCounts }
  | { readonly do: 'ask_again'; readonly tries: AttemptCounts }
  | { readonly do: 'replace_block'; readonly tries: AttemptCounts }
  | { readonly do: 'leave_out_thinking'; readonly tries: AttemptCounts };

const RETRIED: ReadonlySet<ModelErrorClass> = new Set([
  'network',
  'stall',
  'rate_limit',
  'overloaded',
  'server',
]);

export function decideAttempt(
  facts: AttemptFacts,
  tries: AttemptCounts,
  policy: RetryPolicy,
  random: () => number,
): AttemptDecision {
  const { error } = facts;
  if (facts.calls > 0) return { do: 'accept' };
  if (!error) {
    if (facts.paused && tries.pauses < policy.maxPauses) {
      return { do: 'resume_pause', tries: { ...tries, pauses: tries.pauses + 1 } };
    }
    return facts.empty && !tries.askedAgain
      ? { do: 'ask_again', tries: { ...tries, askedAgain: true } }
      : { do: 'accept' };
  }
  const isReplaceable = error.class === 'refused_block' && error.block && !facts.refusedInVain;
  if (isReplaceable && tries.refusedBlocks < policy.maxRefusedBlocks) {
    return { do: 'replace_block', tries: { ...tries, refusedBlocks: tries.refusedBlocks + 1 } };
  }
  if (error.rejects === 'thinking' && facts.asksForThinking && !tries.withoutThinking) {
    return { do: 'leave_out_thinking', tries: { ...tries, withoutThinking: true } };
  }
  const overloads = tries.overloads + (error.class === 'overloaded' ? 1 : 0);
  const modelIsGone = error.class === 'not_found' || overloads >= policy.overloadsBeforeFallback;
  if (modelIsGone && facts.fallbackAvailable) {
    return { do: 'fall_back', tries: { ...tries, attempts: 1, overloads: 0, withoutThinking: false } };
  }
  if (!isRetried(error, policy) || tries.attempts >= policy.maxAttempts) return { do: 'accept' };
  const delayMs = error.retryAfterMs ?? backoff(tries.attempts, policy, random);
  return { do: 'retry', delayMs, tries: { ...tries, attempts: tries.attempts + 1, overloads } };
}

function isRetried(error: ModelError, policy: RetryPolicy): boolean {
  if (error.retryAfterMs !== undefined && error.retryAfterMs > policy.maxServerWaitMs) return false;
  // The server may call an attempt hopeless. It cannot make one hopeful: a bad key stays bad, and what has a remedy of its
  // own would only be kept from it.
  return error.shouldRetry !== false && RETRIED.has(error.class);
}

/** Doubling from the first delay, with up to a quarter more so that many clients do not come back at once. */
export function backoff(attempts: number, policy: RetryPolicy, random: () => number): number {
  const base = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (attempts - 1));
  return Math.round(base * (1 + random() / 4));
}
