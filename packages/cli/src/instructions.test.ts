/** Instruction files through the program: imports, subfolders, rules by path, and folders that are not trusted. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ApiScript, call, say } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { install, runProgram } from './test/program.ts';
import { setUpProjects } from './test/project.ts';

const createProject = setUpProjects();

const project = (files: Readonly<Record<string, string>>, ...script: ApiScript[]) =>
  createProject(files, script.length === 0 ? [[say('Yes.')]] : script.flat());

describe('the first request', () => {
  it('contains the files of user and project with their imports, up to four levels deep', async () => {
    const { run, sent } = await project({
      '../config/CLAUDE.md': 'From the user.',
      'CLAUDE.md': 'From the project. See @docs/one.md and `@docs/code.md`.',
      'docs/one.md': 'Level one. @two.md',
      'docs/two.md': 'Level two. @three.md',
      'docs/three.md': 'Level three. @four.md @one.md',
      'docs/four.md': 'Level four. @five.md',
      'docs/five.md': 'Level five.',
      'docs/code.md': 'Not an import.',
      'AGENTS.md': 'For all agents.',
      'HEDDLE.md': 'For Heddle.',
    });
    expect((await run(['-p', 'go'])).stdout).toBe('Yes.\n');
    const [request = ''] = sent();
    for (const text of [
      'From the user.',
      'From the project.',
      'For all agents.',
      'For Heddle.',
      'Level one.',
      'Level four.',
    ])
      expect(request).toContain(text);
    for (const text of ['Level five.', 'Not an import.']) expect(request).not.toContain(text);
  });

  it('contains a file from outside of the project only if the folder is trusted', async () => {
    const { run, sent, trust } = await project(
      { 'CLAUDE.md': 'See @../private.md', '../private.md': 'The private file.' },
      [[say('Yes.')], [say('Yes.')]],
    );
    await run(['-p', 'go']);
    await trust();
    await run(['-p', 'go']);
    expect(sent().map((request) => request.includes('The private file.'))).toEqual([false, true]);
  });

  it('contains the imports of a folder above the project as soon as the folder of the message is trusted', async () => {
    const files = { '../CLAUDE.md': 'See @docs/a.md', '../docs/a.md': 'The file above.' };
    const { folder, run, sent, trust } = await project(files, [[say('Yes.')], [say('Yes.')]]);
    await trust();
    await run(['-p', 'go']);
    const { stdout } = await run(['-p', '/memory']);
    const [, named = ''] = /`heddle permissions trust` in (\S+) permits it\./.exec(stdout) ?? [];
    expect(named).toBe(path.dirname(folder));
    const env = { HOME: named, HEDDLE_CONFIG_DIR: path.join(named, 'config') };
    await runProgram((await install()).program, ['permissions', 'trust'], { cwd: named, env });
    await run(['-p', 'go']);
    expect(sent().map((request) => request.includes('The file above.'))).toEqual([false, true]);
  });

  it('contains no file that a rule forbids to read, neither by import nor by link', async () => {
    const { run, sent, trust, folder } = await project({
      '../config/settings.json': '{"permissions":{"deny":["Read(./.env)","Read(~/private/**)"]}}',
      'CLAUDE.md': 'See @.env and @../private/key and @open.md',
      '.env': 'The secret of the project.',
      'open.md': 'The open file.',
      '../private/key': 'The private key.',
    });
    symlinkSync('.env', path.join(folder, 'AGENTS.md'));
    await trust();
    await run(['-p', 'go']);
    expect(sent()[0]).toContain('The open file.');
    expect(sent()[0]).not.toContain('The secret of the project.');
    expect(sent()[0]).not.toContain('The private key.');
  });

  it('does not contain a key that an instruction file has', async () => {
    const { run, sent } = await project({
      'CLAUDE.md': 'Use test-key-of-the-fake-api and @.env',
      '.env': 'K=test-key-of-the-fake-api',
    });
    await run(['-p', 'go']);
    expect(sent()[0]).toContain('K=');
    expect(sent()[0]).not.toContain('test-key-of-the-fake-api');
  });

  it('contains no file that the settings exclude', async () => {
    const { run, sent } = await project({ 'CLAUDE.md': 'Excluded.', 'AGENTS.md': 'Included.' });
    await run(['-p', 'go', '--settings', '{"claudeMdExcludes":["**/project/CLAUDE.md"]}']);
    expect(sent()[0]).toContain('Included.');
    expect(sent()[0]).not.toContain('Excluded.');
  });
});

