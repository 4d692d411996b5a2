/** Both engines return the same results: every query here runs on both. */
import { mkdirSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filePattern } from './file-pattern.ts';
import type { FileQuery, SearchEngine, TextQuery } from './query.ts';
import { RipgrepEngine } from './ripgrep.ts';
import { treeOf } from './test/tree.ts';
import { WalkEngine } from './walk-engine.ts';

const ENGINES: readonly SearchEngine[] = [new RipgrepEngine(rgPath), new WalkEngine()];
const SIGNAL = new AbortController().signal;

async function files(root: string, more: Partial<FileQuery> = {}): Promise<string[]> {
  const [one, other] = await Promise.all(
    ENGINES.map(async (engine) =>
      [...(await engine.files({ root, folder: os.tmpdir(), ...more }, SIGNAL)).names].sort(),
    ),
  );
  expect(other).toEqual(one);
  return one ?? [];
}

async function search(root: string, expression: string, more: Partial<TextQuery> = {}): Promise<string[]> {
  const query: TextQuery = {
    root,
    folder: os.tmpdir(),
    expression,
    ignoreCase: false,
    multiline: false,
    mode: 'content',
    before: 0,
    after: 0,
    lineNumbers: true,
    ...more,
  };
  const [one, other] = await Promise.all(
    ENGINES.map(async (engine) => {
      const { matches } = await engine.search(query, SIGNAL);
      const shown = matches.map(({ path, count, lines }) =>
        query.mode === 'count'
          ? `${path}=${count}`
          : query.mode === 'content'
            ? `${path}|${lines.join('|')}`
            : path,
      );
      return shown.sort();
    }),
  );
  expect(other).toEqual(one);
  return one ?? [];
}

