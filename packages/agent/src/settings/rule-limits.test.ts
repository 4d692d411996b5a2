/** Files of a clone with more settings than a person writes: a part counts, and nothing takes long. */
import { describe, expect, it } from 'vitest';
import { spellingsOf } from '../permission/rules/spellings.ts';
import { createSettingsHome } from './test/settings-home.ts';

/** Far above the usual milliseconds, and far below what the same files take without limits. */
const MOST_CPU_MS = 5_000;

async function cpuOf<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  return { result, ms: (user + system) / 1_000 };
}

const many = (count: number, rule: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => rule(at));

describe('the settings of a project', () => {
  it.each(['deny', 'ask', 'allow'] as const)('have up to 1,000 rules in %s', async (list) => {
    const { write, permissions, trust } = createSettingsHome();
    trust();
    const rules = many(10_000, (at) => `Bash(a${at} *b *c *d *e *)`);
    const file = write('project/.claude/settings.json', { permissions: { [list]: rules } });
    const { result, ms } = await cpuOf(permissions);
    expect(result.rules[list].length).toBe(1_000);
    expect(result.problems).toEqual([
      `${file}:1: permissions.${list} takes up to 1000 rules, each with up to 2000 characters and 50 stars. The others are ignored.`,
    ]);
    expect(ms).toBeLessThan(MOST_CPU_MS);
  });

  it.each([
    ['many deny rules', { deny: many(1_001, (at) => `Bash(a${at})`) }],
    ['a long ask rule', { ask: [`Bash(${'a'.repeat(2_000)})`] }],
    ['a deny rule with many stars', { deny: [`Bash(${'a*'.repeat(51)})`] }],
    ['many stars without a list', { deny: `Bash(${'a*'.repeat(51)})` }],
    ['many examples', { examples: { 'Bash(a)': { match: many(201, () => 'a') } } }],
    [
      'examples of many rules',
      {
        examples: Object.fromEntries(
          many(201, (at) => `Bash(${at})`).map((rule) => [rule, { not_match: ['b'] }]),
        ),
      },
    ],
    ['a long example', { examples: { 'Bash(a)': { match: ['a'.repeat(501)] } } }],
  ])('do not allow anything beside %s', async (_, protection) => {
    const { write, permissions, trust } = createSettingsHome();
    trust();
    write('project/.claude/settings.json', { permissions: { allow: ['Bash(ls)'], ...protection } });
    const { rules, problems } = await permissions();
    expect(rules.allow).toEqual([]);
    expect(problems.join('\n')).toMatch(/takes up to [\s\S]*because a protection beside them cannot be read/);
  });

  const names = many(100, (at) => `c${at}`).join(',');

  it.each([
    ['lists', (at: number) => `Read({${names}}/${at})`],
    ['lists in a row', (at: number) => `Edit(**/${'{a*,b*}'.repeat(6)}*${at})`],
    ['sets of letters', (at: number) => `Write([a]/[b]/[c]/[d]/[e]/[f]/[g]/${at})`],
    ['lists before a long path', (at: number) => `Read(${'{a,b}/'.repeat(6)}**/${'x/'.repeat(100)}${at})`],
    ['a long alternative', (at: number) => `Read({x,${'a/'.repeat(300)}}${'{a,b}'.repeat(5)}${at})`],
    ['ranges', (at: number) => `Read({1..50}{a..b}${at})`],
    ['lists in lists', (at: number) => `Read(x${at}/${'{a,'.repeat(6)}b${'}'.repeat(6)}/{c,d}{e,f}{g,h})`],
    ['too many alternatives', (at: number) => `Edit(**/${'{a,b}/'.repeat(80)}${at})`],
  ])('mean up to 1,000 patterns with %s of paths', async (kind, rule) => {
    // In allow rules, a set of letters has one meaning.
    const lists =
      kind === 'sets of letters' ? (['deny', 'ask'] as const) : (['deny', 'ask', 'allow'] as const);
    for (const list of lists) {
      const { write, permissions, trust } = createSettingsHome();
      trust();
      const given = { allow: ['Bash(ls)'], [list]: [...many(1_000, rule).slice(0, 999), 'Read(z)'] };
      write('project/.claude/settings.json', { permissions: given });
      const { result, ms } = await cpuOf(permissions);
      const patterns = result.rules[list].flatMap(({ text }) => spellingsOf(text, 'deny'));
      expect(patterns.length).toBeLessThanOrEqual(1_400);
      expect(result.problems.join('\n')).toContain(`permissions.${list} takes up to 1000 patterns`);
      expect(result.rules[list].map(({ text }) => text).includes('Read(z)')).toBe(true);
      if (list !== 'allow') expect(result.rules.allow).toEqual([]);
      expect(ms).toBeLessThan(MOST_CPU_MS);
    }
  });

  it('keep usual lists of names', async () => {
    const { write, permissions } = createSettingsHome();
    const rules = many(60, (at) => `Read(**/d${at}/*.{pem,key,p12,pfx})`);
    write('project/.claude/settings.json', { permissions: { deny: rules } });
    const { rules: found, problems } = await permissions();
    expect([found.deny.length, problems]).toEqual([60, []]);
  });

  it('keep the allow rules beside an allow rule that is too long', async () => {
    const { write, permissions, trust } = createSettingsHome();
    trust();
    write('project/.claude/settings.json', {
      permissions: { allow: [`Bash(${'a*'.repeat(200_000)})`, 'Bash(ls)'] },
    });
    const { result, ms } = await cpuOf(permissions);
    expect(result.rules.allow.map(({ text }) => text)).toEqual(['Bash(ls)']);
    expect(ms).toBeLessThan(MOST_CPU_MS);
  });

  it('report the first 20 wrong rules of a list, and count the others', async () => {
    const { write, permissions } = createSettingsHome();
    const rules = many(900, (at) => `Bash(${'x'.repeat(900)}${at}`);
    write('project/.claude/settings.json', { permissions: { deny: rules } });
    const { result, ms } = await cpuOf(permissions);
    expect(result.problems.length).toBe(21);
    expect(result.problems.at(-1)).toMatch(/: 880 more rules are wrong\.$/);
    expect(ms).toBeLessThan(MOST_CPU_MS);
  });

  it.each(['.claude/settings.json', '.claude/settings.local.json', '.heddle/settings.json'])(
    'have up to 1 MB: %s',
    async (name) => {
      const { write, permissions } = createSettingsHome();
      const file = write(`project/${name}`, { deny: ['Bash(rm *)'], x: 'a'.repeat(1024 * 1024) });
      const { problems } = await permissions();
      expect(problems).toEqual([`${file} was skipped: it is larger than 1 MB.`]);
    },
  );
});

describe('the settings of the user', () => {
  it('have no such limits', async () => {
    const { write, permissions } = createSettingsHome();
    const rules = many(1_100, (at) => `Bash(a${at} *)`);
    write('home/.claude/settings.json', { permissions: { deny: rules }, x: 'a'.repeat(1024 * 1024) });
    const found = await permissions();
    expect([found.rules.deny.length, found.problems]).toEqual([1_100, []]);
  });
});
