/** Each field of a definition, by its effect on a subagent. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { call, fakeTool, say, type Script, scriptedModel } from '@heddle/testing';
import type { ModelRequest } from '@heddle/core';
import { Secrets } from '@heddle/models/secrets';
import { createToolSearchTool } from '@heddle/tools';
import { describe, expect, it } from 'vitest';
import { type AgentDefinition, agentHasTool, decodeAgent } from '../agents/definition.ts';
import { createAgent } from '../create-agent.ts';
import type { AgentOptions } from '../engine/options.ts';
import { createAgentHooks } from '../hooks/agent-hooks.ts';
import { HookRunner } from '../hooks/hook-runner.ts';

const PROMPT = 'You are the worker.';
const look = fakeTool({ name: 'Look', result: 'a view' });
const search = fakeTool({ name: 'mcp__github__search', result: 'found' });
const change = fakeTool({ name: 'Change', readOnly: false });

function worker(fields: object): AgentDefinition {
  const given = { description: 'works', prompt: PROMPT, ...fields };
  const { definition, problems } = decodeAgent(given, { name: 'worker', source: 'caller' });
  expect(problems).toEqual([]);
  if (!definition) throw new Error('The definition cannot be used.');
  return definition;
}

const isChild = (request: ModelRequest): boolean => JSON.stringify(request.system).includes(PROMPT);

/** Runs one task of the worker. Returns the requests of the subagent. */
async function runTask(
  fields: object,
  child: (request: ModelRequest, count: number) => ReturnType<Extract<Script, (...given: never) => unknown>>,
  { subagents, ...more }: Partial<AgentOptions> = {},
): Promise<readonly ModelRequest[]> {
  const definition = worker(fields);
  const input = { description: 'a task', prompt: 'do it', subagent_type: 'worker' };
  let calls = 0;
  const model = scriptedModel((request, count) => {
    if (isChild(request)) return child(request, ++calls);
    return count === 1 ? call('Agent', input, 't1') : say('Done.');
  });
  const agent = createAgent({
    model,
    modelName: 'claude-opus-4-5',
    tools: [look, change],
    deferredTools: () => [search],
    cwd: '/',
    ...more,
    subagents: { ...subagents, definitions: () => [definition] },
  });
  for await (const line of agent.submit('go')) void line;
  await agent.settle();
  model.assertNoViolations();
  return model.calls.map(({ request }) => request).filter(isChild);
}

const toolsOf = ([request]: readonly ModelRequest[]): unknown => request?.tools.map(({ name }) => name);
const finish = () => say('Finished.');

