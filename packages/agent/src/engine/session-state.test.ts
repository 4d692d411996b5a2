/** The session state that tools changed survives the run, a compaction and the program. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Attachment, Tool } from '@heddle/core';
import { call, say, scriptedModel, type ScriptedModel, type ScriptStep } from '@heddle/testing';
import { builtinToolSet, todosIn } from '@heddle/tools';
import { describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import { newSession, type OpenSetup, resumeSession, type Session } from '../session/open/open.ts';
import type { AgentOptions } from './options.ts';

function house() {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-state-')));
  mkdirSync(path.join(folder, 'sub'));
  const place = { configDir: path.join(folder, '.config'), cwd: folder };
  const setup: OpenSetup = { place, version: 'test', durability: 'process', now: Date.now };
  const open = (how: typeof newSession): Session => {
    const opened = how(setup, 's1');
    if (!opened.ok) throw new Error(opened.message);
    return opened.session;
  };
  return { folder, begin: () => open(newSession), resume: () => open(resumeSession) };
}

function agentIn(folder: string, session: Session, model: ScriptedModel, more: Partial<AgentOptions> = {}) {
  return unnamedModeIn(folder, session, model, { permissionMode: 'bypassPermissions', ...more });
}

/** Unless `more` does, nothing names a permission mode. */
function unnamedModeIn(
  folder: string,
  session: Session,
  model: ScriptedModel,
  more: Partial<AgentOptions> = {},
) {
  const { active, deferred } = builtinToolSet({ shell: { projectDirectory: folder } });
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: active,
    deferredTools: () => deferred,
    cwd: folder,
    session,
    ...more,
  });
  const run = async (...prompts: readonly string[]): Promise<void> => {
    for (const prompt of prompts) for await (const line of agent.submit(prompt)) void line;
  };
  return { agent, run };
}

const pwd = (id: string): ScriptStep => [call('Bash', { command: 'pwd' }, id)];
const done: ScriptStep = [say('Done.')];
/** Enough of it that a compaction is worth its while. */
const work = Array.from(
  { length: 12 },
  (_, index): ScriptStep => [call('Bash', { command: 'seq 1 4500' }, `work${index}`)],
);

/** The texts of the last request. */
const textsFor = (model: ScriptedModel): string =>
  JSON.stringify([...(model.calls.at(-1)?.request.messages ?? [])]);

describe('the working directory', () => {
  it('stays from one prompt to the next, and when the session is resumed', async () => {
    const { folder, begin, resume } = house();
    const session = begin();
    const model = scriptedModel([[call('Bash', { command: 'cd sub' }, 'b1')], done, pwd('b2'), done]);
    await agentIn(folder, session, model).run('move', 'where?');
    expect(textsFor(model)).toContain(JSON.stringify(path.join(folder, 'sub')).slice(1, -1));
    session.journal.close();

    const again = resume();
    const later = scriptedModel([pwd('b3'), done]);
    await agentIn(folder, again, later).run('where?');
    expect(resultOf(later, 'b3')).toBe(path.join(folder, 'sub'));
  });

  it('that is gone is left for the project, and the model is told', async () => {
    const { folder, begin, resume } = house();
    const session = begin();
    await agentIn(folder, session, scriptedModel([[call('Bash', { command: 'cd sub' }, 'b1')], done])).run(
      'move',
    );
    session.journal.close();
    rmSync(path.join(folder, 'sub'), { recursive: true });

    const model = scriptedModel([pwd('b2'), done]);
    await agentIn(folder, resume(), model).run('where?');
    expect(resultOf(model, 'b2')).toBe(folder);
    expect(textsFor(model)).toContain(
      `The working directory ${path.join(folder, 'sub')} no longer exists. It is now ${folder}.`,
    );
  });

  it('that lies outside the folders of a resumed session is left for the project', async () => {
    const { folder, begin, resume } = house();
    const session = begin();
    await agentIn(folder, session, scriptedModel([done])).run('begin');
    const outside = path.dirname(folder);
    const state = { workingDirectory: outside, permissionMode: 'default' as const, tools: [] };
    session.journal.append({ type: 'stance', stance: state });
    session.journal.close();

    const model = scriptedModel([pwd('b2'), done]);
    await agentIn(folder, resume(), model).run('where?');
    expect(resultOf(model, 'b2')).toBe(folder);
    expect(textsFor(model)).toContain(
      `The working directory ${outside} lies outside the folders of this session. It is now ${folder}.`,
    );
  });

  it('survives a compaction: the next one is told where it stands, and so is a later run', async () => {
    const { folder, begin, resume } = house();
    const session = begin();
    const model = scriptedModel([
      [call('Bash', { command: 'cd sub' }, 'b1')],
      ...work,
      done,
      [say('A hand-over: the shell was moved.')],
    ]);
    const { agent, run } = agentIn(folder, session, model);
    await run('move');
    expect(await agent.compact()).toMatchObject({ ok: true });
    expect(JSON.stringify([...agent.messages])).toContain(
      `The working directory is now ${path.join(folder, 'sub')}.`,
    );
    session.journal.close();

    const later = scriptedModel([pwd('b3'), done]);
    await agentIn(folder, resume(), later).run('where?');
    expect(resultOf(later, 'b3')).toBe(path.join(folder, 'sub'));
  });
});

