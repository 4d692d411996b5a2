import { spawnSync } from 'node:child_process';
import { contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { bashTool } from './bash.ts';
import type { ToolResult } from '@heddle/core';

interface Ran {
  readonly result: { readonly content: string; readonly isError: boolean | undefined };
  readonly progress: string;
}

async function bash(command: string, options: { timeout?: number; signal?: AbortSignal } = {}): Promise<Ran> {
  const { timeout, signal } = options;
  const context = { ...contextOf(signal ? { signal } : {}), toolUseId: 'b1', workingDirectory: '/' };
  let progress = '';
  const { data } = await bashTool.call({ command, ...(timeout ? { timeout } : {}) }, context, (update) => {
    progress += (update as { output: string }).output;
  });
  return { result: shown(bashTool.toResult(data)), progress };
}

function shown({ content, isError }: ToolResult): Ran['result'] {
  return { content: typeof content === 'string' ? content : JSON.stringify(content), isError };
}

describe('Bash', () => {
  it('shows what a command wrote, on both streams, and tells of it while it runs', async () => {
    const { result, progress } = await bash('echo out; echo err >&2');
    expect(result.isError).toBe(false);
    expect(result.content.split('\n').sort()).toEqual(['err', 'out']);
    expect(progress).toContain('out\n');
  });

  it('runs in the working directory', async () => {
    expect((await bash('pwd')).result.content).toBe('/');
  });

  it('says that nothing was written', async () => {
    expect((await bash('true')).result.content).toBe('(no output)');
  });

  it('reports a failure with its exit code', async () => {
    const { result } = await bash('echo no; exit 3');
    expect(result).toEqual({ content: 'no\nExit code 3', isError: true });
  });

  it('ends the whole process group at its time limit', async () => {
    const { result } = await bash('sleep 600 & echo $!; sleep 600', { timeout: 200 });
    expect(result.isError).toBe(true);
    expect(result.content).toMatch(/time limit of 200 ms/);
    const child = Number(/^\d+/.exec(result.content)?.[0]);
    expect(isAlive(child)).toBe(false);
  });

  it('ends with its process group when it is aborted, and keeps what it wrote', async () => {
    const controller = new AbortController();
    const context = { ...contextOf({ signal: controller.signal }), toolUseId: 'b1', workingDirectory: '/' };
    const running = bashTool.call({ command: 'echo begun; sleep 600' }, context, () => controller.abort());
    const { content, isError } = shown(bashTool.toResult((await running).data));
    expect(isError).toBe(true);
    expect(content).toMatch(/^begun\nInterrupted/);
  });

  it('does not wait for what a command left in the background', async () => {
    const { result } = await bash('sleep 600 & echo started');
    expect(result.content).toBe('started');
  });

  it('keeps the beginning and the end of a flood', async () => {
    const { result } = await bash('seq 1 200000');
    const content = result.content;
    expect(content.length).toBeLessThan(31_000);
    expect(content.startsWith('1\n2\n')).toBe(true);
    expect(content.endsWith('200000')).toBe(true);
    expect(content).toMatch(/characters left out/);
  });

  it('says why it could not start', async () => {
    const context = { ...contextOf({}), toolUseId: 'b1', workingDirectory: '/no/such/folder' };
    const { data } = await bashTool.call({ command: 'true' }, context, () => undefined);
    expect(bashTool.toResult(data).content).toMatch(/could not be started/);
  });
});

/** A process that was killed and is not yet collected by its parent counts as gone. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