describe('a file in a subfolder', () => {
  const files = {
    'sub/CLAUDE.md': 'Use tabs in sub.',
    'sub/a.ts': 'const a = 1;',
    'b.ts': 'const b = 1;',
    '.claude/rules/types.md': '---\npaths: ["**/*.ts"]\n---\nNo any in types.',
    '.claude/rules/other.md': '---\npaths: docs/**\n---\nFor documents.',
  };
  const read = (name: string, id: string) => [call('Read', { file_path: name }, id)];

  it('brings its instructions and the rules for its path into the conversation, once', async () => {
    const { run, sent } = await project(files, [read('sub/a.ts', 'r1'), read('b.ts', 'r2'), [say('Done.')]]);
    await run(['-p', 'go']);
    const [first = '', second = '', third = ''] = sent();
    expect(first).not.toMatch(/Use tabs in sub|No any in types|For documents/);
    for (const text of ['Use tabs in sub.', 'No any in types.']) {
      expect(second).toContain(text);
      expect(third.split(text)).toHaveLength(2);
    }
    expect(third).not.toContain('For documents.');
  });

  it('does not bring them again when the session is resumed', async () => {
    const { run, sent } = await project(files, [
      read('sub/a.ts', 'r1'),
      [say('Done.')],
      read('sub/a.ts', 'r2'),
      [say('Done.')],
    ]);
    await run(['-p', 'go']);
    await run(['-p', 'again', '--continue']);
    expect(sent().at(-1)?.split('Use tabs in sub.')).toHaveLength(2);
  });
});

describe('/memory', () => {
  const files = {
    'CLAUDE.md': 'One. @more.md @../private.md',
    'more.md': 'More.',
    '../private.md': 'Private.',
    '.claude/rules/types.md': '---\npaths: "**/*.ts"\n---\nTypes.',
  };
  const SAYS = [
    /CLAUDE\.md +the project's/,
    /more\.md +imported by .*CLAUDE\.md/,
    /types\.md +for \*\*\/\*\.ts/,
    /private\.md is outside of the project, ignored/,
  ];

  it.each([
    ['a script', ['-p', '/memory'], ''],
    ['a conversation', ['--plain'], '/memory\n'],
  ])('shows which files apply and why: %s', async (_, argv, input) => {
    const { run } = await project(files);
    const { stdout } = await run(argv, { input });
    for (const says of SAYS) expect(stdout).toMatch(says);
  });

  it.each([
    ['a script', ['-p', '/memory'], ''],
    ['a conversation', ['--plain'], '/memory\n'],
  ])('lists the index and the topics of the memory: %s', async (_, argv, input) => {
    const { run, folder } = await project({});
    const memory = path.join(folder, '../config/projects', folder.replaceAll(/[^a-zA-Z0-9]/g, '-'), 'memory');
    mkdirSync(memory, { recursive: true });
    writeFileSync(path.join(memory, 'MEMORY.md'), '- [color.md](color.md): the loom is blue\n');
    writeFileSync(path.join(memory, 'color.md'), 'The loom is blue.\n');
    const { stdout } = await run(argv, { input, env: { HEDDLE_AUTO_MEMORY: '1' } });
    expect(stdout).toMatch(/memory\/MEMORY\.md +the index[^]*color\.md +the loom is blue/);
    expect((await run(argv, { input })).stdout).not.toContain('MEMORY.md');
  });

  it('names the files that changed since the session began', async () => {
    const { run, folder } = await project(files);
    await run(['-p', 'go']);
    mkdirSync(path.join(folder, '.heddle'));
    writeFileSync(path.join(folder, '.heddle/HEDDLE.md'), 'New.');
    expect((await run(['-p', '/memory', '--continue'])).stdout).toMatch(
      /next session on\n +\.heddle\/HEDDLE\.md/,
    );
  });
});
