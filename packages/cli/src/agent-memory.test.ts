/** The memory of agents in a project whose folders contain links, through the shipped program. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { expect, it } from 'vitest';
import { type Project, setUpProjects } from './test/project.ts';

const makeProject = setUpProjects();

const AGENT = '---\nname: reviewer\ndescription: Reviews.\nmemory: project\n---\nYou review.';
const MEMORY = '.heddle/agent-memory/reviewer';
const FACT = JSON.stringify([{ file: 'planted.md', description: 'A fact.', text: 'planted' }]);

/** The agent of the user works on one task, and stores a fact afterwards. */
async function projectWith(files: Readonly<Record<string, string>>): Promise<Project> {
  const project = await makeProject({ '../config/agents/reviewer.md': AGENT, ...files }, (body) => {
    const text = JSON.stringify(body);
    if (text.includes('a question beside the conversation')) return say(FACT);
    if (!text.includes('Start now.')) return say('Reviewed.');
    if (text.includes('"tool_result"')) return say('Done.');
    return call('Agent', { description: 'd', prompt: 'Review.', subagent_type: 'reviewer' }, 'a1');
  });
  const outside = path.join(project.folder, '../outside');
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'MEMORY.md'), '- [note.md](note.md): private text\n');
  writeFileSync(path.join(outside, 'state'), 'kept');
  return project;
}

function link(project: Project, name: string, to: string): void {
  const file = path.join(project.folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  symlinkSync(path.relative(path.dirname(file), path.join(project.folder, '../outside', to)), file);
}

it.each([
  ['its folder', MEMORY, ''],
  ['the folder above it', '.heddle/agent-memory', ''],
  ['the folder .heddle', '.heddle', ''],
  ['its folder, and leads to a folder that does not exist', MEMORY, 'new'],
  ['the lock in it', `${MEMORY}/lock`, 'lock'],
])('writes and reads no file outside of the project if a link is %s', async (_title, name, to) => {
  const project = await projectWith({});
  link(project, name, to);
  const { code, stdout, stderr } = await project.run(['-p', 'Start now.']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' });
  const reported = name.endsWith('lock') ? [] : [expect.stringContaining(`${name}: not a readable folder`)];
  expect(stderr.split('\n').filter((line) => line.includes('no memory there'))).toEqual(reported);
  const outside = path.join(project.folder, '../outside');
  expect(readdirSync(outside).sort()).toEqual(['MEMORY.md', 'state']);
  expect(readFileSync(path.join(outside, 'MEMORY.md'), 'utf8')).toContain('private text');
  expect(project.sent().join('\n')).not.toContain('private text');
});

it('replaces a link in place of a stored file, and keeps its target', async () => {
  const project = await projectWith({ [`${MEMORY}/old.md`]: 'An old fact.' });
  for (const name of ['.consolidation.json', 'planted.md', 'MEMORY.md'])
    link(project, `${MEMORY}/${name}`, 'state');
  await project.run(['-p', 'Begin.', '--agent', 'reviewer']);
  expect(readFileSync(path.join(project.folder, '../outside/state'), 'utf8')).toBe('kept');
  expect(readFileSync(path.join(project.folder, MEMORY, 'planted.md'), 'utf8')).toBe('planted\n');
});

it.each([
  ['.heddle', 'Start now.', []],
  ['.heddle/agent-memory', 'Start now.', []],
  [MEMORY, 'Start now.', []],
  ['.heddle', 'Begin.', ['--agent', 'reviewer']],
])('runs an agent without memory if %s is a file: %s', async (name, prompt, argv) => {
  const project = await projectWith({ [name]: 'a file' });
  const { code, stderr } = await project.run(['-p', prompt, ...argv]);
  expect(code).toBe(0);
  expect(stderr.match(/^heddle: .*$/gm)).toEqual([
    `heddle: ${path.join(project.folder, name)}: not a readable folder in the project, so agents have no memory there.`,
  ]);
  expect(readFileSync(path.join(project.folder, name), 'utf8')).toBe('a file');
});

it.each([
  ['.heddle', 'config', 'config/agent-memory/reviewer'],
  ['.heddle/agent-memory', '../notes', 'notes/reviewer'],
])('stores facts through a link that stays in a trusted project: %s -> %s', async (name, target, stored) => {
  const project = await projectWith({ [`${stored}/MEMORY.md`]: '- [old.md](old.md): An old fact.' });
  mkdirSync(path.dirname(path.join(project.folder, name)), { recursive: true });
  symlinkSync(target, path.join(project.folder, name));
  await project.trust();
  const { stderr } = await project.run(['-p', 'Start now.']);
  expect(stderr).toBe('');
  expect(project.sent().join('\n')).toContain('An old fact.');
  expect(readFileSync(path.join(project.folder, stored, 'planted.md'), 'utf8')).toBe('planted\n');
});

it.each([
  [true, '.heddle/agent-memory/reviewer', '../../docs', 'docs/planted.md'],
  [true, '.heddle/agent-memory/reviewer', '../../.git/hooks', '.git/hooks/planted.md'],
  [false, '.heddle/agent-memory', '../notes', 'notes/reviewer/planted.md'],
  [false, '.heddle', 'config', 'config/agent-memory/reviewer/planted.md'],
])(
  'stores nothing, with the trust of the user %s, through the link %s -> %s',
  async (isTrusted, name, target, stored) => {
    const project = await projectWith({ [stored]: 'kept' });
    if (isTrusted) await project.trust();
    mkdirSync(path.dirname(path.join(project.folder, name)), { recursive: true });
    symlinkSync(target, path.join(project.folder, name));
    const { stderr } = await project.run(['-p', 'Start now.']);
    expect(stderr).toContain(
      `${name}: not a readable folder in the project, so agents have no memory there.`,
    );
    expect(readFileSync(path.join(project.folder, stored), 'utf8')).toBe('kept');
  },
);

it('stores the facts of an agent in a folder without links', async () => {
  const project = await projectWith({});
  await project.run(['-p', 'Start now.']);
  expect(readFileSync(path.join(project.folder, MEMORY, 'planted.md'), 'utf8')).toBe('planted\n');
});
