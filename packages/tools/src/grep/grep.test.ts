import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { ABORT_DEADLINE_MS, contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { textOf } from '../bash/test/shell.ts';
import { createGlobTool } from '../glob/glob.ts';
import type { GlobInput } from '../glob/schema.ts';
import { searchDeps } from './deps.ts';
import { findEngine } from './ripgrep.ts';
import { createGrepTool } from './grep.ts';
import type { GrepInput } from './schema.ts';
import { treeOf } from './test/tree.ts';
import { WalkEngine } from './walk-engine.ts';

const grepTool = createGrepTool(searchDeps());
const globTool = createGlobTool(searchDeps());

async function grep(root: string, input: GrepInput, signal?: AbortSignal): Promise<string> {
  const context = {
    ...contextOf({ workingDirectory: root, ...(signal ? { signal } : {}) }),
    toolUseId: 'g1',
  };
  const { data } = await grepTool.call(input, context, () => undefined);
  return textOf(grepTool.toResult(data).content);
}

async function glob(root: string, input: GlobInput): Promise<string> {
  const { data } = await globTool.call(
    input,
    { ...contextOf({ workingDirectory: root }), toolUseId: 'g1' },
    () => undefined,
  );
  return textOf(globTool.toResult(data).content);
}

describe('Grep', () => {
  it('lists the files that match, the newest first', async () => {
    const root = treeOf({ 'old.ts': 'x', 'z/new.ts': 'foo', 'a.ts': 'foo', 'b.ts': 'bar' });
    expect(await grep(root, { pattern: 'foo' })).toBe('z/new.ts\na.ts');
  });

  it('shows lines, or counts', async () => {
    const root = treeOf({ 'a.ts': 'foo\nbar\nfoo\n', 'b.ts': 'foo\n' });
    expect(await grep(root, { pattern: 'foo', output_mode: 'content' })).toBe(
      'a.ts:1:foo\na.ts:3:foo\nb.ts:1:foo',
    );
    expect(await grep(root, { pattern: 'bar', output_mode: 'content', '-C': 1 })).toBe(
      'a.ts:1-foo\na.ts:2:bar\na.ts:3-foo',
    );
    expect(await grep(root, { pattern: 'foo', output_mode: 'content', '-n': false, path: 'b.ts' })).toBe(
      'b.ts:foo',
    );
    expect(await grep(root, { pattern: 'foo', output_mode: 'count' })).toBe('a.ts:2\nb.ts:1');
  });

  it('shows a page, and how to continue', async () => {
    const root = treeOf(Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}`, 'foo'])));
    expect(await grep(root, { pattern: 'foo', head_limit: 3 })).toBe(
      'f0\nf1\nf2\n(files 1-3 of 7; continue with offset 3)',
    );
    expect(await grep(root, { pattern: 'foo', head_limit: 3, offset: 6 })).toBe('f6');
    expect(await grep(root, { pattern: 'foo', offset: 9 })).toBe('There are only 7 files.');
  });

  it('keeps a page of long lines short', async () => {
    const root = treeOf({ a: `foo ${'x'.repeat(400)}\n`.repeat(200) });
    const shown = await grep(root, { pattern: 'foo', output_mode: 'content' });
    expect(shown.length).toBeLessThan(21_000);
    expect(shown).toMatch(/\(lines 1-\d+ of 200 in 1 file; continue with offset \d+\)$/);
  });

  it('shows paths that are valid from the working directory', async () => {
    const root = treeOf({ 'src/a.ts': 'foo', 'other/b.ts': 'foo' });
    expect(await grep(root, { pattern: 'foo', path: 'src' })).toBe('src/a.ts');
    expect(await grep(path.join(root, 'src'), { pattern: 'foo', path: '../other' })).toBe(
      `${root}/other/b.ts`,
    );
    expect(await grep(root, { pattern: 'foo', path: path.join(root, 'src/a.ts') })).toBe('src/a.ts');
  });

  it('reports that nothing was found', async () => {
    expect(await grep(treeOf({ a: 'b' }), { pattern: 'foo' })).toBe('No matches');
  });

  it('accepts a pattern that looks like an option', async () => {
    expect(await grep(treeOf({ a: '--help' }), { pattern: '--help' })).toBe('a');
  });

  it('searches a named file that it would omit in a folder', async () => {
    const root = treeOf({ '.gitignore': 'a', a: 'foo' });
    expect(await grep(root, { pattern: 'foo', path: 'a', glob: '*.ts' })).toBe('a');
  });

  it.each([
    ['a missing path', { pattern: 'x', path: 'nothing' }, /does not exist/],
    ['a missing path with a newline', { pattern: 'x', path: 'no\nthing' }, /does not exist/],
    ['a pipe', { pattern: 'x', path: 'pipe' }, /neither a file nor a folder/],
    ['a broken expression', { pattern: '(' }, /unclosed group/],
    ['an unknown type', { pattern: 'x', type: 'nope' }, /unrecognized file type/],
  ])('explains the problem with %s', async (_, input, message) => {
    const root = treeOf({ a: 'x' });
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    await expect(grep(root, input)).rejects.toThrow(message);
  });

  it('explains that the working directory is gone', async () => {
    const root = treeOf({ a: 'x' });
    rmSync(root, { recursive: true });
    await expect(grep(root, { pattern: 'x' })).rejects.toThrow(/does not exist/);
  });

  it('omits files that the permission rules exclude', async () => {
    const root = treeOf({ a: 'foo', b: 'foo' });
    mkdirSync(path.join(root, 'closed'));
    writeFileSync(path.join(root, 'closed/c'), 'foo');
    chmodSync(path.join(root, 'closed'), 0);
    chmodSync(path.join(root, 'b'), 0);
    const shown = await grep(root, { pattern: 'foo' });
    chmodSync(path.join(root, 'closed'), 0o700);
    expect(shown.split('\n')).toContain('a');
  });

  it('ends at once when it is aborted', async () => {
    const root = treeOf(
      Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [`d${index % 20}/f${index}`, 'foo\n'.repeat(1_000)]),
      ),
    );
    const controller = new AbortController();
    const searching = grep(root, { pattern: 'foo', output_mode: 'content' }, controller.signal);
    const from = performance.now();
    controller.abort();
    await expect(searching).rejects.toThrow(/abort/i);
    expect(performance.now() - from).toBeLessThan(ABORT_DEADLINE_MS);
  });

  it.each([
    {},
    { pattern: '' },
    { pattern: 'a', output_mode: 'all' },
    { pattern: 'a', '-A': -1 },
    { pattern: 'a', head_limit: 1.5 },
    { pattern: 'a', flags: 'i' },
  ])('rejects the input %j', async (input) => {
    expect((await grepTool.inputSchema()).safeParse(input).success).toBe(false);
  });
});

describe('Glob', () => {
  it('finds files by name, the newest first', async () => {
    const root = treeOf({ 'z.ts': '', 'src/a.ts': '', 'b.js': '' });
    expect(await glob(root, { pattern: '**/*.ts' })).toBe('z.ts\nsrc/a.ts');
    expect(await glob(root, { pattern: '*.ts', path: 'src' })).toBe('src/a.ts');
    expect(await glob(root, { pattern: 'nothing*' })).toBe('No files found');
  });

  it('accepts absolute patterns, and patterns that leave the folder', async () => {
    const root = treeOf({ 'src/a.ts': '', 'lib/b.ts': '' });
    expect(await glob('/', { pattern: `${root}/src/*.ts` })).toBe(`${root.slice(1)}/src/a.ts`);
    expect(await glob(path.join(root, 'src'), { pattern: '../lib/*.ts' })).toBe(`${root}/lib/b.ts`);
    expect(await glob(root, { pattern: `${root}/src/a.ts` })).toBe('src/a.ts');
  });

  it('shows the newest hundred', async () => {
    const root = treeOf(Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`f${index}.ts`, ''])));
    const shown = await glob(root, { pattern: '*.ts' });
    expect(shown.split('\n')).toHaveLength(101);
    expect(shown).toMatch(/\(the newest 100 of 120; narrow the pattern for others\)$/);
  });

  it.each([
    [{ pattern: '*', path: 'nothing' }, /does not exist/],
    [{ pattern: '*', path: 'a' }, /is a file, not a folder/],
  ])('explains the problem with %j', async (input, message) => {
    await expect(glob(treeOf({ a: '' }), input)).rejects.toThrow(message);
  });

  it.each([{}, { pattern: '' }, { pattern: 1 }, { pattern: '*', depth: 2 }])(
    'rejects the input %j',
    async (input) => {
      expect((await globTool.inputSchema()).safeParse(input).success).toBe(false);
    },
  );
});

describe.each([
  ['ripgrep', findEngine],
  ['the walk', () => Promise.resolve(new WalkEngine())],
])('a file without read permission, with %s', (_name, engine) => {
  const deps = searchDeps({ engine });
  const searchers = { grep: createGrepTool(deps), glob: createGlobTool(deps) };

  async function shown(root: string, isDenied: (file: string) => boolean, input: GrepInput): Promise<string> {
    const deniedFiles = () => Promise.resolve(isDenied);
    const context = { ...contextOf({ workingDirectory: root, deniedFiles }), toolUseId: 'g1' };
    const { data } = await searchers.grep.call(input, context, () => undefined);
    const names = await searchers.glob.call({ pattern: '**/*' }, context, () => undefined);
    return [
      textOf(searchers.grep.toResult(data).content),
      textOf(searchers.glob.toResult(names.data).content),
    ].join('\n|\n');
  }

  it('is omitted: its lines, its name, and its existence', async () => {
    const root = treeOf({
      'a.ts': 'token',
      'secrets/key.pem': 'token',
      'secrets/b/c': 'token',
      '.env': 'token',
    });
    const isDenied = (file: string): boolean =>
      file.startsWith(`${root}/secrets/`) || file === `${root}/.env`;
    for (const output_mode of ['content', 'count', 'files_with_matches'] as const) {
      const text = await shown(root, isDenied, { pattern: 'token', output_mode });
      expect(text).toContain('a.ts');
      expect(text).not.toMatch(/secrets|env/);
    }
    expect(await shown(root, () => true, { pattern: 'token' })).toBe('No matches\n|\nNo files found');
  });

  it('is omitted under the names of links to it, too', async () => {
    const root = treeOf({ 'real/secret': 'token', 'real/open': 'token' });
    symlinkSync(path.join(root, 'real'), path.join(root, 'link'));
    const isDenied = (file: string): boolean => file === `${root}/real/secret`;
    const text = await shown(path.join(root, 'link'), isDenied, { pattern: 'token' });
    expect(text).toBe('open\n|\nopen');
  });
});
