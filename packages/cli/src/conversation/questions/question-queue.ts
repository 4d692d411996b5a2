/**
 * The open questions. The user answers them one after another, in order. If the call of a question is discarded, the
 * question is withdrawn.
 */
import type { Screen } from '../../terminal/screen.ts';
import type { Style } from '../../terminal/style.ts';
import { type Dialog, dialogLines, visibleDialog } from '../../terminal/dialog.ts';
import { shortened } from '../../terminal/amounts.ts';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { stripVTControlCharacters } from 'node:util';

interface QuestionQueueView {
  /** Shows the first question. */
  readonly show: (dialog: Dialog<unknown>, waiting: number) => void;
  /** Requests an answer again, after a line that was not an answer. */
  readonly askAgain: (dialog: Dialog<unknown>) => void;
  /** The question is answered with this line. */
  readonly answered: (dialog: Dialog<unknown>, line: string) => void;
  /** Other output is about to be written below the question. */
  readonly loseSight: (dialog: Dialog<unknown>) => void;
  /** The shown question is withdrawn. */
  readonly withdrawn: (dialog: Dialog<unknown>) => void;
  /** No question is open now. */
  readonly done: () => void;
}

interface Open {
  dialog: Dialog<unknown>;
  /** Reads a line. Returns true if the question is answered. */
  readonly read: (line: string) => boolean;
  readonly settle: () => void;
}

export class QuestionQueue {
  readonly #view: QuestionQueueView;
  readonly #now: () => number;
  #open: Open[] = [];
  #openSince = 0;
  #waitedMs = 0;

  constructor(view: QuestionQueueView, now: () => number = Date.now) {
    this.#view = view;
    this.#now = now;
  }

  /** The total time, in milliseconds, during which a question was open. */
  get waitedMs(): number {
    return this.#waitedMs + (this.isOpen ? this.#now() - this.#openSince : 0);
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** The shown question accepts any text as an answer. */
  get takesWords(): boolean {
    return this.#open[0]?.dialog.takesWords ?? false;
  }

  /** Asks a question. Returns undefined if it is withdrawn or not answered. */
  ask<Answer>(asked: Dialog<Answer>, signal?: AbortSignal): Promise<Answer | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    let current = asked;
    const open: Open = {
      dialog: asked,
      read(line) {
        const reading = current.read(line);
        if (reading.kind === 'answer') {
          resolve(reading.answer);
          return true;
        }
        current = open.dialog = reading.dialog;
        return false;
      },
      settle: () => resolve(undefined),
    };
    signal?.addEventListener('abort', () => this.#withdraw(open), { once: true });
    if (!this.isOpen) this.#openSince = this.#now();
    this.#open.push(open);
    if (this.#open.length === 1) this.#show();
    return promise;
  }

  /** Passes a line to the shown question. */
  read(line: string): void {
    const [first] = this.#open;
    if (!first) return;
    const { dialog } = first;
    if (!first.read(line)) return this.#show();
    this.#view.answered(dialog, line);
    this.#remove(first);
  }

  /** Shows the prompt again after a line that was not an answer. */
  askAgain(): void {
    const [first] = this.#open;
    if (first) this.#view.askAgain(first.dialog);
  }

  /** Other output is about to be written. */
  loseSight(): void {
    const [first] = this.#open;
    if (first) this.#view.loseSight(first.dialog);
  }

  /** Ends all questions without an answer. */
  dismiss(): void {
    const all = this.#open;
    this.#waitedMs = this.waitedMs;
    this.#open = [];
    for (const { settle } of all) settle();
    if (all.length > 0) this.#view.done();
  }

  #withdraw(open: Open): void {
    if (!this.#open.includes(open)) return;
    if (this.#open[0] === open) this.#view.withdrawn(open.dialog);
    open.settle();
    this.#remove(open);
  }

  #remove(open: Open): void {
    const wasShown = this.#open[0] === open;
    const waitedMs = this.waitedMs;
    this.#open = this.#open.filter((other) => other !== open);
    if (!this.isOpen) this.#waitedMs = waitedMs;
    if (this.#open.length === 0) this.#view.done();
    else if (wasShown) this.#show();
  }

  #show(): void {
    const [first, ...waiting] = this.#open;
    if (first) this.#view.show(first.dialog, waiting.length);
  }
}

interface QuestionQueueSetup {
  readonly screen: Screen;
  readonly style: Style;
  /** The prompt that is shown after the last question. */
  readonly prompt: () => string;
}

export function createQuestionQueue({ screen, style, prompt }: QuestionQueueSetup): QuestionQueue {
  let isAsking = false;
  let aside = '';
  const ask = ({ prompt }: Dialog<unknown>): void => screen.ask(style.paint('yellow', prompt));
  return new QuestionQueue({
    show(asked, waiting) {
      const dialog = visibleDialog(asked, style.signs.more);
      // A screen with a region keeps the draft beside the answer.
      if (!isAsking && !screen.live) aside = screen.takeDraft();
      isAsking = true;
      if (screen.live) screen.live.showDialog(dialog, waiting);
      else {
        const lines = dialogLines(dialog);
        if (lines.length > 0) screen.print(lines.join('\n'));
        if (waiting > 0) screen.print(style.paint('dim', `  (${waiting} more waiting)`));
      }
      ask(dialog);
    },
    askAgain: ask,
    answered(dialog, line) {
      // The question disappears from the region, so the answer is added to the transcript.
      if (screen.live) screen.print(style.paint('dim', `  (${answerText(dialog, line)})`));
    },
    loseSight({ prompt, about }) {
      // A question in the region is always visible.
      if (about !== undefined && !screen.live)
        screen.reprompt(style.paint('yellow', promptWithTopic(prompt, about)));
    },
    withdrawn({ about, ends = 'its call was discarded' }) {
      const which = about === undefined ? '' : ` (${about})`;
      screen.print(style.paint('dim', `  (the question${which} is withdrawn: ${ends})`));
    },
    done() {
      isAsking = false;
      screen.live?.showDialog(undefined, 0);
      screen.busy(prompt());
      if (aside !== '') screen.put(aside);
      aside = '';
    },
  });
}

/** Describes an answered question in one row, such as `allow? Bash npm test: yes`. */
function answerText({ prompt, about = '', choices = [] }: Dialog<unknown>, line: string): string {
  const typed = line.trim();
  const chosen = choices.find(({ key }) => key === typed.toLowerCase());
  const answer = chosen
    ? stripVTControlCharacters(chosen.answer ?? chosen.text)
    : escapeControls(shortened(typed, MAX_ANSWER));
  return `${[prompt.replace(/(?<![>\s])[>\s]+$/, ''), about].filter(Boolean).join(' ')}: ${answer}`;
}

const MAX_ANSWER = 100;

/** Adds the topic to the prompt, such as `allow? (Bash npm test) `, because other output separates it from the question. */
function promptWithTopic(prompt: string, about: string): string {
  return `${prompt}(${about}) `;
}
