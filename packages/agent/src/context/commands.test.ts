import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SUMMARY_MARK } from '@heddle/context';
import { type LoopEvent, type Message, type ModelPort, text } from '@heddle/core';
import {
  answer,
  call,
  createClock,
  createTestGate,
  fail,
  fakeTool,
  foreignEvent,
  say,
  scriptedModel,
  usage,
} from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, createAgent } from '../create-agent.ts';
import type { AgentOptions } from '../engine/options.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { memorySession } from '../session/open/memory.ts';
import { newSession, type OpenSetup, resumeSession, type Session } from '../session/open/open.ts';
import { compactCommand } from './commands.ts';
import { picture } from './test/picture.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-compact-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const look = fakeTool({
  name: 'Look',
  compactable: true,
  run: (_input, _context, at) => `line ${at} `.repeat(200),
});

/** Twenty looks, then words; a summary where one is asked for. */
const worker = () =>
  scriptedModel((request, count) => {
    if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
      return answer(usage({ input_tokens: 5_000, output_tokens: 50 }), say('## Intent\nFix the parser.'));
    return count % 21 === 0 ? answer(say('Done.')) : answer(call('Look', { at: count }, `c${count}`));
  });

function agentWith(model: ModelPort, given: Partial<AgentOptions> = {}): Agent {
  return createAgent({ model, modelName: 'scripted', tools: [look], cwd: folder, ...given });
}

