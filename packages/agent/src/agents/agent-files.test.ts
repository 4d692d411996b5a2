/** Agent files of a project with and without trust. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type AgentFilePlaces, readAgentFiles } from './agent-files.ts';

const NAMES = ['Plan', 'EXPLORE', 'general-purpose', 'Fork', 'kit:x', 'mine', 'Reviewer', 'other'];

async function read(isTrusted: boolean, places: Partial<AgentFilePlaces> = {}) {
  const home = mkdtempSync(path.join(os.tmpdir(), 'heddle-agent-files-'));
  const write = (folder: string, name: string, more = ''): void => {
    mkdirSync(path.join(home, folder, 'agents'), { recursive: true });
    const file = path.join(home, folder, 'agents', `${name.replace(':', '-')}.md`);
    writeFileSync(file, `---\nname: "${name}"\ndescription: d\n${more}\n---\nYou work.`);
  };
  for (const name of NAMES) write('project/.claude', name, 'model: haiku\nmemory: user');
  write('project/.claude', 'gpt', 'model: openai/gpt-5');
  write('project/.claude', 'costly', 'effort: max\nmaxTurns: 3');
  write('project/.claude', 'plain', 'tools: Read\ncolor: red\nbackground: true');
  write('config', 'Mine');
  return readAgentFiles({
    cwd: path.join(home, 'project'),
    configDirs: [path.join(home, 'config')],
    isTrusted: () => isTrusted,
    ...places,
  });
}

const byName = (names: readonly string[]): readonly string[] => names.toSorted();

it('hides agents of a project without trust that have the names of others', async () => {
  const { definitions, hidden, leftOut } = await read(false, { namesOfUser: ['reviewer'] });
  const own = definitions.filter(({ source }) => source === 'project');
  expect(own).toMatchObject([
    { name: 'costly', isUntrusted: true, maxTurns: 3 },
    { name: 'gpt', isUntrusted: true },
    { name: 'other', isUntrusted: true, model: 'haiku' },
    { name: 'plain', isUntrusted: true, tools: ['Read'], color: 'red', isBackground: true },
  ]);
  expect(own.map(({ memory, effort }) => memory ?? effort)).toEqual(own.map(() => undefined));
  expect(own[1]?.model).toBeUndefined();
  expect(byName(hidden)).toEqual(byName(NAMES.filter((name) => name !== 'other')));
  expect(byName(leftOut)).toEqual(['costly', 'gpt', 'other']);
  expect(definitions.find(({ source }) => source === 'user')).not.toHaveProperty('isUntrusted');
});

it('has an agent of a project without trust if only a setting of another name is known', async () => {
  const { definitions } = await read(false, { namesOfUser: ['writer'] });
  expect(definitions.map(({ name }) => name)).toContain('Reviewer');
});

it('keeps all agents of a trusted project', async () => {
  const { definitions, hidden, leftOut } = await read(true, { namesOfUser: ['reviewer'] });
  const own = definitions.filter(({ source }) => source === 'project');
  expect(byName(own.map(({ name }) => name))).toEqual(byName(['costly', 'gpt', 'plain', ...NAMES]));
  expect(own.every(({ isUntrusted }) => isUntrusted === undefined)).toBe(true);
  expect(own.find(({ name }) => name === 'costly')?.effort).toBe('max');
  expect([hidden, leftOut]).toEqual([[], []]);
});
