/** An answer without an end: its partial text, and the results of calls that finished in the meantime. */
import { breakOff, call, createTestGate, cut, fakeTool, say, unfinished } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { AssistantMessage, LoopEvent, Message } from '../index.ts';
import { abortAt, play } from './test/play.ts';

const read = fakeTool({ name: 'Read', result: 'three lines' });

describe('the partial text of an interrupted answer', () => {
  it('is yielded and marked, before the note that the user interrupted', async () => {
    const { lines, events } = await interrupted('cancel');
    expect(lines).toEqual([
      'request',
      'a1 text "First."',
      'spent',
      'a2 text "Half of a"',
      'user "[Request interrupted by user]"',
    ]);
    expect(answersOf(events).map(({ incomplete }) => incomplete)).toEqual([undefined, 'interrupted']);
  });

  it('is also kept if a new message of the user was the cause', async () => {
    const { lines } = await interrupted('interrupt');
    expect(lines.at(-1)).toBe('a2 text "Half of a"');
  });

  it('is sent with the next prompt', async () => {
    const { events } = await interrupted('cancel');
    const { model } = await play([say('Done.')], {
      messages: [...PROMPT, ...messagesOf(events), { type: 'user', uuid: 'u2', at: 0, content: 'Continue.' }],
    });
    expect(JSON.stringify([...(model.calls[0]?.request.messages ?? [])])).toContain('Half of a');
  });

  it('belongs to the answer whose calls were closed', async () => {
    const controller = new AbortController();
    const gate = createTestGate();
    const write = fakeTool({ name: 'Write', readOnly: false });
    const played = play([[call('Write', { path: 'a' }, 'w1'), say('Now I', gate, ' write.')]], {
      tools: [write],
      controller,
    });
    await gate.reached;
    controller.abort('cancel');
    const { events, lines } = await played;
    expect(lines).toContain('a2 text "Now I"');
    expect(new Set(answersOf(events).map(({ responseId }) => responseId)).size).toBe(1);
  });

  it('of a discarded attempt is not kept', async () => {
    const controller = new AbortController();
    const { lines } = await play([[unfinished(say('Lost in the socket')), breakOff()]], {
      controller,
      onEvent: abortAt(controller, 'retry'),
    });
    expect(lines.at(-1)).toBe('user "[Request interrupted by user]"');
    expect(lines.filter((line) => line.includes(' text '))).toEqual([]);
  });

  async function interrupted(reason: string) {
    const controller = new AbortController();
    const gate = createTestGate();
    const played = play([[say('First.'), say('Half of a', gate, ' sentence.')]], { controller });
    await gate.reached;
    controller.abort(reason);
    return played;
  }
});

describe('the result of a call that finishes while the model streams', () => {
  it('is yielded at once, before the answer has ended', async () => {
    const gate = createTestGate();
    const seen = Promise.withResolvers<void>();
    const played = play(
      [[call('Read', { path: 'a' }, 'r1'), say('And then ', gate, 'more.')], say('Done.')],
      {
        tools: [read],
        onEvent: (event) => {
          if (event.type === 'message' && event.outcome?.toolUseId === 'r1') seen.resolve();
        },
      },
    );
    await gate.reached;
    await seen.promise;
    gate.open();
    const { requests } = await played;
    expect(requests.at(-1)).toBe('user:text | assistant:tool_use(r1) text | user:tool_result(r1)');
  });

  it('is retracted with its call if the answer is cut after it', async () => {
    const gate = createTestGate();
    const { lines, requests } = await play(
      [[call('Read', { path: 'a' }, 'r1'), call('Read', { path: 'b' }, 'r2'), gate, cut()], say('Done.')],
      {
        tools: [read],
        onEvent: (event) => {
          if (event.type === 'message' && event.outcome?.toolUseId === 'r2') gate.open();
        },
      },
    );
    expect(lines).toContain('t2 result r2 "three lines"');
    expect(lines).toContain('tombstone a2 t2');
    expect(requests.at(-1)).toBe('user:text | assistant:tool_use(r1) | user:tool_result(r1)');
  });
});

const PROMPT: readonly Message[] = [{ type: 'user', uuid: 'u1', at: 0, content: 'go' }];

function messagesOf(events: readonly LoopEvent[]): Message[] {
  return events.flatMap((event) => (event.type === 'message' ? [event.message] : []));
}

function answersOf(events: readonly LoopEvent[]): AssistantMessage[] {
  return messagesOf(events).flatMap((message) => (message.type === 'assistant' ? [message] : []));
}
