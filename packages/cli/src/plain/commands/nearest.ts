import { editDistance } from '../../flags.ts';

/** The word that was probably meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const begun = known.filter((candidate) => word.length > 1 && candidate.startsWith(word));
  if (begun.length === 1) return begun[0];
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(candidate, word) }))
    .sort((left, right) => left.distance - right.distance);
  const [first] = ranked;
  return first !== undefined && first.distance <= Math.max(1, word.length / 3) ? first.candidate : undefined;
}

/** Two neighbours that changed places are one slip of the fingers. */
function distance(candidate: string, word: string): number {
  const swapped = Array.from(
    { length: Math.max(0, word.length - 1) },
    (_, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
  );
  return Math.min(
    editDistance(candidate, word),
    ...swapped.map((other) => 1 + editDistance(candidate, other)),
  );
}
