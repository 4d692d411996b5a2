/** The words that stand in the history where the user broke a run off. */

/** Two wordings, so that a reader can tell whether tools may have had effects. */
export const INTERRUPTED_STREAMING = '[Request interrupted by user]';
export const INTERRUPTED_TOOLS = '[Request interrupted by user for tool use]';

/** Stands where a prompt would, and nobody wrote it. */
export function isInterruption(text: string): boolean {
  return text === INTERRUPTED_STREAMING || text === INTERRUPTED_TOOLS;
}
