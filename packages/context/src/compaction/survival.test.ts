/** Facts that survive any number of compactions byte for byte. */
import {
  type ContentBlock,
  type EntryBody,
  type History,
  historyBeforeCompaction,
  type Message,
  projectLog,
} from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { NOTHING_TO_REREAD } from '../deps.ts';
import { resultText } from '../history/decode-message.ts';
import { prepared, rig } from '../test/rig.ts';
import { complaintsAbout, requestFor } from '../test/sent.ts';
import { call, historyOf, prose, result, says, step, userSays, work } from '../test/talk.ts';
import { estimateMessages } from '../estimate/message.ts';
import { estimateText } from '../estimate/text.ts';
import { keptRequests } from './extract.ts';

const INSTRUCTIONS = 'Never touch main.\n\tUse tabs; "quotes" stay, ünïcode too → ✓\n';
const REQUEST =
  'Please fix `parse()`:\n\n  1. keep <tags> & "quotes"\n  2. no new dependencies — 不要改接口\n';
const TODOS = [
  { content: 'write the test', status: 'completed' },
  { content: 'fix parse()\nand its caller', status: 'in_progress' },
];
const FILES = ['/project/src/parse.ts', '/project/src/with space.ts'];

const beginning = (): Message[] => [
  userSays(`Instructions:\n${INSTRUCTIONS}`, { isMeta: true }),
  userSays('An earlier wish.'),
  ...step('s1', 'old'),
  userSays(REQUEST),
  ...step('todo1', 'ok', 'TodoWrite', { todos: TODOS }),
  ...FILES.flatMap((file_path, index) => step(`edit${index}`, 'edited', 'Edit', { file_path })),
  says(call('fails', 'Bash', { command: 'npm test' })),
  userSays([result('fails', 'Error: 1 test failed in parse.test.ts', true)]),
];

/** Every text of a request, as the model reads it. */
function wordsOf(messages: History<Message>): string {
  const request = requestFor(messages);
  expect(complaintsAbout(request)).toBe('');
  return [...request.messages].flatMap(({ content }) => content.map(readable)).join('\n');
}

function readable(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'tool_use') return JSON.stringify(block.input);
  return block.type === 'tool_result' ? resultText(block) : '';
}

const port = (works = true) =>
  rig(
    { windowOf: () => 20_000 },
    {
      reread: {
        ...NOTHING_TO_REREAD,
        instructions: () => Promise.resolve([{ path: 'HEDDLE.md', text: INSTRUCTIONS }]),
      },
      ...(works
        ? {}
        : { summarize: () => Promise.resolve({ ok: false, why: 'down', class: 'server', spent: [] }) }),
    },
  );

/** Works until compaction is due, and compacts, so many times. */
async function compactedTimes(
  times: number,
  works = true,
): Promise<{ history: History<Message>; compactions: number }> {
  const { port: context, context: tools } = port(works);
  let history = historyOf(beginning());
  let compactions = 0;
  for (let round = 0; round < 400 && compactions < times; round++) {
    history = history.append(work(1, 700).slice(1));
    const { returned } = await prepared(context, { messages: history, autoCompact: true, context: tools });
    if (returned.autoCompact.outcome === 'failed') {
      const reduced = await context.compact({
        messages: returned.messages,
        cause: 'overflow',
        context: tools,
      });
      if (reduced.ok) history = reduced.messages;
      compactions++;
      continue;
    }
    history = returned.messages;
    if (returned.autoCompact.outcome === 'compacted') compactions++;
  }
  return { history, compactions };
}

