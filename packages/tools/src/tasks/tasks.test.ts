import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { scratch, shellIn, textOf } from '../bash/test/shell.ts';
import { endLeftovers, findLeftovers, readRecords } from './record.ts';
import { attachmentOf, readNotices, findReportedTasks } from './ended-task-notices.ts';
import { membersOf } from './process-table.ts';
import { TaskRegistry } from './registry.ts';
import type { TaskOutputInput } from './schema.ts';

const script = (name: string): string => path.join(import.meta.dirname, 'test', name);

async function background(command: string) {
  const shell = shellIn(scratch());
  const { content, data } = await shell.run(command, { background: true });
  const id = 'id' in data.exit ? data.exit.id : '';
  const task = shell.tasks.get(id);
  if (!task) throw new Error(content);
  const read = async (
    input: Omit<TaskOutputInput, 'task_id'> = {},
    signal?: AbortSignal,
  ): Promise<string> => {
    const context = { ...contextOf(signal ? { signal } : {}), toolUseId: 't1' };
    const output = await shell.output.call({ task_id: id, ...input }, context, () => undefined);
    return textOf(shell.output.toResult(output.data).content);
  };
  return { shell, task, id, content, read };
}

function never(): never {
  throw new Error('there is no news');
}

it('leaves a command of a subagent in its call unless the call is named', async () => {
  const shell = shellIn(scratch());
  const context = { ...contextOf({ workingDirectory: scratch() }), agentId: 'a1' };
  const { promise: hasOutput, resolve: onProgress } = Promise.withResolvers<unknown>();
  const ran = shell.run('echo one; sleep 600', { context, onProgress });
  await hasOutput;
  expect(shell.tasks.leaveCalls()).toBe(false);
  expect(shell.tasks.leaveCalls('b1')).toBe(true);
  expect((await ran).data.exit).toMatchObject({ kind: 'background' });
  await shell.tasks.dispose();
});

