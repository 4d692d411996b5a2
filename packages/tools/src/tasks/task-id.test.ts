import { describe, expect, it } from 'vitest';
import { taskId } from './registry.ts';

const free = (): boolean => false;

describe("a task's id", () => {
  it('is the same whenever the same call is replayed', () => {
    expect(taskId('toolu_1', free)).toMatch(/^b[0-9a-f]{8}$/);
    expect(taskId('toolu_1', free)).toBe(taskId('toolu_1', free));
    expect(taskId('toolu_1', free)).not.toBe(taskId('toolu_2', free));
  });

  it('is different if two calls share an id', () => {
    const first = taskId('toolu_1', free);
    const second = taskId('toolu_1', (id) => id === first);
    expect(second).not.toBe(first);
    expect(taskId('toolu_1', (id) => id === first)).toBe(second);
  });

  it('is unique without a call', () => {
    expect(taskId(undefined, free)).not.toBe(taskId(undefined, free));
  });
});
