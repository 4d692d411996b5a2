/**
 * A question to the person at the keyboard, as a value: what is shown, and what a typed line makes of it. It ends with an
 * answer, or goes on as another dialog. Nothing is ever chosen by an empty line.
 */
export interface Dialog<Answer> {
  readonly lines: readonly string[];
  /** Stands before what is typed. */
  readonly prompt: string;
  /** What it is about, in a few words: said again where other things were written below the question. */
  readonly about?: string;
  /** Why it would be withdrawn; by default because its call was discarded. */
  readonly ends?: string;
  /** Any words are an answer; else what is a command elsewhere is none. */
  readonly takesWords?: true;
  read(line: string): DialogAnswer<Answer>;
}

export type DialogAnswer<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'more'; readonly dialog: Dialog<Answer> };

export function answered<Answer>(answer: Answer): DialogAnswer<Answer> {
  return { kind: 'answer', answer };
}

/** The same question once more, with a word on what was wrong. */
export function again<Answer>(dialog: Dialog<Answer>, hint: string): DialogAnswer<Answer> {
  return { kind: 'more', dialog: { ...dialog, lines: [hint] } };
}

/** The same dialog; `note` hears the answer before anybody else does. */
export function noting<Answer>(dialog: Dialog<Answer>, note: (answer: Answer) => void): Dialog<Answer> {
  return {
    ...dialog,
    read(line) {
      const reading = dialog.read(line);
      if (reading.kind === 'more') return { kind: 'more', dialog: noting(reading.dialog, note) };
      note(reading.answer);
      return reading;
    },
  };
}

/** Asks for a line of text that may not be empty. */
function textDialog<Answer>(prompt: string, then: (text: string) => Answer): Dialog<Answer> {
  const dialog: Dialog<Answer> = {
    lines: [],
    prompt,
    takesWords: true,
    read: (line) =>
      line.trim() === '' ? again(dialog, 'Type it, or press Ctrl-C.') : answered(then(line.trim())),
  };
  return dialog;
}

export interface Choice<Answer> {
  /** What is typed to choose it. */
  readonly key: string;
  readonly text: string;
  /** Other words for the same. */
  readonly also?: readonly string[];
  readonly reply: () => DialogAnswer<Answer>;
  /**
   * Reads `KEY words` as this choice with those words. Only a choice that refuses may have it: text behind any other key
   * can be a sentence that happens to begin with a number.
   */
  readonly replyWith?: (words: string) => DialogAnswer<Answer>;
}

interface ChoiceView<Answer> extends Pick<Dialog<Answer>, 'about' | 'ends'> {
  readonly prompt?: string;
  /** What to make of words that are none of the choices; undefined: nothing. */
  readonly otherwise?: (words: string) => DialogAnswer<Answer> | undefined;
}

export function choiceDialog<Answer>(
  lines: readonly string[],
  choices: readonly Choice<Answer>[],
  { prompt = `${keysOf(choices).join('/')}> `, otherwise, ...view }: ChoiceView<Answer> = {},
): Dialog<Answer> {
  const widest = Math.max(...choices.map(({ key }) => key.length));
  const listed = choices.map(({ key, text }) => `  ${key.padEnd(widest)}  ${text}`);
  const dialog: Dialog<Answer> = {
    ...view,
    lines: [...lines, ...listed],
    prompt,
    read(line) {
      const typed = line.trim();
      const bare = typed.toLowerCase();
      // The whole line must be the key: "2 things first" is a sentence and does not choose 2.
      const chosen = choices.find(({ key, also = [] }) => key === bare || also.includes(bare));
      if (chosen) return chosen.reply();
      const [, first = '', rest = ''] = /^(\S+)\s+(.+)$/s.exec(typed) ?? [];
      const refusing = choices.find(({ key }) => key === first)?.replyWith;
      if (refusing) return refusing(rest);
      return otherwise?.(typed) ?? again(dialog, `Type ${listOf(keysOf(choices))}.`);
    },
  };
  return dialog;
}

function keysOf<Answer>(choices: readonly Choice<Answer>[]): string[] {
  return choices.map(({ key }) => key);
}

function listOf(keys: readonly string[]): string {
  return keys.length < 2 ? keys.join('') : `${keys.slice(0, -1).join(', ')} or ${keys.at(-1)}`;
}

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
): DialogAnswer<Answer> | undefined {
  if (!IS_SENTENCE.test(words)) return undefined;
  const lines = [`Nothing is decided yet. ${KEY} says no, and: ${words}`];
  return { kind: 'more', dialog: { ...build(words), lines } };
}
