/** Tool calls through the public `query`. Each call gets exactly one result. */
import {
  call,
  createTestGate,
  denyTools,
  fakeContext,
  fakeTool,
  fakeToolHooks,
  hang,
  say,
  settle,
  stopMessage,
  type FakeTool,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../machine/config.ts';
import { play, stage, type PlayOptions } from './test/play.ts';

const read = fakeTool({ name: 'Read', result: 'three lines' });

/** The result of one call that the model makes. */
async function resultOf(
  tool: FakeTool,
  options: PlayOptions = {},
  input = { path: 'a' },
): Promise<string | undefined> {
  const { lines, events, terminal } = await play([call(tool.name, input, 'c1'), say('I see.')], {
    tools: [tool],
    ...options,
  });
  expect(terminal).toEqual({ reason: 'completed' });
  expect(lines.filter((line) => line.includes('result c1'))).toHaveLength(1);
  for (const event of events) {
    if (event.type !== 'message' || !event.outcome || event.message.type !== 'user') continue;
    const [block] = event.message.content;
    if (typeof block === 'object' && block.type === 'tool_result') {
      return `${block.is_error === true ? '! ' : ''}${typeof block.content === 'string' ? block.content : 'blocks'}`;
    }
  }
  return undefined;
}

describe('a call that cannot run', () => {
  it('of an unknown tool lists the available tools', async () => {
    expect(await resultOf(fakeTool({ name: 'Nonsense' }), { tools: [read] })).toBe(
      '! <tool_use_error>There is no tool named Nonsense. Available tools: Read.</tool_use_error>',
    );
  });

  it('with invalid JSON shows the input', async () => {
    const { events, requests } = await play(
      [call('Read', {}, 'c1', { json: ['{"path": "a', 'bc'] }), say('I see.')],
      { tools: [read] },
    );
    expect(JSON.stringify(events)).toContain('The input is not a JSON object: {\\"path\\": \\"abc');
    expect(requests.at(-1)).toBe('user:text | assistant:tool_use(c1) | user:tool_result(c1)!');
    expect(read.calls.filter(({ toolUseId }) => toolUseId === 'c1')).toEqual([]);
  });

  it('with an invalid input reports the expected input', async () => {
    const strict = fakeTool({ name: 'Strict', rejects: () => 'path must be absolute' });
    expect(await resultOf(strict)).toBe(
      '! <tool_use_error>Strict was called with an invalid input. input: path must be absolute</tool_use_error>',
    );
    const careful = fakeTool({ name: 'Careful', invalid: () => 'The file was not read yet.' });
    expect(await resultOf(careful)).toBe('! <tool_use_error>The file was not read yet.</tool_use_error>');
    expect([strict.calls, careful.calls]).toEqual([[], []]);
  });

  it('is validated after the earlier calls have run', async () => {
    const known = new Set<unknown>();
    const remember = fakeTool({ name: 'Read', run: ({ path }) => `read ${known.add(path).size}` });
    const edit = fakeTool({
      name: 'Edit',
      readOnly: false,
      invalid: ({ path }) => (known.has(path) ? undefined : 'The file was not read yet.'),
    });
    const { lines } = await play(
      [
        [
          call('Read', { path: 'a' }, 'r1'),
          call('Edit', { path: 'a' }, 'e1'),
          call('Edit', { path: 'b' }, 'e2'),
        ],
        say('Done.'),
      ],
      { tools: [remember, edit] },
    );
    expect(lines.filter((line) => line.includes('result'))).toEqual([
      't1 result r1 "read 1"',
      't2 result e1 "Edit ok"',
      't3 result e2! "The file was not read yet."',
    ]);
  });

  it('because of a denial reports the reason', async () => {
    const tool = fakeTool({ name: 'Write', readOnly: false });
    expect(await resultOf(tool, { authorizeCall: denyTools('Write') })).toBe(
      '! <tool_use_error>Write is not allowed here</tool_use_error>',
    );
    expect(tool.calls).toEqual([]);
  });

  it('because of a hook reports the reason, without a question to the user', async () => {
    const toolHooks = fakeToolHooks({ before: { Read: { decision: 'deny', message: 'Not that file.' } } });
    const authorizeCall = () => Promise.reject(new Error('was asked'));
    expect(await resultOf(read, { deps: { toolHooks }, authorizeCall })).toBe(
      '! <tool_use_error>Not that file.</tool_use_error>',
    );
  });

  it('because permission could not be decided does not run', async () => {
    const tool = fakeTool({ name: 'Write', readOnly: false });
    const authorizeCall = () => Promise.reject(new Error('no terminal'));
    expect(await resultOf(tool, { authorizeCall })).toBe(
      '! <tool_use_error>Permission could not be decided: no terminal</tool_use_error>',
    );
    const before = () => Promise.reject(new Error('hook crashed'));
    expect(await resultOf(tool, { deps: { toolHooks: { ...fakeToolHooks(), before } } })).toBe(
      '! <tool_use_error>Permission could not be decided: hook crashed</tool_use_error>',
    );
    expect(tool.calls).toEqual([]);
  });
});

describe('a call that fails', () => {
  it('with an exception gives an error result, and the model continues', async () => {
    expect(await resultOf(fakeTool({ name: 'Boom', throws: 'disk full' }))).toBe(
      '! <tool_use_error>disk full</tool_use_error>',
    );
  });

  it('with its own error result keeps it', async () => {
    expect(await resultOf(fakeTool({ name: 'Bash', fails: 'exit code 2' }))).toBe('! exit code 2');
  });

  it('in its classification does not run', async () => {
    const isReadOnly = () => {
      throw new Error('cannot parse');
    };
    expect(await resultOf({ ...fakeTool({ name: 'Odd' }), isReadOnly })).toBe(
      '! <tool_use_error>Odd could not check its input: cannot parse</tool_use_error>',
    );
  });
});

describe('hooks around a call', () => {
  it('may change the input, which is then checked again', async () => {
    const tool = fakeTool({ name: 'Read', rejects: ({ path }) => (path === 'b' ? undefined : 'only b') });
    const lenient = { ...tool, validateInput: () => ({ ok: true as const }) };
    const toB = fakeToolHooks({ before: { Read: { updatedInput: { path: 'b' } } } });
    expect(await resultOf(lenient, { deps: { toolHooks: toB } }, { path: 'b' })).toBe('Read ok');
    const toC = fakeToolHooks({ before: { Read: { updatedInput: { path: 'c' } } } });
    expect(await resultOf(lenient, { deps: { toolHooks: toC } }, { path: 'b' })).toMatch(
      /^! <tool_use_error>A hook changed the input\. Read was called with an invalid input\. input: only b/,
    );
    expect(tool.calls).toHaveLength(1);
  });

  it('run before permission, which receives the changed input and their decision', async () => {
    const toolHooks = fakeToolHooks({ before: { Read: { decision: 'allow', updatedInput: { path: 'b' } } } });
    const asked: unknown[] = [];
    await resultOf(read, {
      deps: { toolHooks },
      authorizeCall: (_tool, input, _context, { hookDecision }) => {
        asked.push(input, hookDecision);
        return Promise.resolve({ behavior: 'allow' });
      },
    });
    expect(asked).toEqual([{ path: 'b' }, 'allow']);
  });

  it('do not prevent permission from changing the input again', async () => {
    const tool = fakeTool({ name: 'Read' });
    const { events } = await play([call('Read', { path: 'a' }, 'c1'), say('I see.')], {
      tools: [tool],
      authorizeCall: () => Promise.resolve({ behavior: 'allow', updatedInput: { path: 'z' } }),
    });
    expect(tool.calls.map(({ input }) => input)).toEqual([{ path: 'z' }]);
    expect(events.find((event) => event.type === 'tool_intent')).toMatchObject({ input: { path: 'z' } });
  });

  it('may add context after the result, replace it, and see failures', async () => {
    const toolHooks = fakeToolHooks({
      before: { Read: { additionalContext: 'That file is generated.' } },
      after: { Read: { updatedResult: { content: 'redacted' } } },
    });
    const remote = { ...read, isFromServer: true };
    const { lines, requests } = await play([call('Read', { path: 'a' }, 'r1'), say('I see.')], {
      tools: [remote],
      deps: { toolHooks },
    });
    expect(lines.slice(4, 6)).toEqual(['t1 result r1 "redacted"', 'attachment reminder hook']);
    expect(requests.at(-1)).toBe('user:text | assistant:tool_use(r1) | user:tool_result(r1) reminder');

    const failing = fakeToolHooks();
    await resultOf(fakeTool({ name: 'Boom', throws: 'disk full' }), { deps: { toolHooks: failing } });
    expect(failing.seen).toEqual(['before Boom c1', 'afterFailure Boom c1']);
  });

  it('replace results of built-in tools, too', async () => {
    const toolHooks = fakeToolHooks({ after: { Read: { updatedResult: { content: 'redacted' } } } });
    expect(await resultOf(read, { deps: { toolHooks } })).toBe('redacted');
  });

  it('that fail after the call are reported, and the result stays', async () => {
    const after = () => Promise.reject(new Error('hook crashed'));
    const { lines } = await play([call('Read', { path: 'a' }, 'r1'), say('I see.')], {
      tools: [read],
      deps: { toolHooks: { ...fakeToolHooks(), after } },
    });
    expect(lines.slice(4, 6)).toEqual(['t1 result r1 "three lines"', 'attachment reminder hook']);
  });

  it('of several calls do not separate calls from their results', async () => {
    const toolHooks = fakeToolHooks({ after: { Read: { additionalContext: 'Noted.' } } });
    const { requests } = await play(
      [[call('Read', { path: 'a' }, 'r1'), call('Read', { path: 'b' }, 'r2')], say('I see.')],
      { tools: [read], deps: { toolHooks } },
    );
    expect(requests.at(-1)).toBe(
      'user:text | assistant:tool_use(r1) tool_use(r2) | user:tool_result(r1) tool_result(r2) reminder reminder',
    );
  });

  it('may stop the run also if they deny the call', async () => {
    const toolHooks = fakeToolHooks({ before: { Read: { decision: 'deny', stop: stopMessage('Enough.') } } });
    const { terminal } = await play([call('Read', {}, 'r1')], { tools: [read], deps: { toolHooks } });
    expect(terminal).toEqual({ reason: 'hook_stopped', hook: 'tool-hook', message: 'Enough.' });
  });
});

describe('a denial with an interruption', () => {
  it('ends the turn, closes the other calls, and reports the interruption', async () => {
    const write = fakeTool({ name: 'Write', readOnly: false });
    const { lines, terminal } = await play(
      [[call('Write', { path: 'a' }, 'w1'), call('Write', { path: 'b' }, 'w2')]],
      {
        tools: [write],
        authorizeCall: () => Promise.resolve({ behavior: 'deny', message: 'Stop that.', interrupt: true }),
      },
    );
    expect(lines.slice(-3)).toEqual([
      't1 result w1! "Stop that."',
      't2 result w2! "The call was not run: the turn was i…"',
      'user "[Request interrupted by user for too…"',
    ]);
    expect(terminal).toEqual({ reason: 'aborted_tools' });
  });
});

describe('an intent', () => {
  it('is yielded before the call starts', async () => {
    for (const tool of [fakeTool({ name: 'Read' }), fakeTool({ name: 'Write', readOnly: false })]) {
      const { run } = stage([call(tool.name, { path: 'a' }, 'c1'), say('Done.')], { tools: [tool] });
      let next = await run.next();
      while (!next.done && next.value.type !== 'tool_intent') next = await run.next();
      await settle();
      expect(tool.calls).toEqual([]);
      const after = run.next();
      await settle();
      expect(tool.calls).toHaveLength(1);
      await after;
      await run.return({ reason: 'completed' });
    }
  });

  it('is not yielded for a call that never runs', async () => {
    const { lines } = await play([call('Read', { path: 'a' }, 'r1'), say('I see.')], {
      tools: [read],
      authorizeCall: denyTools('Read'),
    });
    expect(lines.filter((line) => line.startsWith('intent'))).toEqual([]);
  });

  it('has the effect class, and no details if the tool cannot give them', async () => {
    const append = fakeTool({ name: 'Append', readOnly: false });
    const put = fakeTool({ name: 'Put', readOnly: false, idempotent: true });
    const describeIntent = () => Promise.reject(new Error('no such file'));
    const { events } = await play([[call('Put', {}, 'p1'), call('Append', {}, 'a1')], say('Done.')], {
      tools: [{ ...append, describeIntent }, put],
    });
    const workingDirectory = '/project';
    expect(events.filter((event) => event.type === 'tool_intent')).toEqual([
      {
        type: 'tool_intent',
        toolUseId: 'p1',
        tool: 'Put',
        input: {},
        effect: 'idempotent',
        workingDirectory,
      },
      {
        type: 'tool_intent',
        toolUseId: 'a1',
        tool: 'Append',
        input: {},
        effect: 'writing',
        workingDirectory,
      },
    ]);
  });
});

describe('progress', () => {
  it('is yielded before the result, even if the call ends at once', async () => {
    const tool = fakeTool({ name: 'Bash', readOnly: false, progress: ['1 of 2', '2 of 2'] });
    const { lines } = await play([call('Bash', {}, 'b1'), say('Done.')], { tools: [tool] });
    expect(lines.slice(3, 7)).toEqual([
      'intent b1',
      'progress b1 "1 of 2"',
      'progress b1 "2 of 2"',
      't1 result b1 "Bash ok"',
    ]);
  });

  it('does not wait for the results of earlier calls', async () => {
    const gate = createTestGate();
    const slow = fakeTool({ name: 'Slow', gate });
    const chatty = fakeTool({ name: 'Chatty', progress: ['hello'] });
    const { lines } = await play([[call('Slow', {}, 's1'), call('Chatty', {}, 'c1')], say('Done.')], {
      tools: [slow, chatty],
      onEvent: (event) => {
        if (event.type === 'progress') gate.open();
      },
    });
    expect(lines.indexOf('progress c1 "hello"')).toBeLessThan(lines.indexOf('t1 result s1 "Slow ok"'));
  });
});

describe('observers', () => {
  it('receive a copy with derived fields, and the request has the original', async () => {
    const backfillObservableInput = (copy: Record<string, unknown>) => void (copy['absolute'] = '/project/a');
    const { events, model } = await play([call('Read', { path: 'a' }, 'r1'), say('I see.')], {
      tools: [{ ...read, backfillObservableInput }],
    });
    const message = events.find((event) => event.type === 'message');
    expect(message).toMatchObject({
      message: { content: [{ input: { path: 'a' } }] },
      observable: { content: [{ input: { path: 'a', absolute: '/project/a' } }] },
    });
    expect(JSON.stringify(model.calls.at(-1)?.body())).not.toContain('absolute');
  });

  it('receive the message itself if no field was added', async () => {
    const changing = (copy: Record<string, unknown>) => void (copy['path'] = 'b');
    const throwing = () => {
      throw new Error('no such directory');
    };
    for (const backfillObservableInput of [changing, throwing]) {
      const { events, terminal } = await play([call('Read', { path: 'a' }, 'r1'), say('I see.')], {
        tools: [{ ...read, backfillObservableInput }],
      });
      expect(events.some((event) => event.type === 'message' && event.observable)).toBe(false);
      expect(terminal).toEqual({ reason: 'completed' });
    }
  });
});

describe('without early starts', () => {
  it('the same answers lead to the same results', async () => {
    const write = fakeTool({ name: 'Write', readOnly: false });
    const script = [
      [
        call('Read', { path: 'a' }, 'r1'),
        call('Nonsense', {}, 'n1'),
        call('Read', {}, 'x1', { json: ['{"path'] }),
        call('Write', { path: 'b' }, 'w1'),
        call('Read', { path: 'c' }, 'r2'),
      ],
      say('Done.'),
    ];
    const early = await play(script, { tools: [read, write] });
    const late = await play(script, {
      tools: [read, write],
      config: { gates: { streamingToolExecution: false } },
    });
    const results = (lines: readonly string[]) => lines.filter((line) => line.includes('result'));
    expect(results(late.lines)).toEqual(results(early.lines));
    expect(late.requests).toEqual(early.requests);
    expect(late.lines.indexOf('intent r1')).toBeGreaterThan(late.lines.indexOf('answer_end tool_use'));
    expect(early.lines.indexOf('intent r1')).toBeLessThan(early.lines.indexOf('answer_end tool_use'));
  });
});

describe('a consumer that leaves', () => {
  it('ends the calls that run, and waits for them', async () => {
    const tool = fakeTool({ name: 'Read', gate: createTestGate() });
    const { run, model } = stage([[call('Read', { path: 'a' }, 'r1'), say('and'), hang()]], {
      tools: [tool],
    });
    let next = await run.next();
    while (!next.done && tool.calls.length === 0) next = await run.next();
    expect(tool.calls).toMatchObject([{ ended: undefined }]);
    await run.return({ reason: 'aborted_streaming' });
    expect(tool.calls).toMatchObject([{ ended: 'aborted' }]);
    expect(model.calls[0]?.ended).toBe('abandoned');
  });

  it('does not wait longer than the grace period for a tool that ignores its signal', async () => {
    const tool = fakeTool({
      name: 'Deaf',
      readOnly: false,
      gate: createTestGate(),
      progress: ['…'],
      ignoresAbort: true,
    });
    const { run, clock } = stage([call('Deaf', {}, 'd1')], { tools: [tool] });
    let next = await run.next();
    while (!next.done && next.value.type !== 'progress') next = await run.next();
    const began = clock.now();
    await run.return({ reason: 'aborted_tools' });
    expect(clock.now() - began).toBe(DEFAULT_LIMITS.abortGraceMs);
  });
});

describe('two calls with the same id in one answer', () => {
  it.each([true, false])(
    'the second does not run, and the history stays valid (streaming: %s)',
    async (gate) => {
      const tool = fakeTool({ name: 'Write', readOnly: false });
      const { lines, requests } = await play(
        [[call('Write', { path: 'a' }, 'w1'), call('Write', { path: 'a' }, 'w1')], say('Done.')],
        { tools: [tool], config: { gates: { streamingToolExecution: gate } }, judge: { validate: false } },
      );
      expect(tool.calls).toHaveLength(1);
      expect(lines.filter((line) => line.includes('result'))).toEqual([
        't1 result w1 "Write ok"',
        expect.stringMatching(/^t2 result repeated_\S+! "The call was not run/),
      ]);
      expect(requests.at(-1)).toMatch(
        /tool_use\(w1\) tool_use\((repeated_\w+)\) \| user:tool_result\(w1\) tool_result\(\1\)/,
      );
    },
  );
});

it('the structured output of a tool is in the event, and not in the history of the next requests', async () => {
  const context = fakeContext();
  const histories: string[] = [];
  const prepare: typeof context.prepare = (request) => {
    histories.push(JSON.stringify([...request.messages]));
    return context.prepare(request);
  };
  const { events } = await play([call('Read', { path: 'a' }, 'c1'), say('I see.')], {
    tools: [read],
    deps: { context: { ...context, prepare } },
  });
  expect(events).toContainEqual(
    expect.objectContaining({
      message: expect.objectContaining({ toolUseResult: { content: 'three lines' } }),
    }),
  );
  expect(histories).toHaveLength(2);
  expect(histories.at(-1)).toContain('three lines');
  expect(histories.join()).not.toContain('toolUseResult');
});
