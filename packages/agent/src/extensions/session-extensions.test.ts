/** The skills of one session: those of subfolders after a reload, and the rules of a skill that a subagent uses. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { contextOf } from '@heddle/testing';
import { expect, it } from 'vitest';
import type { ExtensionRoot } from './prompt-file.ts';
import { SessionExtensions } from './session-extensions.ts';

function sessionWith(skills: Readonly<Record<string, string>>) {
  const cwd = mkdtempSync(path.join(os.tmpdir(), 'heddle-extensions-'));
  for (const [name, header] of Object.entries(skills)) {
    const file = path.join(cwd, path.dirname(name), '.claude/skills', path.basename(name), 'SKILL.md');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `---\ndescription: d\n${header}\n---\ntext`);
  }
  const rootIn = (folder: string): ExtensionRoot => ({
    folder: path.join(cwd, folder, '.claude'),
    scope: 'project',
  });
  const active = new Set<readonly string[]>();
  const commands: object[] = [];
  const extensions = new SessionExtensions({
    cwd,
    roots: [rootIn('.')],
    trustsFile: () => true,
    sessionId: 's1',
    effort: () => undefined,
    listBudget: () => 10_000,
    messages: () => [],
    runCommand: (_, { agentId, rules }) => {
      commands.push({ agentId, rules: rules?.allow, session: [...active].flat() });
      return Promise.resolve('');
    },
    grant: ({ allow }) => {
      active.add(allow);
      return () => void active.delete(allow);
    },
    addHooks: () => () => undefined,
    runForked: () => Promise.resolve(undefined),
    turnModelOf: () => Promise.resolve(undefined),
    rootsFor: (file) => (file.startsWith(path.join(cwd, 'sub')) ? [rootIn('sub')] : []),
  });
  const names = () => extensions.files.map(({ name, isForModel }) => `${name} ${isForModel}`);
  return { cwd, extensions, names, commands, allowed: () => [...active].flat() };
}

it('a reload keeps the skills of subfolders, and a limit of the host covers them', async () => {
  const { cwd, extensions, names } = sessionWith({ './top': '', 'sub/deep': '' });
  await extensions.load();
  const { fileState, ...context } = contextOf();
  const touched = {
    ...context,
    fileState: Object.assign(fileState, { paths: () => [path.join(cwd, 'sub/a.ts')] }),
  };
  await extensions.discover(touched);
  expect(names()).toEqual(['top true', 'deep true']);
  await extensions.load();
  expect(names()).toEqual(['top true', 'deep true']);
  extensions.limitSkills(['top']);
  await extensions.load();
  expect(names()).toEqual(['top true', 'deep false']);
});

it('a skill that a subagent uses permits the commands of its text, and nothing to the session', async () => {
  const header = 'allowed-tools: Bash(deploy:*)\n---\n!`deploy` ';
  const { extensions, allowed, commands } = sessionWith({ './top': header });
  await extensions.load();
  const { signal } = new AbortController();
  expect(await extensions.loadSkill('top', '', { signal, agentId: 'a1' })).toMatchObject({ name: 'top' });
  expect(commands).toEqual([{ agentId: 'a1', rules: ['Bash(deploy:*)'], session: [] }]);
  expect(allowed()).toEqual([]);
  await extensions.loadSkill('top', '', { signal });
  expect(commands[1]).toEqual({ agentId: undefined, rules: undefined, session: ['Bash(deploy:*)'] });
  expect(allowed()).toEqual(['Bash(deploy:*)']);
  extensions.release();
  expect(allowed()).toEqual([]);
});
