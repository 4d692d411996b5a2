import { answer, call, fakeTool, say, scriptedModel, usage } from '@heddle/testing';
import { SUMMARY_MARK } from '@heddle/context';
import { expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';

it('compacts during a run, charges it, and continues', async () => {
  const model = scriptedModel((request, count) => {
    if (JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK))
      return answer(say('## Intent\nContinue.'));
    if (count > 40) return answer(say('Done.'));
    return answer(usage({ input_tokens: 1_000 + count * 400 }), call('Look', { at: count }, `c${count}`));
  });
  const tools = [
    fakeTool({ name: 'Look', compactable: true, run: (_input, _context, at) => `seen ${at} `.repeat(300) }),
  ];
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools,
    cwd: '/',
    context: { windowOf: () => 20_000 },
  });
  const lines = [];
  for await (const line of agent.submit('go')) lines.push(line);
  expect(lines.at(-1)).toMatchObject({ subtype: 'success' });
  expect(
    model.calls.filter(({ request }) => JSON.stringify([...request.messages]).includes(SUMMARY_MARK)).length,
  ).toBeGreaterThan(0);
  model.assertNoViolations();
});
