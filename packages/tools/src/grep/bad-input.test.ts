/**
 * Grep and Glob against every kind of bad folder, with both engines: a clear message, and never a hang.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { ABORT_DEADLINE_MS, contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { textOf } from '../bash/test/shell.ts';
import { runUnprivileged } from '../files/test/scratch.ts';
import { createGlobTool } from '../glob/glob.ts';
import { processTable } from '../tasks/process-table.ts';
import { searchDeps } from './deps.ts';
import { createGrepTool } from './grep.ts';
import type { SearchEngine } from './query.ts';
import { RipgrepEngine } from './ripgrep.ts';
import type { GrepInput } from './schema.ts';
import { treeOf } from './test/tree.ts';
import { WalkEngine } from './walk-engine.ts';

const engines: readonly (readonly [name: string, engine: SearchEngine])[] = [
  ['ripgrep', new RipgrepEngine(rgPath)],
  ['the walk', new WalkEngine()],
];

describe.each(engines)('with %s', (_name, engine) => {
  const deps = searchDeps({ engine: () => Promise.resolve(engine) });
  const tools = { Grep: createGrepTool(deps), Glob: createGlobTool(deps) };

  const contextIn = (root: string, signal = new AbortController().signal) => ({
    ...contextOf({ workingDirectory: root, signal }),
    toolUseId: 'g1',
  });
  async function grep(root: string, input: GrepInput, signal?: AbortSignal): Promise<string> {
    const { data } = await tools.Grep.call(input, contextIn(root, signal), () => undefined);
    return textOf(tools.Grep.toResult(data).content);
  }
  async function glob(
    root: string,
    input: { pattern: string; path?: string },
    signal?: AbortSignal,
  ): Promise<string> {
    const { data } = await tools.Glob.call(input, contextIn(root, signal), () => undefined);
    return textOf(tools.Glob.toResult(data).content);
  }

  it.each([
    ['a missing path', 'nothing', /does not exist/],
    ['a missing path with a newline', 'no\nthing', /does not exist/],
    ['a pipe', 'pipe', /neither a file nor a folder/],
    ['a circle of links', 'loop', /links go in a circle/],
    ['a file as a folder', 'a/b', /is a file, not a folder/],
    ['a name with a NUL', 'a\0b', /./],
  ])('explains the problem with %s', async (_what, place, message) => {
    const root = treeOf({ a: 'x' });
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    symlinkSync('loop', path.join(root, 'loop'));
    await expect(grep(root, { pattern: 'x', path: place })).rejects.toThrow(message);
    await expect(glob(root, { pattern: '*', path: place })).rejects.toThrow(message);
  });

  it('explains that the working directory is gone', async () => {
    const root = treeOf({ a: 'x' });
    rmSync(root, { recursive: true });
    await expect(grep(root, { pattern: 'x' })).rejects.toThrow(/does not exist/);
    await expect(glob(root, { pattern: '*' })).rejects.toThrow(/does not exist/);
  });

  it('skips pipes, circular links and huge sparse files', async () => {
    const root = treeOf({ 'a.txt': 'foo', 'folder/b.txt': 'foo' });
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    symlinkSync('loop', path.join(root, 'loop'));
    symlinkSync('..', path.join(root, 'folder/up'));
    writeFileSync(path.join(root, 'sparse'), '');
    truncateSync(path.join(root, 'sparse'), 5 * 2 ** 30);
    expect((await grep(root, { pattern: 'foo' })).split('\n').sort()).toEqual(['a.txt', 'folder/b.txt']);
    expect((await glob(root, { pattern: '**/*.txt' })).split('\n').sort()).toEqual(['a.txt', 'folder/b.txt']);
  });

  it('finds matches in bytes that are not text, and names with line breaks', async () => {
    const root = treeOf({ bad: Buffer.from([0xff, 0x66, 0x6f, 0x6f, 0x0a]), 'two\nlines': 'foo' });
    expect(await grep(root, { pattern: 'foo', output_mode: 'count' })).toContain('bad:1');
    expect(await glob(root, { pattern: 'two*' })).toBe(JSON.stringify('two\nlines'));
  });

  it('omits files without read permission, and finds the rest', async () => {
    const folder = treeOf({ a: 'foo', b: 'foo', 'closed/c': 'foo' });
    chmodSync(path.join(folder, 'closed'), 0);
    chmodSync(path.join(folder, 'b'), 0);
    await runUnprivileged({ folder }, async () => {
      expect(await grep(folder, { pattern: 'foo' })).toBe('a');
      expect((await glob(folder, { pattern: '**/*' })).split('\n').sort()).toEqual(['a', 'b']);
    });
  });

  it('continues when files disappear during the search', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `d${index % 10}/f${index}`);
    const root = treeOf({ ...Object.fromEntries(names.map((name) => [name, 'foo'])), kept: 'foo' });
    const searching = Promise.all([
      grep(root, { pattern: 'foo', head_limit: 0 }),
      glob(root, { pattern: '**/*' }),
    ]);
    for (const name of names) rmSync(path.join(root, name));
    for (const text of await searching) expect(text).toContain('kept');
  });

  it('is back at once when it is aborted, and leaves no process', async () => {
    const root = treeOf(
      Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [`d${index % 20}/f${index}`, 'foo\n'.repeat(1_000)]),
      ),
    );
    const searches = [
      (signal: AbortSignal) => grep(root, { pattern: 'foo', output_mode: 'content' }, signal),
      (signal: AbortSignal) => glob(root, { pattern: '**/*' }, signal),
    ];
    for (const search of searches) {
      const controller = new AbortController();
      const searching = search(controller.signal);
      const from = performance.now();
      controller.abort();
      await expect(searching).rejects.toThrow(/abort/i);
      expect(performance.now() - from).toBeLessThan(ABORT_DEADLINE_MS);
    }
    expect(processTable().filter(({ parent }) => parent === process.pid && isRipgrep(parent))).toEqual([]);
  });

  it('does not hang in an expression that never ends', async () => {
    const root = treeOf({ a: `${'a'.repeat(60)}!\n` });
    const from = performance.now();
    const found = await grep(root, { pattern: '(a+)+$' }).catch(String);
    expect(found).toMatch(/No matches|takes too long/);
    expect(performance.now() - from).toBeLessThan(ABORT_DEADLINE_MS);
  });
});

