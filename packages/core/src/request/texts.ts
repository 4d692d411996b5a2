/** Texts that the request builder adds to a request. A change of one invalidates cached prefixes. */

/** Replaces an answer of which no block may be sent, so that two user messages are not adjacent. */
export const NO_CONTENT = '(no content)';

/** Replaces an empty result, so that the model can distinguish it from a missing one. */
export const NO_OUTPUT = '(no output)';

/** Follows an answer at the end of a conversation, because a request must end with a user message. */
export const CONTINUE = 'Continue.';

/** Precedes an answer at the beginning of a conversation, because a request must begin with a user message. */
export const BEGINNING_MISSING = '[The beginning of this conversation is missing.]';

/** Closes a call without a known result. The call may have run, so the model must check before it repeats the call. */
export const RESULT_MISSING =
  '[The result of this call is missing: it was interrupted, and may or may not have taken effect. Check before you repeat it.]';

/** Replaces a user message that contained only results of missing calls. */
export const ORPHAN_RESULTS = '[A tool result whose call is missing was left out.]';

/** Replaces a block because of which the API refused a whole request. */
export const BLOCK_REFUSED = '[The API refused a part of the conversation here. It was left out.]';

/** Replaces the content of a result that the API refused. The content follows as text. */
export const RESULT_RETOLD = '[The API refused this result. Its content follows as text.]';

/** Replaces a finished call that the API refused. */
export function callAsText(tool: string, input: string): string {
  return `[This call of ${tool} was made, and the API refused to take it as a call. Its input: ${input}]`;
}

/** Introduces the content of a result that is sent as text. */
export function resultAsTextIntroduction(tool: string | undefined, isError: boolean): string {
  const what = tool === undefined ? 'the call above' : `the call of ${tool} above`;
  return `[${isError ? 'The error' : 'The result'} of ${what}, as text. Do not repeat the call to see it.]`;
}

export const MEDIA_REFUSED = 'the model could not take it';
export const MEDIA_TOO_MANY = 'there were too many, and it was among the oldest';

export function mediaNote(kind: 'image' | 'document', why: string): string {
  return `[${kind === 'image' ? 'An image' : 'A document'} was left out: ${why}.]`;
}

/** Wraps a text of the program, as opposed to the user. The text cannot close the tag and pass for the user's. */
export function reminder(text: string): string {
  return tagged('system-reminder', text);
}

/** Wraps the output of a command that the user ran on this machine. */
export function localCommand(text: string): string {
  return tagged('local-command-stdout', text);
}

/** Introduces a message that the user sent while the model was working. */
export const SENT_MEANWHILE = reminder(
  'The user sent the following message while you were working. Take it into account as you continue.',
);

/** Without the sentence about relevance, models answer the context instead of the question. */
export function contextReminder(entries: readonly (readonly [string, string])[]): string {
  const sections = entries.map(([key, value]) => `# ${key}\n${value}`).join('\n\n');
  return reminder(
    `As you answer the user, you can use the following context:\n\n${sections}\n\n` +
      'This context may or may not be relevant to the task. Respond to it only if it is.',
  );
}

function tagged(tag: string, text: string): string {
  return `<${tag}>\n${text.replaceAll(`</${tag}`, `<\\/${tag}`)}\n</${tag}>`;
}