describe('a background task', () => {
  it('starts at once and reports its id', async () => {
    const { content, id, shell, task } = await background('sleep 600');
    expect(content).toMatch(new RegExp(`^Started in the background as task ${id}\\.`));
    expect(membersOf(undefined, task.label)).not.toEqual([]);
    await shell.tasks.dispose();
    expect(membersOf(undefined, task.label)).toEqual([]);
  });

  it('is read when it has ended', async () => {
    const { read, id } = await background('echo one; echo two; exit 3');
    expect(await read()).toBe(`one\ntwo\nTask ${id} has ended with exit code 3; 8 bytes of output.`);
    expect(await read()).toBe(await read({ block: false }));
  });

  it('is not waited for longer than requested, nor after an abort', async () => {
    const { read, shell } = await background('sleep 600');
    expect(await read({ timeout: 10 })).toMatch(/is still running/);
    expect(await read({}, AbortSignal.abort())).toMatch(/is still running/);
    await shell.tasks.dispose();
  });

  it('is read in pages from its file', async () => {
    const { read, task } = await background('seq 1 20000');
    await task.ended;
    let text = '';
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const shown: string = await read({ offset });
      const cut = shown.lastIndexOf('\nTask ');
      text += `${shown.slice(0, cut)}${offset + 30_000 < task.output.bytes ? '' : '\n'}`;
      offset =
        /Continue with offset (\d+)\./.exec(shown)?.[1] === undefined
          ? undefined
          : Number(/Continue with offset (\d+)\./.exec(shown)?.[1]);
    }
    expect(text.replaceAll('\n', '')).toBe(Array.from({ length: 20_000 }, (_, index) => index + 1).join(''));
  });

  it('keeps characters whole from page to page, and shows no colors', async () => {
    const { read, task } = await background(
      `printf '\\033[31mx\\033[0m'; yes é | head -n 20000 | tr -d '\\n'`,
    );
    await task.ended;
    const first = await read({ offset: 0 });
    const [, next = ''] = /Continue with offset (\d+)\./.exec(first) ?? [];
    const texts = [first, await read({ offset: Number(next) })].map((shown) => shown.split('\nTask ')[0]);
    expect(texts.join('')).toBe(`x${'é'.repeat(20_000)}`);
  });

  it('is forgotten after a hundred others have ended, also when its end was reported', async () => {
    const shell = shellIn(scratch());
    let first: string | undefined;
    for (let count = 0; count <= 100; count++) {
      const { data } = await shell.run(':', { background: true });
      const id = data.exit.kind === 'background' ? data.exit.id : '';
      first ??= id;
      await shell.tasks.get(id)?.ended;
      shell.tasks.markReported(id);
    }
    expect(shell.tasks.list()).toHaveLength(100);
    expect(shell.tasks.get(first ?? '')).toBeUndefined();
  });

  it('has a notice from its end until it was reported', async () => {
    const { shell, task } = await background('exit 3');
    await task.ended;
    expect(shell.tasks.news).toEqual([expect.objectContaining({ id: task.id, command: 'exit 3' })]);
    expect(shell.tasks.news).toHaveLength(1);
    shell.tasks.markReported(task.id);
    expect(shell.tasks.news).toEqual([]);
    expect(readNotices(shell.tasks.folder)).toEqual([]);
  });

  it('has no notice when its end was read or caused by a call', async () => {
    const { shell, task, read } = await background('true');
    expect(await read()).toMatch(/exit code 0/);
    const other = await shell.run('sleep 600', { background: true });
    const id = 'id' in other.data.exit ? other.data.exit.id : '';
    await shell.stop.call({ task_id: id }, { ...contextOf(), toolUseId: 't' }, () => undefined);
    await task.ended;
    expect(shell.tasks.news).toEqual([]);
    expect(readNotices(shell.tasks.folder)).toEqual([]);
  });

  it('is reported in one short sentence', async () => {
    const { shell, task } = await background('echo done; exit 3');
    await task.ended;
    const [ended] = shell.tasks.news;
    expect(ended && attachmentOf(ended)).toEqual({
      kind: 'task_ended',
      taskId: task.id,
      text: `The background task ${task.id} (echo done; exit 3) has ended with exit code 3. It wrote 5 bytes: ${path.join(shell.tasks.folder, `${task.id}.out`)}`,
    });
    expect(
      findReportedTasks([
        { type: 'attachment', uuid: 'a', at: 0, attachment: attachmentOf(ended ?? never()) },
      ]),
    ).toEqual(new Set([task.id]));
  });

  it('that ended with the session or a crash has a notice when it is resumed', async () => {
    const { shell, task } = await background('sleep 600');
    // The state after a crash: its end was not recorded.
    expect(readNotices(shell.tasks.folder)).toMatchObject([
      { id: task.id, end: { kind: 'stopped', why: 'the program was interrupted' } },
    ]);
    await shell.tasks.dispose();
    const earlier = readNotices(shell.tasks.folder);
    expect(earlier).toMatchObject([{ id: task.id, end: { kind: 'stopped', why: 'the session ended' } }]);
    const resumed = new TaskRegistry({ folder: shell.tasks.folder, earlier });
    expect(resumed.news).toEqual(earlier);
    resumed.markReported(task.id);
    expect(readNotices(shell.tasks.folder)).toEqual([]);
  });

  it('whose notice cannot be parsed is ignored', async () => {
    const folder = scratch();
    for (const [name, text] of [
      ['b1.news.json', '{"id":"b1","comm'],
      ['b2.news.json', '{"id":"b2","command":"x","file":"f","bytes":1,"end":{"kind":"exited"}}'],
      ['b3.out', 'x'],
    ] as const)
      writeFileSync(path.join(folder, name), text);
    expect(readNotices(folder)).toEqual([]);
    expect(readNotices(path.join(folder, 'none'))).toEqual([]);
  });

  it('is ended when its output exceeds the limit', async () => {
    const folder = scratch();
    const tasks = new TaskRegistry({ folder, maxOutputBytes: 1_000_000 });
    const task = await tasks.start({
      command: 'yes',
      directory: '/',
      environment: { PATH: process.env['PATH'] ?? '' },
    });
    expect(await task.ended).toEqual({ kind: 'stopped', why: 'its output passed 1000000 bytes' });
    expect(membersOf(undefined, task.label)).toEqual([]);
  });

  it('leaves no temporary folder behind after the end of its session', async () => {
    const tasks = new TaskRegistry();
    const task = await tasks.start({
      command: 'echo kept; sleep 600',
      directory: '/',
      environment: { PATH: process.env['PATH'] ?? '' },
    });
    await tasks.moveToBackground(task);
    expect(existsSync(tasks.folder)).toBe(true);
    await tasks.dispose();
    expect(existsSync(tasks.folder)).toBe(false);
  });

  it('is unknown by a wrong id, and the error names the right ones', async () => {
    const { shell, id } = await background('true');
    for (const tool of [shell.output, shell.stop]) {
      expect(await tool.validateInput?.({ task_id: 'nope' }, contextOf())).toEqual({
        ok: false,
        message: `There is no background task nope. Known: ${id}.`,
      });
    }
  });

  it('can be stopped twice', async () => {
    const { shell, id } = await background('sleep 600');
    for (const _ of [1, 2]) {
      const { data } = await shell.stop.call(
        { task_id: id },
        { ...contextOf(), toolUseId: 't' },
        () => undefined,
      );
      expect(data.end.kind).toBe('stopped');
    }
  });
});

