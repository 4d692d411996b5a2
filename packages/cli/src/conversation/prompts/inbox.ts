/** Stores typed lines: for the reader of the next line, for the current run, or for later. */
import type { QueuedCommand } from '@heddle/core';
import { randomUUID } from 'node:crypto';

export class PromptInbox {
  readonly #joining: InputQueue;
  /** Lines that were typed too early: several lines at once, or a command during a turn. They are used in order. */
  readonly #later: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;

  /** `onChange` receives the texts that wait for the current run. */
  constructor(onChange: (joining: readonly string[]) => void = () => undefined) {
    this.#joining = new InputQueue(onChange);
  }

  /** Returns the next line that was already typed, if there is one. */
  takeNext(): string | undefined {
    return this.takeLeft() ?? this.#later.shift();
  }

  /** Waits for a line. Returns undefined if the input ended. */
  async wait(): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#waiting = resolve;
    return promise;
  }

  /** Delivers a line to the waiting reader, or stores it. An empty line is not stored. */
  give(text: string): void {
    const take = this.#waiting;
    this.#waiting = undefined;
    if (take) take(text);
    else if (text.trim() !== '') this.later(text);
  }

  stopWaiting(): void {
    this.#waiting?.(undefined);
  }

  later(text: string): void {
    this.#later.push(text);
  }

  /** Adds a text to the current run, before its next request. */
  join(text: string): void {
    this.#joining.add(text);
  }

  takeJoining(): readonly QueuedCommand[] {
    return this.#joining.take();
  }

  /** Returns the lines that did not join the run, as one text. */
  takeLeft(): string | undefined {
    return this.#joining.takeText();
  }

  /** Returns everything that was not sent. */
  takeUnsent(): Unsent {
    return { prompt: this.takeLeft(), commands: this.#later.splice(0) };
  }
}

/** The lines that were typed during a run, in order. */
export class InputQueue {
  readonly #onChange: (texts: readonly string[]) => void;
  #waiting: readonly { readonly commandId: string; readonly prompt: string }[] = [];

  constructor(onChange: (texts: readonly string[]) => void = () => undefined) {
    this.#onChange = onChange;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(prompt: string): void {
    this.#set([...this.#waiting, { commandId: randomUUID(), prompt }]);
  }

  /** Takes the lines that join the current run. */
  take(): readonly QueuedCommand[] {
    const taken = this.#waiting;
    if (taken.length > 0) this.#set([]);
    return taken;
  }

  /** Takes all lines as one text. Returns undefined if there are none. */
  takeText(): string | undefined {
    if (this.isEmpty) return undefined;
    const texts = this.#waiting.map(({ prompt }) => prompt);
    this.#set([]);
    return texts.join('\n\n');
  }

  #set(waiting: readonly { readonly commandId: string; readonly prompt: string }[]): void {
    this.#waiting = waiting;
    this.#onChange(waiting.map(({ prompt }) => prompt));
  }
}

interface Unsent {
  /** The text for the model. */
  readonly prompt: string | undefined;
  /** Shell commands of the user, and slash commands. */
  readonly commands: readonly string[];
}

export interface ReturnedDraft {
  /** The text for the input line. */
  readonly draft: string | undefined;
  /** Commands that do not go into the input line. A shell command must never be sent as a prompt, nor a prompt be run. */
  readonly aside: readonly string[];
}

/** Splits unsent input into the text for the input line and the other commands. */
export function returnDraft({ prompt, commands }: Unsent): ReturnedDraft {
  if (prompt !== undefined) return { draft: prompt, aside: commands };
  const [first, ...others] = commands;
  return { draft: first, aside: others };
}
