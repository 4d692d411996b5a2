import { createTestGate, fakeTool, type FakeTool } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import type { Tool, ToolUseContext } from '../index.ts';
import { Rig } from './test/rig.ts';

const read = fakeTool({ name: 'Read' });
const write = fakeTool({ name: 'Write', readOnly: false });
const note = fakeTool({ name: 'Note', readOnly: false, concurrencySafe: true });

describe('while the answer streams', () => {
  it('a call without effects is announced at once, and starts only with `begin`', async () => {
    const tool = fakeTool({ name: 'Read' });
    const rig = new Rig([tool]);
    await rig.add('Read r1');
    expect(rig.announced).toEqual(['r1']);
    expect(tool.calls).toEqual([]);
    await rig.begin();
    expect(rig.results()).toEqual(['r1 Read ok']);
  });

  it('a call with effects waits for the end, even if it could run beside others', async () => {
    const rig = new Rig([read, write, note]);
    await rig.add('Note n1', 'Read r1', 'Write w1');
    expect(rig.announced).toEqual(['r1']);
    await rig.endStream();
    expect(rig.announced).toEqual(['r1', 'n1']);
  });

  it('a waiting call runs no hook and asks no question', async () => {
    const asked: string[] = [];
    const rig = new Rig([read, write], {
      authorizeCall: (tool) => {
        asked.push(tool.name);
        return Promise.resolve({ behavior: 'allow' });
      },
    });
    await rig.add('Read r1', 'Write w1');
    expect([asked, rig.hooks.seen]).toEqual([['Read'], ['before Read r1']]);
  });

  it('no call overtakes one that must run alone', async () => {
    const rig = new Rig([read, write]);
    await rig.add('Write w1', 'Read r1');
    expect(rig.announced).toEqual([]);
  });
});

describe('after the stream', () => {
  it('adjacent safe calls run together, others alone, in order', async () => {
    const gates = ['r1', 'r2', 'w1', 'r3'].map((id) => createTestGate(id));
    const tools = gates.map((gate, index) => fakeTool({ name: `T${index}`, readOnly: index !== 2, gate }));
    const rig = new Rig(tools);
    await rig.add('T0 r1', 'T1 r2', 'T2 w1', 'T3 r3');
    await rig.endStream();
    await rig.begin();
    expect(running(tools)).toEqual(['r1', 'r2']);
    gates[0]?.open();
    await rig.rest();
    await rig.begin();
    expect(running(tools)).toEqual(['r2']);
    gates[1]?.open();
    await rig.rest();
    await rig.begin();
    expect(running(tools)).toEqual(['w1']);
    gates[2]?.open();
    await rig.rest();
    await rig.begin();
    expect(running(tools)).toEqual(['r3']);
  });

  it('concurrent calls are limited', async () => {
    const gate = createTestGate();
    const tool = fakeTool({ name: 'Read', gate });
    const rig = new Rig([tool], { toolConcurrency: 3 });
    await rig.add('Read 1', 'Read 2', 'Read 3', 'Read 4', 'Read 5');
    await rig.endStream();
    await rig.runAll();
    expect(running([tool])).toEqual(['1', '2', '3']);
    gate.open();
    await rig.rest();
    expect(rig.announced).toEqual(['1', '2', '3', '4', '5']);
  });

  it('calls that started early count, also for an earlier call', async () => {
    const gate = createTestGate();
    const reads = fakeTool({ name: 'Read', gate });
    const note = fakeTool({ name: 'Note', gate, readOnly: false, concurrencySafe: true });
    const rig = new Rig([reads, note], { toolConcurrency: 2 });
    await rig.add('Note n1', 'Read r1', 'Read r2');
    await rig.begin();
    await rig.endStream();
    await rig.runAll();
    expect(running([reads, note])).toEqual(['r1', 'r2']);
    gate.open();
    await rig.rest();
    await rig.runAll();
    expect(rig.announced).toEqual(['r1', 'r2', 'n1']);
  });

  it('results are returned in the order of the calls, each once', async () => {
    const slow = createTestGate();
    const rig = new Rig([fakeTool({ name: 'Slow', gate: slow }), read]);
    await rig.add('Slow s1', 'Read r1');
    await rig.endStream();
    await rig.begin();
    expect(rig.results()).toEqual([]);
    slow.open();
    await rig.rest();
    expect(rig.results()).toEqual(['s1 Slow ok', 'r1 Read ok']);
    expect(rig.results()).toEqual([]);
    expect(rig.executor.finished).toBe(true);
  });

  it('progress is reported at once', async () => {
    const rig = new Rig([fakeTool({ name: 'Read', progress: [1, 2], gate: createTestGate() })]);
    await rig.add('Read r1');
    await rig.begin();
    expect(rig.progress).toEqual([1, 2]);
  });
});

