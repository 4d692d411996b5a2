import { describe, expect, it } from 'vitest';
import { createIds, createRandom, createUuids } from './ids.ts';

describe('seeded ids and chance', () => {
  it('count with a prefix', () => {
    const ids = createIds('a');
    expect([ids.uuid(), ids.uuid(), ids.uuid()]).toEqual(['a1', 'a2', 'a3']);
  });

  it('have the form of a version 4 UUID, and are the same under the same seed', () => {
    const [left, right, other] = [createUuids(7), createUuids(7), createUuids(8)];
    const first = left.uuid();
    expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(right.uuid()).toBe(first);
    expect(other.uuid()).not.toBe(first);
    expect(left.uuid()).not.toBe(first);
  });

  it('draws numbers in [0, 1) that spread evenly', () => {
    const random = createRandom(42);
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let draw = 0; draw < 10_000; draw++) {
      const bucket = Math.floor(random() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    expect(buckets).toHaveLength(10);
    for (const count of buckets) expect(count).toBeGreaterThan(850);
  });
});
