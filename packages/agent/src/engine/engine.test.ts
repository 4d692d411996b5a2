import { call, fail, fakeTool, say, scriptedModel, type ScriptedModel, usage } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import { memorySession } from '../session/open/memory.ts';
import type { SdkMessage, SdkResult } from '../sdk/message.ts';
import type { AgentOptions } from './options.ts';

function options(model: ScriptedModel, more: Partial<AgentOptions> = {}): AgentOptions {
  const tools = [fakeTool({ name: 'Look' }), fakeTool({ name: 'Change', readOnly: false })];
  return { model, modelName: 'scripted', tools, cwd: '/', ...more };
}

async function submit(
  given: AgentOptions,
  prompt = 'go',
): Promise<{ lines: SdkMessage[]; result: SdkResult }> {
  const lines: SdkMessage[] = [];
  for await (const line of createAgent(given).submit(prompt)) lines.push(line);
  const result = lines.at(-1);
  if (result?.type !== 'result') throw new Error('The last line is not a result.');
  return { lines, result };
}

describe('an agent', () => {
  it('ends each prompt with exactly one result, last', async () => {
    const { lines, result } = await submit(options(scriptedModel([say('Hello.')])));
    expect(lines.map((line) => line.type)).toEqual(['system', 'assistant', 'result']);
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'Hello.',
      terminal_reason: 'completed',
    });
  });

  it('remembers the conversation from one prompt to the next', async () => {
    const model = scriptedModel([say('One.'), say('Two.')]);
    const agent = createAgent(options(model));
    for (const prompt of ['first', 'second']) for await (const _ of agent.submit(prompt)) void _;
    expect(model.shapes()[1]).toMatch(/user:text(\[m\])? \| assistant:text \| user:text\[m\]$/);
    model.assertNoViolations();
  });

  it('denies a call that needs a question if no user can answer, and reports it', async () => {
    const model = scriptedModel([call('Change', {}, 'c1'), say('Then not.')]);
    const { lines, result } = await submit(options(model));
    expect(JSON.stringify(lines)).toContain('There is no user to ask');
    expect(result.permission_denials).toEqual([{ tool_name: 'Change', tool_use_id: 'c1', tool_input: {} }]);
  });

  it('asks the host, who may change the input', async () => {
    const change = fakeTool({ name: 'Change', readOnly: false });
    const model = scriptedModel([call('Change', { to: 'a' }, 'c1'), say('Done.')]);
    const given = options(model, {
      tools: [change],
      canUseTool: () => Promise.resolve({ allow: true, updatedInput: { to: 'b' } }),
    });
    await submit(given);
    expect(change.calls.map(({ input }) => input)).toEqual([{ to: 'b' }]);
  });

  it('holds an input that the host changed against the rules', async () => {
    const bash = fakeTool({ name: 'Bash', readOnly: false });
    const model = scriptedModel([call('Bash', { command: 'touch a' }, 'b1'), say('Then not.')]);
    const asked: string[] = [];
    const given = options(model, {
      tools: [bash],
      rules: { deny: [{ text: 'Bash(rm:*)', source: 'user' }], ask: [], allow: [] },
      canUseTool: ({ toolUseId }) => {
        asked.push(toolUseId);
        return Promise.resolve({ allow: true, updatedInput: { command: 'rm -rf /' } });
      },
    });
    const { result } = await submit(given);
    expect(asked).toEqual(['b1']);
    expect(bash.calls).toEqual([]);
    expect(result.permission_denials).toMatchObject([{ tool_input: { command: 'rm -rf /' } }]);
  });

  it('tells of an API error as its result, with the status', async () => {
    const { result } = await submit(options(scriptedModel([fail('auth')])));
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: true,
      terminal_reason: 'api_error',
      api_error_status: 401,
    });
    expect(result.result).not.toBe('');
  });

  it('stops at the turn limit', async () => {
    const given = options(scriptedModel([call('Look', {}, 'l1'), say('never')]), { maxTurns: 1 });
    const { result } = await submit(given);
    expect(result).toMatchObject({
      subtype: 'error_max_turns',
      is_error: true,
      terminal_reason: 'max_turns',
    });
    expect(result).toMatchObject({ errors: ['Reached maximum number of turns (1)'], num_turns: 2 });
  });

  it('stops once the budget is spent, and closes the calls that were open', async () => {
    const session = memorySession('s', () => 0);
    const look = fakeTool({ name: 'Change', readOnly: false });
    const model = scriptedModel([[call('Change', {}, 'c1'), usage({ output_tokens: 100 })], say('never')]);
    const given = options(model, { tools: [look], session, maxBudgetUsd: 1, price: () => 2 });
    const { result } = await submit(given);
    expect(result).toMatchObject({
      subtype: 'error_max_budget_usd',
      terminal_reason: 'budget_exhausted',
      total_cost_usd: 2,
    });
    expect(look.calls).toEqual([]);
    expect(model.calls).toHaveLength(1);
    const stored = session.journal.entries.map((entry) => entry.type);
    expect(stored.slice(-3)).toEqual(['outcome', 'user', 'end']);
  });

  it('reports an unknown price as unknown', async () => {
    const { result } = await submit(options(scriptedModel([say('Hello.')])));
    expect(result).toMatchObject({
      total_cost_usd: null,
      modelUsage: { scripted: { costUSD: null, costBasis: 'unknown' } },
    });
  });

  it('ends an aborted turn with a result', async () => {
    const agent = createAgent(options(scriptedModel([call('Look', {}, 'l1'), say('never')])));
    const lines: SdkMessage[] = [];
    for await (const line of agent.submit('go')) {
      lines.push(line);
      if (line.type === 'assistant') agent.abort();
    }
    expect(lines.at(-1)).toMatchObject({ type: 'result', subtype: 'error_during_execution', is_error: true });
  });
});
