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

/** One clean line of limited length, for names, titles and error messages. */
export function cleanLine(text: string, limit = 300): string {
  const line = cleanText(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Most lists of names. They contain nothing that has to be removed. One test of a whole list is faster than one of each name. */
const PLAIN_NAMES = /^[\w.:, -]{1,300}$/;

/** A clean list of names in one line. */
export function cleanNames(names: readonly string[]): string {
  const list = names.join(', ');
  return PLAIN_NAMES.test(list) ? list : names.map((name) => cleanLine(name)).join(', ');
}

/** Clean text of limited length, for descriptions and instructions. */
export function cleanParagraph(text: string, limit: number): string {
  const clean = cleanText(text).trim();
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean;
}
