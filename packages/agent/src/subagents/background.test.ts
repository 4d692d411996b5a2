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
import { mkdtempSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ModelRequest } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../agents/built-in.ts';
import { type Agent, createAgent } from '../create-agent.ts';
import type { AgentOptions } from '../engine/options.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { childRecordFile } from '../session/files/paths.ts';
import { newSession, resumeSession } from '../session/open/open.ts';
import { createSessionHome, sessionOf } from '../session/test/session-home.ts';
import { ChildRecords } from './record.ts';

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

type Started = Partial<AgentOptions> & { readonly read?: (line: SdkMessage) => unknown };

function start(steps: Script, { read, ...more }: Started = {}) {
  const model = scriptedModel(steps);
  const background: SdkMessage[] = [];
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [look, ...createShellTools()],
    cwd: '/',
    ...more,
    subagents: {
      definitions: () => BUILT_IN_AGENTS,
      ...more.subagents,
      onLine: read ?? ((line) => void background.push(line)),
    },
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

describe('a message to a subagent', () => {
  const send = (request: ModelRequest, message: string) =>
    call('SendMessage', { to: idIn(request), message }, 'm1');
  const hasSent = (request: ModelRequest): boolean => JSON.stringify([...request.messages]).includes('"m1"');

  it('starts a second run, whose report also arrives if it moves to the background', async () => {
    const held = createTestGate('the second run may finish');
    const { agent, submit, model } = start((request, count) => {
      if (isChild(request))
        return JSON.stringify([...request.messages]).includes('more')
          ? [held, say('Second.')]
          : say('First.');
      if (count === 1) return task('t1', { run_in_background: true });
      return JSON.stringify(request.messages.last()).includes('again') && !hasSent(request)
        ? send(request, 'more')
        : say('Fine.');
    });
    await submit('go');
    await agent.untilSubagentsEnd();
    await submit('and?');
    expect(mentions(agent, 'First.')).toBe(1);
    await submit('again', (line) => {
      if (line.type === 'system' && line.subtype === 'task_started') agent.subagents?.moveToBackground();
    });
    held.open();
    await agent.untilSubagentsEnd();
    await submit('and?');
    await submit('more?');
    expect(mentions(agent, 'Second.')).toBe(1);
    model.assertNoViolations();
  });

  it('is read although the subagent gives its last answer, and both answers are its report', async () => {
    const sent = createTestGate('the message is sent');
    const { agent, lines, submit, model } = start((request, count) => {
      if (isChild(request))
        return JSON.stringify([...request.messages]).includes('EXTRA')
          ? say('And this.')
          : [sent, say('Done.')];
      if (count === 1) return task('t1', { run_in_background: true });
      return hasSent(request) ? say('Fine.') : send(request, 'EXTRA');
    });
    await submit('go');
    expect(resultOf('m1', lines)).toContain('is running and receives the message');
    expect(agent.subagents?.list()[0]?.record.queued).toMatchObject([{ prompt: 'EXTRA' }]);
    sent.open();
    await agent.untilSubagentsEnd();
    expect(agent.subagents?.list()[0]?.record.queued).toBeUndefined();
    await submit('and?');
    expect(mentions(agent, 'Done.\\n\\nAnd this.')).toBe(1);
    model.assertNoViolations();
  });
});

it('a run that a crash cut off before its first message starts again, also if the message is an old one', async () => {
  const home = createSessionHome();
  const first = sessionOf(newSession(home.setup, 's1'));
  const one = start(
    (request, count) => (isChild(request) ? say('One.') : count === 1 ? task('t1') : say('Fine.')),
    {
      session: first,
    },
  );
  await one.submit('go');
  const [, agentId = ''] = /agentId: (\w+)/.exec(resultOf('t1', one.lines)) ?? [];
  const records = new ChildRecords(first);
  const { mode } = statSync(childRecordFile(home.file('s1'), agentId));
  expect(mode & 0o777).toBe(0o600);
  const record = records.read(agentId);
  if (!record) throw new Error('The record was not stored.');
  const queued = [{ commandId: 'q1', prompt: 'EXTRA' }];
  records.write({ ...record, toolUseId: 'm1', runId: 'new', queued, result: undefined });
  first.journal.close();
  const again = sessionOf(resumeSession(home.setup, 's1'));
  const two = start(
    (request) => {
      const text = JSON.stringify([...request.messages]);
      if (isChild(request)) return say(text.includes('EXTRA') ? 'Three.' : 'Two.');
      return text.includes('"m1"')
        ? say('Fine.')
        : call('SendMessage', { to: agentId, message: 'do t1' }, 'm1');
    },
    { session: again },
  );
  await two.submit('again');
  expect(resultOf('m1', two.lines)).toContain('Two.\\n\\nThree.');
  expect(new ChildRecords(again).read(agentId)?.queued).toBeUndefined();
  again.journal.close();
});

describe('a subagent in the background', () => {
  const inBackground = (request: ModelRequest, count: number) => {
    if (isChild(request)) return request.messages.length > 1 ? say('Found it.') : call('Look', {}, 'l1');
    return count === 1 ? task('t1', { run_in_background: true }) : say('Fine.');
  };

  it('finishes although the reader of its lines fails', async () => {
    const { agent, submit } = start(inBackground, { read: () => Promise.reject(new Error('closed')) });
    await submit('go');
    await agent.untilSubagentsEnd();
    expect(agent.subagents?.list()).toMatchObject([{ result: { status: 'completed', text: 'Found it.' } }]);
  });

  it('reports the reason if it cannot start', async () => {
    const definition = {
      name: 'db',
      description: 'd',
      prompt: 'p',
      source: 'user' as const,
      mcpServers: ['db'],
    };
    const { agent, submit } = start(
      (_request, count) =>
        count === 1 ? task('t1', { run_in_background: true, subagent_type: 'db' }) : say('Fine.'),
      {
        subagents: {
          definitions: () => [definition],
          openServers: () => Promise.reject(new Error('The server is broken.')),
        },
      },
    );
    await submit('go');
    await agent.untilSubagentsEnd();
    await submit('and?');
    expect(mentions(agent, 'The subagent failed: The server is broken.')).toBe(1);
  });

  it('ends at once while a hook of its start runs', async () => {
    const hooks = { subagentStart: () => Promise.withResolvers<undefined>().promise };
    const { agent, submit } = start(inBackground, { hooks });
    await submit('go');
    await agent.endSubagents();
    expect(agent.subagents?.list()).toMatchObject([{ isRunning: false }]);
  });

  it('reports before its memory is stored, and the end of the program ends that work', async () => {
    const asked = createTestGate('the memory is asked for');
    const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-agent-memory-'));
    const { agent, submit } = start(
      (request, count) => {
        if (JSON.stringify(request.messages.last()).includes('Decide what a later session'))
          return [asked, hang()];
        return inBackground(request, count);
      },
      { subagents: { definitions: () => BUILT_IN_AGENTS, memoryFolder: () => folder } },
    );
    await submit('go');
    await agent.untilSubagentsEnd();
    await asked.reached;
    await submit('and?');
    expect(mentions(agent, 'Found it.')).toBe(1);
    await agent.endSubagents();
  });
});
