/** What was typed while something else was under way, in order. */
import { randomUUID } from 'node:crypto';
import type { QueuedCommand } from '@heddle/core';

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
