import { cpuMsOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { filePattern } from './file-pattern.ts';

const PATHS = [
  'a.ts',
  'b.tsx',
  '.env',
  'README.md',
  'src/a.ts',
  'src/.hidden/a.ts',
  'src/deep/b.test.ts',
  'src/deep/er/c.js',
  'lib/a.ts',
  'docs/1.md',
  'docs/23.md',
  'a-b_c.d',
  'x/src/a.ts',
  'src/a b.ts',
  'src/[id].ts',
  'src/café.ts',
  'libs',
];

const TABLE: readonly (readonly [pattern: string, matches: readonly string[]])[] = [
  [
    '*.ts',
    [
      'a.ts',
      'src/a.ts',
      'src/.hidden/a.ts',
      'src/deep/b.test.ts',
      'lib/a.ts',
      'x/src/a.ts',
      'src/a b.ts',
      'src/[id].ts',
      'src/café.ts',
    ],
  ],
  [
    '**/*.ts',
    [
      'a.ts',
      'src/a.ts',
      'src/.hidden/a.ts',
      'src/deep/b.test.ts',
      'lib/a.ts',
      'x/src/a.ts',
      'src/a b.ts',
      'src/[id].ts',
      'src/café.ts',
    ],
  ],
  [
    '*.{ts,tsx}',
    [
      'a.ts',
      'b.tsx',
      'src/a.ts',
      'src/.hidden/a.ts',
      'src/deep/b.test.ts',
      'lib/a.ts',
      'x/src/a.ts',
      'src/a b.ts',
      'src/[id].ts',
      'src/café.ts',
    ],
  ],
  ['**/*.{js,md}', ['README.md', 'src/deep/er/c.js', 'docs/1.md', 'docs/23.md']],
  ['src/*', ['src/a.ts', 'src/a b.ts', 'src/[id].ts', 'src/café.ts']],
  [
    'src/**',
    [
      'src/a.ts',
      'src/.hidden/a.ts',
      'src/deep/b.test.ts',
      'src/deep/er/c.js',
      'src/a b.ts',
      'src/[id].ts',
      'src/café.ts',
    ],
  ],
  [
    'src/**/*',
    [
      'src/a.ts',
      'src/.hidden/a.ts',
      'src/deep/b.test.ts',
      'src/deep/er/c.js',
      'src/a b.ts',
      'src/[id].ts',
      'src/café.ts',
    ],
  ],
  [
    'src/**/*.ts',
    ['src/a.ts', 'src/.hidden/a.ts', 'src/deep/b.test.ts', 'src/a b.ts', 'src/[id].ts', 'src/café.ts'],
  ],
  ['src/*/*', ['src/.hidden/a.ts', 'src/deep/b.test.ts']],
  ['src/*.ts', ['src/a.ts', 'src/a b.ts', 'src/[id].ts', 'src/café.ts']],
  ['/src/*.ts', ['src/a.ts', 'src/a b.ts', 'src/[id].ts', 'src/café.ts']],
  ['./src/*.ts', ['src/a.ts', 'src/a b.ts', 'src/[id].ts', 'src/café.ts']],
  ['**/src/*.ts', ['src/a.ts', 'x/src/a.ts', 'src/a b.ts', 'src/[id].ts', 'src/café.ts']],
  [
    '**/src/**',
    [
      'src/a.ts',
      'src/.hidden/a.ts',
      'src/deep/b.test.ts',
      'src/deep/er/c.js',
      'x/src/a.ts',
      'src/a b.ts',
      'src/[id].ts',
      'src/café.ts',
    ],
  ],
  ['*/a.ts', ['src/a.ts', 'lib/a.ts']],
  ['*/*/*', ['src/.hidden/a.ts', 'src/deep/b.test.ts', 'x/src/a.ts']],
  ['**/deep/**', ['src/deep/b.test.ts', 'src/deep/er/c.js']],
  ['src/**/**/c.js', ['src/deep/er/c.js']],
  ['src/**/a.ts', ['src/a.ts', 'src/.hidden/a.ts']],
  ['?.ts', ['a.ts', 'src/a.ts', 'src/.hidden/a.ts', 'lib/a.ts', 'x/src/a.ts']],
  ['??.ts', []],
  ['src/?.ts', ['src/a.ts']],
  ['[ab].ts', ['a.ts', 'src/a.ts', 'src/.hidden/a.ts', 'lib/a.ts', 'x/src/a.ts']],
  [
    '[a-c].*',
    [
      'a.ts',
      'b.tsx',
      'src/a.ts',
      'src/.hidden/a.ts',
      'src/deep/b.test.ts',
      'src/deep/er/c.js',
      'lib/a.ts',
      'x/src/a.ts',
    ],
  ],
  ['[^a].ts', []],
  ['src/[a-c].ts', ['src/a.ts']],
  ['*.test.*', ['src/deep/b.test.ts']],
  ['*test*', ['src/deep/b.test.ts']],
  ['.env', ['.env']],
  ['.*', ['.env']],
  ['**/.*', ['.env']],
  ['src/.*/*', ['src/.hidden/a.ts']],
  ['{src,lib}/a.ts', ['src/a.ts', 'lib/a.ts']],
  ['{src,lib/a}*', ['lib/a.ts']],
  [
    '{src,lib}/**',
    [
      'src/a.ts',
      'src/.hidden/a.ts',
      'src/deep/b.test.ts',
      'src/deep/er/c.js',
      'lib/a.ts',
      'src/a b.ts',
      'src/[id].ts',
      'src/café.ts',
    ],
  ],
  ['src/{a,deep/b.test}.ts', ['src/a.ts', 'src/deep/b.test.ts']],
  ['{a,b}.{ts,tsx}', ['a.ts', 'b.tsx', 'src/a.ts', 'src/.hidden/a.ts', 'lib/a.ts', 'x/src/a.ts']],
  [
    '{a,{b,c}}.{ts,tsx,js}',
    ['a.ts', 'b.tsx', 'src/a.ts', 'src/.hidden/a.ts', 'src/deep/er/c.js', 'lib/a.ts', 'x/src/a.ts'],
  ],
  ['docs/{1..3}.md', ['docs/1.md']],
  ['docs/{a..c}.md', []],
  [String.raw`src/\[id\].ts`, ['src/[id].ts']],
  [String.raw`src/a\ b.ts`, ['src/a b.ts']],
  ['src/a b.ts', ['src/a b.ts']],
  ['src/c*é.ts', ['src/café.ts']],
  ['src/caf?.ts', ['src/café.ts']],
  ['a{,-b_c}.*', ['a.ts', 'src/a.ts', 'src/.hidden/a.ts', 'lib/a.ts', 'a-b_c.d', 'x/src/a.ts']],
  ['*-*_*', ['a-b_c.d']],
  ['README*', ['README.md']],
  ['readme*', []],
  ['*.T?', []],
  ['lib', []],
  ['lib*', ['libs']],
  ['src/', []],
  ['a**s', ['a.ts', 'src/a.ts', 'src/.hidden/a.ts', 'lib/a.ts', 'x/src/a.ts', 'src/a b.ts']],
  ['src/**.ts', ['src/a.ts', 'src/a b.ts', 'src/[id].ts', 'src/café.ts']],
  ['**a.ts', ['a.ts', 'src/a.ts', 'src/.hidden/a.ts', 'lib/a.ts', 'x/src/a.ts']],
  ['*a.*', ['a.ts', 'src/a.ts', 'src/.hidden/a.ts', 'lib/a.ts', 'x/src/a.ts']],
  ['*/**/*.js', ['src/deep/er/c.js']],
  ['{*,src/deep/*}.ts', ['a.ts', 'src/deep/b.test.ts']],
  [String.raw`\*.ts`, []],
  ['[', []],
  ['a[', []],
  ['{a', []],
  ['a}', []],
  ['{}', []],
  ['{a}', []],
  ['*.*.*', ['src/deep/b.test.ts']],
  ['app/(x)/*', []],
  ['(auth)/+page.ts', []],
];

describe('a pattern for file names', () => {
  it.each(['*', '**', '**/*', '**/**'])('matches everything: %s', (pattern) => {
    expect(PATHS.filter((file) => filePattern(pattern).matches(file))).toEqual(PATHS);
  });

  it.each(TABLE)('matches at any depth or below a folder: %s', (pattern, matches) => {
    const some = filePattern(pattern);
    expect(PATHS.filter((file) => some.matches(file))).toEqual(matches);
    const others = filePattern(`!${pattern}`);
    expect(PATHS.filter((file) => !others.matches(file))).toEqual(matches);
  });

  it.each([
    ['app/(auth)/**/+page.ts', 'app/(auth)/login/+page.ts'],
    ['@types/*.d.ts', '@types/node.d.ts'],
    ['[[:digit:]]*.sql', '01-users.sql'],
    ['[]x].md', '].md'],
    ['[!a-y]*', 'z'],
    ['{a,b}}', 'a}'],
    ['{,x}y', 'y'],
    ['{3..1}', '2'],
    ['**/a/**/b/*', 'x/a/b/a/c/b/d'],
    ['*😀?', '😀😀😀'],
  ])('matches %s: %s', (pattern, file) => {
    expect(filePattern(pattern).matches(file)).toBe(true);
  });

  it.each([
    ['src/**', 'src'],
    ['*', '..'],
    ['a/*/b', 'a/../b'],
    ['app/(auth)/*', 'app/auth/x'],
    ['[!a/b].ts', 'a.ts'],
    ['!(a).ts', '(a).ts'],
    ['{1..9999999}', '5'],
  ])('does not match %s: %s', (pattern, file) => {
    expect(filePattern(pattern).matches(file)).toBe(false);
  });

  it('writes no more lines for ripgrep than braces are expanded to', () => {
    expect(filePattern('*.{ts,tsx}').ignoreLines).toEqual(['*', '!*/', '!/**/*.ts', '!/**/*.tsx']);
    expect(filePattern('{a,b}'.repeat(40)).ignoreLines).toHaveLength(3);
    expect(filePattern('a\n*').ignoreLines).toEqual(['*', '!*/', '!/**/a?*']);
  });

  it.each([
    ['stars', '*a'.repeat(2_000)],
    ['folders', `${'**/a/'.repeat(800)}b`],
    ['stars in folders', `${'**/*a*a*a/'.repeat(400)}b`],
    ['alternatives', '{a,b}'.repeat(800)],
    ['nested alternatives', `${'{a,'.repeat(1_000)}${'}'.repeat(1_000)}`],
    ['repeated groups', '+(a|aa)'.repeat(570)],
    ['open braces', '{'.repeat(4_000)],
    ['open brackets', '['.repeat(4_000)],
    ['open sets with escapes', String.raw`[\]`.repeat(1_300)],
    ['sets', `${'*[a-z]'.repeat(660)}!`],
    ['a large set', `*[${'bcdefgh'.repeat(570)}]b`],
    ['long alternatives', `{${`${'*a'.repeat(20)}b,`.repeat(95)}}`],
  ])('takes time proportional to pattern and name: %s', async (_, pattern) => {
    const names = ['a'.repeat(2_000), 'a/'.repeat(1_000), `${'a'.repeat(1_000)}/${'a/'.repeat(500)}`];
    const used = await cpuMsOf(() => {
      const compiled = filePattern(pattern);
      for (const name of names) compiled.matches(name);
    });
    expect(used).toBeLessThan(2_000);
  });
});
