/** Resources that tools hold until the turn ends: a browser, a desktop, a lock. */
import { type Clock, type ToolTurnResources, untilAborted } from '@heddle/core';

interface Held {
  readonly name: string;
  readonly release: (signal: AbortSignal) => void | Promise<void>;
}

/** How long one resource may take to end, in milliseconds. It stays below the limit of a step at the end of a turn. */
const RELEASE_LIMIT_MS = 4_000;

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
