/** Calls without a conversation: they wait for each other only if they must, and each has one result. */
import type { Tool } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { ToolRunner } from './tool-runner.ts';

/** A tool that reports its start, and ends when the test says so. */
function heldTool(name: string, isSafe: boolean, events: string[]) {
  const gates = new Map<string, () => void>();
  const tool: Tool<{ id: string }, string> = {
    name,
    description: '',
    inputJSONSchema: { type: 'object' },
    inputSchema: () => ({ safeParse: (value) => ({ success: true, data: value as { id: string } }) }),
    isReadOnly: () => isSafe,
    isConcurrencySafe: () => isSafe,
    maxResultSize: 1_000,
    interruptBehavior: 'cancel',
    async call({ id }, { signal }) {
      events.push(`start ${id}`);
      await new Promise<void>((resolve, reject) => {
        gates.set(id, resolve);
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      });
      events.push(`end ${id}`);
      return { data: id };
    },
    toResult: (content) => ({ content }),
  };
  return { tool, gates };
}

function setup() {
  const events: string[] = [];
  const reads = heldTool('Reads', true, events);
  const writes = heldTool('Writes', false, events);
  const rules = { allow: [{ text: 'Writes', source: 'user' as const, base: '/' }], ask: [], deny: [] };
  const options = { cwd: '/', mode: 'default' as const, rules, tools: [reads.tool, writes.tool] };
  const runner = new ToolRunner(options);
  const call = (tool: string, id: string, signal = new AbortController().signal) =>
    runner.call({ tool, input: { id }, signal, onProgress: () => undefined });
  const end = (id: string): void => (reads.gates.get(id) ?? writes.gates.get(id))?.();
  const until = async (event: string): Promise<void> => {
    await expect.poll(() => events).toContain(event);
  };
  return { events, call, end, until };
}

describe('calls without a conversation', () => {
  it('run together if they are safe, and alone if they are not', async () => {
    const { events, call, end, until } = setup();
    const first = [call('Reads', 'r1'), call('Reads', 'r2')];
    await until('start r1');
    await until('start r2');
    const writing = call('Writes', 'w1');
    const waiting = call('Reads', 'r3');
    end('r1');
    await first[0];
    expect(events).not.toContain('start w1');
    end('r2');
    await until('start w1');
    expect(events).not.toContain('start r3');
    end('w1');
    await until('start r3');
    end('r3');
    expect(await Promise.all([...first, writing, waiting])).toEqual(
      ['r1', 'r2', 'w1', 'r3'].map((content) => ({ content })),
    );
  });

  it('have a result after an abort, also while they wait', async () => {
    const { events, call, until } = setup();
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = call('Writes', 'w1', running.signal);
    await until('start w1');
    const second = call('Writes', 'w2', waiting.signal);
    waiting.abort();
    expect(await second).toMatchObject({ isError: true });
    running.abort();
    expect(await first).toMatchObject({ isError: true });
    expect(events).toEqual(['start w1']);
  });
});
