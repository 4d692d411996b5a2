/** When the program is killed. Every trigger is an event, none a time. */
import { EFFECTS } from './story.ts';

export type Trigger =
  /** At the nth byte that the program writes. */
  | { readonly kind: 'journal' | 'stdout'; readonly byte: number }
  /** When so many bytes of answers have been sent to it. */
  | { readonly kind: 'stream'; readonly byte: number }
  /** By the command that has the effect: before it, so that the effect follows the death, or after it. */
  | { readonly kind: 'effect'; readonly id: string; readonly when: 'before' | 'after' }
  /** When its nth request has arrived and nothing has been answered. */
  | { readonly kind: 'request'; readonly number: number };

/** How much a run that nobody disturbs writes and is sent. */
export interface StoryMeasure {
  readonly journal: number;
  readonly stdout: number;
  readonly stream: number;
  readonly requests: number;
}

export interface Plan {
  readonly seed: number;
  /** One for each life of the session but the last. */
  readonly kills: readonly Trigger[];
  /** Cut the file inside its last record after the first kill, at this share of the record. */
  readonly cut: number | undefined;
  readonly models: Models;
}

/** Which models a session is held with. */
export interface Models {
  readonly thinks: boolean;
  /** In its first life, the first model is gone after so many requests, and the fallback takes over. */
  readonly goneAfter: number | undefined;
  /** The later lives are held with another model. */
  readonly changes: boolean;
}

export const PLAIN_MODELS: Models = { thinks: true, goneAfter: undefined, changes: false };

export function planOf(seed: number, measure: StoryMeasure): Plan {
  const random = generator(seed);
  const upTo = (limit: number): number => 1 + Math.floor(random() * limit);
  const trigger = (kind: Trigger['kind']): Trigger => {
    switch (kind) {
      case 'journal':
      case 'stdout':
      case 'stream':
        return { kind, byte: upTo(measure[kind]) };
      case 'effect':
        return {
          kind,
          id: EFFECTS[upTo(EFFECTS.length) - 1] ?? 'b1',
          when: random() < 0.5 ? 'before' : 'after',
        };
      case 'request':
        return { kind, number: upTo(measure.requests) };
    }
  };
  const first = trigger(KINDS[seed % KINDS.length] ?? 'journal');
  const second = random() < 0.4 ? [trigger(KINDS[upTo(KINDS.length) - 1] ?? 'journal')] : [];
  const cut = random() < 0.3 ? random() : undefined;
  const models = {
    thinks: random() < 0.7,
    goneAfter: random() < 0.4 ? upTo(measure.requests) - 1 : undefined,
    changes: random() < 0.4,
  };
  return { seed, kills: [first, ...second], cut, models };
}

const KINDS: readonly Trigger['kind'][] = ['journal', 'stream', 'effect', 'stdout', 'request'];

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
function generator(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b9);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