async function linesOf(lines: AsyncIterable<SdkMessage>): Promise<SdkMessage[]> {
  const all: SdkMessage[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

const kindOf = (line: SdkMessage): string =>
  line.type === 'system' && line.subtype === 'status'
    ? `status ${line.status ?? line.compact_result}`
    : line.type === 'system'
      ? line.subtype
      : line.type;

function onDisk(): { setup: OpenSetup; session: Session } {
  const setup: OpenSetup = {
    place: { configDir: folder, cwd: '/project' },
    version: '0',
    durability: 'process',
    now: () => 1,
  };
  const opened = newSession(setup, 's1');
  if (!opened.ok) throw new Error(opened.message);
  return { setup, session: opened.session };
}

const words = (messages: Iterable<Message>): string => JSON.stringify([...messages]);

describe('the words of /compact', () => {
  it('are what follows the command; any other prompt is for the model', () => {
    expect(
      ['/compact', ' /compact \n', '/compact keep the SQL', '/compact\nkeep\nall'].map(compactCommand),
    ).toEqual(['', '', 'keep the SQL', 'keep\nall']);
    expect(compactCommand([text('/compact now')])).toBe('now');
    for (const other of ['/compacted', 'please /compact', '/compact/x', ''])
      expect(compactCommand(other)).toBeUndefined();
    expect(compactCommand([text('/compact'), text('and this')])).toBeUndefined();
  });
});

describe('a compaction on the user’s word', () => {
  it('is one record, which a resumed session finds, and which can be undone', async () => {
    const { setup, session } = onDisk();
    const model = worker();
    const clock = { now: () => 1, sleep: () => Promise.resolve() };
    const agent = agentWith(model, { session, clock });
    await linesOf(agent.submit('Fix the parser, please.'));
    const before = [...agent.messages];
    expect(await agent.compact('keep the numbers')).toMatchObject({
      ok: true,
      report: { level: 'manual_compact', details: { by: 'summary', trigger: 'manual' } },
    });
    expect(words(agent.messages)).toContain('Fix the parser, please.');
    expect(JSON.stringify([...(model.calls.at(-1)?.request.messages ?? [])])).toContain('keep the numbers');
    const after = [...agent.messages];
    session.journal.close();

    const resumed = resumeSession(setup, 's1');
    if (!resumed.ok) throw new Error(resumed.message);
    const again = agentWith(worker(), { session: resumed.session });
    expect([...again.messages]).toEqual(after);
    expect(again.undoCompaction()).toEqual({ ok: true, messages: before.length });
    expect([...again.messages]).toEqual(before);
    expect(again.undoCompaction()).toMatchObject({ ok: false, reason: 'nothing to do' });
    resumed.session.journal.close();
  });

  it('stands on the bill, in the log and in the budget', async () => {
    const session = memorySession('s', () => 0);
    const agent = agentWith(worker(), { session, price: (_model, { output_tokens }) => output_tokens / 100 });
    await linesOf(agent.submit('go'));
    const before = agent.spending.costUsd;
    await agent.compact();
    expect(agent.spending.costUsd - before).toBeCloseTo(0.5);
    const spent = session.journal.entries.findLast((entry) => entry.type === 'spent');
    expect(spent).toMatchObject({ costUsd: 0.5 });

    const poor = agentWith(worker(), { price: () => 1, maxBudgetUsd: 1 });
    await linesOf(poor.submit('go'));
    expect(await poor.compact()).toMatchObject({
      ok: false,
      message: expect.stringContaining('budget') as string,
    });
  });

  it('says why it could not, and leaves everything as it was', async () => {
    const model = scriptedModel((request, count) => {
      if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK)) return fail('bad_request');
      return count > 20 ? answer(say('Done.')) : answer(call('Look', { at: count }, `c${count}`));
    });
    const agent = agentWith(model);
    await linesOf(agent.submit('go'));
    const before = [...agent.messages];
    expect(await agent.compact()).toMatchObject({
      ok: false,
      reason: 'failed',
      message: expect.stringContaining('was not compacted') as string,
    });
    expect([...agent.messages]).toEqual(before);
    expect(agent.undoCompaction()).toMatchObject({ ok: false, reason: 'nothing to do' });
  });

  it('is refused while a prompt runs, and holds prompts off while it runs itself', async () => {
    const gate = createTestGate();
    const model = scriptedModel((request, count) => {
      if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
        return answer(gate, say('Sum.'));
      return count > 20 ? answer(say('Done.')) : answer(call('Look', { at: count }, `c${count}`));
    });
    const agent = agentWith(model);
    const run = agent.submit('go');
    await run.next();
    expect(await agent.compact()).toMatchObject({ ok: false, reason: 'busy' });
    expect(agent.undoCompaction()).toMatchObject({ ok: false, reason: 'busy' });
    await linesOf(run);

    const compaction = agent.compact();
    await gate.reached;
    expect(await agent.compact()).toMatchObject({ ok: false, reason: 'busy' });
    expect(await linesOf(agent.submit('meanwhile'))).toMatchObject([{ type: 'result', is_error: true }]);
    gate.open();
    expect(await compaction).toMatchObject({ ok: true });
    expect(words(agent.messages)).not.toContain('meanwhile');
  });

  it('ends soon after an abort, also where a hook hangs, and replaces nothing', async () => {
    for (const hooks of [
      undefined,
      {
        compaction: { before: () => Promise.withResolvers<never>().promise, after: () => Promise.resolve() },
      },
    ]) {
      const gate = createTestGate();
      const asked = Promise.withResolvers<void>();
      const model = scriptedModel((request, count) => {
        if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
          return answer(gate, say('Sum.'));
        return count > 20 ? answer(say('Done.')) : answer(call('Look', { at: count }, `c${count}`));
      });
      const onEvent = (event: LoopEvent): void => {
        if (event.type === 'compacting') asked.resolve();
      };
      const clock = createClock({ auto: true });
      const agent = agentWith(model, { onEvent, clock, ...(hooks ? { hooks } : {}) });
      await linesOf(agent.submit('go'));
      const before = [...agent.messages];
      const compaction = agent.compact();
      await (hooks ? asked.promise : gate.reached);
      agent.abort();
      expect(await compaction).toMatchObject({ ok: false, reason: 'aborted' });
      expect([...agent.messages]).toEqual(before);
    }
  });

  it('asks the hooks first, who may forbid it or add to it', async () => {
    const texts: (string | undefined)[] = [];
    const hooks = {
      compaction: {
        before: ({ instructions }: { readonly instructions: string | undefined }) => {
          texts.push(instructions);
          return Promise.resolve(
            texts.length === 1 ? { forbid: 'Not today.' } : { instructions: 'Mind the tests.' },
          );
        },
        after: () => Promise.resolve(),
      },
    };
    const model = worker();
    const agent = agentWith(model, { hooks });
    await linesOf(agent.submit('go'));
    expect(await agent.compact('the SQL')).toMatchObject({
      ok: false,
      message: expect.stringContaining('Not today.') as string,
    });
    expect(await agent.compact()).toMatchObject({ ok: true });
    expect(texts).toEqual(['the SQL', undefined]);
    expect(JSON.stringify([...(model.calls.at(-1)?.request.messages ?? [])])).toContain('Mind the tests.');
  });
});

