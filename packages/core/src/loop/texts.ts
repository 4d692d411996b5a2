/** Texts of the loop to the model and to people. */
import type { RepeatedCall } from '../machine/state.ts';

/** Asks for the rest of a cut answer. An apology or a recap would use up the cap again. */
export const RESUME_REQUEST =
  'Your answer was cut off at the output limit. Resume exactly where it broke off: no apology, no recap of what you ' +
  'already wrote. Break the remaining work into smaller pieces.';

/** Sent once after an answer without text and calls. The same request again tends to get the same answer. */
export const EMPTY_ANSWER =
  'Your last answer was empty. Continue with the task: call a tool, or state the outcome in one sentence.';

export function budgetNudge(percentUsed: number): string {
  return (
    `${percentUsed}% of this task's token budget is used. You can continue: take the next useful step, check the ` +
    'work, or improve it. Do not summarize what is done.'
  );
}

export function repetitionNudge(calls: readonly RepeatedCall[]): string {
  return (
    `The same call has returned the same result several times (${listCalls(calls)}). Repeating it will change ` +
    'nothing. Read its result and try something else, or explain what prevents you.'
  );
}

export function repetitionEnd(calls: readonly RepeatedCall[]): string {
  return `Stopped: the same calls kept returning the same results (${listCalls(calls)}).`;
}

function listCalls(calls: readonly RepeatedCall[]): string {
  return calls.map(({ tool, count }) => `${tool} ×${count}`).join(', ');
}

export const PROMPT_TOO_LONG =
  "The conversation no longer fits the model's context window, and no way to shrink it is left. " +
  'Compact it (/compact), start a new session, or choose a model with a larger window.';
