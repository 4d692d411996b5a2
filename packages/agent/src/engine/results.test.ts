/** Lines about a failed answer, a denied call and a hook that blocked. */
import {
  breakOff,
  call,
  createClock,
  createTestGate,
  cut,
  fail,
  fakeTool,
  refuse,
  say,
  type Script,
  scriptedModel,
  stall,
  unfinished,
} from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { SdkMessage } from '../sdk/message.ts';
import type { AgentOptions } from './options.ts';

const look = fakeTool({ name: 'Look' });
const write = fakeTool({ name: 'Write', readOnly: false });

function agentOf(script: Script, options: Partial<AgentOptions> = {}) {
  const clock = createClock({ auto: true });
  const model = scriptedModel(script, { clock });
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [look, write],
    cwd: '/',
    clock,
    ...options,
  });
  return { agent, model };
}

async function linesOf(script: Script, options: Partial<AgentOptions> = {}): Promise<SdkMessage[]> {
  const lines: SdkMessage[] = [];
  for await (const line of agentOf(script, options).agent.submit('go')) lines.push(line);
  return lines;
}

const resultOf = async (script: Script, options?: Partial<AgentOptions>) =>
  (await linesOf(script, options)).at(-1);
const cutShort = (text: string) => [unfinished(say(text), 1), cut()];

describe('the result of an answer', () => {
  it('holds all pieces of one that was cut and resumed, and counts each as a turn', async () => {
    const script = [cutShort('never kept'), cutShort('One, '), cutShort('two, '), say('three.')];
    expect(await resultOf(script)).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'One, two, three.',
      num_turns: 3,
      stop_reason: 'end_turn',
    });
  });

  it('is marked if it is still cut at the end', async () => {
    const script = ['never kept', 'One ', 'two ', 'three ', 'four'].map(cutShort);
    expect(await resultOf(script)).toMatchObject({
      subtype: 'success',
      is_error: true,
      result: 'One two three four',
      errors: [expect.stringContaining('cut off at the output limit')],
      num_turns: 4,
      stop_reason: 'max_tokens',
      terminal_reason: 'completed',
    });
  });

  it('is an error if the model refused', async () => {
    expect(await resultOf([[say('I would'), refuse()]])).toMatchObject({
      subtype: 'success',
      is_error: true,
      result: expect.stringContaining('declined to answer'),
      stop_reason: 'refusal',
    });
  });

  it('names the status of an API error in its first words', async () => {
    const lines = await linesOf([fail('bad_request')]);
    const text = expect.stringMatching(/^API Error: 400 /) as string;
    expect(lines.at(-2)).toMatchObject({
      type: 'assistant',
      message: { content: [{ type: 'text', text }] },
      is_api_error_message: true,
      api_error_status: 400,
    });
    expect(lines.at(-1)).toMatchObject({ is_error: true, result: text, api_error_status: 400 });
  });

  it('counts the turn that a turn limit forbids', async () => {
    const script = [[call('Look', {}, 'l1'), call('Look', {}, 'l2')]];
    expect(await resultOf(script, { maxTurns: 1 })).toMatchObject({
      subtype: 'error_max_turns',
      errors: ['Reached maximum number of turns (1)'],
      num_turns: 2,
      stop_reason: 'tool_use',
    });
  });
});

it('an interrupted answer is shown as aborted, and the next prompt sends its partial text', async () => {
  const gate = createTestGate();
  const { agent, model } = agentOf([[say('Half of a', gate, ' sentence.')], say('Continue.')]);
  const lines: SdkMessage[] = [];
  const reading = (async () => {
    for await (const line of agent.submit('go')) lines.push(line);
  })();
  await gate.reached;
  agent.abort('cancel');
  await reading;
  expect(lines.find(({ type }) => type === 'assistant')).toMatchObject({
    message: { content: [{ text: 'Half of a' }] },
    aborted: true,
  });
  expect(lines.at(-1)).toMatchObject({ subtype: 'error_during_execution', result: 'Half of a' });
  for await (const _line of agent.submit('and?'));
  expect(JSON.stringify([...(model.calls.at(-1)?.request.messages ?? [])])).toContain('Half of a');
});

