/** Makes text of servers harmless. It reaches the model, logs and terminals. */

/** Control characters except tab and line break, and marks that change the text direction. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Escape sequences of terminals: colors, titles, cursor movements. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- escape sequences start with a control character
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[ -/]*[0-~])/g;

/** Tags with which Heddle marks its own notes. A server must not imitate them. */
const OWN_TAGS = /<(\/?)(system-reminder|tool_use_error|local-command-stdout)/gi;

/** Removes terminal escapes, and changes Heddle's own tags so that they are only text. */
export function cleanText(text: string): string {
  return text
    .replaceAll(SEQUENCES, '')
    .replaceAll('\r\n', '\n')
    .replaceAll(CONTROLS, '')
    .replaceAll(OWN_TAGS, String.raw`<\$1$2`);
}

/** Most names. They contain nothing that has to be removed, and a list of servers is part of the first request. */
const PLAIN_NAME = /^[\w.:-]{1,100}$/;

/** One clean line of limited length, for names, titles and error messages. */
export function cleanLine(text: string, limit = 300): string {
  if (text.length <= limit && PLAIN_NAME.test(text)) return text;
  const line = cleanText(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Clean text of limited length, for descriptions and instructions. */
export function cleanParagraph(text: string, limit: number): string {
  const clean = cleanText(text).trim();
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean;
}
