/** Two conversations of one process edit the same project. A decision about files that the other one changed is made again. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject, ToolUseContext } from '@heddle/core';
import { answer, call, say, scriptedModel } from '@heddle/testing';
import { createFileTools, createShellTools, TaskRegistry } from '@heddle/tools';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReadFileState } from '../attachments/automatic-attachments.ts';
import { createAgent } from '../create-agent.ts';
import { permissionOf } from './permission.ts';

let project: string;
let tasks: TaskRegistry;

beforeEach(() => {
  project = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-edits-')));
  tasks = new TaskRegistry({ folder: path.join(project, '..', `${path.basename(project)}-tasks`) });
  mkdirSync(path.join(project, 'x'));
  writeFileSync(path.join(project, 'x/readme'), 'text');
});
afterEach(async () => {
  await tasks.dispose();
  rmSync(project, { recursive: true });
});

/** Decides about a call in acceptEdits. The result runs it. */
async function permit(name: string, input: JsonObject): Promise<() => Promise<unknown>> {
  const environment = () => ({ PATH: process.env['PATH'] ?? '' });
  const tools = [
    ...createShellTools({ tasks, environment, projectDirectory: project }),
    ...createFileTools(),
  ];
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is not a tool ${name}.`);
  const { signal } = new AbortController();
  const context: ToolUseContext = {
    tools,
    model: 'm',
    permissionMode: 'acceptEdits',
    signal,
    workingDirectory: project,
    additionalDirectories: [],
    agentId: undefined,
    fileState: createReadFileState(),
  };
  const checked = (await tool.inputSchema()).safeParse(input);
  if (!checked.success) throw new Error(checked.error.message);
  const decide = permissionOf(
    { cwd: project },
    { store: () => undefined, denials: { note: () => undefined } },
  );
  const permission = await decide(tool, input, context, { toolUseId: name, hookDecision: undefined, signal });
  if (permission.behavior === 'deny') throw new Error(permission.message);
  const { places, readOnlyRun } = permission;
  const own = {
    ...context,
    toolUseId: name,
    ...(places ? { places } : {}),
    ...(readOnlyRun ? { readOnlyRun } : {}),
  };
  return () => tool.call(checked.data, own, () => undefined);
}

const file = (name: string): string => path.join(project, name);

describe('file tools beside each other', () => {
  it('take turns, so that the second is decided again after the first', async () => {
    mkdirSync(file('x/objects'));
    const head = await permit('Write', { file_path: file('x/HEAD'), content: 'ref: refs/heads/a\n' });
    const refs = await permit('Write', { file_path: file('x/refs/heads/a'), content: '' });
    const results = await Promise.allSettled([refs(), head()]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(existsSync(file('x/HEAD'))).toBe(false);
  });

  it('are decided again in whatever order they run', async () => {
    mkdirSync(file('x/objects'));
    const names = ['x/HEAD', 'x/refs/heads/a'];
    const writes = await Promise.all(
      names.map((name) => permit('Write', { file_path: file(name), content: 'ref: refs/heads/a\n' })),
    );
    const results = await Promise.allSettled(writes.map((run) => run()));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(names.map((name) => existsSync(file(name)))).toEqual([true, false]);
  });

  it('in one answer of the model are decided one after the other', async () => {
    mkdirSync(file('x/objects'));
    const write = (name: string, id: string) =>
      call('Write', { file_path: file(name), content: 'ref: refs/heads/a\n' }, id);
    const model = scriptedModel([
      answer(write('x/HEAD', 'c1'), write('x/refs/heads/a', 'c2'), write('x/b', 'c3')),
      say('Done.'),
    ]);
    const agent = createAgent({
      model,
      modelName: 'one',
      tools: createFileTools(),
      cwd: project,
      permissionMode: 'acceptEdits',
    });
    for await (const line of agent.submit('go'))
      if (line.type === 'result') expect(line.is_error).toBe(false);
    expect(['x/HEAD', 'x/refs/heads/a', 'x/b'].map((name) => existsSync(file(name)))).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('all run if none of them matters to another', async () => {
    const names = ['x/a', 'x/b', 'y/c'];
    const writes = await Promise.all(
      names.map((name) => permit('Write', { file_path: file(name), content: 'text' })),
    );
    await Promise.all(writes.map((run) => run()));
    expect(names.every((name) => existsSync(file(name)))).toBe(true);
  });
});

describe('a script of edits beside another conversation', () => {
  it('is decided again if a file was written since its decision', async () => {
    const move = await permit('Bash', { command: 'mv x vendor' });
    const write = await permit('Write', { file_path: file('x/bin/phpunit'), content: 'code' });
    await write();
    await expect(move()).rejects.toThrow('Another call changed files before this one ran.');
    expect(existsSync(file('vendor'))).toBe(false);
  });

  it('runs alone, so that a file is written before or after it', async () => {
    const command = "touch begun; printf '%300000000s' a > /dev/null; mv x vendor";
    const script = (await permit('Bash', { command }))();
    await expect.poll(() => existsSync(file('begun')), { timeout: 5_000 }).toBe(true);
    const write = await permit('Write', { file_path: file('x/bin/phpunit'), content: 'code' });
    await Promise.all([script, write()]);
    expect(existsSync(file('vendor/readme'))).toBe(true);
    expect(existsSync(file('vendor/bin/phpunit'))).toBe(false);
  });

  it('runs with the same decision if the other change does not matter', async () => {
    const move = await permit('Bash', { command: 'mv x y' });
    const write = await permit('Write', { file_path: file('other'), content: 'text' });
    await write();
    await move();
    expect(existsSync(file('y/readme'))).toBe(true);
  });
});
