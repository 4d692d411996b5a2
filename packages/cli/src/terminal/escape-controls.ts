/** Text from models, tools and files must not drive the terminal: control characters are shown, not obeyed. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (character, at: number) => {
    // In the middle of a line it parts words. A line break would be too much: some lines were told apart before.
    if (character === '\r') return /[\r\n]/.test(text[at + 1] ?? '\n') ? '' : ' ';
    const code = character.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
  });
}

/** Among them what turns the direction of writing: it can make a command read like another one. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
/** JSON escapes most control characters by itself; the rest must not drive a terminal either. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The second half of the control characters, and what turns the direction of writing. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
