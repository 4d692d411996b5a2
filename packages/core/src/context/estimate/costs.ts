/**
 * What pieces of text cost in tokens, by their length: averages measured with o200k over sources, documents, manifests and
 * random data. Where measures differed between kinds of text, the higher one was taken.
 */

/** Tokens by length, from 1 character on; each further character costs `more`. */
export interface Costs {
  readonly steps: readonly number[];
  readonly more: number;
}

/** A word in small letters after a blank: most are a token of their own. */
export const SPACED: Costs = {
  steps: [1, 1, 1, 1.01, 1.02, 1.04, 1.04, 1.07, 1.12, 1.14, 1.2, 1.2, 1.3],
  more: 0.35,
};

/** One that begins a line, or follows another word or a digit. */
export const BARE: Costs = { steps: [1, 1, 1.06, 1.08, 1.09, 1.13, 1.25, 1.35, 1.75, 1.75], more: 0.25 };

/** One after a sign (`.length`, `(value`, `_id`): the sign often stays alone. */
export const SIGNED: Costs = {
  steps: [1.03, 1.04, 1.22, 1.2, 1.35, 1.38, 1.55, 1.7, 1.9, 2.05],
  more: 0.25,
};

/** With one capital, after a blank or bare. */
export const CAPITAL: Costs = { steps: [1, 1.02, 1.05, 1.05, 1.07, 1.1, 1.13, 1.2, 1.5], more: 0.1 };
export const SIGNED_CAPITAL: Costs = { steps: [1.1, 1.4, 1.6, 1.75, 1.65, 1.65, 1.9, 2.1, 2.4], more: 0.15 };

/** With several. */
export const SHOUTED: Costs = { steps: [1, 1, 1.2, 1.45, 1.75, 2, 2.2, 2.6, 3.1], more: 0.35 };

/** Letters that make no word: what was learned from words does not help. */
export const RANDOM: Costs = { steps: [1, 1.2, 1.92, 2.43, 3, 3.5], more: 0.57 };
/** The sign before them stays alone. */
export const SIGN_BEFORE_RANDOM = 0.85;

export const SIGNS: Costs = { steps: [1, 1, 1.04, 1.12, 1.45, 1.9], more: 0.45 };
/** Rules and borders: one sign again and again. */
export const RULER: Costs = { steps: [1], more: 0.06 };
export const BLANKS: Costs = { steps: [1], more: 0.02 };
/** Of a number, for every three digits. */
export const DIGITS = 1;

/** One character each. */
export const COMMON_HAN_COST = 0.42;
export const RARE_HAN_COST = 1.5;
export const HIRAGANA_COST = 0.76;
export const KATAKANA_COST = 0.62;
export const HANGUL_COST = 0.62;
export const WIDE_SIGN_COST = 0.95;
export const CYRILLIC_COST = 0.34;
export const OTHER_LETTER_COST = 0.5;
export const SYMBOL_COST = 1;
/** Half of a surrogate pair; an emoji is two of them. */
export const SURROGATE_COST = 1.05;
/** On top of its word. */
export const ACCENT_COST = 0.2;

export function costOf(length: number, { steps, more }: Costs): number {
  const known = steps.length;
  return length <= known ? (steps[length - 1] ?? 1) : (steps[known - 1] ?? 1) + (length - known) * more;
}
