/** The word before the cursor that Tab may go on with. Pure. */

export interface Begun {
  /** As it is called on the disk, not as it is written. */
  readonly path: string;
  /** What is added to it, as it has to be written. */
  readonly write: (added: string) => string;
  /** What ends the word. */
  readonly end: string;
}

/** So far back a name with spaces may begin. */
const MOST_WORDS = 6;

/** In a prompt: the last word, then longer ones, because names may hold spaces and nobody quotes them there. */
export function wordsOfPrompt(before: string): Begun[] {
  const starts = [0, ...Array.from(before.matchAll(/[\s"'(@!=]/g), ({ index }) => index + 1)];
  return starts
    .toReversed()
    .slice(0, MOST_WORDS)
    .filter((start, nth) => nth === 0 || before[start - 1] === '@' || before.includes('/', start))
    .map((start) => ({ path: before.slice(start), write: (added) => added, end: ' ' }));
}

/** In a `!` line: the last word as a shell reads it. */
export function wordOfShell(before: string): Begun {
  let path = '';
  let quote = '';
  for (const [sign, , escaped] of before.matchAll(/(\\(.?)|.)/gsu)) {
    if (quote !== '') {
      if (sign === quote) quote = '';
      else path += sign;
    } else if (escaped !== undefined) path += escaped;
    else if (/["']/.test(sign)) quote = sign;
    else path = /[\s(=<>|;&]/.test(sign) ? '' : path + sign;
  }
  const inQuotes = quote !== '';
  return { path, write: (added) => (inQuotes ? added : escapedForShell(added)), end: `${quote} ` };
}

function escapedForShell(text: string): string {
  return text.replaceAll(/[\s"'`$&|;<>()*?[\]{}!#\\]/g, String.raw`\$&`);
}