describe('a tool that was loaded on demand', () => {
  it('can be called in the next prompt, and when the session is resumed', async () => {
    const { folder, begin, resume } = house();
    const session = begin();
    const search = call('ToolSearch', { query: 'select:EnterPlanMode' }, 's1');
    const model = scriptedModel([[search], done, done]);
    await agentIn(folder, session, model).run('load', 'and now?');
    expect(toolsIn(model)).toContain('EnterPlanMode');
    session.journal.close();

    const later = scriptedModel([done]);
    await agentIn(folder, resume(), later).run('still?');
    expect(toolsIn(later)).toContain('EnterPlanMode');
  });
});

describe('the mode', () => {
  const plan: ScriptStep = [call('ToolSearch', { query: 'select:EnterPlanMode' }, 's1')];
  const enter: ScriptStep = [call('EnterPlanMode', {}, 'e1')];

  it('that was entered holds in the next prompt, and when the session is resumed without another', async () => {
    const { folder, begin, resume } = house();
    const session = begin();
    const write = call('Write', { file_path: 'x', content: 'x' }, 'w1');
    const model = scriptedModel([plan, enter, done, [write], done]);
    await agentIn(folder, session, model, { permissionMode: 'default' }).run('plan', 'write');
    expect(resultOf(model, 'w1')).toContain('Plan mode');
    session.journal.close();

    const later = scriptedModel([[call('Write', { file_path: 'x', content: 'x' }, 'w2')], done]);
    await unnamedModeIn(folder, resume(), later).run('write');
    expect(resultOf(later, 'w2')).toContain('Plan mode');
  });

  it.each([
    ['acceptEdits', 'acceptEdits'],
    ['plan', 'plan'],
    ['dontAsk', 'dontAsk'],
    ['bypassPermissions', 'default'],
  ] as const)('%s of a session is %s when it is resumed and no mode is named', async (mode, resumed) => {
    const { folder, begin, resume } = house();
    const session = begin();
    await agentIn(folder, session, scriptedModel([done]), { permissionMode: mode }).run('begin');
    session.journal.close();
    const again = resume();
    expect(unnamedModeIn(folder, again, scriptedModel([])).agent.permissionMode).toBe(resumed);
    expect(
      agentIn(folder, again, scriptedModel([]), { permissionMode: 'default' }).agent.permissionMode,
    ).toBe('default');
  });

  it('that the user changed on the way is kept, too', async () => {
    const { folder, begin, resume } = house();
    const session = begin();
    const { agent, run } = unnamedModeIn(folder, session, scriptedModel([done]), {
      defaultPermissionMode: 'plan',
    });
    await run('begin');
    agent.setPermissionMode('acceptEdits');
    session.journal.close();
    const resumed = unnamedModeIn(folder, resume(), scriptedModel([]), { defaultPermissionMode: 'plan' });
    expect(resumed.agent.permissionMode).toBe('acceptEdits');
  });

  it.each(['default', 'plan'] as const)('that an answer sets (%s) is kept, too', async (mode) => {
    const { folder, begin, resume } = house();
    const session = begin();
    const model = scriptedModel([[call('Bash', { command: 'mkfifo a' }, 'b1')], done]);
    const { agent, run } = agentIn(folder, session, model, {
      permissionMode: 'acceptEdits',
      canUseTool: async () => ({ allow: true, updates: [{ type: 'setMode', mode, destination: 'session' }] }),
    });
    await run('begin');
    expect(agent.permissionMode).toBe(mode);
    session.journal.close();
    const resumed = unnamedModeIn(folder, resume(), scriptedModel([]), {
      defaultPermissionMode: 'acceptEdits',
    });
    expect(resumed.agent.permissionMode).toBe(mode);
  });

  it('of planning is told to the model with each prompt, and no other is', async () => {
    const { folder, begin } = house();
    const model = scriptedModel([done]);
    await agentIn(folder, begin(), model, { permissionMode: 'plan' }).run('think');
    expect(JSON.stringify([...(model.calls[0]?.request.messages ?? [])])).toContain('You are planning');
    const other = scriptedModel([done]);
    await agentIn(folder, house().begin(), other, { permissionMode: 'default' }).run('think');
    expect(JSON.stringify([...(other.calls[0]?.request.messages ?? [])])).not.toContain('You are planning');
  });

  it('of an earlier run is not taken up where the user says another, least of all one without questions', async () => {
    const { folder, begin, resume } = house();
    const session = begin();
    await agentIn(folder, session, scriptedModel([[call('Bash', { command: 'cd sub' }, 'b1')], done])).run(
      'move',
    );
    session.journal.close();
    const later = scriptedModel([[call('Write', { file_path: 'x', content: 'x' }, 'w1')], done]);
    await agentIn(folder, resume(), later, { permissionMode: 'default' }).run('write');
    expect(resultOf(later, 'w1')).toContain('There is no user to ask');
  });
});