describe('/compact as a prompt', () => {
  it('tells that it compacts, where the boundary is, and one result', async () => {
    const agent = agentWith(worker());
    await linesOf(agent.submit('go'));
    const lines = await linesOf(agent.submit('/compact keep the SQL'));
    expect(lines.map(kindOf)).toEqual([
      'init',
      'status compacting',
      'status success',
      'compact_boundary',
      'result',
    ]);
    const boundary = [...agent.messages].find(({ type }) => type === 'system');
    expect(lines[3]).toMatchObject({
      uuid: boundary?.uuid,
      compact_metadata: {
        trigger: 'manual',
        pre_tokens: expect.any(Number) as number,
        duration_ms: expect.any(Number) as number,
      },
    });
    expect(lines[4]).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: '',
      num_turns: 0,
      local_command: 'compact',
    });
    expect(lines[4]).not.toHaveProperty('terminal_reason');
    expect(words(agent.messages)).not.toContain('/compact');
    expect((await linesOf(agent.submit('and on'))).at(-1)).toMatchObject({ subtype: 'success' });
  });

  it('is not an error if there is nothing to compact', async () => {
    const model = worker();
    const lines = await linesOf(agentWith(model).submit('/compact'));
    expect(lines.map(kindOf)).toEqual(['init', 'status compacting', 'status failed', 'assistant', 'result']);
    expect(lines.at(-1)).toMatchObject({ is_error: false, result: '', local_command: 'compact' });
    expect(model.calls).toHaveLength(0);
  });

  it('is for the model where the host says that its words are', async () => {
    const model = scriptedModel([say('I see.')]);
    const agent = agentWith(model);
    await linesOf(agent.submit({ content: '/compact', verbatim: true }));
    expect(words(agent.messages)).toContain('/compact');
    expect(model.calls).toHaveLength(1);
  });
});

describe('a compaction on the way', () => {
  it('is told in the same lines', async () => {
    const agent = agentWith(
      scriptedModel((request, count) => {
        if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
          return answer(say('## Intent\nContinue.'));
        if (count > 40) return answer(say('Done.'));
        return answer(usage({ input_tokens: 1_000 + count * 400 }), call('Look', { at: count }, `c${count}`));
      }),
      { context: { windowOf: () => 20_000 } },
    );
    const kinds = (await linesOf(agent.submit('go')))
      .map(kindOf)
      .filter((kind) => /status|boundary/.test(kind));
    expect(kinds.slice(0, 3)).toEqual(['status compacting', 'status success', 'compact_boundary']);
  });
});

describe('the use of the window', () => {
  it('is told as data at any time', async () => {
    const agent = agentWith(worker(), { context: { windowOf: () => 50_000 } });
    expect(await agent.contextUsage()).toMatchObject({
      model: 'scripted',
      window: 50_000,
      state: { state: 'fine' },
    });
    await linesOf(agent.submit('go'));
    const usage = await agent.contextUsage();
    expect(usage.categories.find(({ name }) => name === 'tool results')?.tokens).toBeGreaterThan(1_000);
    expect(usage.state.tokens).toBeGreaterThan(1_000);
    expect(usage.used + usage.free + usage.reserved).toBe(usage.window);
    expect(usage.thresholds.autoCompact).toBeLessThanOrEqual(usage.thresholds.blocking);
  });
});

