import { contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { type AskDeps, createAskTool } from './ask-user-question.ts';

const questions = [{ question: 'Which one?', header: 'Choice', options: [{ label: 'A' }, { label: 'B' }] }];

async function ask(deps: AskDeps, signal?: AbortSignal) {
  const tool = createAskTool(deps);
  const context = { ...contextOf(signal ? { signal } : {}), toolUseId: 'q1' };
  const { data } = await tool.call({ questions }, context, () => undefined);
  return tool.toResult(data).content;
}

describe('AskUserQuestion', () => {
  it('returns each question with its answer', async () => {
    expect(await ask({ askUser: () => Promise.resolve({ 'Which one?': 'B' }) })).toBe('Which one?\n→ B');
    expect(await ask({ askUser: () => Promise.resolve({}) })).toBe('Which one?\n→ (no answer)');
    expect(await ask({ askUser: () => Promise.resolve(undefined) })).toBe('The user did not want to answer.');
  });

  it('uses the answers that came with the permission, several choices as a list', async () => {
    const tool = createAskTool();
    const input = { questions, answers: { 'Which one?': ['A', 'B'] } };
    expect((await tool.inputSchema()).safeParse(input).success).toBe(true);
    expect(JSON.stringify(tool.inputJSONSchema)).not.toContain('answers');
    const { data } = await tool.call(input, { ...contextOf(), toolUseId: 'q1' }, () => undefined);
    expect(tool.toResult(data).content).toBe('Which one?\n→ A, B');
  });

  it('reports that there is no user', async () => {
    await expect(ask({})).rejects.toThrow(/There is no user to ask/);
  });

  it('ends with an abort, even if the host ignores its signal', async () => {
    const controller = new AbortController();
    const never = Promise.withResolvers<undefined>();
    const asking = ask({ askUser: () => never.promise }, controller.signal);
    controller.abort();
    await expect(asking).rejects.toThrow(/Interrupted/);
  });

  it.each([
    {},
    { questions: [] },
    { questions: [{ question: 'x', header: 'y', options: [{ label: 'a' }] }] },
    { questions: [{ question: '', header: 'y', options: [{ label: 'a' }, { label: 'b' }] }] },
    { questions: 'x' },
  ])('rejects the input %j', async (input) => {
    expect((await createAskTool().inputSchema()).safeParse(input).success).toBe(false);
  });
});
