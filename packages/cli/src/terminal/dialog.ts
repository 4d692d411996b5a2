/**
 * A question to the user, as a value: the lines to show, the choices, and a function that reads a typed line. The result
 * is an answer or another dialog. An empty line never chooses anything. A screen on which the user selects a choice sends its key.
 */
import { countBlanks } from './escape-controls.ts';
import { BAR } from './layout/rows.ts';

export interface Dialog<Answer> {
  readonly lines: readonly string[];
  /** The choices, for screens on which the user selects one. Their keys are valid input for `read`. */
  readonly choices?: readonly ListedChoice[];
  /** The text that the answer starts with, for the user to edit. Only on screens that read keys. */
  readonly initial?: string;
  /** A message about the last input, if it was not an answer. */
  readonly hint?: string;
  /** The text before the typed line. */
  readonly prompt: string;
  /** A short description of the question. It is shown again if other output appeared below the question. */
  readonly about?: string;
  /** The reason for withdrawing the question. By default, its call was discarded. */
  readonly ends?: string;
  /** On screens on which the user selects a choice, typed text searches in the choices. */
  readonly isSearchable?: true;
  /** Any text is an answer. Otherwise a slash command is not an answer. */
  readonly takesWords?: true;
  read(line: string): DialogAnswer<Answer>;
}

export interface ListedChoice {
  readonly key: string;
  readonly text: string;
  /** Facts about the choice. They are shown beside or below its text. */
  readonly detail?: string;
  /** The heading under which the choice is listed. Choices with the same heading follow each other. */
  readonly group?: string;
  /** More lines about the choice, while it is selected. */
  readonly preview?: () => readonly string[];
  /** The answer in the transcript, if the text alone does not describe it. */
  readonly answer?: string;
}

/**
 * Returns the dialog as every screen shows it. Long runs of blanks are counted, and a line break in a line starts a row
 * with a bar. So no text hides another one, or takes its place. `more`: the sign around a count.
 */
export function visibleDialog<Answer>(dialog: Dialog<Answer>, more: string): Dialog<Answer> {
  const inOneLine = (text: string): string => countBlanks(text.replaceAll(LINE_BREAK, ' '), more);
  const { lines, choices } = dialog;
  const visibleChoice = ({ text, detail, ...choice }: ListedChoice): ListedChoice => ({
    ...choice,
    text: inOneLine(text),
    ...(detail === undefined ? {} : { detail: inOneLine(detail) }),
  });
  return {
    ...dialog,
    ...(choices && { choices: choices.map(visibleChoice) }),
    lines: lines.flatMap((line) => {
      const bar = line.startsWith(BAR) ? BAR : '';
      const parts = line.slice(bar.length).split(LINE_BREAK);
      return parts.map((part, index) => (index === 0 ? bar : BAR) + countBlanks(part, more));
    }),
  };
}

const LINE_BREAK = /\r?\n/g;

/** Formats a dialog as lines: the whole question, or only the hint after a wrong answer. */
export function dialogLines({ lines, choices = [], hint }: Dialog<unknown>): readonly string[] {
  if (hint !== undefined) return [hint];
  const widest = Math.max(0, ...choices.map(({ key }) => key.length));
  const listed = choices.flatMap(({ key, text, detail }) => [
    `  ${key.padEnd(widest)}  ${text}`,
    ...(detail === undefined ? [] : [`  ${' '.repeat(widest)}  ${detail}`]),
  ]);
  return [...lines, ...listed];
}

export type DialogAnswer<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'more'; readonly dialog: Dialog<Answer> };

export function answered<Answer>(answer: Answer): DialogAnswer<Answer> {
  return { kind: 'answer', answer };
}

/** Asks the same question again, with a hint. */
export function again<Answer>(dialog: Dialog<Answer>, hint: string): DialogAnswer<Answer> {
  return { kind: 'more', dialog: { ...dialog, hint } };
}

/** Wraps a dialog so that `note` receives the answer first. */
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
      line.trim() === '' ? again(dialog, 'Type a text, or press Ctrl-C.') : answered(then(line.trim())),
  };
  return dialog;
}

export interface Choice<Answer> extends ListedChoice {
  /** The key is a shortcut. It can be typed, and is not listed. */
  readonly isHidden?: true;
  /** Other words that choose it. */
  readonly also?: readonly string[];
  readonly reply: () => DialogAnswer<Answer>;
  /**
   * Reads `KEY words` as this choice with those words. Only a choice that denies may have it: text after any other key
   * may be a sentence that happens to start with a number.
   */
  readonly replyWith?: (words: string) => DialogAnswer<Answer>;
}

interface ChoiceView<Answer> extends Pick<Dialog<Answer>, 'about' | 'ends'> {
  readonly prompt?: string;
  /** Handles a text that matches no choice. Returns undefined if it is not handled. */
  readonly otherwise?: (words: string) => DialogAnswer<Answer> | undefined;
}

export function choiceDialog<Answer>(
  lines: readonly string[],
  choices: readonly Choice<Answer>[],
  { prompt = `${keysOf(choices).join('/')}> `, otherwise, ...view }: ChoiceView<Answer> = {},
): Dialog<Answer> {
  const dialog: Dialog<Answer> = {
    ...view,
    lines,
    choices: choices.filter(isListed),
    prompt,
    read(line) {
      const typed = line.trim();
      const bare = typed.toLowerCase();
      // The whole line must be the key: "2 things first" is a sentence and does not choose 2.
      const chosen = choices.find(({ key, also = [] }) => key === bare || also.includes(bare));
      if (chosen) return chosen.reply();
      const [, first = '', rest = ''] = /^(\S+)\s+(.+)$/s.exec(typed) ?? [];
      const replyWith = choices.find(({ key }) => key === first)?.replyWith;
      if (replyWith) return replyWith(rest);
      return otherwise?.(typed) ?? again(dialog, `Type ${listOf(keysOf(choices))}.`);
    },
  };
  return dialog;
}

function keysOf<Answer>(choices: readonly Choice<Answer>[]): string[] {
  return choices.filter(isListed).map(({ key }) => key);
}

function isListed({ isHidden }: Choice<unknown>): boolean {
  return isHidden !== true;
}

function listOf(keys: readonly string[]): string {
  return keys.length < 2 ? keys.join('') : `${keys.slice(0, -1).join(', ')} or ${keys.at(-1)}`;
}

const KEY = '4';

/** `words`: text that was typed before. It is sent if the key is typed alone. */
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

/** At least two words, so not a typing mistake. */
const IS_SENTENCE = /\S\s+\S/;

/** Keeps a typed sentence as the reason for a denial, and asks again. `build`: creates the dialog with these words. */
export function keptFor<Answer>(
  words: string,
  build: (words: string) => Dialog<Answer>,
): DialogAnswer<Answer> | undefined {
  if (!IS_SENTENCE.test(words)) return undefined;
  const hint = `This is not an answer yet. ${KEY} denies it and sends: ${words}`;
  return { kind: 'more', dialog: { ...build(words), hint } };
}
