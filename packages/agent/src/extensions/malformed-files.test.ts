/** Malformed files of users: each one loads as far as possible, with warnings that name the file and the line. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readAgentFiles } from '../agents/agent-files.ts';
import { findInstructions } from '../instructions/instruction-files.ts';
import { readPlugins } from '../plugins/plugins.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { discoverPromptFiles } from './discover.ts';

const root = mkdtempSync(path.join(os.tmpdir(), 'heddle-malformed-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let projects = 0;

type Content = string | Buffer;

interface Loaded {
  readonly count: number;
  /** With paths relative to the project. */
  readonly problems: readonly string[];
}

/** A reader of one kind of file, and the place of the file in a project. */
interface Kind {
  readonly place: string;
  readonly read: (cwd: string) => Promise<Loaded>;
}

const KINDS = {
  skill: {
    place: '.claude/skills/thing/SKILL.md',
    read: async (cwd) => countOf(await discoverPromptFiles([rootIn(cwd)]), 'promptFiles'),
  },
  command: {
    place: '.claude/commands/thing.md',
    read: async (cwd) => countOf(await discoverPromptFiles([rootIn(cwd)]), 'promptFiles'),
  },
  agent: {
    place: '.claude/agents/thing.md',
    read: async (cwd) =>
      countOf(await readAgentFiles({ cwd, configDirs: [], isTrusted: () => true }), 'definitions'),
  },
  rule: {
    place: '.claude/rules/thing.md',
    read: async (cwd) => {
      const { files, byPath, problems } = findInstructions({
        cwd,
        top: cwd,
        configDirs: [],
        sources: ['project'],
      });
      return { count: files.length + byPath.length, problems };
    },
  },
  settings: {
    place: '.claude/settings.json',
    read: async (cwd) => countOf(loadSettings({ cwd, home: path.join(cwd, 'home'), env: {} }), 'files'),
  },
  'hooks of a plugin': { place: 'hooks/hooks.json', read: async (cwd) => readPlugin(cwd) },
  'manifest of a plugin': { place: '.claude-plugin/plugin.json', read: async (cwd) => readPlugin(cwd) },
} as const satisfies Record<string, Kind>;

const rootIn = (cwd: string) => ({ folder: path.join(cwd, '.claude'), scope: 'project' as const });

function readPlugin(cwd: string): Loaded {
  return countOf(readPlugins({ folders: [cwd], enabled: {}, marketplaces: {}, configDirs: [] }), 'plugins');
}

function countOf<Key extends string>(
  found: { readonly problems: readonly string[] } & Readonly<Record<Key, readonly unknown[]>>,
  key: Key,
): Loaded {
  return { count: found[key].length, problems: found.problems };
}

async function load(kind: keyof typeof KINDS, content: Content): Promise<Loaded> {
  const cwd = path.join(root, String(projects++));
  const { place, read } = KINDS[kind];
  mkdirSync(path.dirname(path.join(cwd, place)), { recursive: true });
  writeFileSync(path.join(cwd, place), content);
  const { count, problems } = await read(cwd);
  return { count, problems: problems.map((problem) => problem.replaceAll(`${cwd}/`, '')) };
}

const header = (fields: string, body = 'Body.'): string => `---\n${fields}\n---\n${body}\n`;
const valid = (more: string): string => header(`name: thing\ndescription: d\n${more}`);

/** The number of a line, and a part of the warning about it. Undefined: no warning. */
type Warning = readonly [line: number, text: string] | undefined;

const NOT_UTF8: Warning = [3, 'not UTF-8'];
const BY_LINE = 'read line by line';

