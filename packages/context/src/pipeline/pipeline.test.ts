import { type EntryBody, projectLog } from '@heddle/core';
import {
  foreignEvent,
  sessionCacheCost,
  bodyOf,
  fail,
  answer,
  say,
  usage,
  call as calls,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { breakdownOf } from './breakdown.ts';
import { contextOptions } from '../options.ts';
import { HEAD, prepared, rig, TOOLS } from '../test/rig.ts';
import { isSummaryRequest, playContext } from '../test/play.ts';
import { historyOf, prose, says, step, text, userSays, work } from '../test/talk.ts';
import { thresholdsOf } from '../thresholds.ts';

const CLEARED = {
  type: 'clear_tool_uses_20250919',
  cleared_input_tokens: 5_000,
  cleared_tool_uses: 3,
};

const counted = (input: number, output = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
});

describe('the pipeline', () => {
  it('hands on the very same history where nothing needs doing', async () => {
    const { port, context } = rig({ levels: { snip: true, collapse: true } });
    const messages = historyOf(work(20, 50));
    const { yielded, returned } = await prepared(port, { messages, autoCompact: true, context });
    expect(yielded).toEqual([]);
    expect([returned.messages, returned.view]).toEqual([messages, messages]);
    expect(returned.messages).toBe(messages);
    expect(returned).toMatchObject({ overLimit: false, autoCompact: { outcome: 'idle' } });
  });

  it('takes the levels in order, and a heavy one only if the lighter ones were not enough', async () => {
    const { port, context, summaries } = rig({
      windowOf: () => 20_000,
      levels: { snip: true },
      microcompact: { minFreed: 100, keepRecent: 2 },
    });
    const huge = step('huge', 'y '.repeat(40_000));
    const messages = historyOf([...work(25, 600), ...huge]);
    const { yielded, returned } = await prepared(port, { messages, autoCompact: true, context });
    expect(yielded.map(({ report }) => report.level)).toEqual(['tool_result_budget', 'snip', 'microcompact']);
    expect([returned.autoCompact.outcome, summaries.length]).toEqual(['idle', 0]);
  });

  it('counts what the server counted, and estimates only what came after', async () => {
    const { port, context } = rig({ windowOf: () => 100_000 });
    let history = historyOf(work(10, 500));
    const prepare = async () => {
      const { returned } = await prepared(port, { messages: history, autoCompact: false, context });
      history = returned.messages;
      return port.state()?.tokens ?? 0;
    };
    const estimate = await prepare();
    const answer = says(text(prose(100)));
    port.answered({
      responseId: 'responseId' in answer ? answer.responseId : '',
      usage: counted(40_000, 500),
    });
    history = history.append([answer, userSays(prose(1_000))]);
    const after = await prepare();
    expect(estimate).toBeLessThan(10_000);
    expect(after).toBeGreaterThan(41_400);
    expect(after).toBeLessThan(41_700);
    port.answered({ responseId: 'none', usage: counted(0) });
    expect(await prepare()).toBe(after);
  });

  it('decides the same whether a sent request is counted early, or with its answer', async () => {
    const play = async (countsEarly: boolean) => {
      const { port, context } = rig({
        windowOf: () => 30_000,
        microcompact: { minFreed: 100, keepRecent: 2 },
      });
      const decisions: unknown[] = [];
      let history = historyOf(work(1, 500));
      for (let turn = 0; turn < 60; turn++) {
        const { yielded, returned } = await prepared(port, { messages: history, autoCompact: true, context });
        if (countsEarly) port.countSent();
        decisions.push(yielded.map(({ report }) => report.level));
        if (turn % 10 === 0) decisions.push(port.state());
        const usage = counted(500 + returned.view.length * 260, 50);
        port.answered({ responseId: `r${turn}`, usage });
        const call = {
          ...says({ type: 'tool_use', id: `c${turn}`, name: 'Read', input: {} }),
          responseId: `r${turn}`,
        };
        const output = userSays([
          { type: 'tool_result', tool_use_id: `c${turn}`, content: prose(500, turn) },
        ]);
        history = returned.messages.append([call, output]);
      }
      return decisions;
    };
    const late = await play(false);
    expect(await play(true)).toEqual(late);
    expect(late.flat()).toContain('microcompact');
  });

  it('reports that a request does not fit if no level may change it', async () => {
    const { port, context } = rig({ windowOf: () => 10_000, levels: { microcompact: false } });
    const messages = historyOf(work(20, 500));
    const { returned } = await prepared(port, { messages, autoCompact: false, context });
    expect([returned.overLimit, port.state()?.state]).toEqual([true, 'blocked']);
  });

  it('reports what the server cleared by itself as soon as it has answered', async () => {
    const { main, events } = await playContext(
      () =>
        answer(
          usage({ input_tokens: 1_000, cache_read_input_tokens: 9_000 }),
          say('Done.'),
          foreignEvent({
            type: 'message_delta',
            delta: { stop_reason: 'end_turn' },
            context_management: { applied_edits: [CLEARED] },
          }),
        ),
      { messages: work(2, 10), changes: { levels: { cachedMicrocompact: true } } },
    );
    expect(main).toHaveLength(1);
    const reports = events.flatMap((event) => (event.type === 'context' ? [event.report] : []));
    expect(reports).toEqual([
      {
        level: 'cached_microcompact',
        tokensBefore: 15_000,
        tokensAfter: 10_000,
        rewrotePrefix: false,
        details: { clearedTokens: 5_000, clearedToolUses: 3, edits: ['clear_tool_uses_20250919'] },
      },
    ]);
  });

  it('leaves old results alone where the server clears them, and says what the server is to do', async () => {
    const { port, context } = rig({
      windowOf: () => 20_000,
      levels: { cachedMicrocompact: true },
      microcompact: { minFreed: 100, keepRecent: 2 },
    });
    const { yielded } = await prepared(port, {
      messages: historyOf(work(25, 400)),
      autoCompact: false,
      context,
    });
    expect(yielded).toEqual([]);
    expect(port.serverEdits(context)).toMatchObject({
      contextManagement: {
        edits: [
          {
            type: 'clear_tool_uses_20250919',
            keep: { type: 'tool_uses', value: 2 },
            exclude_tools: ['Edit', 'TodoWrite'],
          },
        ],
      },
    });
    expect(rig().port.serverEdits(context)).toBeUndefined();
  });

  it('records replaced results by themselves, so that the log grows by what was replaced', async () => {
    const { port, context } = rig();
    const messages = [...work(50, 100), ...step('huge', 'z '.repeat(40_000))];
    const { yielded, returned } = await prepared(port, {
      messages: historyOf(messages),
      autoCompact: true,
      context,
    });
    expect(yielded.map(({ replaced, messages: all }) => [replaced?.length, all])).toEqual([[1, undefined]]);
    const entries = messages.map((message) => ({ type: message.type, message }) as EntryBody);
    for (const did of yielded) entries.push({ type: 'context', ...did });
    expect(projectLog(entries)).toEqual(returned.messages.since(0));
  });
});

