/** A deadline that passes when nothing has happened for too long on the clock. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Clock } from '@heddle/core';

export class Deadline {
  readonly #clock: Clock;
  #limitMs = 0;
  #since = 0;
  #missed: () => void = () => undefined;
  #isHeld = false;
  /** The time of the next check. Undefined if no timer is set. */
  #wakesAt: number | undefined;
  #sleep = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a deadline from now and replaces the previous one. */
  set(limitMs: number, missed: () => void): void {
    this.#limitMs = limitMs;
    this.#missed = missed;
    this.touch();
    if (this.#wakesAt !== undefined && this.#wakesAt <= this.#since + limitMs) return;
    this.stop();
    void this.#watch(this.#sleep.signal);
  }

  /** Restarts the time. Cheap enough to be called for every chunk. */
  touch(): void {
    this.#since = this.#clock.now();
    this.#isHeld = false;
  }

  /** Suspends the deadline until the next `touch`, because our own code causes the silence. */
  hold(): void {
    this.#isHeld = true;
  }

  stop(): void {
    if (this.#wakesAt === undefined) return;
    this.#wakesAt = undefined;
    this.#sleep.abort(OVER);
    this.#sleep = new AbortController();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = this.#since + this.#limitMs - this.#clock.now();
      if (leftMs <= 0 && !this.#isHeld) break;
      const waitMs = leftMs > 0 ? leftMs : this.#limitMs;
      this.#wakesAt = this.#clock.now() + waitMs;
      await this.#clock.sleep(waitMs, signal);
      if (signal.aborted) return;
    }
    this.#wakesAt = undefined;
    this.#missed();
  }
}

/** An explicit reason: without one, each abort creates an exception with a stack trace. */
const OVER = 'over';

/** The limits of one answer, and the name of the provider for messages. */
interface StallLimits {
  readonly scene: { readonly name: string };
  readonly clock: Clock;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly thinkingMs: number;
}

export class StallTimer {
  readonly #port: StallLimits;
  readonly #deadline: Deadline;
  readonly #missed: (message: string) => void;
  /** The silence that is allowed now. */
  #silenceMs = 0;

  /** `missed` is called once, with a message. */
  constructor(port: StallLimits, missed: (message: string) => void) {
    this.#port = port;
    this.#missed = missed;
    this.#deadline = new Deadline(port.clock);
  }

  awaitFirstByte(): void {
    this.#watch(this.#port.firstByteMs, (limit) => `${this.#port.scene.name} sent nothing for ${limit}.`);
  }

  awaitFirstWord(): void {
    this.#allowSilence(this.#port.thinkingMs);
  }

  /** A model that has begun to think may be silent for long. Text arrives without long gaps. */
  heed({ type }: LanguageModelV4StreamPart): void {
    if (!isContent(type)) return;
    this.#deadline.touch();
    if (type === 'reasoning-start') this.#allowSilence(this.#port.thinkingMs);
    else if (type !== 'response-metadata') this.#allowSilence(this.#port.idleMs);
  }

  /** The reader is slow: until it continues, our own code causes the silence. */
  hold(): void {
    this.#deadline.hold();
  }

  goOn(): void {
    this.#deadline.touch();
  }

  stop(): void {
    this.#deadline.stop();
  }

  #allowSilence(limitMs: number): void {
    if (limitMs === this.#silenceMs) return;
    this.#silenceMs = limitMs;
    this.#watch(limitMs, (limit) => `The answer of ${this.#port.scene.name} stopped coming for ${limit}.`);
  }

  #watch(limitMs: number, what: (limit: string) => string): void {
    this.#deadline.set(limitMs, () => {
      this.#missed(`${what(`${Math.round(limitMs / 100) / 10} s`)} ${ADVICE}`);
    });
  }
}

const ADVICE =
  'It is tried again by itself; if this happens often, check the network, or allow a longer wait.';

/** Keep-alive data is not content. */
function isContent(type: LanguageModelV4StreamPart['type']): boolean {
  return type !== 'stream-start' && type !== 'raw' && type !== 'ping';
}
