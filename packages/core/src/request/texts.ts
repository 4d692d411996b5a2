/** The words the request builder itself puts before the model. Each is sent as it stands here, so a change costs caches. */

/** Stands for an answer of which nothing may be sent, so that two user messages do not meet. */
export const NO_CONTENT = '(no content)';

/** A result must not look like a forgotten one: the tool ran, and said nothing. */
export const NO_OUTPUT = '(no output)';

/** A conversation cannot end with the model's own words; this asks it to go on and adds nothing else. */
export const CONTINUE = 'Continue.';

/** A conversation cannot begin with an answer; this says why the question is not there. */
export const BEGINNING_MISSING = '[The beginning of this conversation is missing.]';

/** Closes a call of which no result is known. It may have run: the model must look before it repeats it. */
export const RESULT_MISSING =
  '[The result of this call is missing: it was interrupted, and may or may not have taken effect. Check before you repeat it.]';

/** Stands for a user message that held nothing but results of calls that are not there. */
export const ORPHAN_RESULTS = '[A tool result whose call is missing was left out.]';

/** Stands for a block that made the API refuse a whole request. */
export const BLOCK_REFUSED = '[Something that stood here was refused by the API and left out.]';

/** Replaces the content of a result that the API refused. The content follows as text. */
export const RESULT_RETOLD = '[The API refused this result. Its content follows as text.]';

/** Replaces a finished call that the API refused. */
export function retoldCall(tool: string, input: string): string {
  return `[This call of ${tool} was made, and the API refused to take it as a call. Its input: ${input}]`;
}

/** Introduces the content of a result that is sent as text. */
export function retoldResultIntroduction(tool: string | undefined, isError: boolean): string {
  const what = tool === undefined ? 'the call above' : `the call of ${tool} above`;
  return `[${isError ? 'The error' : 'The result'} of ${what}, as text. Do not repeat the call to see it.]`;
}

export const MEDIA_REFUSED = 'the model could not take it';
export const MEDIA_TOO_MANY = 'there were too many, and it was among the oldest';

export function mediaNote(kind: 'image' | 'document', why: string): string {
  return `[${kind === 'image' ? 'An image' : 'A document'} was left out: ${why}.]`;
}

/** What is told by the program, not by the user. The words inside cannot close the tag and speak as the user. */
export function reminder(text: string): string {
  return tagged('system-reminder', text);
}

/** What a command printed that the user ran on this machine. */
export function localCommand(text: string): string {
  return tagged('local-command-stdout', text);
}

/** The words before a message that came while the model was at work; what follows them is the user's own. */
export const SENT_MEANWHILE = reminder(
  'The user sent the following message while you were working. Take it into account as you go on.',
);

/** May or may not be relevant: without this sentence models answer the context instead of the question. */
export function contextReminder(entries: readonly (readonly [string, string])[]): string {
  const sections = entries.map(([key, value]) => `# ${key}\n${value}`).join('\n\n');
  return reminder(
    `As you answer the user, you can use the following context:\n\n${sections}\n\n` +
      'This context may or may not be relevant to the task. Do not answer to it unless it is.',
  );
}

function tagged(tag: string, text: string): string {
  return `<${tag}>\n${text.replaceAll(`</${tag}`, `<\\/${tag}`)}\n</${tag}>`;
}
