/** The brick test: the API accepts the request for any history, whatever it contains. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { ModelRequest } from '../model/port.ts';
import { buildRequest, createRequestBuilder } from './builder.ts';
import { rejectedBlockName } from './normalize/model-steps.ts';
import { anyHistory, FOREIGN_KINDS, ordinary, signatures } from './test/broken.ts';
import { complaints, isPrefix, MODEL, plainBytes, sentBytes, view } from './test/samples.ts';
import type { RequestSpec } from './request-spec.ts';

const PROVING = process.env['HEDDLE_PROVE'] === '1';
const RUNS = PROVING ? 100_000 : 400;
/** The seed is fixed, so every run tests the same histories. */
const SEED = Number(process.env['HEDDLE_SEED'] ?? 1);

const anyView: fc.Arbitrary<RequestSpec> = fc
  .record({
    userContext: fc.constantFrom<Record<string, string>>({}, { rules: 'be kind' }),
    systemPrompt: fc.constantFrom<string[]>([], ['You weave.']),
    model: fc.constantFrom(MODEL, 'model-two', 'model-three'),
    continuesAnswer: fc.boolean(),
    allowedBetaBlocks: fc.constantFrom<string[]>([], ['advisor', 'advisor_tool_result', 'mcp_tool_use']),
    referencesTools: fc.boolean(),
    tools: fc.subarray(['Read', 'Edit', 'Grep']).map((names) => names.map(spec)),
  })
  .map(view);

function spec(name: string) {
  return { name, description: 'Does it.', input_schema: { type: 'object' } };
}

/** All faults of the brick test, by the texts of their repairs. The test fails if one never occurs. */
const hits = new Map(
  [
    'nothing stood before the first answer',
    'ended with an answer',
    'had no result and was closed',
    'a result without its call',
    'a second result of the call',
    'a second call',
    'the id of a call was changed',
    'the tool name of a call was changed',
    'the input of a call was not an object',
    'was empty and was left out',
    'is not a message and was left out',
    'is of an unknown kind',
    'something that is not a block',
    'was left out of a user message',
    'was left out of a result',
    'without a valid signature',
    'thinking of another model',
    'thinking at the end of an answer',
    'without its counterpart',
    'its beta is off',
    'it was too large',
    'its type is not supported',
    'its data was damaged',
    'in an answer was replaced by a note',
    'in a failed result was replaced by a note',
    'an attachment of an unknown kind',
    'the model could not take it',
    'it was among the oldest',
    '"type":"poem"',
    '"type":"thinking"',
    '"type":"tool_reference"',
    '\ufffd',
  ].map((fault) => [fault, 0]),
);

function count(words: readonly string[]): void {
  for (const [fault, count] of hits)
    if (words.some((word) => word.includes(fault))) hits.set(fault, count + 1);
}

const rulesFor = ({ continuesAnswer }: RequestSpec) => ({
  signatures,
  knownBlockTypes: FOREIGN_KINDS,
  prefill: continuesAnswer,
});

describe('any history', () => {
  it('makes a valid request, and stays as it is', () => {
    fc.assert(
      fc.property(anyHistory, anyView, (messages, view) => {
        freeze(messages);
        const { request, repairs } = buildRequest(view, History.of(messages));
        count([...repairs, sentBytes(request)]);
        expect(complaints(request, rulesFor(view))).toBe('');
        expect(JSON.parse(plainBytes(request))).toEqual(JSON.parse(JSON.stringify([...request.messages])));
      }),
      { numRuns: RUNS, seed: SEED },
    );
    console.log([...hits].map(([fault, count]) => `${count} × ${fault}`).join('\n'));
    expect([...hits].filter(([, count]) => count === 0)).toEqual([]);
  });

  it('makes the same request bit by bit as all at once, and says so when it rewrote what was sent', () => {
    fc.assert(
      fc.property(
        anyHistory,
        anyView,
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.boolean(),
        (list, view, cuts, copies) => {
          const { requests, rewrote } = grow(list, view, cuts, copies);
          const whole = buildRequest(view, History.of(list)).request;
          expect(plainBytes(last(requests))).toBe(plainBytes(whole));
          expect([...last(requests).messages]).toEqual([...whole.messages]);
          for (const [index, request] of requests.entries()) {
            expect(complaints(request, rulesFor(view))).toBe('');
            const before = requests[index - 1];
            if (before !== undefined) expect(isPrefix(before, request)).toBe(!rewrote[index]);
          }
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
  });
});

describe('any block that the API refuses by name', () => {
  it('is left out of a request that is valid without it', () => {
    fc.assert(
      fc.property(
        anyHistory,
        anyView,
        fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
        (list, view, picks) => {
          const builder = createRequestBuilder();
          const messages = History.of(list);
          const refusedBlocks = new Set<string>();
          for (const pick of picks) {
            const { request } = builder.build({ ...view, refusedBlocks }, messages);
            const blocks = [...request.messages].flatMap(({ content }) => content);
            const block = blocks[pick % blocks.length];
            if (block) refusedBlocks.add(rejectedBlockName(block));
          }
          const { request } = builder.build({ ...view, refusedBlocks }, messages);
          expect(complaints(request, rulesFor(view))).toBe('');
          expect(plainBytes(request)).toBe(
            plainBytes(buildRequest({ ...view, refusedBlocks }, messages).request),
          );
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
  });
});

describe('an ordinary conversation', () => {
  it('is never rewritten or repaired, and older requests do not change', () => {
    fc.assert(
      fc.property(ordinary, anyView, (steps, anyView) => {
        const view = { ...anyView, model: MODEL };
        const builder = createRequestBuilder();
        let history = History.of<Message>([]);
        const sent: { request: ModelRequest; bytes: string }[] = [];
        for (const step of steps) {
          history = history.append(step);
          const { request, repairs, rewrotePrefix } = builder.build(view, history);
          expect([repairs, rewrotePrefix]).toEqual([[], false]);
          const before = sent.at(-1)?.request;
          expect(before === undefined || isPrefix(before, request)).toBe(true);
          expect(before === undefined || request.messages.extends(before.messages)).toBe(true);
          sent.push({ request, bytes: sentBytes(request) });
        }
        for (const { request, bytes } of sent) expect(sentBytes(request)).toBe(bytes);
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});

/** Builds a request at each cut and at the end. Each history extends the one before it or a copy of it. */
function grow(
  list: readonly Message[],
  view: RequestSpec,
  cuts: readonly number[],
  copies: boolean,
): { requests: ModelRequest[]; rewrote: boolean[] } {
  const builder = createRequestBuilder();
  const ends = [...cuts.map((cut) => cut % (list.length + 1)), list.length].sort((a, b) => a - b);
  let history = History.of<Message>([]);
  const requests: ModelRequest[] = [];
  const rewrote: boolean[] = [];
  for (const end of ends) {
    history = copies ? History.of(list.slice(0, end)) : history.append(list.slice(history.length, end));
    const built = builder.build(view, history);
    requests.push(built.request);
    rewrote.push(built.rewrotePrefix);
  }
  return { requests, rewrote };
}

function last<T>(list: readonly T[]): T {
  return list[list.length - 1] as T;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value))
    return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}
