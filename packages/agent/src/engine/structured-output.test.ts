/** Answers of a required shape. */
import type { JsonObject } from '@heddle/core';
import { call, say, scriptedModel, type ScriptStep } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { SdkMessage, SdkResult } from '../sdk/message.ts';

const schema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer' } },
  required: ['city', 'people'],
  additionalProperties: false,
};

const good = { city: 'Bern', people: 134_000 };
const give = (input: JsonObject, id: string): ScriptStep => [call('StructuredOutput', input, id)];

async function submit(
  script: readonly ScriptStep[],
): Promise<{ result: SdkResult; requests: readonly string[] }> {
  const model = scriptedModel(script);
  const agent = createAgent({ model, modelName: 'scripted', tools: [], cwd: '/', outputSchema: schema });
  const lines: SdkMessage[] = [];
  for await (const line of agent.submit('how many?')) lines.push(line);
  model.assertNoViolations();
  const result = lines.at(-1);
  if (result?.type !== 'result') throw new Error('The last line is not a result.');
  return { result, requests: model.shapes() };
}

describe('an answer of a required shape', () => {
  it('ends the run at once and comes back as data', async () => {
    const { result, requests } = await submit([give(good, 's1')]);
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: false,
      structured_output: good,
      result: JSON.stringify(good),
      terminal_reason: 'completed',
    });
    expect(requests).toHaveLength(1);
  });

  it('may be wrong first: the model is told what is wrong, and tries again', async () => {
    const { result, requests } = await submit([
      give({ city: 'Bern', people: 'many' }, 's1'),
      give(good, 's2'),
    ]);
    expect(result).toMatchObject({ subtype: 'success', structured_output: good });
    expect(requests[1]).toContain('tool_result(s1)!');
  });

  it('is asked for when the model only talks', async () => {
    const { result, requests } = await submit([say('About 134,000.'), give(good, 's1')]);
    expect(result).toMatchObject({ subtype: 'success', structured_output: good });
    expect(requests).toHaveLength(2);
  });

  it('that never comes ends the run with a reason of its own', async () => {
    const talk = Array.from({ length: 6 }, () => say('I would rather not.'));
    const { result, requests } = await submit(talk);
    expect(result).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      is_error: true,
      terminal_reason: 'structured_output_retry_exhausted',
      errors: [expect.stringContaining('never gave an output of the required shape')],
    });
    expect(requests).toHaveLength(6);
  });

  it('that is always wrong ends it likewise', async () => {
    const wrong = Array.from({ length: 6 }, (_, index) => give({ city: `Bern ${index}` }, `s${index}`));
    const { result, requests } = await submit(wrong);
    expect(result.subtype).toBe('error_max_structured_output_retries');
    expect(requests).toHaveLength(6);
  });

  it('of one prompt is not taken for that of the next', async () => {
    const model = scriptedModel([give(good, 's1'), give({ ...good, city: 'Basel' }, 's2')]);
    const agent = createAgent({ model, modelName: 'scripted', tools: [], cwd: '/', outputSchema: schema });
    const outputs: unknown[] = [];
    for (const prompt of ['one', 'two'])
      for await (const line of agent.submit(prompt))
        if (line.type === 'result') outputs.push(line.structured_output);
    expect(outputs).toEqual([good, { ...good, city: 'Basel' }]);
    model.assertNoViolations();
  });
});
