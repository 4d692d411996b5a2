/**
 * Identifiers and random numbers from a seed: the same seed gives the same run, so a failing seed is a bug
 * report.
 */
import type { Ids } from '@heddle/core';

/** A number in [0, 1) from a well-mixed 32-bit state (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Short ids that read well in a failing test: `m1`, `m2`, … */
export function createIds(prefix = 'm'): Ids {
  let count = 0;
  return { uuid: () => `${prefix}${++count}` };
}

/** Ids in the form of a version 4 UUID, for code that checks the form. */
export function createUuids(seed = 1): Ids {
  const random = createRandom(seed);
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
  const variant = () => '89ab'.charAt(Math.floor(random() * 4));
  return { uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${variant()}${hex(3)}-${hex(12)}` };
}
