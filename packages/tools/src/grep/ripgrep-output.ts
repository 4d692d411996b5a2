/**
 * Reads the matches that ripgrep prints with `--null`: a name, a NUL and a text up to the end of the line. A name may contain line
 * feeds, so a line is not an entry.
 */
import type { FileMatches, TextQuery } from './query.ts';

/** An entry with an empty name. A line `--` would not differ from the beginning of a name. */
export const SEPARATOR_OPTION = String.raw`--context-separator=\x00`;

interface Entry {
  /** Empty for a separator. */
  readonly name: string;
  readonly text: string;
}

/** `isName`: returns whether ripgrep may have searched a file of this name. It is asked only if the output leaves it open. */
export function matchesOf(
  output: string,
  mode: TextQuery['mode'],
  isName: (name: string) => boolean,
): FileMatches[] {
  switch (mode) {
    case 'files_with_matches':
      return output.split('\0').flatMap((path) => (path === '' ? [] : [{ path, count: 1, lines: [] }]));
    case 'count':
      return [...entriesIn(output, isName)].map(({ name, text }) => ({
        path: name,
        count: Number(text),
        lines: [],
      }));
    case 'content':
      return contentOf(output, isName);
  }
}

/** The lines of a file are adjacent. */
function contentOf(output: string, isName: (name: string) => boolean): FileMatches[] {
  const found: { path: string; count: number; lines: string[] }[] = [];
  let isApart = false;
  for (const { name, text } of entriesIn(output, isName)) {
    if (name === '') {
      isApart = true;
      continue;
    }
    let file = found.at(-1);
    if (file?.path === name) {
      if (isApart) file.lines.push('--');
    } else {
      file = { path: name, count: 0, lines: [] };
      found.push(file);
    }
    isApart = false;
    file.count++;
    file.lines.push(text);
  }
  return found;
}

/** An entry without an end, from output that was cut, has the text that remains. */
function* entriesIn(output: string, isName: (name: string) => boolean): Generator<Entry> {
  for (let at = 0; at < output.length; ) {
    const middle = output.indexOf('\0', at);
    if (middle < 0) return;
    const found = output.indexOf('\n', middle);
    const end = found < 0 ? output.length : found;
    const name = nameIn(output.slice(at, middle), isName);
    if (name !== undefined) yield { name, text: output.slice(middle + 1, end).replace(/\r+$/, '') };
    at = end + 1;
  }
}

/** Ripgrep prints a line without a NUL after a binary file. It could also be the beginning of a name. */
const MESSAGE =
  /: (?:WARNING: stopped searching binary file after match|binary file matches) \(found "[^"\n]*" byte around offset \d+\)\n/g;

/** Returns undefined if more than one name is possible. */
function nameIn(text: string, isName: (name: string) => boolean): string | undefined {
  if (!text.includes('\n')) return text;
  const starts = [...text.matchAll(MESSAGE)].map(({ 0: message, index }) => index + message.length);
  if (starts.length === 0) return text;
  const names = [0, ...starts]
    .map((start) => text.slice(start))
    .filter((name) => name === '' || isName(name));
  return names.length === 1 ? names[0] : undefined;
}
