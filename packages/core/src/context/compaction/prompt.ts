/**
 * The words with which the summariser is asked. They stand behind the whole conversation, so that the request shares its
 * cached prefix; that is also why the model is told twice not to go on with the work.
 */

/** Why each part: intent and next step keep the task; decisions keep us from deciding again; files, errors and fixes keep us
 * from reading and failing again; the state of work keeps us from starting over. */
const SECTIONS = `## Intent
What the user wants in the end, and every constraint and preference they stated. Do not soften or generalise.

## Decisions
What was decided and why, and what was tried or considered and rejected.

## Files
Each file that matters, with its full path: what was learned from it, what was changed in it, and the few lines of code or text that the work cannot go on without, word for word.

## Errors and fixes
Each error that came up: its message, its cause if it is known, and what fixed it or was tried. Say which are still open.

## State of work
What is done and was seen to work, what is half done, what is not begun.

## Next step
The very next action, precise enough to be taken without reading anything else. Only what the user's last request asks for.`;

export const SUMMARY_MARK = 'Write the hand-over now';

export function summaryInstruction(extra: string | undefined): string {
  const own =
    extra === undefined || extra.trim() === '' ? '' : `\n\nFor this hand-over the user asks: ${extra.trim()}`;
  return `The conversation above is about to leave your memory. ${SUMMARY_MARK}: a summary from which you alone can go on with the work as if nothing had happened. Do not call a tool, do not go on with the work, do not address the user.

Use exactly these headings, in this order, and leave none out:

${SECTIONS}

Keep names, paths, numbers, commands and quotations exact. Leave out greetings, praise and what no longer matters.${own}`;
}

/** Stands before a piece of a conversation that is too long to be summarised at once. */
export function earlierSummary(summary: string): string {
  return `This is the hand-over so far; it covers everything before what follows. Carry all of it that still matters into the next one.\n\n${summary}`;
}
