/** The time limits of one call. Progress resets the idle limit only. Both stop while the user is asked. */

export interface CallLimits {
  /** The longest time without an answer or progress. */
  readonly idleMs: number;
  /** The longest time in all. */
  readonly totalMs: number;
}

const PAUSED_CHECK_MS = 1_000;

export class CallLimit {
  readonly #limits: CallLimits;
  readonly #onLimit: (message: string) => void;
  #startedAt = Date.now();
  #activeAt = Date.now();
  #pausedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: CallLimits, onLimit: (message: string) => void) {
    this.#limits = limits;
    this.#onLimit = onLimit;
    this.#schedule();
  }

  progress(): void {
    this.#activeAt = Date.now();
  }

  pause(): void {
    this.#pausedAt ??= Date.now();
  }

  resume(): void {
    if (this.#pausedAt === undefined) return;
    const paused = Date.now() - this.#pausedAt;
    this.#startedAt += paused;
    this.#activeAt += paused;
    this.#pausedAt = undefined;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const left = this.#pausedAt === undefined ? Math.max(0, this.#left()) : PAUSED_CHECK_MS;
    this.#timer = setTimeout(() => this.#check(), left);
  }

  #check(): void {
    if (this.#pausedAt !== undefined || this.#left() > 0) return this.#schedule();
    const isIdle = Date.now() - this.#activeAt >= this.#limits.idleMs;
    const limit = isIdle ? this.#limits.idleMs : this.#limits.totalMs;
    this.#onLimit(
      isIdle
        ? `it gave no answer and no progress for ${seconds(limit)}`
        : `it took longer than ${seconds(limit)}`,
    );
  }

  #left(): number {
    const now = Date.now();
    const { idleMs, totalMs } = this.#limits;
    return Math.min(this.#startedAt + totalMs, this.#activeAt + idleMs) - now;
  }
}

function seconds(ms: number): string {
  return ms >= 10_000 ? `${Math.round(ms / 1_000)} s` : `${ms / 1_000} s`;
}
