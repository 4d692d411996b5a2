/** A conversation does one thing at a time, and an abort reaches whatever that is. */
import { answer, call, createTestGate, fakeTool, hang, say, scriptedModel, usage } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { type Agent, createAgent } from '../create-agent.ts';
import type { SdkMessage, SdkResult } from '../sdk/message.ts';

function agentWith(model: ReturnType<typeof scriptedModel>): Agent {
  return createAgent({ model, modelName: 'one', tools: [], cwd: '/' });
}

async function resultOf(lines: AsyncIterable<SdkMessage>): Promise<SdkResult | undefined> {
  const results: SdkResult[] = [];
  for await (const line of lines) if (line.type === 'result') results.push(line);
  expect(results).toHaveLength(1);
  return results[0];
}

describe('while a prompt runs', () => {
  it('a second one is refused, and the first can still be stopped', async () => {
    const arrived = createTestGate();
    const model = scriptedModel(() => {
      arrived.open();
      return answer(say('begun'), hang());
    });
    const agent = agentWith(model);
    const first = resultOf(agent.submit('first'));
    await arrived.pass(new AbortController().signal);
    expect(await resultOf(agent.submit('second'))).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining('in use')],
    });
    agent.abort();
    expect(await first).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect(model.calls).toHaveLength(1);
    expect(JSON.stringify([...agent.messages])).not.toContain('second');
  });

  it('nothing is added to the conversation, and nothing taken away', async () => {
    const model = scriptedModel([call('Look', {}, 'c1'), say('Done.')]);
    const outcomes: unknown[] = [];
    const look = fakeTool({
      name: 'Look',
      run: () => {
        outcomes.push(agent.add('aside'), agent.rewindBefore([...agent.messages][0]?.uuid ?? ''));
        return 'seen';
      },
    });
    const agent = createAgent({ model, modelName: 'one', tools: [look], cwd: '/' });
    expect(await resultOf(agent.submit('go'))).toMatchObject({ result: 'Done.' });
    expect(outcomes).toEqual([
      expect.objectContaining({ ok: false, reason: 'busy' }),
      expect.objectContaining({ ok: false, reason: 'busy' }),
    ]);
    model.assertNoViolations();
  });
});

it('an abort that comes with the first line of /compact is heard', async () => {
  const model = scriptedModel([say('One.'), say('Two.'), say('## Intent\nContinue.')]);
  const agent = agentWith(model);
  await resultOf(agent.submit('one '.repeat(2_000)));
  await resultOf(agent.submit('two'));
  const lines = agent.submit('/compact');
  expect((await lines.next()).value).toMatchObject({ subtype: 'init' });
  agent.abort();
  expect(await resultOf(lines)).toMatchObject({
    is_error: true,
    errors: [expect.stringMatching(/interrupted/)],
  });
});

it('a host that cannot keep its own records is a reason not to begin, told in the result', async () => {
  const model = scriptedModel([say('never')]);
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
  const onAccepted = (): Promise<void> => Promise.reject(full);
  const agent = createAgent({ model, modelName: 'one', tools: [], cwd: '/', onAccepted });
  expect(await resultOf(agent.submit('go'))).toMatchObject({ is_error: true, errors: [full.message] });
  expect(model.calls).toHaveLength(0);
});

it('a prompt that cannot begin leaves the bill of the conversation as it was', async () => {
  const model = scriptedModel([answer(say('One.'), usage({ output_tokens: 5 }))]);
  const agent = createAgent({
    model,
    modelName: 'one',
    tools: [],
    cwd: '/',
    maxBudgetUsd: 100,
    price: (name, { output_tokens }) => (name === 'one' ? output_tokens : undefined),
  });
  await resultOf(agent.submit('go'));
  agent.change({ modelName: 'of unknown price' });
  expect(await resultOf(agent.submit('on'))).toMatchObject({
    terminal_reason: 'turn_setup_failed',
    total_cost_usd: 5,
    modelUsage: { one: { costUSD: 5 } },
  });
});

it('the first line of a prompt names the mode that is in force', async () => {
  const plan = fakeTool({
    name: 'Plan',
    newContext: (context) => ({ ...context, permissionMode: 'plan' }),
  });
  const model = scriptedModel([call('Plan', {}, 'p1'), say('Planning.'), say('Still.')]);
  const agent = createAgent({ model, modelName: 'one', tools: [plan], cwd: '/' });
  await resultOf(agent.submit('go'));
  expect((await agent.submit('on').next()).value).toMatchObject({ subtype: 'init', permissionMode: 'plan' });
});
