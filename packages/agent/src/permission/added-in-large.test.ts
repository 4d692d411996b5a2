/** Git commands that store files of a working tree with very many tracked files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { decisionOn, type Project, projectWith, reasonOf, storedAfter } from './test/added-project.ts';

const FOLDERS = 700;
const FILES_PER_FOLDER = 43;
const RULES = {
  deny: ['.env', '.env.*', 'secrets/**', '**/*.pem', '**/*.key', '**/id_rsa'].map((name) => `Read(${name})`),
};
const SPREAD = { deny: ['Read(**/.env)'] };

describe('in a working tree with 30,000 tracked files', () => {
  let project: Project;
  beforeAll(() => {
    project = projectWith({ a: 'a\n' }, ['a']);
    const { cwd } = project;
    for (let folder = 0; folder < FOLDERS; folder++) {
      const place = path.join(cwd, `part${String(folder % 20)}`, `f${String(folder)}`);
      mkdirSync(place, { recursive: true });
      for (let file = 0; file < FILES_PER_FOLDER; file++)
        writeFileSync(path.join(place, `x${String(file)}.ts`), '');
    }
    execFileSync('git', ['add', '.'], { cwd });
  }, 60_000);

  it.each([
    'git add a && git commit -m x',
    'git add new && git commit -m x',
    'git add part1/f1 && git commit -m x',
    'git add a && git add part1/f1/x1.ts && git add part1/f1/x2.ts && git add part1/f1/x3.ts && git commit -m x',
    'git add .',
    'git add -A && git commit -m x && git push',
    'git commit -am x',
  ])('needs no question if no file is one of a rule: %s', (command) => {
    writeFileSync(path.join(project.cwd, 'new'), 'new\n');
    expect(decisionOn(command, project, RULES)).toBe('allow');
    expect(decisionOn(command, project, SPREAD)).toBe('allow');
  });

  it('finds an untracked file and a changed one', () => {
    const secret = path.join(project.cwd, 'part1/f1/.env');
    writeFileSync(secret, 'KEY=1\n');
    expect(decisionOn('git add .', project, RULES)).toBe('ask');
    expect(reasonOf('git add .', project, SPREAD)).toContain('git would store such a file');
    expect(decisionOn('git add part1/f2', project, RULES)).toBe('allow');
    expect(storedAfter('git add part1/f1', project)).toContain('part1/f1/.env');
    writeFileSync(secret, 'KEY=other\n');
    expect(reasonOf('git commit -am x', project, RULES)).toContain('git would store such a file');
    expect(decisionOn('git add part1/f2', project, RULES)).toBe('allow');
  });

  it('gives the reason if there are too many untracked files', () => {
    const many = projectWith({});
    for (let at = 0; at < 21; at++) {
      mkdirSync(path.join(many.cwd, `d${String(at)}`));
      for (let file = 0; file < 1_000; file++)
        writeFileSync(path.join(many.cwd, `d${String(at)}`, String(file)), '');
    }
    expect(reasonOf('git add .', many, SPREAD)).toContain(
      'git may store such a file, because there are more files than can be looked at',
    );
    expect(decisionOn('git add d1', many, SPREAD)).toBe('allow');
  });

  it('needs no question for many unchanged files of a rule', () => {
    const keys = projectWith({});
    mkdirSync(path.join(keys.cwd, 'keys'));
    for (let file = 0; file < 3_000; file++)
      writeFileSync(path.join(keys.cwd, 'keys', `${String(file)}.key`), '');
    execFileSync('sh', ['-c', 'find keys -exec touch -d 2020-01-01 {} +; git add .'], { cwd: keys.cwd });
    expect(decisionOn('git add .', keys, RULES)).toBe('allow');
  });
});
