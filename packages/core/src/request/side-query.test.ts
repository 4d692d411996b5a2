import { describe, expect, it } from 'vitest';
import { History } from '../messages/history.ts';
import type { Message } from '../messages/message.ts';
import type { ModelPort, ModelRecord } from '../model/port.ts';
import { askAside, type SideAnswer } from './side-query.ts';
import { requestSpec } from './request-spec.ts';

const view = requestSpec({
  model: 'any',
  maxOutputTokens: 100,
  tools: [],
  systemPrompt: ['Be brief.'],
  systemContext: {},
  userContext: {},
});
const messages = History.of<Message>([{ type: 'user', uuid: 'u', at: 1, content: 'A question' }]);

describe('a side query', () => {
  it('is not repeated if the server rejects a block that the request does not have', async () => {
    let requests = 0;
    const { answer } = await ask(async function* () {
      requests++;
      yield rejection(7, 3);
    });
    expect(answer).toMatchObject({ ok: false, class: 'refused_block' });
    expect(requests).toBe(1);
  });

  it('replaces a block that the server rejects, and gives up if the server rejects its replacement', async () => {
    let requests = 0;
    const { answer } = await ask(async function* () {
      requests++;
      yield rejection(0, 0);
    });
    expect(answer).toMatchObject({ ok: false, class: 'refused_block' });
    expect(requests).toBeLessThanOrEqual(3);
  });

  it('reports an exception of the model port as an error', async () => {
    const { answer } = await ask(async function* () {
      yield* failingRecords();
    });
    expect(answer).toMatchObject({ ok: false, class: 'internal', why: 'a bug of the port' });
  });
});

function failingRecords(): ModelRecord[] {
  throw new Error('a bug of the port');
}

function rejection(message: number, block: number): ModelRecord {
  const text = `messages.${message}.content.${block}: invalid`;
  return { type: 'model_error', class: 'refused_block', message: text, block: { message, block } };
}

async function ask(records: () => AsyncGenerator<ModelRecord>): Promise<{ readonly answer: SideAnswer }> {
  const model: ModelPort = Object.assign(records, {});
  const clock = { now: () => 0, sleep: async () => undefined };
  const deps = { model, clock, random: () => 0 };
  return {
    answer: await askAside({ spec: view, earlier: [], messages }, deps, new AbortController().signal),
  };
}
