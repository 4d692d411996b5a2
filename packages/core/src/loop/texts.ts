/** Texts of the loop to the model and to people. */
import type { RepeatedCall } from '../machine/state.ts';

/** Asks for the rest of a cut answer. An apology or a recap would use up the cap again. */
export const RESUME_REQUEST =
  'Your answer was cut off at the output limit. Resume exactly where it broke off: no apology, no recap of what you ' +
  'already wrote. Break the remaining work into smaller pieces.';

/** Sent once after an answer without text and calls. The same request again tends to get the same answer. */
export const EMPTY_ANSWER =
  'Your last answer was empty. Go on with the task: call a tool, or say in a sentence what the outcome is.';

export function budgetNudge(percentUsed: number): string {
  return (
    `${percentUsed}% of this task's token budget is used. There is room to go on: take the next useful step, check the ` +
    'work, or improve it. Do not summarise what is done.'
  );
}

export function repetitionNudge(calls: readonly RepeatedCall[]): string {
  return (
    `The same call has now given the same result again and again (${listCalls(calls)}). Repeating it will change ` +
    'nothing. Look at what it told you and try something else, or say what is in the way.'
  );
}

export function repetitionEnd(calls: readonly RepeatedCall[]): string {
  return `Stopped: the same calls kept giving the same results (${listCalls(calls)}).`;
}

function listCalls(calls: readonly RepeatedCall[]): string {
  return calls.map(({ tool, count }) => `${tool} ×${count}`).join(', ');
}

export const PROMPT_TOO_LONG =
  "The conversation no longer fits the model's context window, and nothing that could shrink it is available. " +
  'Compact it (/compact), start a new session, or choose a model with a larger window.';