describe('a block that the API refused', () => {
  const image = {
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: 'image/png', data: picture(4, 4).toString('base64') },
  };
  const hasImage = (request: { messages: Iterable<unknown> }) =>
    JSON.stringify([...request.messages]).includes('"image"');
  const fussy = () =>
    scriptedModel((request, count) => {
      if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
        return answer(say('## Intent\nLook.'));
      if (hasImage(request)) return fail('refused_block', { block: { message: 0, block: 1 } });
      return count % 9 < 8 && count < 20
        ? answer(call('Look', { at: count }, `c${count}`))
        : answer(say('Done.'));
    });

  it('is refused once: not in the next prompt, not after a resume, not after a compaction', async () => {
    const { setup, session } = onDisk();
    const model = fussy();
    const agent = agentWith(model, { session });
    await linesOf(agent.submit({ content: [text('See.'), image] }));
    await linesOf(agent.submit('And now?'));
    expect(model.calls.filter(({ request }) => hasImage(request))).toHaveLength(1);
    session.journal.close();
    expect(readFileSync(String(session.journal.path), 'utf8')).toContain('"type":"refused"');

    for (const compacts of [false, true]) {
      const resumed = resumeSession(setup, 's1');
      if (!resumed.ok) throw new Error(resumed.message);
      const next = fussy();
      const later = agentWith(next, { session: resumed.session });
      if (compacts) expect(await later.compact()).toMatchObject({ ok: true });
      await linesOf(later.submit('Again?'));
      expect(next.calls.filter(({ request }) => hasImage(request))).toHaveLength(0);
      resumed.session.journal.close();
    }
    const compacted = resumeSession(setup, 's1');
    if (!compacted.ok) throw new Error(compacted.message);
    expect(compacted.session.projection.refused.size).toBe(1);
    compacted.session.journal.close();
  });
});

it('where the server clears old results, each request asks for it, and what it cleared is told', async () => {
  const reports: unknown[] = [];
  const edits = { applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_input_tokens: 700 }] };
  const model = scriptedModel([
    answer(call('Look', {}, 'c1')),
    answer(
      usage({ input_tokens: 300 }),
      say('Done.'),
      foreignEvent({ type: 'message_delta', delta: {}, context_management: edits }),
    ),
  ]);
  const session = memorySession('s', () => 0);
  const agent = agentWith(model, {
    session,
    config: { gates: { cachedMicrocompact: true } },
    requestOptions: { betas: ['own-beta'] },
    onEvent: (event) => event.type === 'context' && reports.push(event.report),
  });
  await linesOf(agent.submit('go'));
  for (const { request } of model.calls) {
    expect(request.options.contextManagement?.edits).toMatchObject([{ type: 'clear_tool_uses_20250919' }]);
    expect(request.options.betas).toEqual(['own-beta', 'context-management-2025-06-27']);
  }
  expect(reports).toMatchObject([{ level: 'cached_microcompact', tokensBefore: 1_000, tokensAfter: 300 }]);
  expect(session.journal.entries.some((entry) => entry.type === 'context')).toBe(true);
});

it('a file that is needed again is read anew after a compaction', async () => {
  writeFileSync(path.join(folder, 'a.ts'), 'const fresh = true;');
  const model = scriptedModel((request, count) => {
    if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
      return answer(say('## Intent\nContinue.'));
    return count > 20
      ? answer(say('Done.'))
      : answer(call('Look', { file_path: path.join(folder, 'a.ts') }, `c${count}`));
  });
  const agent = agentWith(model);
  await linesOf(agent.submit('go'));
  await agent.compact();
  expect(words(agent.messages)).toContain('const fresh = true;');
});
