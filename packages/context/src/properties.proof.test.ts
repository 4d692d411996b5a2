/** Random histories and random settings: never invalid, never larger after a level, idempotent, the same after a restart. */
import { type ContentBlock, type EntryBody, History, type Message, projectLog } from '@heddle/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryCollapses } from './collapse/collapse.ts';
import { estimateMessages } from './estimate/message.ts';
import { reduce } from './compaction/reduce.ts';
import { isRequest } from './history/decode-message.ts';
import { readHistory } from './history/history-reader.ts';
import { prepared, rig } from './test/rig.ts';
import { complaintsAbout, requestFor } from './test/sent.ts';
import { prose } from './test/talk.ts';

/** Whatever may stand in a history: good rounds, orphans, errors, media, several results, words in between. */
type Piece =
  | { readonly kind: 'words'; readonly size: number; readonly meta: boolean }
  | {
      readonly kind: 'round';
      readonly sizes: readonly number[];
      readonly tool: string;
      readonly fails: boolean;
      readonly together: boolean;
    }
  | { readonly kind: 'talk'; readonly size: number }
  | { readonly kind: 'orphan' }
  | { readonly kind: 'image' };

const size = fc.oneof(
  fc.integer({ min: 1, max: 60 }),
  fc.integer({ min: 300, max: 2_500 }),
  fc.constant(3_000),
);
const piece: fc.Arbitrary<Piece> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('words' as const),
      size: fc.integer({ min: 1, max: 300 }),
      meta: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('round' as const),
      sizes: fc.array(size, { minLength: 1, maxLength: 4 }),
      tool: fc.constantFrom('Read', 'Bash', 'Edit', 'Gone'),
      fails: fc.boolean(),
      together: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('talk' as const), size: fc.integer({ min: 1, max: 400 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'orphan' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'image' as const }) },
);
const history = fc.array(piece, { minLength: 1, maxLength: 40 });

