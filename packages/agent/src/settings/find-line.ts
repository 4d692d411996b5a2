/** Finds the line of a value in the text of a settings file, for messages. */

export type JsonPath = readonly (string | number)[];

/** Strings, brackets and separators; numbers and words in between do not matter. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[[\]{},:]/g;

interface Container {
  /** The key or the index of the value that comes next. */
  at: string | number;
  expectsKey: boolean;
}

/**
 * Returns the line, counted from 1, of the value that a path names. If the path does not exist, the line of its longest part that does.
 * Expects valid JSON.
 */
export function findLine(text: string, path: JsonPath): number {
  const open: Container[] = [];
  let depth = 0;
  let offset = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const inner = open.at(-1);
    const matched = open.findIndex(({ at }, level) => at !== path[level]);
    const isOnPath = matched < 0 && open.length <= path.length;
    if (isOnPath && open.length > depth) {
      depth = open.length;
      offset = index;
    }
    if (token === '{') open.push({ at: '', expectsKey: true });
    else if (token === '[') open.push({ at: 0, expectsKey: false });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && inner) {
      if (typeof inner.at === 'number') inner.at += 1;
      else inner.expectsKey = true;
    } else if (token.startsWith('"') && inner?.expectsKey === true) {
      inner.at = keyOf(token);
      inner.expectsKey = false;
    }
    if (depth === path.length) break;
  }
  return text.slice(0, offset).split('\n').length;
}

/** Names the place of a value for a message: its file and line. Settings of the command line have no lines. */
export function describePlace(
  {
    file,
    source,
    text,
  }: { readonly file: string | undefined; readonly source: string; readonly text?: string },
  path: JsonPath,
): string {
  if (file === undefined) return `the ${source} settings`;
  return text === undefined ? file : `${file}:${findLine(text, path)}`;
}

function keyOf(token: string): string {
  const value: unknown = JSON.parse(token);
  return String(value);
}
