import { describe, expect, it } from 'vitest';
import { createClock, settle } from './clock.ts';
import { contextOf } from './context.ts';
import { createTestGate } from './gate.ts';
import { type FakeToolOptions, fakeTool } from './fake-tool.ts';

function begin(options: Partial<FakeToolOptions>, controller = new AbortController()) {
  const tool = fakeTool({ name: 'Read', ...options });
  const seen: unknown[] = [];
  const context = { ...contextOf({ signal: controller.signal }), toolUseId: 't1' };
  const output = tool.call({ path: 'a' }, context, (data) => seen.push(data));
  return { tool, output, seen };
}

describe('a fake tool', () => {
  it('returns its configured result', async () => {
    expect((await begin({}).output).data).toEqual({ content: 'Read ok' });
    expect((await begin({ result: 'contents' }).output).data).toEqual({ content: 'contents' });
    expect((await begin({ fails: 'no such file' }).output).data).toEqual({
      content: 'no such file',
      isError: true,
    });
    expect(
      (
        await begin({ run: (input, { toolUseId }, call) => `${JSON.stringify(input)} ${toolUseId} ${call}` })
          .output
      ).data,
    ).toEqual({ content: '{"path":"a"} t1 1' });
    await expect(begin({ throws: 'disk on fire' }).output).rejects.toThrow('disk on fire');
  });

  it('is read-only and safe beside others, unless it writes', () => {
    const context = contextOf();
    const [reader, writer] = [fakeTool({ name: 'Read' }), fakeTool({ name: 'Write', readOnly: false })];
    expect([
      reader.isReadOnly({}, context),
      reader.isConcurrencySafe({}, context),
      reader.isIdempotent?.({}),
    ]).toEqual([true, true, true]);
    expect([
      writer.isReadOnly({}, context),
      writer.isConcurrencySafe({}, context),
      writer.isIdempotent?.({}),
    ]).toEqual([false, false, false]);
  });

  it('checks its input twice, as real ones do', async () => {
    const tool = fakeTool({
      name: 'Read',
      rejects: ({ path }) => (path === undefined ? 'path is missing' : undefined),
      invalid: ({ path }) => (path === 'x' ? 'x does not exist' : undefined),
    });
    const schema = await tool.inputSchema();
    expect(schema.safeParse({})).toMatchObject({ success: false, error: { message: 'path is missing' } });
    expect(schema.safeParse('a')).toMatchObject({ success: false });
    expect(schema.safeParse({ path: 'x' })).toMatchObject({ success: true });
    expect(await tool.validateInput?.({ path: 'x' }, contextOf())).toEqual({
      ok: false,
      message: 'x does not exist',
    });
  });

  it('takes time on the clock and records it', async () => {
    const clock = createClock({ now: 0, auto: true });
    const { tool, output, seen } = begin({ clock, delayMs: 500, progress: ['half'] });
    expect(seen).toEqual(['half']);
    await output;
    expect(tool.calls).toEqual([
      { toolUseId: 't1', input: { path: 'a' }, startedAt: 0, endedAt: 500, ended: 'returned' },
    ]);
  });

  it('ends at once on an abort, and reports it', async () => {
    const controller = new AbortController();
    const { tool, output } = begin({ gate: createTestGate() }, controller);
    controller.abort();
    await expect(output).rejects.toThrow('aborted');
    expect(tool.calls[0]?.ended).toBe('aborted');
  });

  it('can ignore an abort', async () => {
    const controller = new AbortController();
    const gate = createTestGate();
    const { tool, output } = begin({ gate, ignoresAbort: true }, controller);
    controller.abort();
    await settle();
    expect(tool.calls[0]?.ended).toBeUndefined();
    gate.open();
    expect((await output).data.content).toBe('Read ok');
  });
});
