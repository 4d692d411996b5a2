/** Subagents that start others: the limit of depth, one report each, budgets, aborts, frames and crashes. */
import { answer, call, fakeTool, hang, say, scriptedModel, usage } from '@heddle/testing';
import type { ModelRequest } from '@heddle/core';
import { cpSync, globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../agents/built-in.ts';
import { createAgent } from '../create-agent.ts';
import type { AgentOptions, SubagentSettings } from '../engine/options.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { newSession, resumeSession } from '../session/open/open.ts';
import { createSessionHome, sessionOf } from '../session/test/session-home.ts';

const look = fakeTool({ name: 'Look', result: 'a view' });

interface Given extends Partial<Omit<AgentOptions, 'model' | 'subagents'>>, Pick<AgentOptions, 'model'> {
  readonly subagents?: Partial<SubagentSettings>;
}

function agentWith({ subagents, ...more }: Given) {
  return createAgent({
    modelName: 'scripted',
    tools: [look],
    cwd: '/',
    subagents: { definitions: () => BUILT_IN_AGENTS, maxDepth: 2, ...subagents },
    ...more,
  });
}

async function linesOf(agent: ReturnType<typeof createAgent>): Promise<readonly SdkMessage[]> {
  const lines: SdkMessage[] = [];
  for await (const line of agent.submit('go')) lines.push(line);
  return lines;
}

const task = (id: string, more: object = {}) =>
  call('Agent', { description: `task ${id}`, prompt: `do ${id}`, ...more }, id);

const firstText = (request: ModelRequest): string => JSON.stringify([...request.messages][0]);

const toolsIn = (request: ModelRequest | undefined): readonly string[] =>
  request?.tools.map(({ name }) => name) ?? [];

function resultsFor(id: string, lines: readonly SdkMessage[]): readonly SdkMessage[] {
  return lines.filter(
    (line) => line.type === 'user' && JSON.stringify(line.message).includes(`"tool_use_id":"${id}"`),
  );
}

/** The main conversation starts t1, which starts t2, which calls Look. */
const threeLevels = () =>
  scriptedModel([
    task('t1'),
    task('t2'),
    call('Look', {}, 'l1'),
    say('Level two saw a view.'),
    say('Level one passes it on.'),
    say('Done.'),
  ]);

describe('the limit of depth', () => {
  it.each([
    ['by default', undefined, [false]],
    ['with 1', 1, [false]],
    ['with 2', 2, [true, false]],
    ['with 3', 3, [true, true, false]],
  ])('%s decides which subagents have the tool Agent', async (_name, maxDepth, expected) => {
    let depth = 0;
    const model = scriptedModel((request) => {
      const isFresh = request.messages.length === 1;
      return isFresh && toolsIn(request).includes('Agent') ? task(`t${++depth}`) : say('Report.');
    });
    await linesOf(agentWith({ model, subagents: { maxDepth } }));
    const fresh = model.calls.filter(({ request }) => request.messages.length === 1).slice(1);
    expect(fresh.map(({ request }) => toolsIn(request).includes('Agent'))).toEqual(expected);
    model.assertNoViolations();
  });

  it('gives no tool to a type that does not name it, and none to a fork', async () => {
    const model = scriptedModel([
      answer(task('t1', { subagent_type: 'Explore' })),
      say('Explored.'),
      answer(task('t2', { subagent_type: 'fork' })),
      task('t3'),
      say('I could not.'),
      say('Done.'),
    ]);
    const lines = await linesOf(agentWith({ model }));
    expect(toolsIn(model.calls[1]?.request)).not.toContain('Agent');
    expect(JSON.stringify(resultsFor('t3', lines))).toContain('Agent is not available to a subagent.');
  });
});

it('a subagent of a subagent reports to it once, and every line names the call above', async () => {
  const model = threeLevels();
  const lines = await linesOf(agentWith({ model }));
  expect(['t1', 't2', 'l1'].map((id) => resultsFor(id, lines).length)).toEqual([1, 1, 1]);
  expect(JSON.stringify(model.calls[4]?.request.messages.last())).toContain('Level two saw a view.');
  expect(lines.at(-1)).toMatchObject({ result: 'Done.' });
  const above = (name: string, id: string) =>
    lines.flatMap((line) =>
      line.type === 'assistant' &&
      line.message.content.some(
        (block) => block.type === 'tool_use' && block.name === name && block.id === id,
      )
        ? [line.parent_tool_use_id]
        : [],
    );
  expect([above('Agent', 't1'), above('Agent', 't2'), above('Look', 'l1')]).toEqual([[null], ['t1'], ['t2']]);
  const started = lines.flatMap((line) =>
    line.type === 'system' && line.subtype === 'task_started' ? [line] : [],
  );
  const [first, second] = started;
  expect(first).not.toHaveProperty('parent_task_id');
  expect(second).toMatchObject({ tool_use_id: 't2', spawn_depth: 2, parent_task_id: first?.task_id });
  expect(new Set(lines.map((line) => ('session_id' in line ? line.session_id : undefined))).size).toBe(1);
  model.assertNoViolations();
});

it('the tokens of all levels are charged to the conversation, so its budget stops them', async () => {
  let rounds = 0;
  const model = scriptedModel((request) => {
    const text = firstText(request);
    const next = text.includes('do t2') ? call('Look', { at: ++rounds }, `l${rounds}`) : undefined;
    return answer(
      usage({ output_tokens: 1_000 }),
      next ?? (text.includes('do t1') ? task('t2') : task('t1')),
    );
  });
  const price = (_model: string, { output_tokens: tokens }: { output_tokens: number }) => tokens / 1_000;
  const lines = await linesOf(agentWith({ model, maxBudgetUsd: 5, price }));
  expect(lines.at(-1)).toMatchObject({ subtype: 'error_max_budget_usd', total_cost_usd: 5 });
  expect(model.calls).toHaveLength(5);
});

it('an abort ends every level, and each call has one result', async () => {
  const model = scriptedModel([task('t1'), task('t2'), hang()]);
  const agent = agentWith({ model });
  const lines: SdkMessage[] = [];
  for await (const line of agent.submit('go')) {
    lines.push(line);
    const isDeep = line.type === 'system' && line.subtype === 'task_started' && line.tool_use_id === 't2';
    if (isDeep) queueMicrotask(() => agent.abort());
  }
  expect(['t1', 't2'].map((id) => resultsFor(id, lines).length)).toEqual([1, 1]);
  expect(lines.at(-1)).toMatchObject({ terminal_reason: 'aborted_tools' });
  expect(agent.subagents?.list()).toEqual([]);
});

it('a subagent waits for those that it starts, even if it asks for the background', async () => {
  const model = scriptedModel([
    task('t1'),
    task('t2', { run_in_background: true }),
    say('Deep report.'),
    say('Passed on.'),
    say('Done.'),
  ]);
  const lines = await linesOf(agentWith({ model }));
  expect(JSON.stringify(resultsFor('t2', lines))).toContain('Deep report.');
});

it('each depth has slots of its own, so subagents that wait for others do not block them', async () => {
  const ids = ['t1', 't2', 't3'];
  const model = scriptedModel((request) => {
    const text = firstText(request);
    const id = ids.find((one) => text.includes(`do ${one}"`));
    if (request.messages.length > 1) return say(id === undefined ? 'All done.' : `Report ${id}.`);
    if (text.includes('-below')) return say('Deep.');
    return id === undefined ? answer(...ids.map((one) => task(one))) : task(`${id}-below`);
  });
  const lines = await linesOf(agentWith({ model, subagents: { maxConcurrent: 1 } }));
  expect(ids.map((id) => resultsFor(`${id}-below`, lines).length)).toEqual([1, 1, 1]);
  expect(lines.at(-1)).toMatchObject({ result: 'All done.' });
});

it('the mode of a subagent is never wider than that of the one that started it', async () => {
  const change = fakeTool({ name: 'Change', readOnly: false });
  const careful = {
    name: 'careful',
    description: 'plans',
    prompt: 'You plan.',
    permissionMode: 'plan' as const,
    source: 'caller' as const,
  };
  const wide = {
    ...careful,
    name: 'wide',
    permissionMode: 'bypassPermissions' as const,
  };
  const model = scriptedModel([
    task('t1', { subagent_type: 'careful' }),
    task('t2', { subagent_type: 'wide' }),
    call('Change', {}, 'c1'),
    say('Not allowed.'),
    say('It could not.'),
    say('Done.'),
  ]);
  await linesOf(
    agentWith({
      model,
      tools: [change],
      permissionMode: 'bypassPermissions',
      subagents: { definitions: () => [careful, wide] },
    }),
  );
  expect(change.calls).toHaveLength(0);
});

it('a resumed session continues at the level that was cut off, and a stored report is not asked for again', async () => {
  const reports = ['Level two saw a view.', 'Level one passes it on.', 'Done.'];
  for (const finished of [0, 1, 2]) {
    const home = createSessionHome();
    const copy = createSessionHome();
    const session = sessionOf(newSession(home.setup, 's1'));
    const kill = () => {
      cpSync(path.dirname(home.file('s1')), path.dirname(copy.file('s1')), { recursive: true });
      return say('Too late.');
    };
    const steps = [task('t1'), task('t2'), ...reports.slice(0, finished).map((text) => say(text)), kill];
    await linesOf(agentWith({ model: scriptedModel([...steps, say('-'), say('-')]), session }));
    session.journal.close();
    const again = sessionOf(resumeSession(copy.setup, 's1'));
    const model = scriptedModel(reports.slice(finished).map((text) => say(text)));
    const lines: SdkMessage[] = [];
    for await (const line of agentWith({ model, session: again }).continue()) lines.push(line);
    expect(lines.at(-1), `${finished} reports before the kill`).toMatchObject({ result: 'Done.' });
    expect(model.calls, `${finished} reports before the kill`).toHaveLength(3 - finished);
    const folder = path.join(path.dirname(copy.file('s1')), 's1/subagents');
    expect(globSync('*.meta.json', { cwd: folder })).toHaveLength(2);
    model.assertNoViolations();
    again.journal.close();
  }
});

it('a subagent of a subagent is listed, shown and stopped by its id, and its parent continues', async () => {
  const model = scriptedModel((request) => {
    const text = firstText(request);
    if (text.includes('do t2')) return request.messages.length === 1 ? call('Look', {}, 'l1') : hang();
    const hasResult = JSON.stringify([...request.messages]).includes('"tool_result"');
    if (text.includes('do t1')) return hasResult ? say('It was stopped, so I stop.') : task('t2');
    return hasResult ? say('Done.') : task('t1');
  });
  const agent = agentWith({ model });
  const { subagents } = agent;
  const lines: SdkMessage[] = [];
  let listed: readonly (string | undefined)[] = [];
  for await (const line of agent.submit('go')) {
    lines.push(line);
    if (line.type !== 'user' || !JSON.stringify(line.message).includes('"l1"')) continue;
    const all = subagents?.list() ?? [];
    listed = all.map(({ record }) => record.parentId);
    const [outer, inner] = all.map(({ record }) => record.agentId);
    expect(listed).toEqual([undefined, outer]);
    expect(subagents?.output(inner ?? '')).toMatchObject({ isRunning: true });
    void subagents?.stop(inner ?? '', 'stopped by the user');
  }
  expect(listed).toHaveLength(2);
  expect(JSON.stringify(resultsFor('t2', lines))).toContain('The subagent was stopped before it finished.');
  expect(JSON.stringify(resultsFor('t1', lines))).toContain('It was stopped, so I stop.');
  expect(lines.at(-1)).toMatchObject({ result: 'Done.' });
  expect(subagents?.list()).toEqual([]);
});
