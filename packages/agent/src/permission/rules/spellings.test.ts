/** The patterns of file rules: braces, variables, quotes and names with brackets. */
import type { JsonObject } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { decided, type RuleTexts, shell } from '../test/ask.ts';
import { HOME, ROOT, worldOf } from '../test/world.ts';
import { compileRules, deniedFiles } from './compile.ts';
import { NO_RULES } from './rule.ts';
import { doubtAboutPath, spellingsOf } from './spellings.ts';

const read = (file_path: string, rules: RuleTexts) => decided('Read', { file_path }, { rules }).decision;

describe('a deny rule', () => {
  it.each([
    ['Read(**/*.{pem,key})', 'certs/a.key'],
    ['Read(**/*.{pem,key})', 'certs/a.pem'],
    ['Read(./{a,b/{c,d}}/**)', 'b/d/x'],
    ['Read(./{secrets}/**)', 'secrets/x'],
    ['Read(./{a,b}/**)', '{a,b}/x'],
    ['Read(./log{1..3})', 'log2'],
    ['Read({~/x,//srv/{y,z}}/**)', '/srv/z/k'],
    ['Read($HOME/x/**)', `${HOME}/x/y`],
    ['Read(${HOME}/x/**)', `${HOME}/x/y`],
    ['Read("$HOME/{x,y}")', `${HOME}/y`],
    ['Read("secrets/**")', 'secrets/a'],
    ["Read('./secrets/**')", 'secrets/a'],
    ['Read(./app/[id]/**)', 'app/[id]/a'],
    ['Read(./app/[id]/**)', 'app/d/a'],
    ['Read(./app/[[...slug]]/[0-9].ts)', 'app/[[...slug]]/3.ts'],
    ['Read(./my\\ files/**)', 'my files/a'],
  ])('%s matches %s', (rule, file) => {
    expect(read(file, { deny: [rule] })).toBe('deny');
    expect(shell(`cat '${file}'`, { rules: { deny: [rule] } }).decision).toBe('deny');
  });

  it('keeps the same files out of searches and of the sandbox', () => {
    const deny = ['Read(./*.{pem,key})', 'Read(./app/[id]/**)'].map((text) => ({
      text,
      source: 'user' as const,
    }));
    const rules = { ...NO_RULES, deny };
    const isDenied = deniedFiles(rules, worldOf(), ['deny']);
    expect(
      ['a.pem', 'a.key', 'a.txt', 'app/[id]/x', 'app/i/x'].map((name) => isDenied(`${ROOT}/${name}`)),
    ).toEqual([true, true, false, true, true]);
    const globs = compileRules(rules, worldOf()).deny.flatMap(
      ({ specifier }) => specifier?.path?.globs ?? [],
    );
    expect(globs).toEqual([
      `${ROOT}/*.{pem,key}`,
      `${ROOT}/*.pem`,
      `${ROOT}/*.key`,
      `${ROOT}/app/[id]/**`,
      `${ROOT}/app/[[]id]/**`,
    ]);
  });

  it('does not match what its braces leave out', () => {
    expect(read('a.txt', { deny: ['Read(**/*.{pem,key})'] })).toBe('allow');
    expect(read('log4', { deny: ['Read(./log{1..3})'] })).toBe('allow');
    expect(read('a.pem', { deny: ['Read(./\\{a,b\\}.pem)'] })).toBe('allow');
  });

  it('with too many alternatives matches more than it names', () => {
    const many = '{a,b,c,d}'.repeat(8);
    expect(read('x.aaaaaaaa', { deny: [`Read(x.${many})`] })).toBe('deny');
    expect(read('a/b', { deny: [`Read({./a,${many}}/b)`] })).toBe('deny');
    expect(read('x/a/k', { deny: [`Read(./x/{a,b/c}${many}/k)`] })).toBe('deny');
    expect(read(`x/${'a'.repeat(4)}`, { deny: [`Read(./x/${'{'.repeat(20)}a,b${'}'.repeat(20)})`] })).toBe(
      'deny',
    );
  });
});

