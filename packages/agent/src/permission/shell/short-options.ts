/**
 * Finds short options in a word, as parsers of options read it: each character is an option, up to one that takes the rest as
 * its value. Digits and other characters can be options, so any character may be before a letter: `-4u`, `-T@TT`.
 */

/**
 * Returns the source of a pattern for a word with one of the letters, up to the first one. `valued` lists the letters that always
 * take the rest of the word as their value.
 */
export function shortOption(letters: string, valued = ''): string {
  return `-(?!-)[^${letters}${valued}]*[${letters}]`;
}

interface OptionNames {
  /** Any of these letters. */
  readonly letters: string;
  /** Other letters, which always take the rest of the word. */
  readonly valued?: string;
  /** The source of a pattern for the beginnings of long names. */
  readonly long?: string;
}

/** Matches the beginning of a word with such an option. */
export function optionPattern({ letters, valued, long }: OptionNames): RegExp {
  const short = shortOption(letters, valued);
  return new RegExp(long === undefined ? `^${short}` : `^(?:${short}|--(?:${long}))`);
}
