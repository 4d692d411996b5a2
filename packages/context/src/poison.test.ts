/** A bad item in the history: the session continues within two requests. */
import type { ContentBlock, Message } from '@heddle/core';
import { answer, call as calls, fail, foreignBlock, say, type Script } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { type ContextPlay, playContext } from './test/play.ts';
import { call, result, says, step, text, userSays } from './test/talk.ts';

const DONE: Script = () => answer(say('Done.'));

const image = (data: string): ContentBlock => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
});

const around = (...poison: readonly Message[]): Message[] => [
  userSays('Look at this.'),
  ...step('t1', 'fine'),
  ...poison,
  ...step('t2', 'fine'),
  userSays('Continue.'),
];

async function requestsFor(script: Script, play: ContextPlay): Promise<number> {
  const { terminal, main, summaries } = await playContext(script, play);
  expect(terminal).toEqual({ reason: 'completed' });
  expect(summaries).toHaveLength(0);
  return main.length;
}

describe('a history that holds', () => {
  it('an oversized image', async () => {
    const messages = around(userSays([text('this'), image('A'.repeat(6 * 1024 * 1024))]));
    expect(await requestsFor(DONE, { messages })).toBe(1);
  });

  it('an image that the API refuses without a name: it becomes a note, and no word is lost', async () => {
    const messages = around(userSays([text('this one'), image('aGVk')]));
    const script: Script = (request) =>
      JSON.stringify([...request.messages]).includes('"image"') ? fail('media') : answer(say('Done.'));
    const { terminal, main } = await playContext(script, { messages });
    expect([terminal.reason, main.length]).toEqual(['completed', 2]);
    const sent = JSON.stringify([...(main[1]?.messages ?? [])]);
    for (const words of ['Look at this.', 'this one', 'An image was left out', 'Continue.'])
      expect(sent).toContain(words);
  });

  it('a bad signature', async () => {
    const thinking: ContentBlock = { type: 'thinking', thinking: 'hm', signature: 'forged' };
    const messages = around(says(thinking, text('So.')));
    expect(await requestsFor(DONE, { messages, judge: { badSignatures: 'refuse' } })).toBe(2);
  });

  it('an orphan call, and an orphan result', async () => {
    expect(await requestsFor(DONE, { messages: around(says(call('lost'))) })).toBe(1);
    expect(await requestsFor(DONE, { messages: around(userSays([result('unknown', 'x')])) })).toBe(1);
  });

  it('a result of 5 MB', async () => {
    const messages = around(...step('big', 'All work and no play. '.repeat(250_000)));
    const { terminal, main, events } = await playContext(DONE, { messages });
    expect([terminal.reason, main.length]).toEqual(['completed', 1]);
    expect(JSON.stringify([...(main[0]?.messages ?? [])]).length).toBeLessThan(10_000);
    expect(events).toContainEqual(
      expect.objectContaining({ report: expect.objectContaining({ level: 'tool_result_budget' }) as object }),
    );
  });

  it('half of a character', async () => {
    expect(await requestsFor(DONE, { messages: around(userSays('\uD83E'), ...step('t3', 'a\uDC00b')) })).toBe(
      1,
    );
  });

  it('a block of an unknown kind', async () => {
    const script: Script = [
      answer(foreignBlock({ type: 'hologram', data: 'x' }), calls('Read', { file_path: '/a' }, 't9')),
      (request) => {
        const place = [...request.messages].findIndex(({ content }) =>
          content.some((block) => String(block.type) === 'hologram'),
        );
        return fail('refused_block', { block: { message: place, block: 0 } });
      },
      answer(say('Done.')),
    ];
    expect(await requestsFor(script, { messages: [userSays('Look.')] })).toBe(3);
  });
});
