/** A no with words. Whoever types words where a number is wanted has something to say: it is kept for the no, not thrown away. */
import { answered, type Choice, type Dialog, type Reading, textDialog } from './dialog.ts';

const KEY = '4';

/** `words`: typed already, and sent where the key comes alone. */
export function noBecause<Answer>(
  text: string,
  prompt: string,
  answerOf: (words: string) => Answer,
  words = '',
): Choice<Answer> {
  return {
    key: KEY,
    text,
    reply: () =>
      words === '' ? { kind: 'more', dialog: textDialog(prompt, answerOf) } : answered(answerOf(words)),
    replyWith: (typed) => answered(answerOf(typed)),
  };
}

/** More than a slip of the finger. */
const IS_SENTENCE = /\S\s+\S/;

/** `build`: the same dialog, with these words behind the no. */
export function keptFor<Answer>(
  words: string,
  build: (words: string) => Dialog<Answer>,
): Reading<Answer> | undefined {
  if (!IS_SENTENCE.test(words)) return undefined;
  const lines = [`Nothing is decided yet. ${KEY} says no, and: ${words}`];
  return { kind: 'more', dialog: { ...build(words), lines } };
}