describe.each(['skill', 'command'] as const)('a malformed %s', (kind) => {
  it.each<[string, Content, Warning]>([
    ['with a byte order mark and CRLF', `\uFEFF${valid('').replaceAll('\n', '\r\n')}`, undefined],
    ['with spaces after the fences', valid('').replaceAll('---', '---  '), undefined],
    ['with duplicate keys', valid('description: e'), undefined],
    ['with anchors', header('name: &a thing\ndescription: *a'), undefined],
    ['without the end of its header', '---\nname: thing\ndescription: d\nBody.', [1, 'no closing "---"']],
    ['cut in its header', '---\nname: thi', [1, 'no closing "---"']],
    ['with tabs as indentation', valid('paths:\n\t- a'), undefined],
    ['with tabs in a nested value', valid('hooks:\n\tStop: []'), [5, BY_LINE]],
    ['with a text that is not closed', header('name: thing\ndescription: "d'), [3, BY_LINE]],
    ['with an unknown alias', header('name: thing\ndescription: *nope'), [2, 'alias']],
    ['with aliases that expand to an enormous value', valid(aliasBomb()), [2, 'alias']],
    ['with a deeply nested value', valid(`a: ${'['.repeat(5_000)}`), [4, BY_LINE]],
    ['with a list as its header', header('- a\n- b'), [2, BY_LINE]],
    ['with an object as its model', valid('model: {a: b}'), [4, 'model is not text']],
    ['with a number as its tools', valid('allowed-tools: 5'), [4, 'allowed-tools is not a list']],
    ['with an object as its paths', valid('paths:\n  a: b'), [4, 'paths is not a list']],
    ['with an object as its arguments', valid('arguments: {a: b}'), [4, 'arguments is not a list']],
    ['with a text as its hooks', valid('hooks: run'), [4, 'hooks is not an object']],
    ['with an unknown effort', valid('effort: extreme'), [4, 'effort is not one of low,']],
    ['with an unknown context', valid('context: spoon'), [4, 'context is not one of fork,']],
    ['with a word in place of a switch', valid('user-invocable: maybe'), [4, 'not true or false']],
    ['in another encoding', Buffer.from(header('name: thing\ndescription: caf\xE9'), 'latin1'), NOT_UTF8],
    ['with a NUL character', header('name: thing\ndescription: \0'), NOT_UTF8],
  ])('%s loads', async (_, content, warning) => {
    const { count, problems } = await load(kind, content);
    const [line, text] = warning ?? [];
    expect(count).toBe(1);
    expect(problems[0] ?? '').toEqual(
      warning === undefined
        ? ''
        : expect.stringMatching(new RegExp(`^${KINDS[kind].place}:${line}: .*${text}`)),
    );
  });

  it('that is too large is left out', async () => {
    const { count, problems } = await load(kind, `${valid('')}${'x'.repeat(1_000_000)}`);
    expect(count).toBe(0);
    expect(problems).toEqual([expect.stringContaining('larger than')]);
  });
});

it.each<[keyof typeof KINDS, string, Content, string]>([
  ['agent', 'without a description', header('name: a'), '.claude/agents/thing.md:1: The agent a has no desc'],
  [
    'agent',
    'with a wrong effort',
    valid('effort: extreme'),
    '.claude/agents/thing.md:4: The agent thing: effort',
  ],
  [
    'agent',
    'in UTF-16',
    Buffer.from(`\uFEFF${valid('')}`, 'utf16le'),
    '.claude/agents/thing.md:1: The file is not',
  ],
  ['rule', 'without the end of its header', '---\npaths: a\nB', '.claude/rules/thing.md:1: The header'],
  ['rule', 'without a pattern', header('x: y\npaths: 5'), '.claude/rules/thing.md:3: paths has no pattern'],
  ['hooks of a plugin', 'with text', '{\n"hooks": "x"}', 'hooks/hooks.json:2: hooks is not an object'],
  [
    'hooks of a plugin',
    'with a bad event',
    '{"hooks":\n{"No": []}}',
    'hooks/hooks.json:2: hooks.No: unknown',
  ],
  ['hooks of a plugin', 'without a list', '{"hooks":\n{"Stop": [{}]}}', 'hooks/hooks.json:2: hooks.Stop[0]'],
  [
    'manifest of a plugin',
    'with folders',
    '{"name": "k",\n"agents": []}',
    'plugin.json:2: agents is ignored',
  ],
  ['manifest of a plugin', 'that is a list', '[]', '.claude-plugin/plugin.json:1: not an object'],
  ['settings', 'with a number as rules', '{\n"permissions": {\n"allow": 5}}', '.claude/settings.json:3: '],
])('a malformed %s %s gives a warning with its line', async (kind, _, content, warning) => {
  const { problems } = await load(kind, content);
  expect(problems[0]).toContain(warning);
});