describe('the field', () => {
  it.each([
    ['tools', { tools: 'Look' }, ['Look']],
    ['disallowedTools', { disallowedTools: ['Change'] }, ['Look']],
    [
      'mcpServers, beside tools',
      { tools: ['Look'], mcpServers: ['github'] },
      ['Look', 'mcp__github__search'],
    ],
    ['mcpServers', { mcpServers: ['github'] }, ['Change', 'Look', 'mcp__github__search']],
  ])('%s selects the tools', async (_, fields, expected) => {
    expect(toolsOf(await runTask(fields, finish))).toEqual(expected);
  });

  it('disallowedTools excludes the tools that a deny rule would', () => {
    const without = (tool: string, other: string) => agentHasTool(worker({ disallowedTools: [tool] }), other);
    expect(without('Bash', 'Monitor')).toBe(false);
    expect(without('Monitor', 'Bash')).toBe(true);
    expect(without('Read', 'Grep')).toBe(false);
    expect(without('mcp__my.srv__drop.all', 'mcp__my_srv__drop_all')).toBe(false);
    expect(without('mcp__my.srv', 'mcp__my_srv__drop_all')).toBe(false);
  });

  it.each([
    ['disallowedTools', { disallowedTools: ['mcp__github'] }, 0],
    ['tools', { tools: ['Look', 'ToolSearch'] }, 0],
    ['without both,', {}, 1],
  ])('%s also selects among the tools that are loaded on demand', async (_, fields, expected) => {
    const before = search.calls.length;
    const steps = [
      call('ToolSearch', { query: 'select:mcp__github__search' }, 's1'),
      call('mcp__github__search', {}, 's2'),
    ];
    const tools = [look, createToolSearchTool([search])];
    await runTask(fields, (_request, count) => steps[count - 1] ?? finish(), { tools });
    expect(search.calls.length - before).toBe(expected);
  });

  it('model and effort decide about its requests', async () => {
    const [request] = await runTask({ model: 'haiku', effort: 'low' }, finish);
    expect(request).toMatchObject({ model: expect.stringContaining('haiku') });
    const [own] = await runTask({ model: 'inherit', effort: 'low' }, finish);
    expect(own).toMatchObject({ model: 'claude-opus-4-5', options: { effort: 'low' } });
  });

  it('maxTurns ends it', async () => {
    const requests = await runTask({ maxTurns: 2 }, (_request, count) => call('Look', {}, `l${count}`));
    expect(requests).toHaveLength(2);
  });

  it('permissionMode makes it stricter', async () => {
    const before = change.calls.length;
    const steps = (_request: ModelRequest, count: number) =>
      count === 1 ? call('Change', {}, 'c1') : finish();
    const allow = { canUseTool: () => Promise.resolve({ allow: true as const }) };
    await runTask({ permissionMode: 'dontAsk' }, steps, allow);
    expect(change.calls).toHaveLength(before);
    await runTask({}, steps, allow);
    expect(change.calls).toHaveLength(before + 1);
  });

  it('skills adds their texts to the task', async () => {
    const loadSkill = (name: string) => Promise.resolve(name === 'loom' ? 'How to use the loom.' : undefined);
    const [request] = await runTask({ skills: ['loom', 'missing'] }, finish, {
      subagents: { definitions: () => [], loadSkill },
    });
    expect(JSON.stringify(request?.messages.last())).toContain('do it\\n\\nHow to use the loom.');
  });

  it('memory gives it an index, and stores what a later task must know', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-agent-memory-'));
    writeFileSync(path.join(folder, 'MEMORY.md'), '- [style.md](style.md): The user likes tabs.\n');
    const remembered = [{ file: 'tests.md', description: 'How tests run', text: 'Tests run with make.' }];
    const requests = await runTask(
      { memory: 'user' },
      (_request, count) => (count === 1 ? finish() : say(JSON.stringify(remembered))),
      { subagents: { definitions: () => [], memoryFolder: () => folder } },
    );
    expect(JSON.stringify([...(requests[0]?.messages ?? [])])).toContain('The user likes tabs.');
    expect(requests).toHaveLength(2);
    expect(readFileSync(path.join(folder, 'tests.md'), 'utf8')).toContain('Tests run with make.');
  });

  it('hooks run for it alone, and Stop is its own end', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-agent-hooks-'));
    const runner = new HookRunner([], {
      commonInput: () => ({}),
      cwd: () => folder,
      projectDir: folder,
      variableFolder: path.join(folder, 'own'),
      environment: () => ({ PATH: process.env['PATH'] }),
      matchesRule: () => true,
      fetch,
      secrets: new Secrets(),
      handlers: {},
    });
    const on = [{ hooks: [{ type: 'command', command: 'cat >> seen' }] }];
    const atEnd = [{ hooks: [{ type: 'command', command: 'cat >/dev/null; echo >> ended' }] }];
    const notices: string[] = [];
    const hooks = createAgentHooks(runner, { notify: (text) => void notices.push(text), messages: () => [] });
    await runTask(
      { hooks: { PreToolUse: on, Stop: on, SubagentStop: atEnd, PostToolUse: 'wrong' } },
      (_request, count) => (count === 1 ? call('Look', {}, 'l1') : finish()),
      { hooks },
    );
    const seen = readFileSync(path.join(folder, 'seen'), 'utf8').trim().split('\n');
    expect(seen.map((line): unknown => JSON.parse(line))).toMatchObject([
      { hook_event_name: 'PreToolUse', agent_type: 'worker', tool_name: 'Look' },
      { hook_event_name: 'SubagentStop', agent_type: 'worker' },
    ]);
    expect(readFileSync(path.join(folder, 'ended'), 'utf8')).toBe('\n');
    expect(notices).toEqual(['the agent worker: hooks.PostToolUse: not a list of matchers, ignored.']);
  });
});

it('a definition with wrong values names each of them', () => {
  const fields = { color: 'mauve', memory: 'cloud', hooks: 3, mcpServers: [{ db: { command: 'x' } }] };
  const { definition, problems } = decodeAgent(
    { description: 'd', prompt: 'p', initialPrompt: 'Begin.', ...fields },
    { name: 'worker', source: 'caller' },
  );
  expect(problems).toEqual([
    'The agent worker: hooks is not an object.',
    'The agent worker: memory must be one of user, project, local.',
    'The agent worker: color must be one of red, blue, green, yellow, purple, orange, pink, cyan.',
  ]);
  expect(definition).toMatchObject({ serverEntries: { db: { command: 'x' } } });
  expect(definition).toMatchObject({ mcpServers: ['db'], initialPrompt: 'Begin.', color: undefined });
});