describe('a compaction on the way', () => {
  const WINDOW = 12_000;
  const changes = { windowOf: () => WINDOW, reservedOutput: 1_000, levels: { microcompact: false } };

  it('forks the conversation: the summary reads what the last request had cached, and writes nothing', async () => {
    const long = prose(900, 3);
    const { main, summaries, terminal, events } = await playContext(
      (request, count) => {
        if (isSummaryRequest(request)) return answer(say('## Intent\nContinue.'));
        if (count > 3) return answer(say('Done.'));
        // The second answer makes the server's count cross the threshold.
        const input = count === 2 ? 11_000 : 9_000;
        return answer(usage({ input_tokens: input }), calls('Read', { file_path: `/${count}` }, `c${count}`));
      },
      {
        messages: [userSays(long), ...work(8, 700).slice(1)],
        // By the server's count, the whole conversation and a summary of it fit into one request.
        changes: { ...changes, windowOf: () => 20_000, autoCompactCap: 10_500 },
      },
    );
    expect([terminal.reason, summaries.length]).toEqual(['completed', 1]);
    const [asked] = summaries;
    const before = main.slice(0, 2);
    const { bills } = sessionCacheCost(
      [...before, asked].flatMap((request) => (request ? [bodyOf(request)] : [])),
    );
    expect(bills[2]?.cacheRead).toBe((bills[1]?.cacheRead ?? 0) + (bills[1]?.cacheCreation ?? 0));
    expect(bills[2]?.cacheCreation).toBe(0);
    expect(asked?.tools).toEqual(main[0]?.tools);
    expect(asked?.system).toEqual(main[0]?.system);
    // The cost of the summary is reported before the record of the compaction.
    const kinds = events.map((event) => event.type);
    expect(kinds.indexOf('spent')).toBe(kinds.indexOf('context') - 1);
  });

  it('gives up after three failures in a row, and the loop continues without it', async () => {
    const { summaries, terminal } = await playContext(
      (request, count) => {
        if (isSummaryRequest(request)) return fail('bad_request');
        if (count > 16) return answer(say('Done.'));
        return answer(usage({ input_tokens: 1_000 }), calls('Read', { file_path: `/${count}` }, `c${count}`));
      },
      { messages: work(8, 250), changes: { ...changes, autoCompactCap: 500 } },
    );
    expect([terminal.reason, summaries.length]).toEqual(['completed', 3]);
  });

  it('does not count as failed while the conversation is too short for it', async () => {
    const { summaries, events } = await playContext(
      (request, count) => {
        if (isSummaryRequest(request)) return answer(say('## Intent\nContinue.'));
        if (count > 12) return answer(say('Done.'));
        return answer(
          usage({ input_tokens: 11_500 }),
          calls('Read', { file_path: `/${count}` }, `c${count}`),
        );
      },
      {
        messages: [userSays('Read them.')],
        changes,
        output: (call) => (call > 6 ? prose(900, call) : 'short'),
      },
    );
    expect(summaries.length).toBeGreaterThan(0);
    const reports = events.flatMap((event) => (event.type === 'context' ? [event.report] : []));
    expect(reports.filter(({ details }) => details?.['failed'] !== undefined)).toEqual([]);
  });

  it('ends at once when it is aborted', async () => {
    const controller = new AbortController();
    const { port, context } = rig(changes, {
      summarize: ({ context: asked }) => {
        controller.abort();
        expect(asked.signal.aborted).toBe(true);
        return Promise.resolve({ ok: false, why: 'aborted', class: 'aborted', spent: [] });
      },
    });
    const messages = historyOf(work(40, 500));
    const aborted = { ...context, signal: controller.signal };
    const { returned } = await prepared(port, { messages, autoCompact: true, context: aborted });
    expect(returned.autoCompact).toEqual({ outcome: 'failed' });
  });

  it('can be forbidden, told more, and watched by hooks', async () => {
    const seen: string[] = [];
    const hooks = {
      before: ({ trigger }: { trigger: string }) => {
        seen.push(`before ${trigger}`);
        return Promise.resolve(
          seen.length === 1 ? { forbid: 'Not now.' } : { instructions: 'Mind the tests.' },
        );
      },
      after: ({ trigger }: { trigger: string }) => {
        seen.push(`after ${trigger}`);
        return Promise.resolve();
      },
    };
    const { port, context, summaries } = rig({}, { hooks });
    const messages = historyOf(work(20, 300));
    expect(await port.compactNow({ messages, context })).toMatchObject({ ok: false, why: 'Not now.' });
    expect(await port.compactNow({ messages, context })).toMatchObject({ ok: true });
    expect(summaries[0]?.instruction).toContain('Mind the tests.');
    expect(seen).toEqual(['before manual', 'before manual', 'after manual']);
  });
});

describe('the breakdown', () => {
  it('tells what fills the window, and adds up', async () => {
    const thresholds = thresholdsOf(contextOptions(), 'm');
    const messages = [...work(5, 400), userSays('a reminder', { isMeta: true }), says(text('Done.'))];
    const { categories, used, free, window, reserved, byTool } = breakdownOf({
      head: HEAD,
      tools: TOOLS,
      messages,
      thresholds,
    });
    expect(categories.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(used);
    expect(used + free + reserved).toBe(window);
    const of = (name: string) => categories.find((category) => category.name === name)?.tokens ?? 0;
    expect(of('tool results')).toBeGreaterThan(1_500);
    expect(Math.min(of('tools'), of('system prompt'), of('user messages'), of('answers'))).toBeGreaterThan(0);
    expect(byTool.map(({ tool }) => tool)).toEqual(['Read', 'Edit']);
  });
});
