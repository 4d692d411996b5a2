/** Subagents in the background: shown and stopped by their ids, and moved there while a call waits for them. */
import {
  answer,
  call,
  createTestGate,
  fakeTool,
  hang,
  say,
  type Script,
  scriptedModel,
} from '@heddle/testing';
import { createShellTools } from '@heddle/tools';
import type { ModelRequest } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../agents/built-in.ts';
import { type Agent, createAgent } from '../create-agent.ts';
import type { SdkMessage } from '../sdk/message.ts';

const look = fakeTool({ name: 'Look', result: 'a view' });

const task = (id: string, more: object = {}) =>
  call('Agent', { description: `task ${id}`, prompt: `do ${id}`, ...more }, id);

function isChild(request: ModelRequest): boolean {
  return JSON.stringify(request.system).includes('subagent of Heddle');
}

const idIn = (request: ModelRequest): string =>
  /agentId: (\w+)/.exec(JSON.stringify([...request.messages]))?.[1] ?? '';

function resultOf(toolUseId: string, lines: readonly SdkMessage[]): string {
  const found = lines.filter(
    (line) => line.type === 'user' && JSON.stringify(line.message).includes(`"tool_use_id":"${toolUseId}"`),
  );
  expect(found).toHaveLength(1);
  return JSON.stringify(found);
}

function start(steps: Script) {
  const model = scriptedModel(steps);
  const background: SdkMessage[] = [];
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [look, ...createShellTools()],
    cwd: '/',
    subagents: { definitions: () => BUILT_IN_AGENTS, onLine: (line) => void background.push(line) },
  });
  const lines: SdkMessage[] = [];
  const submit = async (prompt: string, onLine?: (line: SdkMessage) => void): Promise<void> => {
    for await (const line of agent.submit(prompt)) {
      lines.push(line);
      onLine?.(line);
    }
  };
  return { agent, model, lines, told: background, submit };
}

/** How often the conversation contains a text outside the answers of the model. */
function mentions(agent: Agent, text: string): number {
  return [...agent.messages].filter(
    (message) => message.type !== 'assistant' && JSON.stringify(message).includes(text),
  ).length;
}

describe('TaskOutput', () => {
  it('waits for a subagent, and its report does not arrive again as a message', async () => {
    const { agent, lines, submit, model } = start((request, count) => {
      if (isChild(request)) return say('Found it.');
      if (count === 1) return task('t1', { run_in_background: true });
      return request.messages.length < 4
        ? call('TaskOutput', { task_id: idIn(request) }, 'o1')
        : say('Fine.');
    });
    await submit('go');
    await submit('and?');
    expect(resultOf('o1', lines)).toContain('Found it.');
    expect(resultOf('o1', lines)).toContain('has finished');
    expect(mentions(agent, 'Found it.')).toBe(1);
    model.assertNoViolations();
  });

  it('shows the text and the calls of a running subagent, under its former name, too', async () => {
    const looking = createTestGate('the subagent has looked');
    const { lines, submit, agent } = start((request, count) => {
      if (isChild(request)) {
        if (request.messages.length > 1) looking.open();
        return request.messages.length > 1 ? hang() : answer(say('I look around.'), call('Look', {}, 'l1'));
      }
      if (count === 1) return task('t1', { run_in_background: true });
      return request.messages.length < 4
        ? [looking, call('BashOutput', { bash_id: idIn(request), block: false }, 'o1')]
        : say('Fine.');
    });
    await submit('go');
    expect(resultOf('o1', lines)).toContain('I look around.');
    expect(resultOf('o1', lines)).toMatch(/runs; 1 calls, \d+ tokens\. Its last call: Look/);
    await agent.endSubagents();
  });
});

describe('TaskStop', () => {
  it('ends a subagent, and both calls have one result', async () => {
    const {
      lines,
      submit,
      agent,
      told: background,
    } = start((request, count) => {
      if (isChild(request)) return hang();
      if (count === 1) return task('t1', { run_in_background: true });
      return request.messages.length < 4
        ? call('KillShell', { shell_id: idIn(request) }, 's1')
        : say('Fine.');
    });
    await submit('go');
    expect(resultOf('t1', lines)).toContain('runs in the background');
    expect(resultOf('s1', lines)).toContain('was stopped');
    expect(lines).toContainEqual(
      expect.objectContaining({ tool_use_result: expect.objectContaining({ task_type: 'local_agent' }) }),
    );
    expect(background).toContainEqual(
      expect.objectContaining({ subtype: 'task_notification', status: 'stopped' }),
    );
    expect(agent.subagents?.list()).toMatchObject([{ isRunning: false, result: { status: 'stopped' } }]);
    await submit('and?');
    expect(mentions(agent, 'was stopped')).toBe(1);
  });

  it('names the known tasks if the id is unknown', async () => {
    const { lines, submit } = start((_request, count) =>
      count === 1 ? call('TaskStop', { task_id: 'nothing' }, 's1') : say('Fine.'),
    );
    await submit('go');
    expect(resultOf('s1', lines)).toContain('There is no background task nothing');
  });
});

describe('a subagent of a waiting call', () => {
  it('moves to the background: the call returns, and the report arrives once', async () => {
    const held = createTestGate('the subagent may finish');
    const {
      agent,
      lines,
      told: background,
      submit,
      model,
    } = start((request, count) => {
      if (isChild(request)) return [held, say('Found it.')];
      return count === 1 ? task('t1') : say('Fine.');
    });
    await submit('go', (line) => {
      if (line.type === 'system' && line.subtype === 'task_started')
        expect(agent.subagents?.moveToBackground('t1')).toBe(true);
    });
    expect(resultOf('t1', lines)).toContain('runs in the background');
    expect(agent.subagents?.moveToBackground('t1')).toBe(false);
    held.open();
    await agent.untilSubagentsEnd();
    await submit('and?');
    await submit('more?');
    expect(mentions(agent, 'Found it.')).toBe(1);
    expect(background).toContainEqual(expect.objectContaining({ patch: { is_backgrounded: true } }));
    expect(background.at(-1)).toMatchObject({ subtype: 'task_notification', status: 'completed' });
    model.assertNoViolations();
  });

  it('survives an interrupt by a new message once it is in the background', async () => {
    const { agent, submit } = start((request, count) =>
      isChild(request) || count > 1 ? hang() : task('t1'),
    );
    await submit('go', (line) => {
      if (line.type === 'system' && line.subtype === 'task_started') agent.subagents?.moveToBackground();
      if (line.type === 'user' && JSON.stringify(line).includes('runs in the background'))
        agent.abort('interrupt');
    });
    expect(agent.subagents?.list()).toMatchObject([{ isRunning: true }]);
    await agent.endSubagents();
    expect(agent.subagents?.list()).toMatchObject([{ isRunning: false, result: undefined }]);
  });
});
