/** Links in skills, commands, agents and plugins: a rule against reading holds, and a project cannot lead out of itself. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unaskedFilesOf, unaskedOwnFilesOf, readAgentFiles, type RuleSource } from '../index.ts';
import { readPlugins } from '../plugins/plugins.ts';
import { type ExtensionRoot, SessionExtensions } from './index.ts';

let home = '';
const inHome = (...names: readonly string[]): string => path.join(home, ...names);

function write(name: string, text: string): void {
  mkdirSync(path.dirname(inHome(name)), { recursive: true });
  writeFileSync(inHome(name), text);
}

/** The target is relative to the home folder. */
function link(name: string, target: string): void {
  mkdirSync(path.dirname(inHome(name)), { recursive: true });
  symlinkSync(path.relative(path.dirname(inHome(name)), inHome(target)), inHome(name));
}

const PROMPT = '---\ndescription: The private text.\n---\nThe private text.\n';
const HOOKS = JSON.stringify({
  hooks: { Stop: [{ hooks: [{ type: 'command', command: 'The private text.' }] }] },
});
const SERVERS = JSON.stringify({ mcpServers: { leak: { command: 'The private text.' } } });
const MANIFEST = JSON.stringify({ name: 'The private text.' });

/** The folders that links lead to: denied in the project, outside of it, and free in it. */
const TARGETS = { denied: 'project/secrets', outside: 'private', free: 'project/docs' } as const;

beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-links-')));
  for (const folder of [...Object.values(TARGETS), 'project/plugin/secrets', 'project/plugin/docs']) {
    for (const name of ['prompt.md', 'SKILL.md', 'deep/SKILL.md']) write(`${folder}/${name}`, PROMPT);
    write(`${folder}/hooks.json`, HOOKS);
    write(`${folder}/servers.json`, SERVERS);
    write(`${folder}/plugin.json`, MANIFEST);
  }
  write('project/plugin/.claude-plugin/notes.md', '');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Everything that a session loads, as text, and its warnings. */
async function load(rule = 'Read(secrets/**)', source: RuleSource = 'user') {
  const cwd = inHome('project');
  const config = inHome('config');
  const rules = { allow: [], ask: [], deny: [{ text: rule, source }] };
  const options = { cwd, configDirs: [config], rules };
  const deniedFiles = unaskedFilesOf(options, cwd);
  const isDenied = await deniedFiles();
  const isOwnDenied = await unaskedOwnFilesOf(options, cwd)();
  const plugins = readPlugins({
    folders: [inHome('project/plugin')],
    enabled: {},
    marketplaces: {},
    configDirs: [],
    isDenied: isOwnDenied,
  });
  const roots: readonly ExtensionRoot[] = [
    { folder: config, scope: 'user' },
    { folder: inHome('project/.claude'), scope: 'project', within: cwd },
    { folder: inHome('project/plugin'), scope: 'plugin', plugin: 'p', within: inHome('project/plugin') },
  ];
  const extensions = await new SessionExtensions({
    cwd,
    roots,
    deniedFiles,
    trustsFile: () => true,
    sessionId: 's1',
    effort: () => undefined,
    listBudget: () => 10_000,
    messages: () => [],
    runCommand: () => Promise.resolve(''),
    grant: () => () => undefined,
    addHooks: () => () => undefined,
    runForked: () => Promise.resolve(undefined),
    rootsFor: () => [],
    turnModelOf: () => Promise.resolve(undefined),
  }).load();
  const agents = await readAgentFiles({
    cwd,
    configDirs: [config],
    isTrusted: () => true,
    plugins: [{ name: 'p', path: inHome('project/plugin') }],
    isDenied,
    isOwnDenied,
  });
  return {
    extensions,
    agents: agents.definitions.map(({ name }) => name),
    hooks: plugins.plugins.flatMap((plugin) => plugin.hooks).length,
    loaded: JSON.stringify([extensions.files, agents.definitions, plugins.plugins]),
    problems: [...extensions.problems, ...agents.problems, ...plugins.problems],
  };
}