describe('todos', () => {
  const todos = [
    { content: 'Look', status: 'completed' },
    { content: 'Act', status: 'in_progress', activeForm: 'Acting' },
  ];

  it('are carried through a compaction, and found again when the session is resumed', async () => {
    const { folder, begin, resume } = house();
    const session = begin();
    const model = scriptedModel([
      [call('TodoWrite', { todos }, 't1')],
      ...work,
      done,
      [say('A hand-over.')],
      done,
    ]);
    const { agent, run } = agentIn(folder, session, model);
    await run('plan');
    expect(todosIn(agent.messages)).toEqual(todos);
    expect(await agent.compact()).toMatchObject({ ok: true });
    await run('continue');
    expect(textsFor(model)).toContain('Acting');
    session.journal.close();
    expect(todosIn(resume().projection.messages)).toEqual(todos);
  });
});

describe('news', () => {
  const ended: Attachment = { kind: 'task_ended', taskId: 'b1', text: 'The background task b1 has ended.' };

  it('comes with the next prompt, and between two calls, each until it was stored', async () => {
    const { folder, begin } = house();
    const model = scriptedModel([done, pwd('b1'), done]);
    const waiting: Attachment[] = [ended];
    const stored: string[] = [];
    const { run } = agentIn(folder, begin(), model, {
      news: () => [...waiting],
      onEvent: (event) => {
        if (event.type !== 'message' || event.message.type !== 'attachment') return;
        const { attachment } = event.message;
        if (attachment.kind === 'task_ended') stored.push(waiting.pop() ? attachment.taskId : 'twice');
        if (stored.length === 1)
          waiting.push({ ...ended, taskId: 'b2', text: 'The background task b2 has ended.' });
      },
    });
    await run('first');
    expect(textsFor(model)).toContain('The background task b1 has ended.');
    expect(stored).toEqual(['b1']);
    await run('second');
    expect(stored).toEqual(['b1', 'b2']);
    expect(textsFor(model)).toContain('The background task b2 has ended.');
  });
});

function toolsIn(model: ScriptedModel): readonly string[] {
  return model.calls.at(-1)?.request.tools.map(({ name }: Pick<Tool, 'name'>) => name) ?? [];
}

function resultOf(model: ScriptedModel, id: string): string {
  for (const message of model.calls.at(-1)?.request.messages ?? []) {
    for (const block of message.content)
      if (block.type === 'tool_result' && block.tool_use_id === id)
        return typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
  }
  return '(no result)';
}
