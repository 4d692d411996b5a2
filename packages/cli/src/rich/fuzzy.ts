/** Ranks names by how well they match a typed text: its letters in order, best at the start of a word. Pure. */

export interface SearchableName {
  readonly name: string;
  readonly lower: string;
}

export function searchable(name: string): SearchableName {
  return { name, lower: name.toLowerCase() };
}

const CONSECUTIVE = 6;
const WORD_START = 8;
const IN_LAST_PART = 3;
/** Shorter names come first among equal matches. */
const PER_CHARACTER = 0.05;

/** Returns the best names, the best first. */
export function bestMatches(query: string, names: readonly SearchableName[], most: number): string[] {
  const wanted = query.toLowerCase();
  const best: { readonly name: string; readonly score: number }[] = [];
  for (const { name, lower } of names) {
    const score = scoreOf(wanted, lower);
    const worst = best.at(-1);
    if (score === undefined || (best.length === most && worst && score <= worst.score)) continue;
    const at = best.findIndex((other) => other.score < score);
    best.splice(at < 0 ? best.length : at, 0, { name, score });
    if (best.length > most) best.pop();
  }
  return best.map(({ name }) => name);
}

/** Returns undefined if the letters do not occur in this order. The search prefers the last part of a path. */
function scoreOf(wanted: string, lower: string): number | undefined {
  const lastPart = lower.lastIndexOf('/', lower.length - 2) + 1;
  const inLast = scoreFrom(wanted, lower, lastPart);
  const score = inLast === undefined ? scoreFrom(wanted, lower, 0) : inLast + IN_LAST_PART * wanted.length;
  return score === undefined ? undefined : score - lower.length * PER_CHARACTER;
}

function scoreFrom(wanted: string, lower: string, from: number): number | undefined {
  let score = 0;
  let previous = -2;
  for (const letter of wanted) {
    const at = lower.indexOf(letter, previous < 0 ? from : previous + 1);
    if (at < 0) return undefined;
    if (at === previous + 1) score += CONSECUTIVE;
    else if (at === 0 || /[/._\- ]/.test(lower.charAt(at - 1))) score += WORD_START;
    previous = at;
  }
  return score;
}
