/** The words in which the model is told of calls that did not come to an end of their own. */
export const NOT_RUN = 'The call was not run: the turn was interrupted before it began.';
export const NOT_RUN_AFTER_ERROR = 'The call was not run: an internal error ended the turn before it began.';
export const INTERRUPTED_CALL =
  'The call was interrupted. It may or may not have taken effect: look before you repeat it.';
export const REPEATED_ID =
  'The call was not run: another call of this answer has the same id. If you meant it, call the tool again.';
export const SIBLING_FAILED = 'Cancelled: a command that ran beside this call failed.';

export function toolError(message: string): string {
  return `<tool_use_error>${message}</tool_use_error>`;
}

/** The message of an error without the marks that {@link toolError} puts around it. */
export function bareToolError(text: string): string {
  return text.replace(/^<tool_use_error>([^]*)<\/tool_use_error>$/, '$1');
}
