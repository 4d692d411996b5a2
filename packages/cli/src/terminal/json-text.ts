/** JSON escapes most control characters by itself; the rest must not drive a terminal either. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    DRIVING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The second half of the control characters, and what turns the direction of writing. */
const DRIVING = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