describe('an allow rule', () => {
  const edit = (file_path: string, rule: string) =>
    decided('Edit', { file_path }, { rules: { allow: [rule] } }).decision;

  it('expands braces', () => {
    expect(edit('src/a.ts', 'Edit(./src/*.{js,ts})')).toBe('allow');
    expect(edit('src/a.py', 'Edit(./src/*.{js,ts})')).toBe('ask');
    expect(edit('src/x', 'Edit(./src/{x})')).toBe('ask');
  });

  it('does not match the letters of a set, nor a pattern in quotes', () => {
    expect(edit('app/[id]/a', 'Edit(./app/[id]/a)')).toBe('ask');
    expect(edit('app/d/a', 'Edit(./app/[id]/a)')).toBe('allow');
    expect(edit('src/a', 'Edit("./src/a")')).toBe('ask');
  });

  it('with too many alternatives matches none of them', () => {
    expect(edit('aaaaaaaa', `Edit(./${'{a,b,c,d}'.repeat(8)})`)).toBe('ask');
  });
});

describe('a rule about a field', () => {
  const call = (input: JsonObject, rules: RuleTexts) => decided('mcp__s__t', input, { rules }).decision;

  it.each<JsonObject>([
    { path: '/etc/x' },
    { path: ['/srv/a', '/etc/x'] },
    { path: [['/etc/x']] },
    { path: { from: '/srv/a', to: ['/etc/x'] } },
    { path: [null, 1, '/etc/x'] },
  ])('matches each text in %j', (input) => {
    expect(call(input, { deny: ['mcp__s__t(path:/etc*)'], allow: ['mcp__s__t'] })).toBe('deny');
    expect(call(input, { ask: ['mcp__s__t(path:/etc*)'], allow: ['mcp__s__t'] })).toBe('ask');
  });

  it('does not match names in objects, nor other texts', () => {
    const input = { path: { '/etc/x': ['/srv/etc', null, []] }, other: ['/etc/x'] };
    expect(call(input, { deny: ['mcp__s__t(path:/etc*)'], allow: ['mcp__s__t'] })).toBe('allow');
  });
});

describe('a warning about a rule', () => {
  it.each([
    ['Read(.env,*.pem)', /a comma is a part of the pattern/],
    ['Edit(src/a, src/b)', /a comma is a part of the pattern/],
    ['Read("a"/b")', /quotes are a part of the pattern/],
    ['Read($XDG_CONFIG_HOME/x)', /only \$HOME and ~ are known/],
    ['Read(~root/x)', /only \$HOME and ~ are known/],
    [`Read(${'{a,b,c,d}'.repeat(8)})`, /more than 100 alternatives/],
  ])('is given for %s in deny and ask', (rule, message) => {
    expect(doubtAboutPath(rule, 'deny')).toMatch(message);
    expect(doubtAboutPath(rule, 'ask')).toMatch(message);
  });

  it.each([
    'Read(*.{pem,key})',
    'Read(a\\,b)',
    'Read([a,b])',
    'Read("a b")',
    'Read($HOME/x)',
    'Read(file_path:a,b)',
  ])('is not given for %s', (rule) => {
    expect(doubtAboutPath(rule, 'deny')).toBeUndefined();
  });
});

describe('the patterns of a rule', () => {
  it.each([
    ['{'.repeat(100_000)],
    ['{a,b}'.repeat(20_000)],
    ['{x}'.repeat(20_000)],
    [`${'{a,'.repeat(20_000)}${'}'.repeat(20_000)}`],
    [`{${'a,'.repeat(50_000)}}`],
    ['[a]/'.repeat(20_000)],
    [`{a,b,c,d,e,f,g,h}${'/[a]'.repeat(20_000)}`],
    ['{0..999999999}'],
  ])('are few, and found in linear time: %.20s', (pattern) => {
    const before = process.threadCpuUsage();
    expect(spellingsOf(pattern, 'deny').length).toBeLessThanOrEqual(202);
    expect(spellingsOf(pattern, 'allow').length).toBeLessThanOrEqual(100);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(500);
  });
});
