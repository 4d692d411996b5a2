/** Only a mention of a resource that the user typed is read: the server decides what happens when it is. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { say } from '@heddle/testing';
import { testServer } from '@heddle/testing/mcp';
import { describe, expect, it } from 'vitest';
import { setUpProjects } from '../test/project.ts';

const project = setUpProjects();

type Files = Readonly<Record<string, string>>;

const TEXT = 'Do it @srv:test://notes/evil now.';
const skill = (name: string): string => `---\nname: ${name}\ndescription: d\n---\n${TEXT}`;
const AGENT = `---\nname: helper\ndescription: d\ninitialPrompt: Start with @srv:test://notes/evil now.\n---\nHelp.`;

/** Runs the program with a server that writes what it receives to a file. */
async function urisRead(files: Files, argv: readonly string[], input?: string) {
  const { run, sent, folder } = await project(files, [[say('Yes.')]]);
  const log = path.join(folder, '../received');
  const { command, args, env } = testServer('srv');
  const logged = { command: 'sh', args: ['-c', 'tee -a "$0" | "$@"', log, command, ...args], env };
  const config = JSON.stringify({ mcpServers: { srv: logged } });
  await run([...argv, '--mcp-config', config], input === undefined ? {} : { input });
  const received = existsSync(log) ? readFileSync(log, 'utf8') : '';
  const uris = [...received.matchAll(/"method":"resources\/read".*?"uri":"([^"]*)"/g)].map(([, uri]) => uri);
  return { uris, request: sent()[0] ?? '' };
}

const OF_FILES: readonly [string, Files, readonly string[]][] = [
  ['a command of the project', { '.claude/commands/c.md': TEXT }, ['-p', '/c']],
  [
    'a command of the project in plan mode',
    { '.claude/commands/c.md': TEXT },
    ['-p', '/c', '--permission-mode', 'plan'],
  ],
  ['a skill of the project', { '.claude/skills/s/SKILL.md': skill('s') }, ['-p', '/s']],
  ['a command of the user', { '../config/commands/c.md': TEXT }, ['-p', '/c']],
  ['a command of a plugin', { '../kit/commands/c.md': TEXT }, ['-p', '/kit:c', '--plugin-dir', '../kit']],
  ['an agent, before the prompt', { '.claude/agents/helper.md': AGENT }, ['-p', 'go', '--agent', 'helper']],
];

describe('the mention of a resource in the text of', () => {
  it.each(OF_FILES)('%s stays text', async (_, files, argv) => {
    const { uris, request } = await urisRead(files, argv);
    expect(uris).toEqual([]);
    expect(request).toContain('@srv:test://notes/evil now.');
    expect(request).not.toContain('The notes of srv.');
  });

  it('data that is piped beside a prompt stays text, and attaches only files of the working folder', async () => {
    const files = { '../secret': 'The secret.' };
    const { uris, request } = await urisRead(files, ['-p', 'review'], `${TEXT} @../secret`);
    expect(uris).toEqual([]);
    expect(request).toContain('@srv:test://notes/evil now.');
    expect(request).not.toContain('The secret.');
  });

  it('an agent, as the first prompt, stays text, and attaches only files of the working folder', async () => {
    const prompt = 'initialPrompt: Start with @srv:test://notes/evil and @../secret and @a.txt now.';
    const agent = AGENT.replace(/^initialPrompt.*$/m, prompt);
    const files = {
      '.claude/agents/helper.md': agent,
      '../secret': 'The secret.',
      'a.txt': 'The text of a.',
    };
    const { uris, request } = await urisRead(files, ['--plain', '--agent', 'helper'], '');
    expect(uris).toEqual([]);
    expect(request).toContain('@srv:test://notes/evil');
    expect(request).toContain('The text of a.');
    expect(request).not.toContain('The secret.');
  });
});

const COMMAND: Files = { '.claude/commands/c.md': `${TEXT} First: $1` };

describe('a mention that the user typed is read', () => {
  it.each<readonly [string, Files, string]>([
    ['in a prompt', {}, 'Look at @srv:test://notes/1.'],
    ['as an argument of a command', COMMAND, '/c @srv:test://notes/1'],
    [
      'as an argument that the text of the command does not use',
      { '.claude/commands/c.md': TEXT },
      '/c @srv:test://notes/1',
    ],
    ['as a quoted argument', COMMAND, '/c "@srv:test://notes/1" more'],
    ['in a quoted argument', COMMAND, '/c "see @srv:test://notes/1" more'],
  ])('%s', async (_, files, prompt) => {
    const { uris, request } = await urisRead(files, ['-p', prompt]);
    expect(uris).toEqual(['test://notes/1']);
    expect(request).toContain('The notes of srv.');
  });
});