function messagesOf(pieces: readonly Piece[]): Message[] {
  let count = 0;
  const stamp = () => ({ uuid: `m${++count}`, at: count });
  const user = (content: string | readonly ContentBlock[]): Message => ({
    type: 'user',
    ...stamp(),
    content,
  });
  const says = (content: readonly ContentBlock[]): Message => ({
    type: 'assistant',
    ...stamp(),
    responseId: `r${count}`,
    model: 'scripted-1',
    content,
  });
  return pieces.flatMap((piece): Message[] => {
    switch (piece.kind) {
      case 'words':
        return [{ ...user(prose(piece.size, count)), ...(piece.meta ? { isMeta: true } : {}) }];
      case 'talk':
        return [says([{ type: 'text', text: prose(piece.size, count) }])];
      case 'orphan':
        return [says([{ type: 'tool_use', id: `lost${count}`, name: 'Read', input: {} }])];
      case 'image':
        return [user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVk' } }])];
      case 'round': {
        const ids = piece.sizes.map((_, index) => `t${count}_${index}`);
        const calls = ids.map(
          (id): ContentBlock => ({
            type: 'tool_use',
            id,
            name: piece.tool,
            input: { file_path: `/p/${id}` },
          }),
        );
        const failed = piece.fails ? { is_error: true as const } : {};
        const resultOf = (id: string, index: number): ContentBlock =>
          Object.assign(
            { type: 'tool_result' as const, tool_use_id: id, content: prose(piece.sizes[index] ?? 1, index) },
            failed,
          );
        const results = ids.map(resultOf);
        return [says(calls), ...(piece.together ? [user(results)] : results.map((block) => user([block])))];
      }
    }
  });
}

const settings = fc.record({
  windowOf: fc.constantFrom(4_000, 12_000, 60_000).map((window) => () => window),
  autoCompactRatio: fc.constantFrom(0.3, 0.9),
  levels: fc.record({
    resultBudget: fc.boolean(),
    snip: fc.boolean(),
    microcompact: fc.boolean(),
    collapse: fc.boolean(),
    reducer: fc.boolean(),
  }),
  resultBudget: fc.record({ perRound: fc.constantFrom(3_000, 50_000), preview: fc.constantFrom(100, 2_000) }),
  snip: fc.record({
    over: fc.constantFrom(0.2, 0.8),
    downTo: fc.constantFrom(0.1, 0.5),
    keepRounds: fc.integer({ min: 1, max: 4 }),
  }),
  microcompact: fc.record({
    over: fc.constant(0.1),
    keepRecent: fc.integer({ min: 0, max: 4 }),
    minFreed: fc.constantFrom(1, 500),
    everyRounds: fc.constantFrom(0, 20),
  }),
  collapse: fc.record({
    over: fc.constantFrom(0, 0.5),
    minRounds: fc.integer({ min: 1, max: 3 }),
    minTokens: fc.constant(100),
    keepRounds: fc.integer({ min: 1, max: 4 }),
  }),
});

function complaintsOf(messages: History<Message>): string {
  return complaintsAbout(requestFor(messages));
}

/** Not by `toEqual`: a difference would be printed in full. */
function isSame(left: Iterable<Message>, right: Iterable<Message>): boolean {
  return JSON.stringify([...left]) === JSON.stringify([...right]);
}

/** Every run of the tests is the same run; another seed is another sixty. */
const RUNS = {
  numRuns: process.env['HEDDLE_PROVE'] === '1' ? 2_000 : 60,
  seed: Number(process.env['HEDDLE_SEED'] ?? 1),
};

describe('for any history and any settings', () => {
  it('what is sent is valid and no larger; a second pass changes nothing; the log gives the same history', async () => {
    await fc.assert(
      fc.asyncProperty(history, settings, fc.boolean(), async (pieces, changes, autoCompact) => {
        const messages = messagesOf(pieces);
        const store = memoryCollapses();
        const { port, context } = rig(changes, { collapses: store });
        const first = await prepared(port, { messages: History.of(messages), autoCompact, context });
        const { returned, yielded } = first;
        expect(complaintsOf(returned.view)).toBe('');
        expect(estimateMessages(returned.view)).toBeLessThanOrEqual(estimateMessages(messages));
        for (const { report } of yielded) expect(report.tokensAfter).toBeLessThanOrEqual(report.tokensBefore);

        // Resume: the entries give the same history, and a new port sends what this one would.
        const entries = messages.map((message) => ({ type: message.type, message }) as EntryBody);
        for (const { spent: _, ...step } of yielded) entries.push({ type: 'context', ...step });
        expect(isSame(projectLog(entries), returned.messages)).toBe(true);

        // Lazy commits continue in each iteration, so only committed collapses are compared.
        const settled = { ...changes, levels: { ...changes.levels, collapse: false } };
        const again = rig(settled, { collapses: memoryCollapses(store.committed()) });
        const resumed = await prepared(again.port, {
          messages: History.of(projectLog(entries)),
          autoCompact: false,
          context,
        });
        expect(isSame(resumed.returned.view, returned.view)).toBe(true);
      }),
      RUNS,
    );
  });

  it('the cuts of the reader tear no call from its result', () => {
    fc.assert(
      fc.property(history, fc.nat(), (pieces, choice) => {
        const messages = History.of(messagesOf(pieces));
        const { cuts } = readHistory(messages);
        const cut = cuts[choice % Math.max(1, cuts.length)] ?? messages.length;
        const pairs = (list: readonly Message[]) =>
          readHistory(History.of(list)).results.filter(({ call }) => call !== undefined).length;
        expect(pairs(messages.since(0).slice(0, cut)) + pairs(messages.since(cut))).toBe(
          pairs(messages.since(0)),
        );
      }),
      RUNS,
    );
  });

  it('the reducer comes down to its limit, or one message is larger by itself', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 400, max: 8_000 }), (pieces, limit) => {
        const messages = History.of(messagesOf(pieces));
        let count = 0;
        const reduced = reduce(messages, {
          target: limit / 2,
          limit,
          trigger: 'reactive',
          isCompactable: (tool) => tool === 'Read',
          instructions: [],
          pathOf: (id) => `/s/${id}`,
          id: 'c',
          stamp: () => ({ uuid: `s${++count}`, at: 0 }),
        });
        const last = messages.since(0).findLast(isRequest);
        if (!reduced) {
          expect(last && estimateMessages([last]) > limit - 200).toBe(true);
          return;
        }
        expect(estimateMessages(reduced.messages)).toBeLessThanOrEqual(limit);
        expect(complaintsOf(reduced.messages)).toBe('');
      }),
      RUNS,
    );
  });
});