describe('a failed shell command', () => {
  const shell = fakeTool({ name: 'Bash', fails: 'exit code 1', failureCancelsSiblings: true });

  it('cancels the siblings of its batch, before and behind it, and nothing else', async () => {
    const slow = fakeTool({ name: 'Slow', gate: createTestGate() });
    const rig = new Rig([shell, slow, write]);
    await rig.add('Slow s1', 'Bash b1', 'Slow s2', 'Write w1');
    await rig.endStream();
    await rig.begin('s1', 's2');
    await rig.begin('b1');
    expect(rig.results()).toEqual([
      's1! <tool_use_error>Cancelled: a command that ran beside this call failed.</tool_use_error>',
      'b1! exit code 1',
      's2! <tool_use_error>Cancelled: a command that ran beside this call failed.</tool_use_error>',
    ]);
    expect(slow.calls.map(({ ended }) => ended)).toEqual(['aborted', 'aborted']);
    await rig.begin('w1');
    expect(rig.results()).toEqual(['w1 Write ok']);
  });

  it('cancels a sibling although an unknown call is between them', async () => {
    const slow = fakeTool({ name: 'Slow', gate: createTestGate() });
    const rig = new Rig([shell, slow]);
    await rig.add('Slow s1', 'Nonsense n1', 'Bash b1');
    await rig.begin('s1');
    await rig.begin('b1');
    expect(slow.calls.map(({ ended }) => ended)).toEqual(['aborted']);
  });

  it('spares a sibling that has ended', async () => {
    const rig = new Rig([shell, read]);
    await rig.add('Read r1', 'Bash b1');
    await rig.begin('r1');
    await rig.begin('b1');
    expect(rig.results()).toEqual(['r1 Read ok', 'b1! exit code 1']);
  });

  it('asks neither hooks nor the user about waiting siblings', async () => {
    const rig = new Rig([shell, read], { toolConcurrency: 1 });
    await rig.add('Bash b1', 'Read r1', 'Read r2');
    await rig.endStream();
    await rig.begin();
    expect(rig.hooks.seen).toEqual(['before Bash b1', 'afterFailure Bash b1']);
    expect(rig.results().map((result) => result.slice(0, 3))).toEqual(['b1!', 'r1!', 'r2!']);
  });

  it('cancels no sibling if it failed because of an abort', async () => {
    const hung = fakeTool({ name: 'Bash', gate: createTestGate(), failureCancelsSiblings: true });
    const slow = fakeTool({ name: 'Slow', gate: createTestGate() });
    const rig = new Rig([hung, slow]);
    await rig.add('Bash b1', 'Slow s1');
    await rig.begin();
    rig.controller.abort();
    await rig.rest();
    expect(rig.results()).toEqual([
      'b1! <tool_use_error>Bash was aborted</tool_use_error>',
      's1! <tool_use_error>Slow was aborted</tool_use_error>',
    ]);
  });

  it('is the only failure that cancels', async () => {
    const failing = fakeTool({ name: 'Fail', fails: 'no such file' });
    const gate = createTestGate();
    const rig = new Rig([failing, fakeTool({ name: 'Slow', gate })]);
    await rig.add('Slow s1', 'Fail f1');
    await rig.begin();
    gate.open();
    await rig.rest();
    expect(rig.results()).toEqual(['s1 Slow ok', 'f1! no such file']);
  });
});