describe('after compactions', () => {
  for (const works of [true, false]) {
    for (const times of [1, 2, 10]) {
      it(`${times} of them, ${works ? 'with' : 'without'} a summary, nothing that matters is lost`, async () => {
        const { history, compactions } = await compactedTimes(times, works);
        expect(compactions).toBe(times);
        const words = wordsOf(history);
        expect(words).toContain(INSTRUCTIONS);
        expect(words).toContain(REQUEST);
        expect(words).toContain(JSON.stringify(TODOS));
        for (const file of FILES) expect(words).toContain(file);
        expect(words).toContain('npm test');
        expect(words).toContain('Error: 1 test failed in parse.test.ts');
        expect(words.split(REQUEST)).toHaveLength(2);
      });
    }
  }

  it('the last steps are the very same messages', async () => {
    const { port: context, context: tools } = port();
    const history = historyOf([...beginning(), ...work(30, 500).slice(1)]);
    const { returned } = await prepared(context, { messages: history, autoCompact: true, context: tools });
    expect(returned.autoCompact.outcome).toBe('compacted');
    const tail = returned.messages.since(returned.messages.length - 2);
    expect(tail).toEqual(history.since(history.length - 2));
    expect(tail[0]).toBe(history.at(history.length - 2));
  });

  it.each([
    ['grows', 3_000],
    ['shrinks by less than a fifth', 1_050],
  ])('one that %s is thrown away and counts as a failure', async (_how, tokens) => {
    const { port: context, context: tools } = rig(
      { windowOf: () => 20_000, autoCompactCap: 1_000 },
      { summarize: () => Promise.resolve({ ok: true, text: prose(tokens), spent: [] }) },
    );
    const messages = historyOf(work(4, 400));
    const { returned, yielded } = await prepared(context, { messages, autoCompact: true, context: tools });
    expect(returned.autoCompact).toEqual({ outcome: 'failed' });
    expect(returned.messages).toBe(messages);
    expect(yielded.map(({ report }) => report.details?.['failed'])).toEqual([
      expect.stringContaining('hardly smaller'),
    ]);
  });

  it('one that shrinks by a fifth and a little is kept', async () => {
    const { port: context, context: tools } = rig(
      { windowOf: () => 20_000, autoCompactCap: 1_000 },
      { summarize: () => Promise.resolve({ ok: true, text: prose(750), spent: [] }) },
    );
    const messages = historyOf(work(4, 400));
    const { returned } = await prepared(context, { messages, autoCompact: true, context: tools });
    expect(returned.autoCompact.outcome).toBe('compacted');
    const [before, after] = [messages, returned.messages].map(estimateMessages);
    expect((after ?? 0) / (before ?? 1)).toBeGreaterThan(0.6);
    expect((after ?? 0) / (before ?? 1)).toBeLessThanOrEqual(0.8);
  });

  it('files that were read last are attached again, within their budget', async () => {
    const asked: (readonly string[])[] = [];
    const { port: context, context: tools } = rig(
      { windowOf: () => 20_000 },
      {
        reread: {
          ...NOTHING_TO_REREAD,
          files(paths) {
            asked.push(paths);
            return Promise.resolve(paths.map((path) => ({ path, text: `content of ${path} `.repeat(500) })));
          },
          standing: () => Promise.resolve([{ kind: 'reminder', about: 'plan', text: 'The plan: continue.' }]),
        },
      },
    );
    const history = historyOf([...beginning(), ...work(30, 500).slice(1)]);
    const { returned } = await prepared(context, { messages: history, autoCompact: true, context: tools });
    expect(asked[0]).toHaveLength(5);
    const words = wordsOf(returned.messages);
    expect(words).toContain('as it is on disk now');
    expect(words).toContain('The plan: continue.');
  });
});

describe('what the user wrote', () => {
  const all = Array.from({ length: 60 }, (_, index) => `Wish ${index}: ${prose(200, index)}`);

  it('stays word for word where it fits', () => {
    expect(keptRequests(all, 20_000)).toEqual(all);
    expect(keptRequests([], 10)).toEqual([]);
  });

  it('is shortened from the oldest on where it does not, and only counted at last', () => {
    const some = keptRequests(all, 11_000);
    expect(some).toHaveLength(60);
    expect(some.at(-1)).toBe(all.at(-1));
    expect(some[0]).toMatch(/^Wish 0: .{100,} \[… \d+ characters in all\]$/);
    const few = keptRequests(all, 1_500);
    expect(few.length).toBeLessThan(60);
    expect(few[0]).toBe(`[${60 - few.length + 1} older messages of the user are only in the session log]`);
    expect(few.at(-1)).toBe(all.at(-1));
    expect(few.reduce((sum, request) => sum + estimateText(request), 0)).toBeLessThan(1_600);
  });

  it('is not shortened twice, and what was counted is counted on', () => {
    const few = keptRequests(all, 1_500);
    expect(keptRequests(few, 20_000)).toEqual(few);
    const counted = (requests: readonly string[]) => Number(/\d+/.exec(requests[0] ?? '')?.[0]);
    const later = keptRequests([...few, ...all], 1_500);
    expect(counted(later)).toBe(60 - few.length + 1 + (few.length - 1 + 60) - (later.length - 1));
  });

  it('stays in full where the last of it is larger than its budget', () => {
    const long = prose(3_000);
    expect(keptRequests([...all, long], 500).at(-1)).toBe(long);
  });
});

describe('the record of a compaction', () => {
  it('is one: a log that ends before it gives the old history, with it the new one', async () => {
    const { port: context, context: tools } = port();
    const messages = [...beginning(), ...work(30, 500).slice(1)];
    const entries: EntryBody[] = messages.map((message) => ({ type: message.type, message }) as EntryBody);
    const history = historyOf(messages);
    const { yielded, returned } = await prepared(context, {
      messages: history,
      autoCompact: true,
      context: tools,
    });
    for (const { spent: _, ...step } of yielded) entries.push({ type: 'context', ...step });
    expect(projectLog(entries)).toEqual(returned.messages.since(0));
    const torn = entries.slice(0, -1);
    expect(projectLog(torn).length).toBe(messages.length);
    expect(historyBeforeCompaction(entries)).toEqual(projectLog(torn));
    const after = { type: 'user', message: userSays('more') } as EntryBody;
    expect(historyBeforeCompaction([...entries, after])?.length).toBe(messages.length + 1);
    expect(historyBeforeCompaction(torn)).toBeUndefined();
  });

  it('says who asked for it, and hands the user’s instructions on', async () => {
    const { port: context, context: tools, summaries } = rig();
    const messages = historyOf(work(20, 300));
    const compacted = await context.compactNow({ messages, context: tools, instructions: 'Keep the SQL.' });
    expect(compacted).toMatchObject({
      ok: true,
      report: { level: 'manual_compact', details: { trigger: 'manual' } },
    });
    expect(summaries[0]?.instruction).toContain('the user asks: Keep the SQL.');
  });
});