describe('a header of a clone', () => {
  /** Far above the usual milliseconds, and far below what the same headers take without limits. */
  const MOST_CPU_MS = 5_000;
  const kinds = ['skill', 'command', 'agent', 'rule'] as const;
  const repeated = (length: number, text: (at: number) => string): string => {
    const parts: string[] = [];
    for (let size = 0, at = 0; size < length; at++) size += parts[parts.push(text(at)) - 1]?.length ?? 0;
    return parts.join('');
  };

  async function cpuOf(work: () => Promise<unknown>): Promise<number> {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  }

  it.each(kinds)('keeps a %s from loading if it has more than 20,000 characters', async (kind) => {
    for (const length of [20_001, 36_000]) {
      const loaded = await load(
        kind,
        valid(`a: {}\ntools: Read\ndisallowedTools: Bash\n#${'x'.repeat(length)}`),
      );
      const { place } = KINDS[kind];
      const problem = `${place}:1: The header is longer than 20000 characters. The file is ignored.`;
      expect(loaded).toEqual({ count: 0, problems: [problem] });
    }
    expect(await load(kind, valid(`a: {}\n#${'x'.repeat(19_000)}`))).toEqual({ count: 1, problems: [] });
  });

  it.each([
    ['keys', (length: number) => repeated(length, (at) => `? k${at}\n`)],
    ['aliases', (length: number) => `a: &a {}\nb: [${repeated(length, () => '*a,')}]`],
    [
      'a chain of aliases',
      (length: number) => `a0: &a0 {}\n${repeated(length, (at) => `a${at + 1}: &a${at + 1} [*a${at}]\n`)}`,
    ],
    ['lists in lists', (length: number) => `a: ${'['.repeat(length)}`],
    ['errors', (length: number) => `a: [${','.repeat(length)}`],
    ['lines without a key', (length: number) => `a: *\n${repeated(length, () => '  b\n')}`],
  ])('takes little time with %s', async (_, fields) => {
    for (const kind of kinds)
      for (const length of [19_000, 900_000])
        expect(await cpuOf(() => load(kind, valid(fields(length))))).toBeLessThan(MOST_CPU_MS);
  });

  it('is not read if other headers of the folder have 150,000 characters that need the YAML library', async () => {
    const cwd = path.join(root, String(projects++));
    const folders = ['.claude/commands', '.claude/agents'].map((name) => path.join(cwd, name));
    for (const folder of folders) {
      mkdirSync(folder, { recursive: true });
      for (let at = 0; at < 100; at++)
        writeFileSync(
          path.join(folder, `${at}.md`),
          header(`name: n${at}\ndescription: d\na: [${','.repeat(19_000)}`),
        );
      writeFileSync(path.join(folder, 'z.md'), header('name: z\ndescription: d'));
    }
    const within = cwd;
    const ms = await cpuOf(async () => {
      const { promptFiles } = await discoverPromptFiles([{ ...rootIn(cwd), within }]);
      const agents = await readAgentFiles({ cwd, configDirs: [], isTrusted: () => false });
      expect([promptFiles.length, agents.definitions.length]).toEqual([8, 8]);
      expect(agents.problems.at(-1)).toContain('have more than 150000 characters. The file is ignored.');
    });
    expect(ms).toBeLessThan(4 * MOST_CPU_MS);
  });
});