describe('changed input', () => {
  /** Has no effects for `{}`, and runs alone for any other input. */
  const shifting = (gate = createTestGate()): FakeTool => {
    gate.open();
    const tool = fakeTool({ name: 'Shift', gate });
    const harmless = (input: object): boolean => Object.keys(input).length === 0;
    return { ...tool, isReadOnly: harmless, isConcurrencySafe: harmless };
  };

  it('with effects makes the call wait for the end of the stream', async () => {
    const tool = shifting();
    const rig = new Rig([tool], { hooks: { before: { Shift: { updatedInput: { write: true } } } } });
    await rig.add('Shift s1');
    expect(rig.announced).toEqual([]);
    await rig.endStream();
    expect(rig.announced).toEqual(['s1']);
    await rig.begin();
    expect(tool.calls.map(({ input }) => input)).toEqual([{ write: true }]);
  });

  it('of a permission answer is checked against the rules, without another question', async () => {
    const tool = fakeTool({ name: 'Bash', readOnly: false });
    const asked: unknown[] = [];
    const rig = new Rig([tool], {
      authorizeCall: (_tool, input, _context, { answered }) => {
        asked.push([input, answered]);
        if (input['command'] === 'rm -rf /')
          return Promise.resolve({ behavior: 'deny', message: 'A rule denies it.' });
        return Promise.resolve({ behavior: 'allow', updatedInput: { command: 'rm -rf /' } });
      },
    });
    rig.call('Bash', 'b1', { command: 'ls' });
    await rig.endStream();
    await rig.runAll();
    expect(rig.results()).toEqual(['b1! <tool_use_error>A rule denies it.</tool_use_error>']);
    expect(asked).toEqual([
      [{ command: 'ls' }, undefined],
      [{ command: 'rm -rf /' }, { behavior: 'allow', updatedInput: { command: 'rm -rf /' } }],
    ]);
    expect(tool.calls).toEqual([]);
  });

  it('that must run alone makes the call wait for later calls that have started', async () => {
    const gate = createTestGate();
    const question = createTestGate();
    const slow = fakeTool({ name: 'Slow', gate });
    const rig = new Rig([shifting(), slow], {
      authorizeCall: async (tool) => {
        if (tool.name === 'Slow') return { behavior: 'allow' };
        await question.pass();
        return { behavior: 'allow', updatedInput: { write: true } };
      },
    });
    await rig.add('Shift s1', 'Slow r1');
    await rig.endStream();
    await rig.begin();
    question.open();
    await rig.rest();
    expect(rig.announced).toEqual(['r1']);
    gate.open();
    await rig.rest();
    expect(rig.announced).toEqual(['r1', 's1']);
  });
});

