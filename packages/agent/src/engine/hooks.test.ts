/** The input that the engine gives to hooks of a host. */
import { call, fakeTool, say, scriptedModel } from '@heddle/testing';
import { expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import { resumeSession } from '../session/open/open.ts';
import { callOf, createSessionHome, intentOf, sessionOf, user } from '../session/test/session-home.ts';

it('the signal of a hook before a compaction aborts when the compaction is cancelled', async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const agent = createAgent({
    model: scriptedModel([say('Hello.')]),
    modelName: 'scripted',
    tools: [],
    cwd: '/',
    hooks: {
      compaction: {
        before: async (_about, signal) => {
          asked.resolve(signal);
          await new Promise((resolve) => {
            signal.addEventListener('abort', resolve, { once: true });
          });
          return {};
        },
        after: () => Promise.resolve(),
      },
    },
  });
  for await (const _line of agent.submit('go'));
  const compacting = agent.compact();
  const signal = await asked.promise;
  expect(signal.aborted).toBe(false);
  agent.abort();
  expect(await compacting).toMatchObject({ ok: false, reason: 'aborted' });
});

it('a hook after a call is given what the tool gave, and not only its words', async () => {
  const given: unknown[] = [];
  const agent = createAgent({
    model: scriptedModel([call('Look', {}, 'l1'), say('Done.')]),
    modelName: 'scripted',
    tools: [fakeTool({ name: 'Look', run: () => 'a view' })],
    cwd: '/',
    hooks: {
      tools: {
        after: (_call, { content, data }) => {
          given.push(content, data);
          return Promise.resolve({});
        },
      },
    },
  });
  const reported: unknown[] = [];
  for await (const line of agent.submit('go')) if (line.type === 'user') reported.push(line.tool_use_result);
  expect(given).toEqual(['a view', ...reported]);
  expect(given[1]).toBeDefined();
});

it('a hook around a call that a crash left open is asked again, and may end the run before the model is asked', async () => {
  const home = createSessionHome();
  const crashed = home.begin('s1');
  for (const body of [user('u1'), callOf('a1', 'c1'), intentOf('c1', 'read_only')])
    crashed.journal.append(body);
  crashed.journal.close();
  const model = scriptedModel([say('never')]);
  const asked: string[] = [];
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [fakeTool({ name: 'Bash', run: () => 'a view' })],
    cwd: '/',
    session: sessionOf(resumeSession(home.setup, 's1')),
    hooks: {
      tools: {
        before: ({ toolUseId }) => {
          asked.push(toolUseId);
          return Promise.resolve({ decision: 'deny', stop: { hook: 'PreToolUse', message: 'Enough.' } });
        },
      },
    },
  });
  const results: string[] = [];
  for await (const line of agent.submit('continue'))
    if (line.type === 'result') results.push(line.terminal_reason ?? '');
  expect(asked).toEqual(['c1']);
  expect(results).toEqual(['hook_stopped']);
  expect(model.calls).toHaveLength(0);
});
