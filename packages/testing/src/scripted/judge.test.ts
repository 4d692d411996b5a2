import type { ContentBlock } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { collectList } from '../collect.ts';
import { requestOf, type ShortMessage } from '../request-of.ts';
import { answer, call, foreignBlock, pauseTurn, redacted, say, think, thinkSigned } from './builders.ts';
import { scriptedModel } from './model.ts';

const { signal } = new AbortController();
const start: ShortMessage = ['user', 'go'];
const text: ContentBlock = { type: 'text', text: 'ok' };

describe('the judge of a scripted model', () => {
  it('responds to an invalid request with a distinct error, and records it', async () => {
    const model = scriptedModel([say('never said')]);
    const orphan = requestOf([
      start,
      ['assistant', [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }]],
      start,
    ]);
    expect(await collectList(model(orphan, signal))).toMatchObject([
      { type: 'model_error', class: 'bad_request', message: expect.stringContaining('result-missing') },
    ]);
    expect(model.problems).toMatchObject([{ kind: 'violation', violations: [{ rule: 'result-missing' }] }]);
    expect(() => model.assertNoViolations()).toThrow("broke the API's rules");
  });

  it('compares the bytes with the data', async () => {
    const model = scriptedModel([say('a'), say('b')]);
    const good = requestOf([start]);
    const [bytes] = requestOf([['user', 'else']]).messagesJson;
    await collectList(model({ ...good, messagesJson: bytes === undefined ? [] : [bytes] }, signal));
    await collectList(model({ ...good, messagesJson: [new TextEncoder().encode('[{')] }, signal));
    expect(model.problems.map(({ message }) => message.slice(0, 30))).toEqual([
      'Call 1: messagesJson says some',
      'Call 2: messagesJson cannot be',
    ]);
  });

  it('recognizes its own signatures: thinking comes back unchanged or not at all', async () => {
    const model = scriptedModel([
      answer(think('h', 'm'), thinkSigned('so', 'own'), redacted('xyz'), say('ok')),
      say('x'),
    ]);
    const [request] = [requestOf([start])];
    const records = await collectList(model(request, signal));
    const signed = records.flatMap((record) =>
      record.type === 'content_block_delta' && record.delta.type === 'signature_delta'
        ? [record.delta.signature]
        : [],
    );
    const [signature = ''] = signed;
    expect(signed).toEqual([signature, 'own']);
    const back = (thinking: string) =>
      requestOf([
        start,
        [
          'assistant',
          [
            { type: 'thinking', thinking, signature },
            { type: 'thinking', thinking: 'so', signature: 'own' },
            { type: 'redacted_thinking', data: 'xyz' },
            text,
          ],
        ],
        start,
      ]);
    await collectList(model(back('hm'), signal));
    model.assertNoViolations();
    await collectList(model(back('hmm'), signal));
    expect(model.problems[0]?.violations).toMatchObject([
      { path: 'messages.1.content.0', rule: 'thinking-changed' },
    ]);
  });

  it('can reject a bad signature like the server, with its position', async () => {
    const forged: ContentBlock = { type: 'thinking', thinking: 'x', signature: 'forged' };
    const request = requestOf([start, ['assistant', [forged, text]], start]);
    const model = scriptedModel([say('never'), say('ok')], { badSignatures: 'refuse' });
    expect(await collectList(model(request, signal))).toMatchObject([
      { class: 'refused_block', status: 400, block: { message: 1, block: 0 } },
    ]);
    model.assertNoViolations();
    const blind = scriptedModel([say('ok')], { badSignatures: 'ignore' });
    expect((await collectList(blind(request, signal))).at(-1)).toMatchObject({ type: 'done' });
  });

  it('lets a paused turn continue from the assistant’s message, also after a failed attempt', async () => {
    const paused = requestOf([start, ['assistant', [text]]]);
    const model = scriptedModel([answer(say('ok'), pauseTurn()), say('done'), say('again')]);
    await collectList(model(requestOf([start]), signal));
    await collectList(model(paused, signal));
    model.assertNoViolations();
    await collectList(model(paused, signal));
    expect(model.problems[0]?.violations).toMatchObject([{ rule: 'last-role' }]);
  });

  it('accepts block types that it has sent itself', async () => {
    const poem = { type: 'poem', lines: 3 };
    const model = scriptedModel([answer(foreignBlock(poem), say('ok')), say('x')]);
    await collectList(model(requestOf([start]), signal));
    await collectList(
      model(requestOf([start, ['assistant', [poem as unknown as ContentBlock, text]], start]), signal),
    );
    model.assertNoViolations();
  });

  it('can be disabled', async () => {
    const model = scriptedModel([call('Read', {}, 'r1')], { validate: false });
    const records = await collectList(model(requestOf([['assistant', '']]), signal));
    expect(records.at(-1)).toMatchObject({ type: 'done' });
  });
});
