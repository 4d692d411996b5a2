/** Background work that no run waits for, and resources that tools hold until the turn ends. */
import { type Clock, type ToolTurnResources, untilAborted } from '@heddle/core';

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

/** Each piece of work has a name, a limit of time and a signal. A failure is ignored. */
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

interface Held {
  readonly name: string;
  readonly release: (signal: AbortSignal) => void | Promise<void>;
}

/** How long one resource may take to end, in milliseconds. It stays below the limit of a step at the end of a turn. */
const RELEASE_LIMIT_MS = 4_000;

/** Resources that tools hold until the turn ends: a browser, a desktop, a lock. */
export class TurnResources implements ToolTurnResources {
  readonly #clock: Clock;
  #held: readonly Held[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hold(name: string, release: Held['release']): () => void {
    const held = { name, release };
    this.#held = [...this.#held, held];
    return () => {
      this.#held = this.#held.filter((other) => other !== held);
    };
  }

  /** Releases each resource once, all at the same time. Never rejects, and ends within the limit. */
  async releaseAll(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    if (held.length === 0) return;
    const limit = new AbortController();
    const over = new AbortController();
    void this.#clock.sleep(RELEASE_LIMIT_MS, over.signal).then(() => limit.abort('late'));
    const release = async (one: Held): Promise<void> => one.release(limit.signal);
    const all = Promise.allSettled(held.map(release));
    await untilAborted(all, limit.signal, () => undefined);
    over.abort();
  }
}
