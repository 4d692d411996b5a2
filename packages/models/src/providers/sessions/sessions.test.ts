/**
 * Real provider packages against servers on loopback, through the loop: the same session in every wire
 * format.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { answer, call, say, think } from '@heddle/testing';
import { closeStages } from '../../test/stage-api.ts';
import { conversationOf, OTHERS, runOn, WIRES } from '../../test/wires.ts';

afterEach(closeStages);

const SESSION = [
  answer(
    say('I look at both.'),
    call('Look', { at: 'a.txt' }, 'look_1'),
    call('Look', { at: 'b.txt' }, 'look_2'),
  ),
  answer(think('Both are there.'), call('Look', {}, 'look_3')),
  say('Both files are fine.'),
];

it('call ids have the format of Mistral models with every provider that serves them', async () => {
  const vllm = OTHERS.find(({ id }) => id === 'vllm');
  if (vllm === undefined) throw new Error('vllm');
  const idsIn = async (model: string) => {
    const { server } = await runOn({ ...vllm, model }, [
      call('Look', {}, 'toolu_01_of_another'),
      say('Seen.'),
    ]);
    return [...JSON.stringify(server.requests[1]?.body).matchAll(/"(?:tool_call_id|id)":"([^"]+)"/g)].map(
      ([, id]) => id,
    );
  };
  const [called, answered, ...more] = await idsIn('vllm/mistralai/Devstral-Small');
  expect(called).toMatch(/^[a-z0-9]{9}$/);
  expect(answered).toBe(called);
  expect(more).toEqual([]);
  expect(await idsIn('vllm/any')).toEqual(['toolu_01_of_another', 'toolu_01_of_another']);
});

describe('the same session', () => {
  it.each([...WIRES, ...OTHERS])('has the same conversation over $id', async (wire) => {
    const { events, terminal, server } = await runOn(wire, SESSION);
    expect(terminal).toMatchObject({ reason: 'completed' });
    // A result may arrive before the next block of the same response, so both sides are compared
    // separately.
    const linesBy = (by: string) => conversationOf(events).filter((line) => line.startsWith(by));
    expect(linesBy('assistant')).toEqual([
      'assistant: I look at both.',
      'assistant: Look {"at":"a.txt"}',
      'assistant: Look {"at":"b.txt"}',
      'assistant: Look {}',
      'assistant: Both files are fine.',
    ]);
    expect(linesBy('user')).toEqual(['user: seen a.txt', 'user: seen b.txt', 'user: seen nothing']);
    expect(server.requests).toHaveLength(3);
  });
});
