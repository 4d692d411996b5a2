/** Stores typed lines: for the reader of the next line, for the current run, or for later. */
import type { QueuedPrompt } from '@heddle/core';
import { randomUUID } from 'node:crypto';

export class PromptInbox {
  readonly #joining: InputQueue;
  /** Lines that were typed too early: several lines at once, or a command during a turn. They are used in order. */
  readonly #later: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;

  /** The ids of the texts that `takeLeft` returned last. */
  #carried: readonly string[] = [];

  constructor(events: InboxEvents = {}) {
    this.#joining = new InputQueue(events);
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
    this.#waiting = undefined;
  }

  /** A reader waits, and has no line yet. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** The reader no longer waits, and lines are stored again. */
  cancelWait(): void {
    this.#waiting = undefined;
  }

  later(text: string): void {
    this.#later.push(text);
  }

  /** Adds a text to the current run, before its next request. */
  join(text: string): void {
    this.#joining.add(text);
  }

  takeJoining(): readonly QueuedPrompt[] {
    return this.#joining.take();
  }

  /** Returns the lines that did not join the run, as one text. */
  takeLeft(): string | undefined {
    const left = this.#joining.take();
    this.#carried = left.map(({ commandId }) => commandId);
    return left.length === 0 ? undefined : left.map(({ prompt }) => prompt).join('\n\n');
  }

  /** Takes the ids of the texts that the last `takeLeft` returned. */
  takeCarried(): readonly string[] {
    const carried = this.#carried;
    this.#carried = [];
    return carried;
  }

  /** Returns everything that was not sent. */
  takeUnsent(): Unsent {
    return { prompt: this.takeLeft(), commands: this.#later.splice(0) };
  }
}

interface TypedPrompt {
  readonly commandId: string;
  readonly prompt: string;
}

interface InboxEvents {
  /** Receives a prompt that waits for the current run. */
  readonly onQueued?: (prompt: TypedPrompt) => void;
  /** Receives the texts that wait for the current run. */
  readonly onChange?: (joining: readonly string[]) => void;
}

/** The lines that were typed during a run, in order. */
class InputQueue {
  readonly #events: InboxEvents;
  #waiting: readonly TypedPrompt[] = [];

  constructor(events: InboxEvents = {}) {
    this.#events = events;
  }

  add(prompt: string): void {
    const typed = { commandId: randomUUID(), prompt };
    this.#events.onQueued?.(typed);
    this.#set([...this.#waiting, typed]);
  }

  /** Takes the lines that join the current run. */
  take(): readonly TypedPrompt[] {
    const taken = this.#waiting;
    if (taken.length > 0) this.#set([]);
    return taken;
  }

  #set(waiting: readonly TypedPrompt[]): void {
    this.#waiting = waiting;
    this.#events.onChange?.(waiting.map(({ prompt }) => prompt));
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