it.each(['stops reading', 'fails while it reads'])(
  'an answer keeps its partial text if the host %s',
  async (how) => {
    const gate = createTestGate();
    const { agent, model } = agentOf([[say('Half of a', gate, ' sentence.')], say('Continue.')], {
      includePartialMessages: true,
    });
    const read = async () => {
      for await (const line of agent.submit('go')) {
        if (!JSON.stringify(line).includes('Half of a')) continue;
        if (how === 'stops reading') break;
        throw new Error('The host failed.');
      }
    };
    await read().catch((thrown: unknown) => expect(String(thrown)).toContain('The host failed.'));
    for await (const _line of agent.submit('and?'));
    const sent = JSON.stringify([...(model.calls.at(-1)?.request.messages ?? [])]);
    expect(sent).toContain('Half of a');
    expect(sent).toContain('Request interrupted by user');
  },
);

it.each([
  ['breaks off', breakOff(), undefined],
  ['stays silent', stall(), { waited_ms: expect.any(Number), retry_wait_ms: expect.any(Number) }],
])('an attempt that %s is announced with all that clients know of it', async (_, end, silence) => {
  const lines = await linesOf([end, say('Done.')]);
  const retry = lines.find((line) => line.type === 'system' && line.subtype === 'api_retry');
  expect(retry).toMatchObject({ attempt: 1, max_retries: 10, error_status: null, error: 'unknown' });
  expect(retry && 'no_response' in retry ? retry.no_response : undefined).toEqual(silence);
});

describe('a call that is not permitted', () => {
  it('is told with its reason before its result, if nothing could be asked', async () => {
    const lines = await linesOf([call('Write', {}, 'w1'), say('Not done.')]);
    const at = lines.findIndex((line) => line.type === 'system' && line.subtype === 'permission_denied');
    expect(lines[at]).toMatchObject({
      tool_name: 'Write',
      tool_use_id: 'w1',
      message: expect.stringContaining('Permission denied.'),
      decision_reason_type: 'other',
    });
    expect(lines[at + 1]?.type).toBe('user');
  });

  it('counts as denied if a hook denied it, and the reason is told', async () => {
    const before = () => Promise.resolve({ decision: 'deny' as const, message: 'Not on a Sunday.' });
    const lines = await linesOf([call('Write', {}, 'w1'), say('Not done.')], {
      hooks: { tools: { before } },
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ subtype: 'informational', content: 'Not on a Sunday.', tool_use_id: 'w1' }),
    );
    expect(lines.at(-1)).toMatchObject({
      permission_denials: [{ tool_name: 'Write', tool_use_id: 'w1', tool_input: {} }],
    });
  });

  it('does not count if its question was withdrawn', async () => {
    const asked = Promise.withResolvers<void>();
    const { agent } = agentOf([call('Write', {}, 'w1')], {
      canUseTool: (_question, signal) => {
        asked.resolve();
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ allow: false, message: 'gone' }), { once: true });
        });
      },
    });
    const lines: SdkMessage[] = [];
    const reading = (async () => {
      for await (const line of agent.submit('go')) lines.push(line);
    })();
    await asked.promise;
    agent.abort('cancel');
    await reading;
    expect(lines.at(-1)).toMatchObject({ terminal_reason: 'aborted_tools', permission_denials: [] });
  });
});

it('a hook that ends a run is told with its reason', async () => {
  const after = () => Promise.resolve({ stop: { hook: 'guard', message: 'Enough for today.' } });
  const lines = await linesOf([call('Look', {}, 'l1')], { hooks: { tools: { after } } });
  expect(lines).toContainEqual(
    expect.objectContaining({
      subtype: 'informational',
      content: 'Enough for today.',
      prevent_continuation: true,
    }),
  );
  expect(lines.at(-1)).toMatchObject({
    terminal_reason: 'hook_stopped',
    result: '',
    stop_reason: 'tool_use',
  });
});

