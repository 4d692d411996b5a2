/** Where the elements of an array stand in a JSON text, so that one can be changed and every other byte kept. Pure. */

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ArraySpan extends Span {
  readonly elements: readonly Span[];
}

/** The array under a key of the outermost object. The text must be valid JSON; undefined where there is no such array. */
export function arrayUnder(key: string, json: string): ArraySpan | undefined {
  let at = json.indexOf('{') + 1;
  while (true) {
    at = skip(json, at, /[\s,]/);
    if (json[at] !== '"') return undefined;
    const keyEnd = endOfValue(json, at);
    const name: unknown = JSON.parse(json.slice(at, keyEnd));
    const start = skip(json, keyEnd, /[\s:]/);
    if (name === key) return json[start] === '[' ? readArray(json, start) : undefined;
    at = endOfValue(json, start);
  }
}

function readArray(json: string, start: number): ArraySpan {
  const elements: Span[] = [];
  let at = skip(json, start + 1, /[\s,]/);
  while (json[at] !== ']') {
    const end = endOfValue(json, at);
    elements.push({ start: at, end });
    at = skip(json, end, /[\s,]/);
  }
  return { start, end: at + 1, elements };
}

function skip(json: string, from: number, what: RegExp): number {
  let at = from;
  while (at < json.length && what.test(json[at] ?? '')) at += 1;
  return at;
}

/** One past the value that begins at `start`. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const sign = json[at];
    if (sign === '"') at = endOfString(json, at) - 1;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    else if (depth === 0 && at > start && /[\s,:]/.test(sign ?? '')) return at;
    if (depth < 0) return at;
    if (depth === 0 && (sign === '"' || sign === '}' || sign === ']')) return at + 1;
  }
  return json.length;
}

function endOfString(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === '\\') at += 1;
    else if (json[at] === '"') return at + 1;
  }
  return json.length;
}
