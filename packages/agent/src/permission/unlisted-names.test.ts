/**
 * A file has further names on some disks: in another case, or a short one such as `ENVRC~1`. Here these are files and folders of
 * their own, which their folder does not list.
 */
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject, PermissionMode } from '@heddle/core';
import type { NameAccess } from '@heddle/tools/files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

let root = '';
const ALIASES: Readonly<Record<string, string>> = {
  'ENVRC~1': '.envrc',
  'ENV~1': '.env',
  '.ENV': '.env',
  'HUSKY~1': '.husky',
  'VSCODE~1': '.vscode',
  'CLAUDE~1': '.claude',
  'SECRET~1': 'secrets',
  SECRETS: 'secrets',
  'LOST~1': 'nothing',
};
const isFolder = (name: string): boolean => /^(\.husky|\.vscode|\.claude|secrets)$/.test(name);

beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-unlisted-')));
  for (const name of [
    '.husky/pre-commit',
    '.vscode/tasks.json',
    '.claude/settings.json',
    'secrets/k',
    'Docs~2/a',
  ])
    write(name);
  for (const name of ['.envrc', '.env', 'a.ts', 'README']) write(name);
  for (const [alias, name] of Object.entries(ALIASES)) {
    if (isFolder(name)) {
      mkdirSync(path.join(root, alias));
      for (const file of readdirSync(path.join(root, name)))
        linkSync(path.join(root, name, file), path.join(root, alias, file));
    } else if (name === 'nothing') write(alias);
    else linkSync(path.join(root, name), path.join(root, alias));
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(name: string): void {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), '');
}

const names: NameAccess = {
  list: (folder) => readdirSync(folder).filter((name) => folder !== root || !(name in ALIASES)),
  first: () => [],
  identify: (file) => {
    const [first = '', ...rest] = path.relative(root, file).split('/');
    const listed = path.join(root, ALIASES[first] ?? first, ...rest);
    const about = lstatSync(ALIASES[first] === 'nothing' ? file : listed, { throwIfNoEntry: false });
    return about && `${about.dev}:${about.ino}`;
  },
};

interface Setting {
  readonly mode?: PermissionMode;
  readonly deny?: readonly string[];
  readonly ignoresCase?: boolean;
}

function decide(
  tool: string,
  input: JsonObject,
  { mode = 'default', deny = [], ignoresCase = false }: Setting,
): string {
  const folds: NameAccess = { ...names, first: () => ['readme'], identify: () => 'the same' };
  const world = observeWorld({
    root,
    cwd: root,
    directories: [],
    home: '/people/user',
    configDirs: [],
    environment: {},
    readOnlyView: false,
    isTrusted: () => false,
    names: ignoresCase ? folds : names,
  });
  const request = { tool, input, readOnly: tool === 'Read', hookDecision: undefined };
  const rules = { deny: deny.map((text) => ({ text, source: 'user' as const })), ask: [], allow: [] };
  return authorize(request, rules, mode, world).decision;
}

describe('a name that the folder does not list', () => {
  const deny = ['Read(.env)', 'Read(secrets/**)'];

  it.each(['ENV~1', '.ENV', 'SECRET~1/k', 'SECRETS/k', 'SECRETS/../ENV~1'])(
    'is denied for reading by the rule about the listed name: %s',
    (name) => {
      expect(decide('Bash', { command: `cat ${name}` }, { deny })).toBe('deny');
      expect(decide('Bash', { command: `cat < ${name}` }, { deny })).toBe('deny');
      expect(decide('Read', { file_path: path.join(root, name) }, { deny })).toBe('deny');
    },
  );

  it('is denied for a search and for many files', () => {
    expect(decide('Grep', { pattern: '.', path: `${root}/SECRETS` }, { deny })).toBe('deny');
    const many = Array.from({ length: 100 }, (_, at) => `f${at}`).join(' ');
    expect(decide('Bash', { command: `cat ${many} ENV~1` }, { deny })).toBe('deny');
    expect(decide('Bash', { command: `cat ${many} SECRET~1/k` }, { deny })).toBe('deny');
  });

  it.each(['ENVRC~1', 'HUSKY~1/pre-commit', 'HUSKY~1/new', 'VSCODE~1/new.json', 'CLAUDE~1/settings.json'])(
    'is protected like the listed name: %s',
    (name) => {
      const mode = 'acceptEdits';
      expect(decide('Bash', { command: `echo x > ${name}` }, { mode })).toBe('ask');
      expect(decide('Bash', { command: `touch ${name}` }, { mode })).toBe('ask');
      expect(decide('Write', { file_path: path.join(root, name), content: '' }, { mode })).toBe('ask');
      const many = Array.from({ length: 60 }, (_, at) => `f${at}`).join(' ');
      expect(decide('Bash', { command: `touch ${many} ${name}` }, { mode })).toBe('ask');
    },
  );

  it('asks if no listed name belongs to the file', () => {
    expect(decide('Write', { file_path: `${root}/LOST~1`, content: '' }, { mode: 'acceptEdits' })).toBe(
      'ask',
    );
    expect(decide('Bash', { command: 'cat LOST~1' }, { deny })).not.toBe('allow');
  });

  it('does not concern listed and new names', () => {
    const mode = 'acceptEdits';
    for (const name of ['a.ts', 'README', 'Docs~2/a', 'Docs~2/new', 'NEW~1', 'New.ts', 'x.', 'b:c']) {
      expect([name, decide('Write', { file_path: path.join(root, name), content: '' }, { mode })]).toEqual([
        name,
        'allow',
      ]);
      expect([name, decide('Read', { file_path: path.join(root, name) }, { deny })]).toEqual([name, 'allow']);
    }
    expect(decide('Bash', { command: 'touch a.ts NEW~1 Docs~2/new' }, { mode })).toBe('allow');
  });
});

it('compares deny rules without case in a project whose folder ignores it, also for new files', () => {
  const deny = ['Edit(.env.future)'];
  const input = { file_path: `${root}/.ENV.FUTURE`, content: '' };
  expect(decide('Write', input, { mode: 'acceptEdits', deny, ignoresCase: true })).toBe('deny');
  expect(decide('Write', input, { mode: 'acceptEdits', deny })).toBe('allow');
});