describe('an engine that does not respond', () => {
  const context = (signal?: AbortSignal) => ({
    ...contextOf({ workingDirectory: treeOf({ a: 'x' }), ...(signal ? { signal } : {}) }),
    toolUseId: 'g1',
  });

  it('is stopped at its time limit, and the model gets advice', async () => {
    const never = () => Promise.withResolvers<never>().promise;
    const engine = { files: never, search: never };
    const deps = searchDeps({ engine: () => Promise.resolve(engine), timeoutMs: 20 });
    const message = /ended after 0.02 seconds. Search in a smaller folder/;
    const nothing = (): void => undefined;
    await expect(createGrepTool(deps).call({ pattern: 'x' }, context(), nothing)).rejects.toThrow(message);
    await expect(createGlobTool(deps).call({ pattern: '*' }, context(), nothing)).rejects.toThrow(message);
  });

  it('and lists too many files is stopped, and Glob reports that the list is incomplete', async () => {
    const program = path.join(
      treeOf({ rg: `#!/bin/sh\nyes 'a long name of a file' | tr '\\n' '\\0'\n` }),
      'rg',
    );
    chmodSync(program, 0o755);
    const tool = createGlobTool(searchDeps({ engine: () => Promise.resolve(new RipgrepEngine(program)) }));
    const { data } = await tool.call({ pattern: 'none*' }, context(), () => undefined);
    expect(tool.toResult(data).content).toBe(
      'No files found\n(not all files were looked at; give a smaller folder as path)',
    );
  });

  it.runIf(process.platform === 'linux')('is stopped when it needs too much memory', async () => {
    const fills = 'globalThis.kept = Buffer.alloc(600e6, 1); setTimeout(() => {}, 600_000);';
    const program = path.join(treeOf({ rg: `#!${process.execPath}\n${fills}\n` }), 'rg');
    chmodSync(program, 0o755);
    const deps = searchDeps({ engine: () => Promise.resolve(new RipgrepEngine(program)) });
    const searching = createGrepTool(deps).call({ pattern: 'x' }, context(), () => undefined);
    await expect(searching).rejects.toThrow(/more than 512 MB of memory/);
  });

  it('is killed with its search', async () => {
    const program = path.join(
      treeOf({ rg: '#!/bin/sh\necho $$ >pid.new; mv pid.new pid; exec sleep 600\n' }),
      'rg',
    );
    chmodSync(program, 0o755);
    const deps = searchDeps({ engine: () => Promise.resolve(new RipgrepEngine(program)) });
    const controller = new AbortController();
    const searched = context(controller.signal);
    const searching = createGrepTool(deps).call({ pattern: 'x' }, searched, () => undefined);
    const pid = path.join(searched.workingDirectory, 'pid');
    await expect.poll(() => existsSync(pid)).toBe(true);
    controller.abort();
    await expect(searching).rejects.toThrow(/abort/i);
    const number = Number(readFileSync(pid, 'utf8'));
    await expect.poll(() => processTable().some((row) => row.pid === number)).toBe(false);
  });
});

function isRipgrep(pid: number): boolean {
  return execFileSync('ps', ['-o', 'comm=', '--ppid', String(pid)], { encoding: 'utf8' }).includes('rg');
}