/** The place of a link, and the file or folder below the target that it leads to. */
const LINKS: readonly [part: string, place: string, target: string][] = [
  ['a skill', '.claude/skills/s/SKILL.md', 'prompt.md'],
  ['the folder of a skill', '.claude/skills/s', 'deep'],
  ['the folder of all skills', '.claude/skills', ''],
  ['a command', '.claude/commands/c.md', 'prompt.md'],
  ['a folder of commands', '.claude/commands/sub', ''],
  ['an agent', '.claude/agents/a.md', 'prompt.md'],
  ['a folder of agents', '.claude/agents/sub', ''],
  ['the folder of all agents', '.claude/agents', ''],
  ['a skill of a plugin', 'plugin/skills/s/SKILL.md', 'prompt.md'],
  ['the agents of a plugin', 'plugin/agents', ''],
  ['a command of a plugin', 'plugin/commands/c.md', 'prompt.md'],
  ['the hooks of a plugin', 'plugin/hooks/hooks.json', 'hooks.json'],
  ['the servers of a plugin', 'plugin/.mcp.json', 'servers.json'],
  ['the manifest of a plugin', 'plugin/.claude-plugin/plugin.json', 'plugin.json'],
];

describe.each(LINKS)('a link in the place of %s', (_, place, target) => {
  const isOfPlugin = place.startsWith('plugin/');
  const inside = (folder: 'secrets' | 'docs'): string => `project/${isOfPlugin ? 'plugin/' : ''}${folder}`;

  it('is followed to a file that rules allow', async () => {
    link(`project/${place}`, path.join(inside('docs'), target));
    const { loaded, problems } = await load();
    expect(loaded).toContain('The private text.');
    expect(problems.filter((problem) => problem.includes('ignored'))).toEqual([]);
  });

  it('is not followed to a file that a rule forbids to read', async () => {
    link(`project/${place}`, path.join(inside('secrets'), target));
    const { loaded, problems } = await load(isOfPlugin ? 'Read(plugin/secrets/**)' : undefined);
    expect(loaded).not.toContain('The private text.');
    expect(problems[0]).toMatch(new RegExp(`${place}.*: a rule forbids reading .*secrets.*, ignored\\.$`));
  });

  it('does not lead out of its project or plugin', async () => {
    link(`project/${place}`, path.join(isOfPlugin ? TARGETS.free : TARGETS.outside, target));
    const { loaded, problems } = await load();
    expect(loaded).not.toContain('The private text.');
    const owner = isOfPlugin ? 'plugin' : 'project';
    expect(problems).toEqual([`${inHome('project', place)}: leads out of the ${owner}, ignored.`]);
  });
});

it.each(LINKS.filter(([, place]) => place.startsWith('.claude')))(
  'a link of the user may lead anywhere, but not to a file that a rule forbids: %s',
  async (_, place, target) => {
    link(place.replace('.claude', 'config'), path.join(TARGETS.outside, target));
    expect((await load()).loaded).toContain('The private text.');
    const { loaded, problems } = await load(`Read(/${inHome('private')}/**)`);
    expect(loaded).not.toContain('The private text.');
    expect(problems[0]).toContain('a rule forbids reading');
  },
);

it.each(
  (['project', 'local'] as const).flatMap((source) =>
    ['Read(**)', 'Read', 'Read(~/**)'].map((rule) => [source, rule] as const),
  ),
)('a rule of %s settings does not switch off agents and hooks of the user: %s', async (source, text) => {
  const rule = text === 'Read(~/**)' ? `Read(/${home}/**)` : text;
  link('config/agents/a.md', 'private/prompt.md');
  link('project/.claude/agents/b.md', 'project/docs/prompt.md');
  link('project/plugin/hooks/hooks.json', 'project/plugin/docs/hooks.json');
  const { agents, hooks } = await load(rule, source);
  expect({ agents, hooks }).toEqual({ agents: ['a'], hooks: 1 });
  expect(await load(rule, 'user')).toMatchObject({ agents: text === 'Read(**)' ? ['a'] : [], hooks: 0 });
});

it('a skill is not shown if its file became a link to a forbidden file after the start', async () => {
  write('project/.claude/skills/s/SKILL.md', PROMPT.replace(/The private text\.\n$/, 'Free.'));
  const { extensions } = await load();
  const { signal } = new AbortController();
  expect((await extensions.loadSkill('s', '', { signal }))?.text).toContain('Free.');
  rmSync(inHome('project/.claude/skills/s/SKILL.md'));
  link('project/.claude/skills/s/SKILL.md', 'project/secrets/prompt.md');
  expect((await extensions.loadSkill('s', '', { signal }))?.text).toContain('cannot be read any more');
});

it('the manifest of a plugin cannot name a file outside of the plugin', async () => {
  write('project/plugin/.claude-plugin/plugin.json', JSON.stringify({ hooks: '../docs/hooks.json' }));
  const { loaded, problems } = await load();
  expect(loaded).not.toContain('The private text.');
  expect(problems).toEqual([expect.stringContaining('docs/hooks.json: leads out of the plugin, ignored.')]);
});
