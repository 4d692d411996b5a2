/** The two terminals of an aborted run, through the public `query`. Open calls are closed, and the message depends on the cause. */
import {
  call,
  compactorTo,
  createTestGate,
  fail,
  fakeContext,
  fakeTool,
  fakeTurnEnd,
  hang,
  say,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { abortAt, play } from './test/play.ts';

const read = fakeTool({ name: 'Read', result: 'three lines' });
const write = fakeTool({ name: 'Write', readOnly: false });

describe('aborted_streaming', () => {
  it('closes the open calls and reports the interruption by the user', async () => {
    const controller = new AbortController();
    const { lines, terminal } = await play([[say('I write.'), call('Write', { path: 'a' }, 'w1'), hang()]], {
      tools: [write],
      controller,
      onEvent: abortAt(controller, 'a2 call'),
    });
    expect(lines).toEqual([
      'request',
      'a1 text "I write."',
      'a2 call w1 Write',
      'answer_end –',
      't1 result w1! "The call was not run: the turn was i…"',
      'user "[Request interrupted by user]"',
    ]);
    expect(terminal).toEqual({ reason: 'aborted_streaming' });
  });

  it('adds no message if the cause was a new message of the user', async () => {
    const controller = new AbortController();
    const { lines, terminal } = await play([[say('I think'), say('aloud'), hang()]], {
      controller,
      onEvent: abortAt(controller, 'a2 text', 'interrupt'),
    });
    expect(lines).toEqual(['request', 'a1 text "I think"', 'a2 text "aloud"', 'spent']);
    expect(terminal).toEqual({ reason: 'aborted_streaming' });
  });

  it('ends a silent stream at once', async () => {
    const controller = new AbortController();
    const gate = createTestGate();
    const played = play([[gate, hang()]], { controller });
    await gate.reached;
    controller.abort();
    const { lines, terminal, took } = await played;
    expect(lines).toEqual(['request', 'user "[Request interrupted by user]"']);
    expect(terminal).toEqual({ reason: 'aborted_streaming' });
    expect(took).toBe(0);
  });

  it('makes no call if the signal was aborted before', async () => {
    const context = fakeContext();
    const { lines, terminal, model } = await play([], { controller: aborted(), deps: { context } });
    expect(lines).toEqual(['request', 'user "[Request interrupted by user]"']);
    expect(terminal).toEqual({ reason: 'aborted_streaming' });
    expect(model.calls).toEqual([]);
    expect(context.asked).toEqual([]);
  });

  it('keeps the results of early calls that have ended', async () => {
    const controller = new AbortController();
    const slow = fakeTool({ name: 'Slow', gate: createTestGate() });
    const { lines } = await play(
      [
        [
          call('Read', { path: 'a' }, 'r1'),
          call('Slow', {}, 's1'),
          call('Write', { path: 'a' }, 'w1'),
          hang(),
        ],
      ],
      {
        tools: [read, slow, write],
        controller,
        onEvent: abortAt(controller, 'a3 call'),
      },
    );
    expect(lines).toContain('t1 result r1 "three lines"');
    expect(lines.slice(-5)).toEqual([
      'a3 call w1 Write',
      'answer_end –',
      't2 result s1! "Slow was aborted"',
      't3 result w1! "The call was not run: the turn was i…"',
      'user "[Request interrupted by user]"',
    ]);
  });

  it('does not start a compaction that was only announced', async () => {
    const controller = new AbortController();
    const context = fakeContext({ compact: compactorTo('So far.') });
    const { lines, terminal } = await play([fail('overflow')], {
      controller,
      deps: { context },
      onEvent: abortAt(controller, 'compacting reactive'),
    });
    expect(lines).toEqual(['request', 'compacting reactive', 'user "[Request interrupted by user]"']);
    expect(terminal).toEqual({ reason: 'aborted_streaming' });
  });

  it('also ends an aborted compaction and aborted stop hooks', async () => {
    const compacting = new AbortController();
    const context = fakeContext({
      compact: (request) => {
        compacting.abort();
        return compactorTo('So far.')(request);
      },
    });
    const first = await play([fail('overflow')], { controller: compacting, deps: { context } });
    expect(first.lines).toEqual([
      'request',
      'compacting reactive',
      'context reactive_compact',
      'user "[Request interrupted by user]"',
    ]);
    expect(first.terminal).toEqual({ reason: 'aborted_streaming' });

    const hooking = new AbortController();
    const turnEnd = fakeTurnEnd({
      stopHooks: () => {
        hooking.abort();
        return { block: 'Not yet.' };
      },
    });
    const second = await play([say('Done.')], { controller: hooking, deps: { turnEnd } });
    expect(second.lines.at(-1)).toBe('user "[Request interrupted by user]"');
    expect(second.terminal).toEqual({ reason: 'aborted_streaming' });
  });
});

describe('aborted_tools', () => {
  it('lets a call finish that blocks interruption', async () => {
    const controller = new AbortController();
    const gate = createTestGate();
    const careful = fakeTool({
      name: 'Careful',
      readOnly: false,
      gate,
      progress: ['half'],
      interruptBehavior: 'block',
    });
    const { lines, terminal } = await play([[call('Careful', {}, 'c1'), call('Write', {}, 'w1')]], {
      tools: [careful, write],
      controller,
      onEvent: (event) => {
        if (event.type !== 'progress') return;
        controller.abort('interrupt');
        gate.open();
      },
    });
    expect(lines.slice(-2)).toEqual([
      't1 result c1 "Careful ok"',
      't2 result w1! "The call was not run: the turn was i…"',
    ]);
    expect(terminal).toEqual({ reason: 'aborted_tools' });
  });

  it('keeps finished calls, closes the others, and has its own message', async () => {
    const controller = new AbortController();
    const slow = fakeTool({ name: 'Slow', readOnly: false, gate: createTestGate() });
    const { lines, terminal } = await play(
      [[call('Read', { path: 'a' }, 'r1'), call('Slow', {}, 's1'), call('Write', { path: 'a' }, 'w1')]],
      { tools: [read, slow, write], controller, onEvent: abortAt(controller, 'intent s1') },
    );
    expect(lines.slice(-5)).toEqual([
      'answer_end tool_use',
      'intent s1',
      't2 result s1! "The call was not run: the turn was i…"',
      't3 result w1! "The call was not run: the turn was i…"',
      'user "[Request interrupted by user for too…"',
    ]);
    expect(terminal).toEqual({ reason: 'aborted_tools' });
    expect(slow.calls).toEqual([]);
  });

  it('adds no message if the cause was a new message of the user', async () => {
    const controller = new AbortController();
    const { lines, terminal } = await play([call('Write', { path: 'a' }, 'w1')], {
      tools: [write],
      controller,
      onEvent: abortAt(controller, 't1', 'interrupt'),
    });
    expect(lines.at(-1)).toBe('t1 result w1 "Write ok"');
    expect(terminal).toEqual({ reason: 'aborted_tools' });
  });
});

function aborted(): AbortController {
  const controller = new AbortController();
  controller.abort('cancelled');
  return controller;
}
