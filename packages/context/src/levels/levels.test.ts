import { isToolResult, type Message, type ToolResultBlock } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { estimateMessages } from '../estimate/message.ts';
import { contextOptions } from '../options.ts';
import { readHistory, sinceBoundary } from '../history/history-reader.ts';
import { decodeMessage, resultText } from '../history/decode-message.ts';
import { call, historyOf, prose, result, says, step, text, userSays, work } from '../test/talk.ts';
import { microcompact, type MicrocompactRequest } from './microcompact.ts';
import { oversized, spillResults } from './result-budget.ts';
import { serverCleared, serverEdits } from './server-edits.ts';
import { snip } from './snip.ts';

const options = contextOptions();

const outputs = (messages: Iterable<Message>): string[] =>
  [...messages].flatMap((message) => decodeMessage(message).blocks.filter(isToolResult).map(resultText));

describe('the reader', () => {
  it('cuts before answers and requests, never between a call and its result', () => {
    const messages = historyOf([
      userSays('go'),
      says(text('ok'), call('a'), call('b')),
      userSays([result('a', '1')]),
      userSays([result('b', '2')]),
      says(text('done')),
      userSays('next'),
    ]);
    expect(readHistory(messages).cuts).toEqual([1, 4, 5]);
  });

  it('takes the blocks of one answer for one, also where results came between them', () => {
    const [first, second] = [says(call('a')), says(call('b'))];
    const messages = historyOf([
      userSays('go'),
      first,
      userSays([result('a', '1')]),
      { ...second, responseId: 'responseId' in first ? first.responseId : '' } as Message,
      userSays([result('b', '2')]),
    ]);
    expect(readHistory(messages).cuts).toEqual([1]);
  });

  it('reads a grown history as it reads a whole one', () => {
    const messages = work(10, 20);
    const grown = historyOf(messages.slice(0, 9));
    const reader = readHistory(grown);
    reader.read(grown.append(messages.slice(9)));
    const whole = readHistory(historyOf(messages));
    expect(reader.cuts).toEqual(whole.cuts);
    expect(reader.results.map(({ round }) => round)).toEqual(whole.results.map(({ round }) => round));
  });
});

describe('level 0, the boundary', () => {
  const boundary: Message = { type: 'system', uuid: 'b', at: 0, subtype: 'compact_boundary', content: '' };

  it('takes what stands behind the last one, and the history itself where there is none', () => {
    const messages = historyOf([userSays('old'), boundary, userSays('old'), boundary, userSays('new')]);
    expect(sinceBoundary(messages, readHistory(messages)).since(0)).toHaveLength(2);
    const plain = historyOf([userSays('new')]);
    expect(sinceBoundary(plain, readHistory(plain))).toBe(plain);
  });
});

describe('level 1, the budget of results', () => {
  const settings = {
    ...options.resultBudget,
    perRound: 30_000,
    limitOf: (tool?: string) => (tool === 'Bash' ? 5_000 : 20_000),
  };
  const spill = (messages: readonly Message[]) => {
    const history = historyOf(messages);
    const found = oversized(readHistory(history), settings);
    const stored = new Map(found.map(({ toolUseId }) => [toolUseId, `/s/${toolUseId}`]));
    return { found: found.map(({ toolUseId }) => toolUseId), ...spillResults(history, stored, settings) };
  };

  it('spills a result over its tool’s limit, and leaves preview, size and path', () => {
    const output = `${'x'.repeat(30)}\n`.repeat(200);
    const { found, messages, report, replaced } = spill([userSays('go'), ...step('a', output, 'Bash')]);
    expect(found).toEqual(['a']);
    const [shown] = outputs(messages);
    expect(shown).toMatch(
      /^\[The output was too large to show: 6200 characters, 201 lines\. All of it is in \/s\/a;/,
    );
    expect(shown).toContain(output.slice(0, 2_000));
    expect(report).toMatchObject({ level: 'tool_result_budget', rewrotePrefix: false });
    expect(replaced).toHaveLength(1);
  });

  it('spills the largest of an answer’s results until together they fit', () => {
    const { found } = spill([
      userSays('go'),
      says(call('a'), call('b'), call('c')),
      userSays([result('a', 'a'.repeat(12_000))]),
      userSays([result('b', 'b'.repeat(16_000)), result('c', 'c'.repeat(9_000))]),
    ]);
    expect(found).toEqual(['b']);
  });

  it('does nothing the second time, and keeps errors and media', () => {
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png', data: 'aGVk' },
    };
    const shot: ToolResultBlock = {
      type: 'tool_result',
      tool_use_id: 'a',
      is_error: true,
      content: [{ type: 'text', text: 'x'.repeat(25_000) }, image],
    };
    const first = spill([userSays('go'), says(call('a')), userSays([shot])]);
    const second = spill([...first.messages]);
    expect(second.found).toEqual([]);
    expect(second.messages.since(0)).toEqual(first.messages.since(0));
    const kept = decodeMessage(first.messages.at(2) as Message).blocks.find(isToolResult);
    expect([kept?.is_error, kept?.content.at(-1)]).toEqual([true, image]);
  });

  it('says so where the file could not be written', () => {
    const history = historyOf([userSays('go'), ...step('a', 'x'.repeat(25_000))]);
    const { messages } = spillResults(history, new Map([['a', undefined]]), settings);
    expect(outputs(messages)[0]).toContain('could not be stored');
  });
});

