/** How each terminal reads for a headless consumer: the table of the specification, as data. */
import type { Terminal, TerminalReason } from '@heddle/core';
import type { ResultSubtype } from '../sdk/message.ts';

interface Reading {
  readonly subtype: ResultSubtype;
  readonly isError: boolean;
  /** The word SDK clients know. */
  readonly word: string;
}

const READINGS: Readonly<Record<TerminalReason, Reading>> = {
  completed: { subtype: 'success', isError: false, word: 'completed' },
  api_error: { subtype: 'success', isError: true, word: 'api_error' },
  prompt_too_long: { subtype: 'success', isError: true, word: 'prompt_too_long' },
  image_error: { subtype: 'success', isError: true, word: 'image_error' },
  blocking_limit: { subtype: 'success', isError: true, word: 'blocking_limit' },
  max_turns: { subtype: 'error_max_turns', isError: true, word: 'max_turns' },
  max_budget_usd: { subtype: 'error_max_budget_usd', isError: true, word: 'budget_exhausted' },
  aborted_streaming: { subtype: 'error_during_execution', isError: true, word: 'aborted_streaming' },
  aborted_tools: { subtype: 'error_during_execution', isError: true, word: 'aborted_tools' },
  model_error: { subtype: 'error_during_execution', isError: true, word: 'model_error' },
  stop_hook_prevented: { subtype: 'success', isError: false, word: 'stop_hook_prevented' },
  hook_stopped: { subtype: 'success', isError: false, word: 'hook_stopped' },
  repetition_stopped: { subtype: 'error_during_execution', isError: true, word: 'repetition_stopped' },
};

/** An answer that lacks its end, or was refused, is a success of the protocol and a failure of the run. */
export function readingOf(terminal: Terminal): Reading {
  const reading = READINGS[terminal.reason];
  const isIncomplete =
    terminal.reason === 'completed' && (terminal.truncated === true || terminal.refused === true);
  return isIncomplete ? { ...reading, isError: true } : reading;
}

/** What went wrong, in a sentence, for the subtypes that carry `errors`. */
export function errorSentence(terminal: Terminal): string {
  switch (terminal.reason) {
    case 'max_turns':
      return `Reached maximum number of turns (${terminal.maxTurns})`;
    case 'max_budget_usd':
      return `Stopped at $${terminal.spentUsd.toFixed(4)}: the budget is $${terminal.limitUsd}.`;
    case 'aborted_streaming':
      return 'The turn was interrupted while the model was answering.';
    case 'aborted_tools':
      return 'The turn was interrupted while tools were running.';
    case 'model_error':
      return terminal.message;
    case 'repetition_stopped':
      return `The same calls kept giving the same results: ${terminal.calls.map(({ tool }) => tool).join(', ')}.`;
    default:
      return terminal.reason;
  }
}