describe('the files that are searched', () => {
  it('are those that no ignore file excludes, including hidden ones', async () => {
    const root = treeOf({
      '.gitignore': 'node_modules\n*.log\n/build/\n!keep.log\n',
      'a.ts': '',
      '.hidden/b.ts': '',
      'node_modules/c.ts': '',
      'x.log': '',
      'keep.log': '',
      'build/d.ts': '',
      'src/build/e.ts': '',
      'src/.gitignore': 'local.ts\n!*.log\n',
      'src/local.ts': '',
      'src/y.log': '',
      'src/node_modules/f.ts': '',
      '.git/config': '',
    });
    expect(await files(root)).toEqual([
      '.gitignore',
      '.hidden/b.ts',
      'a.ts',
      'keep.log',
      'src/.gitignore',
      'src/build/e.ts',
      'src/y.log',
    ]);
  });

  it('obey the ignore files above, up to the repository', async () => {
    const root = treeOf({ '.gitignore': '*.tmp\n/sub/only\n', 'sub/a.tmp': '', 'sub/only': '', 'sub/b': '' });
    mkdirSync(path.join(root, '.git'));
    expect(await files(path.join(root, 'sub'))).toEqual(['b']);
  });

  it('obey .ignore and .rgignore before .gitignore, and private excludes', async () => {
    const root = treeOf({
      '.gitignore': 'a\nb\n',
      '.ignore': '!a\nc\n',
      '.rgignore': '!c\nd\n',
      '.git/info/exclude': 'e\n',
      a: '',
      b: '',
      c: '',
      d: '',
      e: '',
      f: '',
    });
    expect(await files(root)).toEqual(['.gitignore', '.ignore', '.rgignore', 'a', 'c', 'f']);
  });

  it('include a folder that is ignored further out, if a nearer file includes it again', async () => {
    const root = treeOf({
      '.gitignore': '*.log',
      'src/.gitignore': '!c.log',
      'src/c.log/a': '',
      'src/d.log/a': '',
    });
    expect(await files(root)).toEqual(['.gitignore', 'src/.gitignore', 'src/c.log/a']);
    expect(await files(path.join(root, 'src/d.log'))).toEqual(['a']);
  });

  it.each([
    ['*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['**/*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['*.{ts,tsx}', ['a.ts', 'd.tsx', 'src/b.ts', 'src/deep/c.ts']],
    ['src/*.ts', ['src/b.ts']],
    ['src/**', ['src/b.ts', 'src/deep/c.ts']],
    ['./src/**/*.ts', ['src/b.ts', 'src/deep/c.ts']],
    ['**/*', ['.gitignore', 'a.ts', 'd.tsx', 'keep.log', 'src/b.ts', 'src/deep/c.ts']],
    ['*.log', ['keep.log']],
    ['!*.ts', ['.gitignore', 'd.tsx', 'keep.log']],
    ['[ab].ts', ['a.ts', 'src/b.ts']],
    ['?.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['{src,lib}/**/*.{ts,js}', ['src/b.ts', 'src/deep/c.ts']],
    ['c.ts', ['src/deep/c.ts']],
    ['nothing', []],
  ])('can be restricted by %s, which never includes ignored files', async (pattern, expected) => {
    const root = treeOf({
      '.gitignore': 'node_modules\n*.log\n!keep.log\n',
      'a.ts': '',
      'src/b.ts': '',
      'src/deep/c.ts': '',
      'd.tsx': '',
      'x.log': '',
      'keep.log': '',
      'node_modules/e.ts': '',
      'src/node_modules/f.ts': '',
    });
    expect(await files(root, { pattern: filePattern(pattern) })).toEqual(expected);
  });

  it('can be restricted by type, and an unknown type is an error', async () => {
    const root = treeOf({ 'a.ts': '', 'b.py': '', 'c.tsx': '', 'd.md': '' });
    expect(await files(root, { type: 'ts' })).toEqual(['a.ts', 'c.tsx']);
    for (const engine of ENGINES) {
      await expect(engine.files({ root, folder: os.tmpdir(), type: 'nope' }, SIGNAL)).rejects.toThrow(
        /unrecognized file type: nope/,
      );
    }
  });

  it('do not include links, whose targets are found at their own path', async () => {
    const root = treeOf({ 'a/b': '' });
    symlinkSync('a', path.join(root, 'loop'));
    symlinkSync('a/b', path.join(root, 'link'));
    expect(await files(root)).toEqual(['a/b']);
  });

  it('may have any name', async () => {
    const root = treeOf({ 'a\nb': 'x', 'q\'"*': 'x', ' blank ': 'x', é: 'x', '-rf': 'x', '--help': 'x' });
    expect(await files(root)).toHaveLength(6);
    expect(await search(root, 'x', { mode: 'files_with_matches' })).toHaveLength(6);
    expect(await search(root, 'x', { file: '--help' })).toEqual(['--help|1:x']);
  });
});

describe('a name with a line feed', () => {
  const tree = { 'a\nb': 'x one\nnone\n', 'c/d\n--\ne/f': 'x two\ny\ny\ny\nx three\n', '--\nz': 'x four\n' };
  const searched = ['--\nz', 'a\nb', 'c/d\n--\ne/f'];

  it('is whole in the result of each mode', async () => {
    const root = treeOf(tree);
    expect(await search(root, 'x', { mode: 'files_with_matches' })).toEqual(searched);
    expect(await search(root, 'x', { mode: 'count' })).toEqual(['--\nz=1', 'a\nb=1', 'c/d\n--\ne/f=2']);
    expect(await search(root, 'x', {})).toEqual([
      '--\nz|1:x four',
      'a\nb|1:x one',
      'c/d\n--\ne/f|1:x two|5:x three',
    ]);
    expect(await search(root, 'x', { lineNumbers: false, after: 1 })).toEqual([
      '--\nz|x four',
      'a\nb|x one|none',
      'c/d\n--\ne/f|x two|y|--|x three',
    ]);
    expect(await search(root, String.raw`one\nnone`, { multiline: true })).toEqual(['a\nb|1:x one|2:none']);
  });

  const large = `x first\n${'y'.repeat(99)}\n`.padEnd(300_000, `${'y'.repeat(99)}\n`);
  const binary = Buffer.from(`${large}x\0\n`);
  const modes = ['content', 'count', 'files_with_matches'] as const;

  async function pathsOf(root: string, mode: (typeof modes)[number]): Promise<string[]> {
    const query = { root, folder: os.tmpdir(), expression: 'x', ignoreCase: false, multiline: false };
    const more = { mode, before: 0, after: 0, lineNumbers: true };
    const { matches } = await new RipgrepEngine(rgPath).search({ ...query, ...more }, SIGNAL);
    return matches.map((match) => match.path).sort();
  }

  it.each(modes)('does not contain a message about a binary file before it: %s', async (mode) => {
    const texts = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`n${index}`, 'x\n']));
    const root = treeOf({ ...texts, 'b/one': binary, 'b/two': binary });
    const found = await pathsOf(root, mode);
    expect(found.filter((name) => name.startsWith('n'))).toEqual(Object.keys(texts).sort());
    expect(found.filter((name) => name.includes('\n'))).toEqual([]);
  });

  it('is omitted if it may be such a message before another name', async () => {
    const message = String.raw`WARNING: stopped searching binary file after match (found "\0" byte around offset 7)`;
    const root = treeOf({ big: binary, [`big: ${message}\nconf/key`]: 'x\n', 'conf/key': 'x\n' });
    expect((await pathsOf(root, 'content')).filter((name) => name.includes('\n'))).toEqual([]);
  });
});

