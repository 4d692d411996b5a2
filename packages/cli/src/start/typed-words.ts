/** Finds the words in a prompt that the user typed. Pasted and piped text is data, in which a mention means nothing. */
import type { UserMessage } from '@heddle/core';
import type { Surface } from './start-context.ts';

/** Returns the prompt without text that is not the user's. Text that is piped to the program beside a prompt follows the prompt. */
export function typedWords(
  content: UserMessage['content'],
  { prompt, pastedTexts }: Pick<Surface, 'prompt' | 'pastedTexts'>,
): UserMessage['content'] {
  if (typeof content !== 'string') return content;
  if (prompt !== undefined && content.startsWith(`${prompt}\n\n`)) return prompt;
  const pasted = (pastedTexts?.() ?? []).map((paste) => paste.trim()).filter((paste) => paste !== '');
  // A paste may contain another one.
  pasted.sort((left, right) => right.length - left.length);
  const exact = pasted.reduce((text, paste) => text.replaceAll(paste, '\n'), content);
  return pasted.filter((paste) => sharesText(exact, paste)).reduce(withoutMentions, exact);
}

/** The number of words in a row that show that a text is a part of another one. */
const SHARED_WORDS = 5;
/** The length of one word that shows it. */
const SHARED_LENGTH = 40;

/** Returns whether a prompt contains parts of a paste, as after a change of some letters in an earlier prompt. */
function sharesText(text: string, paste: string): boolean {
  const known = new Set(piecesOf(text));
  return piecesOf(paste).some((piece) => known.has(piece));
}

function piecesOf(text: string): readonly string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const rows = words
    .map((_, at) => words.slice(at, at + SHARED_WORDS))
    .filter((row) => row.length === SHARED_WORDS);
  return [...rows.map((row) => row.join(' ')), ...words.filter((word) => word.length >= SHARED_LENGTH)];
}

const MENTION = /@(?:"[^"\n]*"|\S+?(?=[.,;:!?)\]}>'"]*(?:\s|$)))/g;

function withoutMentions(text: string, paste: string): string {
  return text.replace(MENTION, (mention) => (paste.includes(mention) ? '' : mention));
}