describe('options of an agent', () => {
  it('keep an output cap that the caller set, also when an answer is cut in a later turn', async () => {
    const { agent, model } = agentOf([call('Look', {}, 'l1'), cutShort('One '), say('two.')], {
      maxOutputTokens: 1_000,
    });
    for await (const _line of agent.submit('go'));
    expect(model.calls.map(({ request }) => request.max_tokens)).toEqual([1_000, 1_000, 1_000]);
  });

  it('ask whether a run that repeats itself should continue', async () => {
    const again = Array.from({ length: 12 }, (_, index) => call('Look', {}, `l${index}`));
    const asked: string[] = [];
    const askToContinue: AgentOptions['askToContinue'] = (calls) => {
      asked.push(...calls.map(({ tool }) => tool));
      return Promise.resolve(true);
    };
    expect(await resultOf([...again, say('Done.')], { askToContinue })).toMatchObject({ result: 'Done.' });
    expect(asked).toEqual(['Look']);
  });

  it.each(['maxTurns', 'tokenBudget', 'partialMessages', 'canAsk', 'taskBudget', 'bare', 'isSubagent'])(
    'are rejected with a sentence if config.%s is given, which would do nothing',
    (name) => {
      const config: AgentOptions['config'] = Object.fromEntries([[name, 1]]);
      expect(() => agentOf([], { config })).toThrow(`The option config.${name} does not exist.`);
    },
  );

  it('are rejected if they switch collapse in a second place', () => {
    const context: AgentOptions['context'] = { levels: Object.fromEntries([['collapse', true]]) };
    expect(() => agentOf([], { context })).toThrow('Use config.gates.contextCollapse.');
  });
});

it('what a tool, a hook or a question changes in an input never reaches a request', async () => {
  const nested = { path: { name: 'a' } };
  const meddling = fakeTool({ name: 'Meddle', readOnly: false });
  const tool = {
    ...meddling,
    backfillObservableInput: (input: Record<string, unknown>) => {
      Object.assign(Object(input['path']), { absolute: '/a' });
    },
  };
  const seen: unknown[] = [];
  const { agent, model } = agentOf([call('Meddle', nested, 'm1'), say('Done.')], {
    tools: [tool],
    hooks: {
      tools: {
        before: ({ input }) => Promise.resolve(Object.assign(Object(input['path']), { hook: 1 }) && {}),
      },
    },
    canUseTool: ({ input }) => {
      Object.assign(Object(input['path']), { question: 1 });
      return Promise.resolve({ allow: true });
    },
  });
  for await (const line of agent.submit('go'))
    if (line.type === 'assistant') seen.push(...line.message.content);
  expect(seen[0]).toMatchObject({ input: { path: { name: 'a', absolute: '/a' } } });
  expect(model.calls.at(-1)?.request.messages.at(1)?.content).toEqual([
    { type: 'tool_use', id: 'm1', name: 'Meddle', input: nested },
  ]);
});

it('reports what a model port wants the user to know about an answer', async () => {
  const script = scriptedModel([[say('Hello.')]]);
  const model = async function* (...call: Parameters<typeof script>) {
    for await (const record of { [Symbol.asyncIterator]: () => script(...call)[Symbol.asyncIterator]() })
      yield record.type === 'done' ? { ...record, notice: 'Change the server.' } : record;
  };
  const agent = createAgent({ model, modelName: 'scripted', tools: [], cwd: import.meta.dirname });
  const notices: unknown[] = [];
  for await (const line of agent.submit('hello'))
    if (line.type === 'system' && line.subtype === 'informational') notices.push(line.content);
  expect(notices).toEqual(['Change the server.']);
});
