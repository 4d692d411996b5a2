/** Makes control characters visible, so that text from models, tools and files cannot control the terminal. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (character, at: number) => {
    // A carriage return inside a line becomes a space. A line break would add lines after the text was split.
    if (character === '\r') return /[\r\n]/.test(text[at + 1] ?? '\n') ? '' : ' ';
    const code = character.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
  });
}

/** Includes the marks that change the text direction, because they can make a command look like another one. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The same for a text inside a line, such as a name: its line breaks and tabs cannot form further lines or columns. */
export function escapeLine(text: string): string {
  return escapeControls(
    text.replace(BREAKS, (sign) => BREAK_SIGNS[sign] ?? `\\u${sign.charCodeAt(0).toString(16)}`),
  );
}

const BREAKS = /[\t\r\n\u2028\u2029]/g;
const BREAK_SIGNS: Readonly<Record<string, string>> = { '\t': '\\t', '\r': '\\r', '\n': '\\n' };

/** Formats JSON that is safe for a terminal: escapes the control characters that JSON leaves unescaped. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The C1 control characters, and the marks that change the text direction. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Quotes a text for a shell, if necessary. */
export function shellQuoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Longer runs of blanks are shortened. Indentation of source code is rarely deeper. */
const MAX_BLANKS = 40;

/** Matches everything that a terminal shows as nothing: spaces, tabs, and characters without a shape. */
const BLANKS = new RegExp(
  `[\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\p{Cf}\\u2800]{${MAX_BLANKS + 1},}`,
  'gu',
);

/** Counts long runs of blanks in one line, so that they cannot move the rest of it out of sight. `more`: the sign around the count. */
export function countBlanks(line: string, more: string): string {
  return line.replace(
    BLANKS,
    (blanks) => ` ${more} ${Array.from(blanks).length.toLocaleString('en-US')} blanks ${more} `,
  );
}

/** More empty lines in a row are counted. */
const MAX_EMPTY_LINES = 3;

/** Counts long runs of empty lines. */
export function countEmptyLines(lines: readonly string[], more: string): readonly string[] {
  const shown: string[] = [];
  let empty: string[] = [];
  const endRun = (): void => {
    const { length } = empty;
    shown.push(...(length > MAX_EMPTY_LINES ? [`${more} ${length} empty lines ${more}`] : empty));
    empty = [];
  };
  for (const line of lines) {
    if (IS_EMPTY.test(line)) empty.push(line);
    else {
      endRun();
      shown.push(line);
    }
  }
  endRun();
  return shown;
}

const IS_EMPTY = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u;
