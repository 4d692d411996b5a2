/** How long an attempt waits for what, and what counts as a sign of life. */
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { Deadline } from '../stream/deadline.ts';
import type { BridgeDoor } from './port.ts';

export class Patience {
  readonly #door: BridgeDoor;
  readonly #deadline: Deadline;
  readonly #missed: (message: string) => void;
  /** How long the answer may be silent now. */
  #silenceMs = 0;

  /** `missed` hears it once, in words. */
  constructor(door: BridgeDoor, missed: (message: string) => void) {
    this.#door = door;
    this.#missed = missed;
    this.#deadline = new Deadline(door.clock);
  }

  awaitFirstByte(): void {
    this.#watch(this.#door.firstByteMs, (limit) => `${this.#door.scene.name} sent nothing for ${limit}.`);
  }

  awaitFirstWord(): void {
    this.#allowSilence(this.#door.thinkingMs);
  }

  /** What has only begun to think may be silent for long; words follow one another. */
  heed({ type }: LanguageModelV4StreamPart): void {
    if (!isContent(type)) return;
    this.#deadline.touch();
    if (type === 'reasoning-start') this.#allowSilence(this.#door.thinkingMs);
    else if (type !== 'response-metadata') this.#allowSilence(this.#door.idleMs);
  }

  /** The reader is slow: until it goes on, the silence is our own doing. */
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
    this.#watch(limitMs, (limit) => `The answer of ${this.#door.scene.name} stopped coming for ${limit}.`);
  }

  #watch(limitMs: number, what: (limit: string) => string): void {
    this.#deadline.set(limitMs, () => {
      this.#missed(`${what(`${Math.round(limitMs / 100) / 10} s`)} ${ADVICE}`);
    });
  }
}

const ADVICE =
  'It is tried again by itself; if this happens often, check the network, or allow a longer wait.';

/** What a server sends to keep the line open is no content. */
function isContent(type: LanguageModelV4StreamPart['type']): boolean {
  return type !== 'stream-start' && type !== 'raw' && type !== 'ping';
}