describe('a record of a command', () => {
  it('exists while it runs and is removed afterwards', async () => {
    const { shell, task } = await background('sleep 600');
    expect(readdirSync(shell.tasks.folder)).toContain(`${task.id}.task.json`);
    expect(findLeftovers(shell.tasks.folder)).toEqual([]);
    await shell.tasks.dispose();
    await task.ended;
    expect(readdirSync(shell.tasks.folder)).not.toContain(`${task.id}.task.json`);
  });

  it.each([
    ['in its group', 'echo begun; sleep 600'],
    ['out of its group, session and parents', '(setsid sleep 600 &); echo begun; sleep 0.2'],
  ])('finds processes that a crashed run left %s, and ends them', async (_, command) => {
    const folder = scratch();
    const crashing = spawn(process.execPath, [script('run-crash.ts'), folder, command], { stdio: 'ignore' });
    await once(crashing, 'exit');
    const [leftover] = findLeftovers(folder);
    const [record] = readRecords(folder);
    expect(leftover).toMatchObject({ command, directory: '/' });
    expect(leftover?.pids.length).toBeGreaterThan(0);
    await endLeftovers(folder);
    expect(membersOf(undefined, record?.label ?? '')).toEqual([]);
    expect(findLeftovers(folder)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toEqual([]);
  });

  it('finds nothing if the folder is missing or contains invalid data', () => {
    expect(findLeftovers('/no/such/folder')).toEqual([]);
  });
});

describe('a command that writes a gigabyte', () => {
  it('neither grows this process by 50 MB nor blocks it', () => {
    const folder = scratch();
    const { stdout, stderr } = spawnSync(process.execPath, [script('run-flood.ts'), folder], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const seen = JSON.parse(stdout) as { bytes: number; grownMB: number; longPauseMs: number };
    const [file = ''] = readdirSync(folder);
    expect(existsSync(path.join(folder, file))).toBe(true);
    expect(statSync(path.join(folder, file)).size).toBe(1_000_000_000);
    rmSync(folder, { recursive: true });
    expect(seen).toMatchObject({ end: { kind: 'exited', code: 0 }, bytes: 1_000_000_000 });
    expect(seen.grownMB).toBeLessThan(50);
    expect(seen.longPauseMs).toBeLessThan(100);
  });
});
