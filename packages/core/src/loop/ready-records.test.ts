/** A port may return records without a promise for each. The events must be the same. */
import {
  allowAll,
  call,
  collect,
  contextOf,
  fakeDeps,
  fakeTool,
  say,
  scriptedModel,
  think,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { type LoopEvent, type ModelPort, type ModelRecord, query, type Terminal } from '../index.ts';

const SCRIPT = [[think('hm'), say('I look'), call('Look', { at: 1 }, 't1')], say('Seen.')];

/** The same model, with all records of an answer ready after the first. */
function eager(model: ModelPort): ModelPort & { readonly taken: () => number } {
  let taken = 0;
  const port: ModelPort = (request, signal) => {
    const records: ModelRecord[] = [];
    const inner = model(request, signal)[Symbol.asyncIterator]();
    const gather = async () => {
      for (let next = await inner.next(); next.done !== true; next = await inner.next())
        records.push(next.value);
    };
    let gathered: Promise<void> | undefined;
    const take = () => records.shift();
    const iterator = {
      async next() {
        gathered ??= gather();
        await gathered;
        const value = take();
        return value ? { done: false as const, value } : { done: true as const, value: undefined };
      },
      ready() {
        const record = take();
        if (record) taken++;
        return record;
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  };
  return Object.assign(port, { taken: () => taken });
}

function play(
  model: ModelPort,
  controller = new AbortController(),
  onEvent: (event: LoopEvent) => void = () => undefined,
): Promise<{ readonly yielded: readonly LoopEvent[]; readonly returned: Terminal }> {
  const loop = query({
    messages: [{ type: 'user', uuid: 'u1', at: 0, content: 'go' }],
    systemPrompt: ['You are tested.'],
    userContext: {},
    systemContext: {},
    authorizeCall: allowAll,
    toolUseContext: contextOf({
      tools: [fakeTool({ name: 'Look', result: 'seen' })],
      signal: controller.signal,
    }),
    querySource: 'sdk',
    config: { sessionId: 's', partialMessages: true },
    deps: fakeDeps({ model }),
  });
  return collect(loop, onEvent);
}

describe('records that are ready', () => {
  it('do not change the events', async () => {
    const model = eager(scriptedModel(SCRIPT));
    const [plain, ready] = [await play(scriptedModel(SCRIPT)), await play(model)];
    const order = ({ yielded }: typeof plain) =>
      yielded.filter(({ type }) => type !== 'tool_intent').map(({ type }) => type);
    expect(model.taken()).toBeGreaterThan(10);
    expect(ready.returned).toEqual(plain.returned);
    expect(order(ready).toSorted()).toEqual(order(plain).toSorted());
  });

  it('do not overtake an abort', async () => {
    const controller = new AbortController();
    const model = eager(scriptedModel(SCRIPT));
    let after = 0;
    const { returned } = await play(model, controller, (event) => {
      if (event.type !== 'stream_event') return;
      if (controller.signal.aborted) after++;
      if (event.event.type === 'content_block_delta') controller.abort('cancelled');
    });
    expect(returned.reason).toBe('aborted_streaming');
    expect(after).toBe(0);
  });
});