describe('folders of a clone', () => {
  const cwd = path.join(root, 'large');
  const discover = () => discoverPromptFiles([{ ...rootIn(cwd), within: cwd }]);
  const agents = () => readAgentFiles({ cwd, configDirs: [], isTrusted: () => false });
  const count = (most: number, make: (at: number) => void): void => {
    rmSync(cwd, { recursive: true, force: true });
    for (let at = 0; at < most; at++) make(at);
  };

  it.each(['commands', 'agents'])('have up to 10 MB in %s', async (name) => {
    const folder = path.join(cwd, '.claude', name);
    count(15, (at) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        path.join(folder, `${at}.md`),
        header(`name: n${at}\ndescription: d`, 'y\n'.repeat(499_000)),
      );
    });
    const read =
      name === 'agents' ? countOf(await agents(), 'definitions') : countOf(await discover(), 'promptFiles');
    expect(read.count).toBe(11);
    expect(read.problems).toEqual([
      expect.stringMatching(
        /: this and further files are ignored, because the others have 10000000 bytes\.$/,
      ),
    ]);
  });

  it.each(['commands', 'agents'])('have up to 2,000 folders in %s', async (name) => {
    count(2_100, (at) =>
      mkdirSync(path.join(cwd, '.claude', name, `a${at % 50}`, `b${at}`), { recursive: true }),
    );
    const { problems } = name === 'agents' ? await agents() : await discover();
    expect(problems).toEqual([
      expect.stringMatching(/: this and further folders are ignored, because there are more than 2000\.$/),
    ]);
  });

  it('have up to 2,000 skills', async () => {
    count(2_100, (at) => mkdirSync(path.join(cwd, '.claude/skills', `a${at}`), { recursive: true }));
    const { problems } = await discover();
    expect(problems).toEqual([`${cwd}/.claude/skills: more than 2000 entries; the rest is ignored.`]);
  });
});

describe('a file that is not JSON names the line', () => {
  it.each([
    ['', 'it ends too early in line 1'],
    ['{\n"a": [1,\n{"b": true}', 'it ends too early in line 3'],
    ['{\n"a": [1,\n]}', 'unexpected "]" in line 3'],
    ['{\n"a": 1,\n}', 'unexpected "}" in line 3'],
    ['{\n// a comment\n}', 'unexpected "/" in line 2'],
    ["{'a': 1}", `unexpected "'" in line 1`],
    ['{"a":\n NaN}', 'unexpected "NaN" in line 2'],
    ['{"a" 1}', 'unexpected "1" in line 1'],
    ['{"a": 1 "b": 2}', 'unexpected "\\"" in line 1'],
    ['{"a": "b\nc"}', 'a string without an end in line 1'],
    ['{}\n{}', 'unexpected "{" in line 2'],
    ['[01]', 'unexpected "1" in line 1'],
    ['{}]', 'unexpected "]" in line 1'],
    ['permissions:\n  allow: []', 'unexpected "permissions" in line 1'],
  ])('%j', async (text, reason) => {
    const [settings, hooks] = [await load('settings', text), await load('hooks of a plugin', text)];
    expect(settings.problems).toEqual([`.claude/settings.json was skipped: it is not JSON: ${reason}.`]);
    expect(hooks.problems).toEqual([`hooks/hooks.json: ignored: it is not JSON: ${reason}.`]);
  });
});

/** Six levels of ten aliases each. */
function aliasBomb(): string {
  const levels = ['a', 'b', 'c', 'd', 'e', 'f'];
  const itemsOf = (at: number): string =>
    Array.from({ length: 10 }, () => (at === 0 ? 'x' : `*${levels[at - 1]}`)).join(',');
  return levels.map((name, at) => `${name}: &${name} [${itemsOf(at)}]`).join('\n');
}
