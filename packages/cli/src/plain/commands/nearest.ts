import { editDistance } from '../../flags.ts';

/** The word that was probably meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const begun = known.filter((candidate) => word.length > 1 && candidate.startsWith(word));
  if (begun.length === 1) return begun[0];
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(candidate, word) }))
    .sort((left, right) => left.distance - right.distance);
  const [first] = ranked;
  return first !== undefined && first.distance <= Math.max(1, word.length / 3) ? first.candidate : undefined;
}
