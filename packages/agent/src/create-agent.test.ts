import { fakeTool, scriptedModel } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createAgent } from './create-agent.ts';

const options = { model: scriptedModel([]), modelName: 'any', tools: [], cwd: import.meta.dirname };
const tool = fakeTool({ name: 'Look' });

describe('createAgent', () => {
  it('takes options that can work', () => {
    expect(createAgent({ ...options, tools: [tool], maxTurns: 0, maxBudgetUsd: 0.01 }).sessionId).not.toBe(
      '',
    );
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['no model', { model: undefined }, 'model must be a model port: a function that streams an answer.'],
    ['a model without a name', { modelName: '' }, 'modelName must be the name of the model.'],
    ['no folder', { cwd: undefined }, 'cwd must be an existing folder, not undefined.'],
    ['a folder that does not exist', { cwd: '/no/such' }, 'cwd must be an existing folder, not "/no/such".'],
    [
      'a file as folder',
      { cwd: import.meta.filename },
      /^cwd must be an existing folder, not ".*"\.$/.source,
    ],
    ['no tools', { tools: undefined }, 'tools must be a list of tools.'],
    ['a tool without a name', { tools: [{ ...tool, name: '' }] }, 'Every tool must have a name.'],
    ['two tools of one name', { tools: [tool, tool] }, 'Two tools have the name Look.'],
    [
      'a tool without a schema',
      { tools: [{ ...tool, inputJSONSchema: undefined }] },
      'The tool Look must have an inputJSONSchema: the JSON Schema of its input.',
    ],
    [
      'a tool without a parser of its input',
      { tools: [{ ...tool, inputSchema: undefined }] },
      'The tool Look must have the method inputSchema.',
    ],
    ['negative turns', { maxTurns: -1 }, 'maxTurns must be a whole number of at least 0, not -1.'],
    ['endless turns', { maxTurns: Infinity }, 'maxTurns must be a whole number of at least 0, not Infinity.'],
    ['half a turn', { maxTurns: 0.5 }, 'maxTurns must be a whole number of at least 0, not 0.5.'],
    ['no output', { maxOutputTokens: 0 }, 'maxOutputTokens must be a whole number of at least 1, not 0.'],
    ['no money', { maxBudgetUsd: 0 }, 'maxBudgetUsd must be an amount over 0, not 0.'],
  ])('rejects %s with a sentence', (_name, wrong, sentence) => {
    const create = (): unknown => Reflect.apply(createAgent, undefined, [{ ...options, ...wrong }]);
    expect(create).toThrow(sentence.startsWith('^') ? new RegExp(sentence) : new TypeError(sentence));
  });
});