describe('the result', () => {
  const root = treeOf({
    'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\ntwo again',
    'crlf.txt': 'Two\r\ntwo\r\n',
    binary: Buffer.from('two\0two'),
    'utf16.txt': Buffer.from('\ufefftwo\n', 'utf16le'),
    'bom.txt': '\ufefftwo\n',
    'long.txt': `two ${'x'.repeat(1_000)}\n`,
    'code.ts': 'interface A {\n  b: string;\n}\n// é ü\n',
  });

  it.each([
    ['two', {}],
    ['^two$', {}],
    ['TWO', { ignoreCase: true }],
    ['(?i)TWO', {}],
    ['t.o|s[ie]', {}],
    [String.raw`\bfour\b`, {}],
    [String.raw`interface \w+ \{`, {}],
    [String.raw`b: string;`, {}],
    ['[[:upper:]]', {}],
    ['é', {}],
    ['two', { before: 1, after: 1 }],
    ['two', { after: 2 }],
    ['(two|four)', { before: 1 }],
    ['two', { lineNumbers: false }],
    ['interface.*string', { multiline: true }],
    [String.raw`one\ntwo`, { multiline: true }],
    ['two', { mode: 'count' }],
    ['two', { mode: 'files_with_matches' }],
    ['nothing', {}],
  ] as const)('is the same for %s with %j', async (expression, more) => {
    await search(root, expression, more);
  });

  it('is shown with numbers, context and separators', async () => {
    expect(await search(root, '(two|six)', { file: 'a.txt', before: 1 })).toEqual([
      'a.txt|1-one|2:two|--|5-five|6:six|7-seven|8:two again'.replace('|7-seven', '|7-seven'),
    ]);
    expect(await search(root, 'two x', { file: 'long.txt' })).toEqual([
      `long.txt|1:two ${'x'.repeat(496)} [... omitted end of long line]`,
    ]);
  });

  it('is an error if the expression is invalid', async () => {
    for (const engine of ENGINES) {
      const query = {
        root,
        folder: os.tmpdir(),
        expression: '(',
        ignoreCase: false,
        multiline: false,
        before: 0,
        after: 0,
        lineNumbers: true,
      };
      await expect(engine.search({ ...query, mode: 'content' }, SIGNAL)).rejects.toThrow(
        /unclosed group|Unterminated group/,
      );
    }
  });

  it('is the same in any tree', async () => {
    const name = fc.constantFrom('a', 'b.ts', 'c.log', 'd', 'src', 'build', '.x');
    const file = fc.tuple(
      fc.array(name, { minLength: 1, maxLength: 3 }),
      fc.array(fc.constantFrom('foo', 'bar', 'Foo bar', '', 'x\r'), { maxLength: 6 }),
    );
    const rule = fc.constantFrom(
      '*.log',
      'build',
      '/build',
      'build/',
      '!c.log',
      'src/*',
      '!src/b.ts',
      '**/d',
      'a/**',
      '/a',
      '# remark',
      '',
      '*.ts',
      '!b.ts',
      'src/**/d',
      '.x',
      '[ac]*',
      '!/src',
      '**/src/',
      'build/**/a',
      String.raw`\.x`,
      'b?ts ',
    );
    const rules = fc.record({
      kind: fc.constantFrom('.gitignore', '.ignore'),
      at: fc.constantFrom('', 'src/', 'a/'),
      lines: fc.array(rule, { maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { maxLength: 8 }),
        fc.array(rules, { maxLength: 3 }),
        async (given, ignores) => {
          const tree: Record<string, string> = {};
          for (const [parts, lines] of given) tree[parts.join('/')] = lines.join('\n');
          for (const { kind, at, lines } of ignores) tree[at + kind] = lines.join('\n');
          // A name cannot be both a file and a folder.
          for (const key of Object.keys(tree))
            if (Object.keys(tree).some((other) => other.startsWith(`${key}/`))) delete tree[key];
          const place = treeOf(tree);
          await files(place);
          await search(place, 'foo', { ignoreCase: true, after: 1 });
        },
      ),
      { numRuns: 40 },
    );
  });
});
