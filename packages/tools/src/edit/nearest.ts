/** Lines of a text that resemble a line that is not in it. Pure. */

export interface NumberedLine {
  readonly number: number;
  readonly line: string;
}

const MAX_CANDIDATES = 3;
/** Share of common letter pairs from which two lines look alike to a reader. */
const MIN_LIKENESS = 0.5;
/** Of a long line this much decides. */
const MAX_COMPARED = 300;

/** The most telling line of `part` is its longest; up to three lines of `text` that resemble it, the nearest first. */
export function nearestLines(text: string, part: string): NumberedLine[] {
  const telling = part
    .split('\n')
    .map((line) => line.trim())
    .reduce((longest, line) => (line.length > longest.length ? line : longest), '');
  const wanted = pairsOf(telling);
  if (wanted.size === 0) return [];
  return text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1, likeness: likeness(wanted, pairsOf(line.trim())) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness || a.number - b.number)
    .slice(0, MAX_CANDIDATES)
    .map(({ line, number }) => ({ line, number }));
}

function pairsOf(line: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const compared = line.slice(0, MAX_COMPARED).toLowerCase();
  for (let at = 0; at + 1 < compared.length; at += 1) {
    const pair = compared.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Dice's coefficient: 1 for equal lines, 0 for lines with nothing in common. */
function likeness(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  let total = 0;
  for (const [pair, count] of a) {
    common += Math.min(count, b.get(pair) ?? 0);
    total += count;
  }
  for (const count of b.values()) total += count;
  return total === 0 ? 0 : (2 * common) / total;
}
