/** Lines that were typed: for whoever waits for one, for the run that is under way, or for later. */
import type { QueuedCommand } from '@heddle/core';
import { randomUUID } from 'node:crypto';

export class PromptInbox {
  readonly #joining = new InputQueue();
  /** Typed before it could be taken: several lines at once, or a command during a turn. Each is the next in its turn. */
  readonly #later: string[] = [];
  #waiting: ((line: string | undefined) => void) | undefined;

  /** What was typed already, if anything was. */
  takeNext(): string | undefined {
    return this.takeLeft() ?? this.#later.shift();
  }

  /** Undefined: nobody types any more. */
  async wait(): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#waiting = resolve;
    return promise;
  }

  /** For whoever waits; else it is kept. An empty line is not worth it. */
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

  /** For the run that is under way, before its next request. */
  join(text: string): void {
    this.#joining.add(text);
  }

  takeJoining(): readonly QueuedCommand[] {
    return this.#joining.take();
  }

  /** What did not join any more, as one text. */
  takeLeft(): string | undefined {
    return this.#joining.takeText();
  }

  /** Everything that was not sent. */
  takeUnsent(): Unsent {
    return { prompt: this.takeLeft(), commands: this.#later.splice(0) };
  }
}

/** Lines that were typed during a run, in order. */
export class InputQueue {
  #waiting: { readonly commandId: string; readonly prompt: string }[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(prompt: string): void {
    this.#waiting.push({ commandId: randomUUID(), prompt });
  }

  /** For the run that is under way: it joins there. */
  take(): readonly QueuedCommand[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }

  /** All of it as one text; undefined where nothing waits. */
  takeText(): string | undefined {
    if (this.isEmpty) return undefined;
    const taken = this.#waiting;
    this.#waiting = [];
    return taken.map(({ prompt }) => prompt).join('\n\n');
  }
}
/** What happens to typed lines that were not sent: they come back one by one, and nothing becomes part of something else. Pure. */

interface Unsent {
  /** Words for the model, as one text. */
  readonly prompt: string | undefined;
  /** Commands of the user's own, and slash commands. */
  readonly commands: readonly string[];
}

export interface ReturnedDraft {
  /** Put back into the line being typed. */
  readonly draft: string | undefined;
  /** Not in the line: what is for the shell must not reach the model as words, nor the other way round. */
  readonly aside: readonly string[];
}

export function returnDraft({ prompt, commands }: Unsent): ReturnedDraft {
  if (prompt !== undefined) return { draft: prompt, aside: commands };
  const [first, ...others] = commands;
  return { draft: first, aside: others };
}