describe('level 2, snip', () => {
  const request = {
    tokens: 10_000,
    over: 5_000,
    downTo: 4_000,
    options: { ...options.snip, keepRounds: 2 },
    stamp: { uuid: 'm', at: 1 },
  };

  it('drops old rounds whole, keeps the user’s words, and leaves one marker that adds up', () => {
    const history = historyOf([
      ...work(10, 600),
      userSays('And now?'),
      ...work(10, 600, 'Continue.').slice(1),
    ]);
    const tokens = estimateMessages(history);
    const first = snip(history, readHistory(history), { ...request, tokens });
    expect(first.tokensFreed).toBe(tokens - estimateMessages(first.messages));
    expect(estimateMessages(first.messages)).toBeLessThanOrEqual(4_100);
    const again = first.messages.append(work(10, 600).slice(1));
    const second = snip(again, readHistory(again), { ...request, tokens: estimateMessages(again) });
    const words = second.messages
      .since(0)
      .flatMap((message) =>
        message.type === 'user' && typeof message.content === 'string' ? [message.content] : [],
      );
    expect(words).toEqual([
      'Fix the failing test.',
      expect.stringMatching(/^\[2\d earlier steps were left out here to save space\.\]$/) as string,
      'And now?',
    ]);
    expect(readHistory(second.messages).rounds.every(({ open }) => open.size === 0)).toBe(true);
  });

  it('counts its marker, so that a second one has nothing left to do', () => {
    const history = historyOf(work(6, 600));
    const [, first, second] = history.since(0);
    const tokens = estimateMessages(history);
    // Without the marker the first round would be just enough.
    const downTo = tokens - estimateMessages([first, second].filter((message) => message !== undefined));
    const sparing = { ...request, over: 0, downTo };
    const { messages } = snip(history, readHistory(history), { ...sparing, tokens });
    expect(estimateMessages(messages)).toBeLessThanOrEqual(downTo);
    const again = snip(messages, readHistory(messages), { ...sparing, tokens: estimateMessages(messages) });
    expect(again.messages).toBe(messages);
  });

  it('does nothing under its budget, and nothing to the last rounds', () => {
    const history = historyOf(work(3, 600));
    const reader = readHistory(history);
    expect(snip(history, reader, { ...request, tokens: 5_000 }).messages).toBe(history);
    expect(
      snip(history, reader, { ...request, options: { ...request.options, keepRounds: 5 } }).messages,
    ).toBe(history);
  });
});

describe('level 3, microcompact', () => {
  const request: MicrocompactRequest = {
    tokens: 100_000,
    over: 50_000,
    options: { ...options.microcompact, keepRecent: 2, minFreed: 1_000 },
    isCompactable: (tool) => tool === 'Read',
    decided: new Map(),
    roundsSince: 20,
    isCold: false,
  };
  const history = historyOf([
    userSays('go'),
    ...step('a', prose(500)),
    ...step('b', prose(500), 'Edit'),
    says(call('c')),
    userSays([result('c', prose(500), true)]),
    ...step('d', prose(900)),
    ...step('e', prose(10)),
    ...step('f', prose(500)),
    ...step('g', prose(500)),
  ]);
  const run = (changes: Partial<MicrocompactRequest> = {}) =>
    microcompact(history, readHistory(history), { ...request, ...changes });

  it('replaces old bulky results of compactable tools, keeps errors, small ones and the most recent', () => {
    const { messages, decided, report, replaced } = run();
    expect([...decided.keys()]).toEqual(['a', 'd']);
    expect(replaced).toHaveLength(2);
    expect(outputs(messages)[0]).toMatch(/^\[The output of Read was removed to save space/);
    expect(report?.rewrotePrefix).toBe(true);
    expect(estimateMessages(messages)).toBeLessThan(estimateMessages(history));
  });

  it('waits until it is worth the cached prefix, unless the cache is cold', () => {
    expect(run({ roundsSince: 19 }).report).toBeUndefined();
    expect(run({ roundsSince: 19, isCold: true }).report).toBeDefined();
    expect(run({ tokens: 49_999 }).report).toBeUndefined();
    expect(run({ options: { ...request.options, minFreed: 5_000 } }).report).toBeUndefined();
  });

  it('decides each result once: the same note for the first form, and nothing for a note', () => {
    const first = run();
    const replayed = run({ decided: first.decided, tokens: 0, roundsSince: 0 });
    expect(replayed.messages.since(0)).toEqual(first.messages.since(0));
    const second = microcompact(first.messages, readHistory(first.messages), {
      ...request,
      decided: first.decided,
    });
    expect(second.messages).toBe(first.messages);
  });

  it('keeps the place of an output that was spilled', () => {
    const spilled = historyOf([
      userSays('go'),
      ...step('a', 'z'.repeat(60_000)),
      ...step('b', ''),
      ...step('c', ''),
    ]);
    const { messages: stored } = spillResults(spilled, new Map([['a', '/s/a.txt']]), options.resultBudget);
    const { messages } = microcompact(stored, readHistory(stored), {
      ...request,
      options: { ...request.options, minFreed: 1 },
    });
    expect(outputs(messages)[0]).toContain('All of it is in /s/a.txt');
  });
});

describe('microcompact on the server', () => {
  it('asks for old tool uses to be cleared, and tells what was', () => {
    const { contextManagement, betas } = serverEdits(options, 'm', []);
    expect(contextManagement?.edits[0]).toMatchObject({
      type: 'clear_tool_uses_20250919',
      keep: { value: 8 },
    });
    expect(betas).toHaveLength(1);
    const usage = {
      input_tokens: 1_000,
      output_tokens: 5,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 9_000,
    };
    expect(serverCleared(usage, [])).toBeUndefined();
    expect(serverCleared(usage, [{ type: 'clear_thinking_20251015' }])).toBeUndefined();
    const edits = [{ cleared_input_tokens: 40_000 }, { cleared_input_tokens: 'many' }];
    expect(serverCleared(usage, edits)).toMatchObject({ tokensBefore: 50_000, tokensAfter: 10_000 });
  });
});
