/** Subagents through the public interface: one report each, in their own context, within the parent's limits. */
import { answer, call, fakeTool, hang, say, scriptedModel, usage } from '@heddle/testing';
import type { ModelRequest } from '@heddle/core';
import { globSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../agents/built-in.ts';
import { createAgent } from '../create-agent.ts';
import type { AgentOptions } from '../engine/options.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { newSession } from '../session/open/open.ts';
import { createSessionHome, sessionOf } from '../session/test/session-home.ts';

const look = fakeTool({ name: 'Look', result: 'a view' });

function options(more: Partial<AgentOptions> & Pick<AgentOptions, 'model'>): AgentOptions {
  return {
    modelName: 'scripted',
    tools: [look],
    cwd: '/',
    subagents: { definitions: () => BUILT_IN_AGENTS },
    ...more,
  };
}

async function submit(given: AgentOptions, prompt = 'go'): Promise<readonly SdkMessage[]> {
  const lines: SdkMessage[] = [];
  for await (const line of createAgent(given).submit(prompt)) lines.push(line);
  return lines;
}

const task = (id: string, more: object = {}) =>
  call('Agent', { description: `task ${id}`, prompt: `do ${id}`, ...more }, id);

/** The last user text of a request tells whose request it is. */
function isChild(request: ModelRequest): boolean {
  return JSON.stringify(request.system).includes('subagent of Heddle');
}

/** The time that the first request takes to load its modules. */
const START_MS = 3_000;

function resultsFor(toolUseId: string, lines: readonly SdkMessage[]): readonly SdkMessage[] {
  return lines.filter(
    (line) => line.type === 'user' && JSON.stringify(line.message).includes(`"tool_use_id":"${toolUseId}"`),
  );
}

function idIn(request: ModelRequest): string {
  return /agentId: (\w+)/.exec(JSON.stringify([...request.messages]))?.[1] ?? '';
}

function kindOf(line: SdkMessage): string {
  return line.type === 'system' ? line.subtype : line.type;
}

describe('a subagent', () => {
  it('works in a context of its own and returns one report', async () => {
    const model = scriptedModel([
      task('t1'),
      call('Look', {}, 'l1'),
      say('It is green.'),
      say('The report says green.'),
    ]);
    const lines = await submit(options({ model }));
    expect(lines.map(kindOf)).toEqual([
      'init',
      'assistant',
      'task_started',
      'user',
      'task_progress',
      'assistant',
      'user',
      'task_updated',
      'task_notification',
      'user',
      'assistant',
      'result',
    ]);
    expect(lines.at(-1)).toMatchObject({ result: 'The report says green.' });
    expect(
      lines.filter((line) => 'parent_tool_use_id' in line && line.parent_tool_use_id === 't1'),
    ).toHaveLength(3);
    const [, child, , parent] = model.calls;
    expect(JSON.stringify(child?.request.messages.last())).toContain('do t1');
    expect(child?.request.messages.length).toBe(1);
    expect(JSON.stringify(parent?.request.messages.last())).toContain('It is green.');
    model.assertNoViolations();
  });

  it('is charged to the budget of its parent while it runs', async () => {
    const model = scriptedModel((request, count) =>
      isChild(request)
        ? answer(usage({ output_tokens: 1_000 }), call('Look', { at: count }, `l${count}`))
        : answer(usage({ output_tokens: 1_000 }), task('t1')),
    );
    const price = (_model: string, { output_tokens: tokens }: { output_tokens: number }) => tokens / 1_000;
    const lines = await submit(options({ model, maxBudgetUsd: 4, price }));
    expect(lines.at(-1)).toMatchObject({ subtype: 'error_max_budget_usd', total_cost_usd: 4 });
    expect(model.calls).toHaveLength(4);
  });

  it('ends with its parent, and the call has one result', async () => {
    const model = scriptedModel([task('t1'), hang()]);
    const agent = createAgent(options({ model }));
    const lines: SdkMessage[] = [];
    const startedAt = performance.now();
    for await (const line of agent.submit('go')) {
      lines.push(line);
      if (line.type === 'system' && line.subtype === 'task_started') queueMicrotask(() => agent.abort());
    }
    expect(performance.now() - startedAt).toBeLessThan(1_000 + START_MS);
    expect(lines.map(kindOf)).toContain('task_notification');
    expect(resultsFor('t1', lines)).toHaveLength(1);
    expect(lines.at(-1)).toMatchObject({ terminal_reason: 'aborted_tools' });
  });

  it('asks the user of its parent, and names itself', async () => {
    const change = fakeTool({ name: 'Change', readOnly: false });
    const model = scriptedModel([task('t1'), call('Change', {}, 'c1'), say('Changed.'), say('Done.')]);
    const asked: unknown[] = [];
    await submit(
      options({
        model,
        tools: [change],
        canUseTool: ({ tool, agentId }) => {
          asked.push([tool, agentId]);
          return Promise.resolve({ allow: true });
        },
      }),
    );
    expect(asked).toEqual([['Change', expect.stringMatching(/^a[0-9a-f]{16}$/)]]);
    expect(change.calls).toHaveLength(1);
  });

  it('has the tools of its definition, and never a wider mode than its parent', async () => {
    const change = fakeTool({ name: 'Change', readOnly: false });
    const definition = {
      name: 'fixer',
      description: 'fixes',
      prompt: 'You are a subagent of Heddle. Fix.',
      tools: ['Change'],
      permissionMode: 'bypassPermissions' as const,
      source: 'caller' as const,
    };
    const model = scriptedModel([
      task('t1', { subagent_type: 'fixer' }),
      call('Change', {}, 'c1'),
      say('Not allowed.'),
      say('Done.'),
    ]);
    await submit(options({ model, tools: [look, change], subagents: { definitions: () => [definition] } }));
    expect(model.calls[1]?.request.tools.map(({ name }) => name)).toEqual(['Change']);
    expect(change.calls).toHaveLength(0);
  });

  it('reports the types that exist if the type is unknown', async () => {
    const model = scriptedModel([task('t1', { subagent_type: 'wizard' }), say('Hm.')]);
    const lines = await submit(options({ model }));
    expect(JSON.stringify(resultsFor('t1', lines))).toContain('general-purpose, Explore, Plan');
  });

  it('keeps its transcript beside that of its parent, and continues with a message', async () => {
    const home = createSessionHome();
    const session = sessionOf(newSession(home.setup, 's1'));
    const model = scriptedModel([
      task('t1'),
      say('Part one.'),
      (request) => call('SendMessage', { to: idIn(request), message: 'And part two?' }, 'm1'),
      say('Part two.'),
      say('Both parts.'),
    ]);
    const lines = await submit(options({ model, session }));
    expect(JSON.stringify(resultsFor('m1', lines))).toContain('Part two.');
    expect(model.calls[3]?.request.messages.length).toBe(3);
    const files = globSync('s1/subagents/*', { cwd: path.dirname(home.file('s1')) });
    expect(files.map((file) => path.basename(file)).toSorted()).toEqual([
      expect.stringMatching(/^agent-a\w+\.jsonl$/),
      expect.stringMatching(/^agent-a\w+\.meta\.json$/),
    ]);
    session.journal.close();
  });
});

it('the hooks of a subagent name it, may add to its task, and may let it continue', async () => {
  const seen: unknown[] = [];
  let blocks = 1;
  const model = scriptedModel([
    task('t1'),
    call('Look', {}, 'l1'),
    say('Half done.'),
    say('All done.'),
    say('Thanks.'),
  ]);
  const forSubagent = (agent: { readonly type: string }) => ({
    subagentStart: () => Promise.resolve('Mind the gap.'),
    tools: {
      before: ({ tool }: { readonly tool: string }) => {
        seen.push(['before', tool, agent.type]);
        return Promise.resolve({});
      },
    },
    stop: () => Promise.resolve(blocks-- > 0 ? { block: 'Finish it.' } : {}),
  });
  const lines = await submit(options({ model, hooks: { forSubagent } }));
  expect(seen).toEqual([['before', 'Look', 'general-purpose']]);
  expect(JSON.stringify(model.calls[1]?.request.messages.last())).toContain('Mind the gap.');
  expect(JSON.stringify(model.calls[3]?.request.messages.last())).toContain('Finish it.');
  expect(JSON.stringify(resultsFor('t1', lines))).toContain('All done.');
});

it('a question of a subagent names its task', async () => {
  const model = scriptedModel([task('t1'), call('Change', {}, 'c1'), say('Changed.'), say('Done.')]);
  const change = fakeTool({ name: 'Change', readOnly: false });
  const asked: unknown[] = [];
  const canUseTool: AgentOptions['canUseTool'] = (question) => {
    asked.push(question);
    return Promise.resolve({ allow: true });
  };
  await submit(options({ model, tools: [change], canUseTool }));
  expect(asked).toMatchObject([
    { tool: 'Change', agentId: expect.stringMatching(/^a/), agentDescription: 'task t1' },
  ]);
});

describe('several subagents', () => {
  it('run at the same time up to the limit, and each has one result', async () => {
    const ids = ['t1', 't2', 't3', 't4', 't5'];
    let running = 0;
    let most = 0;
    const work = fakeTool({
      name: 'Look',
      run: async () => {
        most = Math.max(most, ++running);
        await setImmediate();
        running--;
        return 'seen';
      },
    });
    const model = scriptedModel((request, count) => {
      if (!isChild(request)) return count === 1 ? answer(...ids.map((id) => task(id))) : say('All done.');
      return request.messages.length === 1 ? call('Look', {}, `l${count}`) : say(`Report ${count}.`);
    });
    const lines = await submit(
      options({
        model,
        tools: [work],
        subagents: { definitions: () => BUILT_IN_AGENTS, maxConcurrent: 2 },
      }),
    );
    expect(ids.map((id) => resultsFor(id, lines).length)).toEqual([1, 1, 1, 1, 1]);
    expect(most).toBeLessThanOrEqual(2);
    expect(lines.at(-1)).toMatchObject({ result: 'All done.' });
  });
});

it('a subagent that finished behind a running one keeps its report when the budget is used up', async () => {
  const model = scriptedModel((request, count) => {
    const text = JSON.stringify([...request.messages]);
    if (!isChild(request)) return answer(usage({ output_tokens: 1 }), task('t1'), task('t2'), task('t3'));
    if (text.includes('do t1')) return hang();
    if (text.includes('do t2')) return answer(usage({ output_tokens: 1 }), say('The report of t2.'));
    // The third one works until the budget is used up.
    return answer(usage({ output_tokens: 1 }), call('Look', {}, `l${count}`));
  });
  const agent = createAgent(
    options({ model, maxBudgetUsd: 8, price: (_model, { output_tokens: tokens }) => tokens }),
  );
  const lines: SdkMessage[] = [];
  for await (const line of agent.submit('go')) lines.push(line);
  expect(lines.at(-1)).toMatchObject({ subtype: 'error_max_budget_usd' });
  expect(['t1', 't2', 't3'].map((id) => resultsFor(id, lines).length)).toEqual([1, 1, 1]);
  expect(JSON.stringify(resultsFor('t2', lines))).toContain('The report of t2.');
  expect(JSON.stringify(resultsFor('t1', lines))).toContain('Reached maximum budget');
  const texts = JSON.stringify([...agent.messages]);
  expect(texts).not.toContain('interrupted by');
  const ends = lines.filter((line) => kindOf(line) === 'task_notification');
  expect(ends).toHaveLength(3);
});

describe('a subagent in the background', () => {
  it('returns at once, and its report arrives exactly once', async () => {
    const model = scriptedModel((request, count) => {
      if (isChild(request)) return say('Found it.');
      return count === 1 ? task('t1', { run_in_background: true }) : say('Fine.');
    });
    const forwarded: SdkMessage[] = [];
    const ended = Promise.withResolvers<void>();
    const agent = createAgent(
      options({
        model,
        subagents: {
          definitions: () => BUILT_IN_AGENTS,
          onLine: (line) => {
            forwarded.push(line);
            if (kindOf(line) === 'task_notification') ended.resolve();
          },
        },
      }),
    );
    const lines: SdkMessage[] = [];
    for await (const line of agent.submit('go')) lines.push(line);
    await ended.promise;
    for await (const line of agent.submit('and?')) lines.push(line);
    for await (const line of agent.submit('more?')) lines.push(line);
    expect(JSON.stringify(resultsFor('t1', lines))).toContain('runs in the background');
    expect(forwarded.map(kindOf)).toEqual(['task_started', 'user', 'task_updated', 'task_notification']);
    const reports = [...agent.messages].filter((message) => JSON.stringify(message).includes('Found it.'));
    expect(reports).toHaveLength(1);
    model.assertNoViolations();
  });
});
