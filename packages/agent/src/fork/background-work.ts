/** Work that no run waits for: each piece has a name, a limit of time and a signal. A failure is ignored. */
import type { Clock } from '@heddle/core';

interface Piece {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Resolves when the current answer or request has been handed to its stream. Work that starts then delays neither. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export class BackgroundWork {
  readonly #clock: Clock;
  readonly #pieces = new Map<string, Piece>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True while work of this name runs. */
  isRunning(name: string): boolean {
    return this.#pieces.has(name);
  }

  /** Starts the work. Older work of the same name is cancelled. Never throws, and does not wait. */
  start(name: string, limitMs: number, work: (signal: AbortSignal) => Promise<void>): void {
    this.cancel(name);
    const controller = new AbortController();
    const { signal } = controller;
    const run = async (): Promise<void> => {
      try {
        await nextTask();
        if (signal.aborted) return;
        await Promise.race([work(signal), this.#clock.sleep(limitMs, signal)]);
      } catch {
        // The work is a convenience: the conversation continues without it.
      } finally {
        controller.abort('ended');
        if (this.#pieces.get(name)?.controller === controller) this.#pieces.delete(name);
      }
    };
    this.#pieces.set(name, { controller, ended: run() });
  }

  cancel(name: string): void {
    this.#pieces.get(name)?.controller.abort('replaced');
    this.#pieces.delete(name);
  }

  /** Waits for the work of these names, not longer than the limit, and cancels all work. */
  async settle(names: readonly string[], limitMs: number): Promise<void> {
    const awaited = names.flatMap((name) => this.#pieces.get(name)?.ended ?? []);
    const timer = new AbortController();
    await Promise.race([Promise.all(awaited), this.#clock.sleep(limitMs, timer.signal)]);
    timer.abort();
    for (const name of this.#pieces.keys()) this.cancel(name);
  }
}
