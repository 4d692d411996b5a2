import { describe, expect, it } from 'vitest';
import { newUuid } from './uuid.ts';

describe('a new id', () => {
  it('is a random UUID, and never the same twice', () => {
    const ids = Array.from({ length: 1_000 }, () => newUuid());
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
