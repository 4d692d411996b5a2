/** The events that trigger a kill. No trigger depends on time. */
import { EFFECTS } from './story.ts';

export type Trigger =
  /** At the nth byte that the program writes. */
  | { readonly kind: 'journal' | 'stdout'; readonly byte: number }
  /** When this many bytes of answers have been sent to the program. */
  | { readonly kind: 'stream'; readonly byte: number }
  /** The command kills the program before or after its own effect. */
  | { readonly kind: 'effect'; readonly id: string; readonly when: 'before' | 'after' }
  /** When the nth request has arrived, before the answer starts. */
  | { readonly kind: 'request'; readonly number: number };

/** The amounts of output, input and requests in a run without a kill. */
export interface StoryMeasure {
  readonly journal: number;
  readonly stdout: number;
  readonly stream: number;
  readonly requests: number;
}

export interface Plan {
  readonly seed: number;
  /** One for each run of the session except the last. */
  readonly kills: readonly Trigger[];
  /** Cut the file inside its last record after the first kill, at this share of the record. */
  readonly cut: number | undefined;
  readonly models: Models;
}

/** The models of the session. */
export interface Models {
  readonly thinks: boolean;
  /** In the first run, the first model fails after this many requests, and the fallback model replaces it. */
  readonly goneAfter: number | undefined;
  /** The later runs use another model. */
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

/** Pseudorandom numbers in [0, 1) from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b9);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