describe('the context', () => {
  const moved = (to: string) =>
    fakeTool({
      name: `Cd-${to}`,
      readOnly: false,
      newContext: (current) => ({ ...current, workingDirectory: `${current.workingDirectory}/${to}` }),
    });
  const where = (concurrencySafe: boolean) =>
    fakeTool({ name: 'Pwd', readOnly: concurrencySafe, run: (_input, context) => context.workingDirectory });

  it('that a serial call changed applies to the next call', async () => {
    const rig = new Rig([moved('a'), moved('b'), where(false)]);
    await rig.add('Cd-a 1', 'Cd-b 2', 'Pwd 3');
    await rig.endStream();
    await rig.runAll();
    expect(rig.results().at(-1)).toBe('3 /project/a/b');
  });

  it('that calls of one batch changed applies after the batch, in order', async () => {
    const first = createTestGate();
    const change = (to: string, gate?: ReturnType<typeof createTestGate>) =>
      fakeTool({
        name: to,
        ...(gate ? { gate } : {}),
        newContext: (current) => ({ ...current, workingDirectory: `${current.workingDirectory}/${to}` }),
      });
    const rig = new Rig([change('a', first), change('b'), where(true)]);
    await rig.add('a 1', 'b 2', 'Pwd 3');
    await rig.endStream();
    await rig.runAll();
    first.open();
    await rig.rest();
    expect(rig.results()).toEqual(['1 a ok', '2 b ok', '3 /project']);
    expect(rig.executor.context.workingDirectory).toBe('/project/a/b');
  });

  it('is used to classify a call again when it is its turn', async () => {
    const move = fakeTool({
      name: 'Move',
      readOnly: false,
      newContext: (current) => ({ ...current, workingDirectory: '/elsewhere' }),
    });
    const here = (_input: unknown, { workingDirectory }: ToolUseContext): boolean =>
      workingDirectory !== '/elsewhere';
    const look: Tool = { ...fakeTool({ name: 'Look' }), isReadOnly: here, isConcurrencySafe: here };
    const rig = new Rig([move, look, read]);
    await rig.add('Look l1', 'Move m1', 'Look l2', 'Read r1');
    rig.executor.finishStream();
    await rig.rest();
    await rig.begin('l1');
    await rig.begin('m1');
    // It runs alone, although it was first classified as concurrency-safe.
    expect(rig.announced).toEqual(['l1', 'm1', 'l2']);
    await rig.begin('l2');
    expect(rig.announced).toEqual(['l1', 'm1', 'l2', 'r1']);
  });

  it('is kept although an unknown call is between two calls', async () => {
    const gate = createTestGate();
    const change = fakeTool({
      name: 'Cd',
      gate,
      newContext: (current) => ({ ...current, workingDirectory: '/moved' }),
    });
    const rig = new Rig([change, where(true)]);
    await rig.add('Cd 1', 'Nonsense 2', 'Pwd 3');
    await rig.endStream();
    await rig.runAll();
    gate.open();
    await rig.rest();
    expect(rig.results().map((result) => result.slice(0, 10))).toEqual([
      '1 Cd ok',
      '2! <tool_u',
      '3 /project',
    ]);
    expect(rig.executor.context.workingDirectory).toBe('/moved');
  });

  it('does not change if the change throws', async () => {
    const change = fakeTool({
      name: 'Cd',
      readOnly: false,
      newContext: () => {
        throw new Error('nowhere');
      },
    });
    const rig = new Rig([change, where(false)]);
    await rig.add('Cd 1', 'Pwd 2');
    await rig.endStream();
    await rig.runAll();
    expect(rig.results()).toEqual(['1 Cd ok', '2 /project']);
  });
});

describe('a discarded attempt', () => {
  it('stops running calls, withdraws questions, and returns no results', async () => {
    const slow = fakeTool({ name: 'Slow', gate: createTestGate() });
    const withdrawn: unknown[] = [];
    const rig = new Rig([slow, read], {
      authorizeCall: (tool, _input, _context, { signal }) => {
        if (tool.name === 'Slow') return Promise.resolve({ behavior: 'allow' });
        signal.addEventListener('abort', () => withdrawn.push(signal.reason));
        return Promise.withResolvers<never>().promise;
      },
    });
    await rig.add('Slow s1', 'Read r1');
    await rig.begin();
    rig.executor.discard();
    await rig.rest();
    expect(slow.calls).toMatchObject([{ ended: 'aborted' }]);
    expect(withdrawn).toEqual(['discarded']);
    expect(rig.results()).toEqual([]);
    expect(rig.executor.finished).toBe(true);
  });

  it('does not start a call whose intent was announced', async () => {
    const tool = fakeTool({ name: 'Read' });
    const rig = new Rig([tool]);
    await rig.add('Read r1');
    rig.executor.discard();
    await rig.begin();
    expect(tool.calls).toEqual([]);
  });
});

describe('the end', () => {
  it('leaves no timer and no listener', async () => {
    const rig = new Rig([read, write]);
    const listeners = watchListeners(rig.controller.signal);
    await rig.add('Read r1', 'Write w1');
    await rig.endStream();
    await rig.runAll();
    expect(rig.results()).toHaveLength(2);
    expect(listeners.removed()).toBe(1);
    await rig.executor.stop();
    expect(rig.clock.pending).toEqual([]);
  });
});

function running(tools: readonly FakeTool[]): string[] {
  return tools.flatMap((tool) => tool.calls.filter(({ ended }) => !ended).map(({ toolUseId }) => toolUseId));
}

function watchListeners(signal: AbortSignal) {
  let removed = 0;
  const original = signal.removeEventListener.bind(signal);
  signal.removeEventListener = (...given: Parameters<AbortSignal['removeEventListener']>) => {
    removed++;
    original(...given);
  };
  return { removed: () => removed };
}
