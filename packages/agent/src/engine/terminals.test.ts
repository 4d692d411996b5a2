/** The table of results: every way a run can end, and how it reads for a client. */
import type { JsonObject, ModelPort, TerminalReason } from '@heddle/core';
import { call, fail, fakeTool, hang, say, type Script, scriptedModel, usage } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { SdkMessage, SdkResult } from '../sdk/message.ts';
import type { AgentOptions } from './options.ts';

interface Row {
  /** The script of the model. */
  readonly script: Script | ModelPort;
  readonly options?: Partial<AgentOptions>;
  /** Aborts the run when this kind of line is seen. */
  readonly abortAt?: SdkMessage['type'];
  readonly subtype: SdkResult['subtype'];
  readonly isError: boolean;
  readonly word: string;
  /** In the text of the result, or in its errors where it has none. */
  readonly says: RegExp;
}

const look = fakeTool({ name: 'Look' });
const again = Array.from({ length: 12 }, (_, index) => call('Look', {}, `l${index}`));
const throwing: ModelPort = () => {
  throw new Error('a bug of ours');
};

const TABLE: Readonly<Record<TerminalReason, Row>> = {
  completed: {
    script: [say('Done.')],
    subtype: 'success',
    isError: false,
    word: 'completed',
    says: /^Done\.$/,
  },
  api_error: {
    script: [fail('auth')],
    subtype: 'success',
    isError: true,
    word: 'api_error',
    says: /invalid x-api-key/,
  },
  prompt_too_long: {
    script: [fail('overflow')],
    subtype: 'success',
    isError: true,
    word: 'prompt_too_long',
    says: /prompt is too long/,
  },
  image_error: {
    script: [fail('media')],
    subtype: 'success',
    isError: true,
    word: 'image_error',
    says: /image exceeds 5 MB/,
  },
  blocking_limit: {
    script: [],
    options: {
      context: { windowOf: () => 100 },
      config: { gates: { autoCompact: false, reactiveCompact: false } },
    },
    subtype: 'success',
    isError: true,
    word: 'blocking_limit',
    says: /no longer fits the model's context window/,
  },
  max_turns: {
    script: [call('Look', {}, 'l1')],
    options: { maxTurns: 1 },
    subtype: 'error_max_turns',
    isError: true,
    word: 'max_turns',
    says: /^Reached maximum number of turns \(1\)$/,
  },
  max_budget_usd: {
    script: [[call('Look', {}, 'l1'), usage({ output_tokens: 10 })]],
    options: { maxBudgetUsd: 0.5, price: () => 1 },
    subtype: 'error_max_budget_usd',
    isError: true,
    word: 'budget_exhausted',
    says: /Reached maximum budget \(\$0\.5\)/,
  },
  aborted_streaming: {
    script: [[say('One moment.'), hang()]],
    abortAt: 'assistant',
    subtype: 'error_during_execution',
    isError: true,
    word: 'aborted_streaming',
    says: /interrupted while the model was answering/,
  },
  aborted_tools: {
    script: [call('Look', {}, 'l1'), say('never')],
    abortAt: 'user',
    subtype: 'error_during_execution',
    isError: true,
    word: 'aborted_tools',
    says: /interrupted while tools were running/,
  },
  model_error: {
    script: throwing,
    subtype: 'error_during_execution',
    isError: true,
    word: 'model_error',
    says: /a bug of ours/,
  },
  stop_hook_prevented: {
    script: [say('Done, I think.')],
    options: { hooks: { stop: () => Promise.resolve({ prevent: 'not on a Sunday' }) } },
    subtype: 'success',
    isError: false,
    word: 'stop_hook_prevented',
    says: /Done, I think/,
  },
  hook_stopped: {
    script: [[say('Let me look.'), call('Look', {}, 'l1')], say('never')],
    options: {
      hooks: { tools: { after: () => Promise.resolve({ stop: { hook: 'h', message: 'enough' } }) } },
    },
    subtype: 'success',
    isError: false,
    word: 'hook_stopped',
    // Its last answer was a call: there is no answer to report.
    says: /^$/,
  },
  repetition_stopped: {
    script: again,
    subtype: 'error_during_execution',
    isError: true,
    word: 'repetition_stopped',
    says: /kept giving the same results: Look/,
  },
};

const rows = Object.entries(TABLE).map(([reason, row]) => Object.assign({ reason }, row));

describe('the result of a run', () => {
  it.each(rows)('that ended with $reason is $subtype, $word', async (row) => {
    const lines = await linesOf(row);
    expect(lines.filter(({ type }) => type === 'result')).toHaveLength(1);
    const result = lines.at(-1);
    expect(result).toMatchObject({
      type: 'result',
      subtype: row.subtype,
      is_error: row.isError,
      terminal_reason: row.word,
    });
    expect(result?.type === 'result' ? (result.errors?.join('\n') ?? result.result) : '').toMatch(row.says);
    expect(result).toHaveProperty(row.subtype === 'success' ? 'result' : 'errors');
  });

  it('counts a request that the API refused as a turn, but not one that was never sent', async () => {
    const turns: Record<string, number | undefined> = {};
    for (const reason of ['api_error', 'prompt_too_long', 'image_error', 'blocking_limit'] as const) {
      const result = (await linesOf(TABLE[reason])).at(-1);
      turns[reason] = result?.type === 'result' ? result.num_turns : undefined;
    }
    expect(turns).toEqual({ api_error: 1, prompt_too_long: 1, image_error: 1, blocking_limit: 0 });
  });
});

describe('a run that cannot begin', () => {
  const schema: JsonObject = { type: 'no such type' };
  it.each([
    ['a budget without a price', { maxBudgetUsd: 1 }, /The price of scripted is unknown/],
    ['an invalid schema', { outputSchema: schema }, /The output schema is invalid/],
  ])('for %s says so in its only line, and asks no model', async (_why, options, says) => {
    const model = scriptedModel([say('never')]);
    const lines = await runOf(model, options);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
      num_turns: 0,
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringMatching(says)],
    });
    expect(model.calls).toEqual([]);
  });
});

async function linesOf({ script, options, abortAt }: Row): Promise<SdkMessage[]> {
  if (script === throwing) return runOf(throwing, options, abortAt);
  const model = scriptedModel(script as Script);
  const lines = await runOf(model, options, abortAt);
  model.assertNoViolations();
  return lines;
}

async function runOf(
  model: ModelPort,
  options: Partial<AgentOptions> = {},
  abortAt?: SdkMessage['type'],
): Promise<SdkMessage[]> {
  const agent = createAgent({ model, modelName: 'scripted', tools: [look], cwd: '/', ...options });
  const lines: SdkMessage[] = [];
  for await (const line of agent.submit('go')) {
    lines.push(line);
    if (line.type === abortAt) agent.abort();
  }
  return lines;
}
