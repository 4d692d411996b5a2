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
  const extensions = new SessionExtensions({
    cwd,
    roots: [rootIn('.')],
    trustsProject: true,
    sessionId: 's1',
    effort: () => undefined,
    listBudget: () => 10_000,
    messages: () => [],
    runCommand: () => Promise.resolve(''),
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
  return { cwd, extensions, names, allowed: () => [...active].flat() };
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

it('a skill that a subagent uses permits nothing to the session', async () => {
  const { extensions, allowed } = sessionWith({ './top': 'allowed-tools: Bash(deploy:*)' });
  await extensions.load();
  const { signal } = new AbortController();
  expect(await extensions.loadSkill('top', '', { signal, isOfSubagent: true })).toMatchObject({
    name: 'top',
  });
  expect(allowed()).toEqual([]);
  await extensions.loadSkill('top', '', { signal });
  expect(allowed()).toEqual(['Bash(deploy:*)']);
  extensions.release();
  expect(allowed()).toEqual([]);
});
