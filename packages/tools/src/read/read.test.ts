import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { readTool } from './read.ts';

function scratch(files: Record<string, string | Buffer> = {}): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-read-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
  return folder;
}

async function read(
  folder: string,
  input: { file_path: string; offset?: number; limit?: number },
): Promise<unknown> {
  const context = { ...contextOf({ workingDirectory: folder }), toolUseId: 'r1' };
  const { data } = await readTool.call(input, context, () => undefined);
  return readTool.toResult(data).content;
}

describe('Read', () => {
  it('shows a file with line numbers', async () => {
    const folder = scratch({ 'a.txt': 'one\ntwo\n' });
    expect(await read(folder, { file_path: 'a.txt' })).toBe('     1\tone\n     2\ttwo');
  });

  it('shows a range, and says how to go on', async () => {
    const folder = scratch({ 'a.txt': 'one\ntwo\nthree\nfour' });
    expect(await read(folder, { file_path: 'a.txt', offset: 2, limit: 2 })).toBe(
      '     2\ttwo\n     3\tthree\n(1 more lines; go on with offset 4)',
    );
  });

  it('says that a file is empty, or shorter than the offset', async () => {
    const folder = scratch({ empty: '', short: 'x' });
    expect(await read(folder, { file_path: 'empty' })).toMatch(/is empty/);
    expect(await read(folder, { file_path: 'short', offset: 9 })).toMatch(/only 1 lines/);
  });

  it('reads lines that end in CRLF without showing the carriage return', async () => {
    const folder = scratch({ 'a.txt': 'one\r\ntwo\r\n' });
    expect(await read(folder, { file_path: 'a.txt' })).toBe('     1\tone\n     2\ttwo');
  });

  it('remembers what it read by hash', async () => {
    const folder = scratch({ 'a.txt': 'one\n' });
    const context = contextOf({ workingDirectory: folder });
    await readTool.call({ file_path: 'a.txt' }, { ...context, toolUseId: 'r1' }, () => undefined);
    expect(context.fileState.get(path.join(folder, 'a.txt'))?.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['a missing file', 'nothing', /there is no such file/],
    ['a directory', 'folder', /is a directory/],
    ['a pipe', 'pipe', /not a regular file/],
    ['a circle of links', 'loop', /links go in a circle/],
    ['a binary file', 'binary', /binary/],
  ])('refuses %s with a reason', async (_what, name, reason) => {
    const folder = scratch({ binary: Buffer.from([1, 0, 2]) });
    mkdirSync(path.join(folder, 'folder'));
    execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    symlinkSync('loop', path.join(folder, 'loop'));
    await expect(read(folder, { file_path: name })).rejects.toThrow(reason);
  });
});
