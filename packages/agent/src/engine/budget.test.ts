/** Budgets of a run: dollars are counted after every event, tokens by the loop, tasks by the API. */
import { SUMMARY_MARK } from '@heddle/context';
import type { LoopEvent, ModelPort } from '@heddle/core';
import { answer, call, fakeTool, say, scriptedModel, usage } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { SdkMessage, SdkResult } from '../sdk/message.ts';
import type { AgentOptions } from './options.ts';
import { omitUndefined } from '@heddle/core';

const look = fakeTool({
  name: 'Look',
  compactable: true,
  run: (_input, _context, at) => `seen ${at} `.repeat(300),
});

type Given = Partial<AgentOptions> & Pick<AgentOptions, 'model'>;

async function submit(given: Given, prompts: readonly string[] = ['go']): Promise<SdkResult[]> {
  const agent = createAgent({ modelName: 'scripted', tools: [look], cwd: '/', ...given });
  const results: SdkResult[] = [];
  for (const prompt of prompts)
    for await (const line of agent.submit(prompt)) if (isResult(line)) results.push(line);
  return results;
}

function isResult(line: SdkMessage): line is SdkResult {
  return line.type === 'result';
}

describe('a budget in dollars', () => {
  it('counts what a compaction spends, and ends the run before the next answer', async () => {
    const model = scriptedModel((request, count) => {
      if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
        return answer(say('## Intent\nContinue.'), usage({ output_tokens: 9_000 }));
      return answer(
        usage({ input_tokens: 1_000 + count * 400, output_tokens: 1 }),
        call('Look', { at: count }, `c${count}`),
      );
    });
    const events: LoopEvent['type'][] = [];
    const [result] = await submit({
      model,
      context: { windowOf: () => 20_000 },
      maxBudgetUsd: 9,
      price: (_model, { output_tokens: tokens }) => tokens / 1_000,
      onEvent: ({ type }) => events.push(type),
    });
    expect(result).toMatchObject({ subtype: 'error_max_budget_usd', terminal_reason: 'budget_exhausted' });
    expect(result?.total_cost_usd).toBeGreaterThanOrEqual(9);
    const { request } = model.calls.at(-1) ?? {};
    expect(JSON.stringify(request?.messages.last()?.content)).toContain(SUMMARY_MARK);
    expect(events).toContain('spent');
    model.assertNoViolations();
  });

  it('counts what a helper of the model spends, under its own name', async () => {
    const iterations = [{ type: 'advisor_message', model: 'advisor', input_tokens: 0, output_tokens: 50 }];
    const model = scriptedModel([
      [call('Look', {}, 'l1'), usage({ output_tokens: 1, iterations })],
      say('never'),
    ]);
    const [result] = await submit({
      model,
      maxBudgetUsd: 10,
      price: (name, { output_tokens: tokens }) => (name === 'advisor' ? tokens : 0.1),
    });
    expect(result).toMatchObject({
      terminal_reason: 'budget_exhausted',
      total_cost_usd: 50.1,
      modelUsage: { advisor: { costUSD: 50 } },
    });
    expect(model.calls).toHaveLength(1);
  });

  it('that is spent lets no later prompt begin an answer', async () => {
    const model = scriptedModel([say('One.'), say('never')]);
    const results = await submit({ model, maxBudgetUsd: 1, price: () => 1 }, ['one', 'two']);
    expect(results.map(({ subtype }) => subtype)).toEqual(['error_max_budget_usd', 'error_max_budget_usd']);
    expect(model.calls).toHaveLength(1);
  });

  it.each([
    ['the model', { price: () => undefined }],
    [
      'the model that may take over',
      { fallbackModel: 'other', price: (name: string) => (name === 'other' ? undefined : 1) },
    ],
  ])('refuses to start where the price of %s is unknown', async (_whose, options) => {
    const model = scriptedModel([say('never')]);
    const [result] = await submit({ model, maxBudgetUsd: 1, ...options });
    expect(result).toMatchObject({
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringContaining('unknown')],
    });
    expect(model.calls).toEqual([]);
  });
});

describe('a budget in tokens', () => {
  it('sends the model back to work until nine tenths of it are used', async () => {
    const model = scriptedModel((_request, count) =>
      answer(say(`Step ${count}.`), usage({ output_tokens: 1_000 })),
    );
    const [result] = await submit({ model, tokenBudget: 3_000 });
    expect(result).toMatchObject({ subtype: 'success', result: 'Step 3.', num_turns: 3 });
  });
});

describe('a budget for a task', () => {
  it('goes out with every request, with what is left of it', async () => {
    const model = scriptedModel([say('Done.')]);
    await submit({ model, taskBudget: { total: 5_000 } });
    expect(model.calls[0]?.request.options.taskBudget).toEqual({ total: 5_000, remaining: 5_000 });
  });
});

describe('a price', () => {
  it('is looked up while the first answer streams: neither before it is asked for nor after its end', async () => {
    const order: string[] = [];
    const scripted = scriptedModel([call('Look', {}, 'c1'), say('Hi.')]);
    const model: ModelPort = async function* (request, signal) {
      order.push('asked');
      for await (const record of scripted(request, signal)) {
        yield record;
        order.push(String(record.type));
      }
    };
    const loadPrice = () => {
      order.push('prices');
      return Promise.resolve(() => 0.5);
    };
    const [result] = await submit({ model, loadPrice });
    expect(order.slice(0, 3)).toEqual(['asked', 'prices', 'message_start']);
    expect(order.filter((what) => what === 'prices')).toHaveLength(1);
    expect(result?.total_cost_usd).toBe(1);
  });

  it('that the provider stated is not attributed to a price list, also after a resume', async () => {
    const reported = (costUsd?: number) =>
      answer(say('Hi.'), usage({ output_tokens: 1, ...omitUndefined({ cost_usd: costUsd }) }));
    const price = () => 0.02;
    const [first, second] = await submit({ model: scriptedModel([reported(0.02), reported()]), price }, [
      'go',
      'on',
    ]);
    expect(first?.modelUsage['scripted']).not.toHaveProperty('costBasis');
    expect(second?.modelUsage['scripted']).toMatchObject({ costUSD: 0.04, costBasis: 'list' });
  });
});
