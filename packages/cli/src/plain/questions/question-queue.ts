/**
 * The questions that are open, answered one after another in the order they came. One whose call is discarded is withdrawn;
 * the others stay.
 */
import type { Screen } from '../screen/screen.ts';
import type { Style } from '../../terminal/style.ts';
import type { Dialog } from '../../terminal/dialog.ts';

interface QuestionQueueView {
  /** The first question in line wants an answer. */
  readonly show: (dialog: Dialog<unknown>, waiting: number) => void;
  /** Something else is about to be written below the question. */
  readonly loseSight: (dialog: Dialog<unknown>) => void;
  /** The question that was shown is withdrawn. */
  readonly withdrawn: (dialog: Dialog<unknown>) => void;
  /** No question is open any more. */
  readonly done: () => void;
}

interface Open {
  dialog: Dialog<unknown>;
  /** Takes a line; answers whether the question is settled. */
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

  /** How long a question was open so far, all in all: that time is the user's. */
  get waitedMs(): number {
    return this.#waitedMs + (this.isOpen ? this.#now() - this.#openSince : 0);
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** The question that is shown takes whatever is typed for an answer. */
  get takesWords(): boolean {
    return this.#open[0]?.dialog.takesWords ?? false;
  }

  /** Undefined: it was withdrawn, or nobody wants to answer. */
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

  /** A line for the question that is shown. */
  read(line: string): void {
    const [first] = this.#open;
    if (!first) return;
    if (first.read(line)) this.#remove(first);
    else this.#show();
  }

  /** Something else was said in place of an answer: the question still waits. */
  askAgain(): void {
    const [first] = this.#open;
    if (first) this.#view.show({ ...first.dialog, lines: [] }, 0);
  }

  /** Something else is about to be written. */
  loseSight(): void {
    const [first] = this.#open;
    if (first) this.#view.loseSight(first.dialog);
  }

  /** Nobody answers any of them. */
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
  /** The prompt that comes back when the last question is answered. */
  readonly prompt: () => string;
}

export function createQuestionQueue({ screen, style, prompt }: QuestionQueueSetup): QuestionQueue {
  let isAsking = false;
  let aside = '';
  return new QuestionQueue({
    show(dialog, waiting) {
      if (!isAsking) aside = screen.takeDraft();
      isAsking = true;
      if (dialog.lines.length > 0) screen.print(dialog.lines.join('\n'));
      if (waiting > 0) screen.print(style.paint('dim', `  (${waiting} more waiting)`));
      screen.ask(style.paint('yellow', dialog.prompt));
    },
    loseSight({ prompt, about }) {
      if (about !== undefined) screen.reprompt(style.paint('yellow', seenFromAfar(prompt, about)));
    },
    withdrawn({ about, ends = 'its call was discarded' }) {
      const which = about === undefined ? '' : ` (${about})`;
      screen.print(style.paint('dim', `  (the question${which} is withdrawn: ${ends})`));
    },
    done() {
      isAsking = false;
      screen.busy(prompt());
      if (aside !== '') screen.put(aside);
      aside = '';
    },
  });
}

/** `allow? ` says nothing below other lines: `allow? (Bash npm test) `. */
function seenFromAfar(prompt: string, about: string): string {
  return `${prompt}(${about}) `;
}
