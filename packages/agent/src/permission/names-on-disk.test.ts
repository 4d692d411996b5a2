/** File names on a real disk that a shell and a program in JavaScript read differently: bytes that are not UTF-8. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { PermissionMode } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import type { PermissionRule } from './rules/rule.ts';
import { decided, shell } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-names-')));
const project = path.join(base, 'project');

/** The name of a file with a byte that no UTF-8 text contains. */
function bytes(name: string): Buffer {
  return Buffer.from(path.join(project, name).replace('%', '\xff'), 'latin1');
}

function makeLink(name: string, target: string): void {
  symlinkSync(Buffer.from(target.replace('%', '\xff'), 'latin1'), bytes(name));
}

beforeAll(() => {
  for (const name of ['secrets', 'sub', 'subr', 'nested', 'tmpl', 'dst', 'plain', 'wide'])
    mkdirSync(path.join(project, name), { recursive: true });
  mkdirSync(path.join(base, 'out'));
  writeFileSync(path.join(project, 'secrets/key'), '');
  writeFileSync(path.join(project, 'plain/x'), '');
  for (const name of [
    'sub/z%',
    'nested/z%',
    'nested/z%/.git',
    'tmpl/z%',
    'tmpl/z%/.claude',
    'links',
    'links2',
    'links3',
  ])
    mkdirSync(bytes(name));
  writeFileSync(bytes('sub/z%/k.pem'), '');
  makeLink('links/xq%', '../secrets/key');
  makeLink('links/xd%', '../secrets');
  makeLink('subr/l%', '../secrets');
  makeLink('links2/yq%', '../../out/f');
  makeLink('links2/yd%', '../../out');
  makeLink('links3/chain', 'way%/new');
  makeLink('links3/way%', '../../out');
  symlinkSync('../secrets/key', path.join(project, 'wide/xé'));
  symlinkSync('../secrets', path.join(project, 'wide/éd'));
  symlinkSync('../../out', path.join(project, 'wide/ydé'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function decisionOn(
  command: string,
  mode: PermissionMode,
  deny: readonly string[] = [],
  cwd = project,
): string {
  const surroundings = { root: project, cwd, directories: [], home: base, configDirs: [] };
  const world = observeWorld({ ...surroundings, environment: {} });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = { deny: deny.map((text): PermissionRule => ({ text, source: 'user' })), ask: [], allow: [] };
  return authorize(request, rules, mode, world).decision;
}

describe('a folder with a name that is not text', () => {
  it.each([
    'cat links/xq?',
    'cat links/x*',
    'cat links/xd?/key',
    'cat links/*/key',
    'head ./links/x*',
    'grep -r Z links/xd*/',
    'grep -r Z sub',
    'grep -R Z subr',
    'rg Z sub',
    'cat sub/*/*',
    'find sub -type f -exec cat {} +',
    'find -L subr -type f -exec cat {} +',
  ])('may contain a denied file: %s', (command) => {
    for (const mode of ['default', 'plan', 'acceptEdits', 'bypassPermissions'] as const)
      expect(decisionOn(command, mode, ['Read(./secrets/**)', 'Read(**/*.pem)'])).not.toBe('allow');
  });

  it.each([
    'touch links2/yq*',
    'rm links2/yd*/f',
    'rm -rf nested',
    'mv nested other',
    'cp -r tmpl dst',
    'touch links3/chain',
    'echo x > links3/chain',
  ])('may lead an edit elsewhere: %s', (command) => {
    expect(decisionOn(command, 'acceptEdits')).toBe('ask');
  });

  it.each(['touch plain/new', 'rm -rf plain', 'cp -r plain dst', 'rm plain/*', 'touch sub/a'])(
    'does not concern other folders: %s',
    (command) => expect(decisionOn(command, 'acceptEdits')).toBe('allow'),
  );
});

describe('a file with such a name', () => {
  /** The project is full of protected links. Each folder in which Heddle looks for them contains such a name. */
  const linked = path.join(base, 'linked');
  const at = (name: string): string => path.join(linked, name);
  const decide = (command: string, deny: readonly PermissionRule[] = []) => {
    const surroundings = { root: linked, cwd: linked, directories: [], home: at('home'), configDirs: [] };
    const world = observeWorld({ ...surroundings, environment: {}, readOnlyView: true });
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    return authorize(request, { deny, ask: [], allow: [] }, 'acceptEdits', world);
  };

  beforeAll(() => {
    for (const git of ['.git', 'in/nested/.git']) {
      for (const name of ['objects', 'refs', 'hooks']) mkdirSync(at(`${git}/${name}`), { recursive: true });
      writeFileSync(at(`${git}/HEAD`), 'ref: refs/heads/main\n');
      writeFileSync(at(`${git}/config`), git === '.git' ? '' : '[core]\n\thooksPath = ../../hooks\n');
    }
    for (const name of ['.vscode', 'home', 'hooks', 'a.pem']) mkdirSync(at(name));
    for (const name of ['env', 'tasks', 'hook', 'start']) writeFileSync(at(name), '');
    symlinkSync('env', at('.envrc'));
    symlinkSync('in/tool', at('.newtool'));
    symlinkSync('../tasks', at('.vscode/tasks.json'));
    symlinkSync('../../hook', at('.git/hooks/pre-commit'));
    symlinkSync('../start', at('home/.bashrc'));
    for (const folder of ['.', 'in', '.vscode', '.git/hooks', 'home'])
      writeFileSync(Buffer.from(at(`${folder}/z\xff`), 'latin1'), '');
  });

  it.each([
    'echo x > in/tool/rules.md',
    'echo x > env',
    'echo x > tasks',
    'echo x > hook',
    'echo x > start',
    'touch hooks/pre-commit',
  ])('does not hide a protected link or a nested repository beside it: %s', (command) =>
    expect(decide(command).decision).toBe('ask'),
  );

  it('does not keep the view from guarding and hiding the files beside it', () => {
    const guarded = ['.git', '.vscode', 'env', 'hooks', 'in/nested/.git'].map(at);
    expect(decide('touch in/new other').fileLimits?.unwritable).toEqual(expect.arrayContaining(guarded));
    const hidden = decide('ls in', [{ text: 'Read(**/*.pem)', source: 'user' }]).fileLimits?.hidden;
    expect(hidden).toEqual([at('a.pem')]);
  });
});

describe('a letter of several bytes', () => {
  it.each([
    'cat wide/x??',
    'cat wide/x?',
    'export LC_ALL=C; cat wide/x??',
    'cat wide/??d/key',
    'cat wide/[!a][!a]d/key',
    'head wide/x[!a][!b]',
  ])('may be several letters in the locale of the shell: %s', (command) => {
    expect(decisionOn(command, 'default', ['Read(./secrets/**)'])).not.toBe('allow');
  });

  it('may lead an edit elsewhere', () => {
    expect(decisionOn('rm wide/yd??/f', 'acceptEdits')).toBe('ask');
    expect(decisionOn('rm wide/z??', 'acceptEdits')).toBe('allow');
  });
});

describe('an absolute path that is longer than the system allows', () => {
  const long = 'n'.repeat(200);
  const deep = Array.from({ length: 19 }, () => long).join('/');

  beforeAll(() => {
    // The folders are made one level at a time, because the whole path is too long.
    const start = process.cwd();
    process.chdir(project);
    for (const name of Array.from({ length: 21 }, () => long)) {
      mkdirSync(name, { recursive: true });
      process.chdir(name);
    }
    symlinkSync(path.join(project, 'secrets/key'), 'ks');
    symlinkSync(path.join(base, 'out'), 'lk');
    process.chdir(start);
  });

  it.each([`cat ${long}/${long}/ks`, `cat ${long}/${long}/k*`, `cd ${long}/${long} && cat ks`])(
    'is an unknown file',
    (command) => {
      const cwd = path.join(project, deep);
      for (const mode of ['default', 'plan', 'bypassPermissions'] as const)
        expect(decisionOn(command, mode, ['Read(./secrets/**)'], cwd)).not.toBe('allow');
    },
  );

  it.each([
    `touch ${long}/${long}/lk/new`,
    `rm ${long}/${long}/lk/f`,
    `touch ${long}/${long}/l*/f`,
    `cd ${long}/${long} && touch lk/new`,
    `echo x > ${long}/${long}/lk/f`,
  ])('is not edited without a question', (command) => {
    expect(decisionOn(command, 'acceptEdits', [], path.join(project, deep))).toBe('ask');
    expect(decisionOn('touch x', 'acceptEdits', [], path.join(project, deep))).toBe('allow');
  });
});

describe('a name that a disk without case takes for a protected one', () => {
  it.each([
    '.MCP.JSON',
    '.mcp.j\u017fon',
    '.v\u017fcode/tasks.json',
    '.hu\u017fky/pre-commit',
    '.hus\u212Ay/pre-commit',
    '.ba\u017fhrc',
    'sub/.\u017f\u017fh/config',
    '.con\uFB01g/\uFB01sh/config.fish',
    '.le\u017f\u017fkey',
    '.m\u200ccp.json',
    '.g\u200cit/config',
    '.vs\u00adcode/tasks.json',
    'venv/\u017fcripts/x',
    'node_module\u017f/.bin/x',
    '.gitmodule\u017f',
    '.tool-ver\u017fions',
    '.git-credential\u017f',
  ])('asks in acceptEdits: %s', (name) => {
    const input = { file_path: `${ROOT}/${name}`, content: '' };
    expect(decided('Write', input, { mode: 'acceptEdits' }).decision).toBe('ask');
    expect(shell(`touch '${name}'`, { mode: 'acceptEdits' }).decision).toBe('ask');
  });

  it.each(['stra\u00DFe.md', '\u017f.txt', 'mcp.json', '\u00E4/\u00F6.ts'])(
    'allows edits of other names: %s',
    (name) => {
      const input = { file_path: `${ROOT}/${name}`, content: '' };
      expect(decided('Write', input, { mode: 'acceptEdits' }).decision).toBe('allow');
    },
  );
});
