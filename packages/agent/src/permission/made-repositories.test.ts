/** Edits that make a folder of the project a repository, on a real disk. Git would run programs that its settings name. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject, PermissionMode } from '@heddle/core';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { decided } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-made-')));
const project = path.join(base, 'project');
afterAll(() => rmSync(base, { recursive: true, force: true }));

mkdirSync(project);
execFileSync('git', ['init', '-q'], { cwd: project });
for (const [name, text] of [
  ['a', ''],
  // Each of these lacks one part of a repository.
  ['head/HEAD', 'ref: refs/heads/main\n'],
  ['head/config', '[core]\n\tfsmonitor = touch made\n'],
  ['head/refs/x', ''],
  ['rest/objects/x', ''],
  ['rest/refs/x', ''],
  ['rest/config', ''],
  ['common/commondir', '../x'],
  ['deep/t/HEAD', 'ref: refs/heads/main\n'],
  ['deep/t/refs/x', ''],
  ['deep/u/objects/x', ''],
  ['deep/u/refs/x', ''],
  ['parts/HEAD', 'ref: refs/heads/main\n'],
  ['parts/refs/x', ''],
  ['parts/nested/objects/x', ''],
  ['stores/HEAD', 'ref: refs/heads/main\n'],
  ['stores/objects/x', ''],
  // This one is complete.
  ['bare/HEAD', 'ref: refs/heads/main\n'],
  ['bare/objects/x', ''],
  ['bare/refs/x', ''],
  ['bare/config', '[core]\n\tbare = true\n\tfsmonitor = touch made\n'],
  ['bare/sub/x', ''],
] as const) {
  mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
  writeFileSync(path.join(project, name), text);
}

interface Setting {
  readonly mode?: PermissionMode;
  readonly isTrusted?: boolean;
  readonly rule?: string;
  /** Programs that wildcard rules allow. */
  readonly rules?: readonly string[];
}

function decide(
  tool: string,
  input: JsonObject,
  { mode = 'acceptEdits', isTrusted = false, rule, rules = [] }: Setting = {},
) {
  const surroundings = { root: project, cwd: project, directories: [], home: base, configDirs: [] };
  const environment = { HOME: base, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const world = observeWorld({
    ...surroundings,
    environment,
    readOnlyView: true,
    isTrusted: () => isTrusted,
  });
  const texts = [...(rule === undefined ? [] : [rule]), ...rules.map((program) => `Bash(${program} *)`)];
  const allow = texts.map((text) => ({ text, source: 'user' as const }));
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow }, mode, world).decision;
}

const write = (name: string, setting?: Setting) =>
  decide('Write', { file_path: path.join(project, name), content: 'x' }, setting);
const run = (command: string, setting?: Setting) => decide('Bash', { command }, setting);

describe('an edit after which a folder is a repository', () => {
  it.each([
    'head/objects/x',
    'head/objects/pack/x',
    'head/commondir',
    'head/objects',
    'rest/HEAD',
    'common/HEAD',
    'rest/../rest/HEAD',
    'parts/objects/info/x',
    'deep/t/objects/x',
    'deep/u/HEAD',
    'head/./objects/y',
    'rest/objects/../HEAD',
    'stores/refs/x',
    'stores/refs',
    'stores/commondir',
  ])('asks for Write, also with a rule: %s', (name) => {
    expect(write(name)).toBe('ask');
    expect(write(name, { rule: 'Edit(./**)', mode: 'default' })).toBe('ask');
    expect(write(name, { mode: 'bypassPermissions' })).toBe('allow');
  });

  it.each([
    'mkdir head/objects',
    'mkdir -p head/objects/pack',
    'touch head/objects/x',
    'touch head/commondir',
    'echo x > rest/HEAD',
    "cat > rest/HEAD <<'E'\nref: refs/heads/main\nE",
    'cp a rest/HEAD',
    'cp head/HEAD rest',
    'cp head/HEAD rest/',
    'cp head/H* rest/',
    'mv head/HEAD rest',
    'mv rest/objects head',
    'mv rest/objects rest/refs head/',
    'cp -r rest/objects head/',
    'cp -r rest/o* head',
    'cp -r rest/. head',
    'cp -r deep/u/. deep/t',
    'cp -r bare copy',
    'cp -r bare deep',
    'cd rest && cp ../head/HEAD .',
    'cd head; mkdir objects refs',
    'mkdir -p new/objects new/refs; cp head/HEAD new/HEAD',
    'mkdir -p new/objects new/refs && echo x > new/HEAD',
    'echo x > new/HEAD; mkdir new/{objects,refs}',
    'touch new/HEAD new/objects new/refs',
    'mkdir stores/refs',
    'cp -r rest/refs stores/',
    'mv rest/r* stores',
    'touch new/{HEAD,commondir}',
    'cp -r head/HEAD rest/objects rest/refs new/',
    'cp head/HEAD new/x/HEAD; cp -r rest/objects new/x/objects; mkdir new/x/refs',
    'mv head/HEAD new; mv rest/objects new/objects; mkdir new/refs; touch new/HEAD',
    'mkdir objects refs; touch HEAD',
  ])('asks for a script: %s', (command) => {
    expect(run(command)).toBe('ask');
  });

  it.each([
    'git mv a rest/HEAD',
    'git mv head/HEAD rest',
    'git mv rest/objects head/objects',
    'git mv -k a rest/objects head',
    'git -C head mv ../rest/objects objects',
    'cd head && git mv ../rest/objects .',
    'ln -s ../rest/objects head/objects',
    'ln -s ../rest/objects head',
    'tar xf a.tar -C head',
    'tar xf a.tar -C head objects',
    'tar xf a.tar head/objects',
    'tar -x -f a.tar -C rest',
    'cd head; tar xf ../a.tar',
    'unzip a.zip -d rest',
    "unzip a.zip 'objects/*' -d head",
    'rsync -a rest/objects head',
    'rsync -a rest/ head',
    'rsync -a host:x/ head/',
    'scp -r host:x rest',
    'install -d head/objects',
    'install -d head/objects new',
    'install -D a head/objects/x',
    'install head/HEAD rest',
    String.raw`find head -execdir mkdir objects \;`,
  ])('asks although a rule allows the program: %s', (command) => {
    const program = /^(?:cd \w+(?:;| &&) )?(\w+)/.exec(command)?.[1] ?? '';
    expect(run(command, { mode: 'default', rules: [program, 'mkdir', 'cd'] })).toBe('ask');
  });

  it.each([
    'git mv a b',
    'git mv deep deeper',
    'tar xf a.tar',
    'tar xf a.tar -C deep',
    'tar xf a.tar x',
    'unzip a.zip -d deep',
    'rsync -a rest/ copy',
    'rsync -a host:x deep',
    'install -d new/x',
  ])('allows a program that a rule allows, if it completes no repository: %s', (command) => {
    const program = command.split(' ', 1)[0] ?? '';
    expect(run(command, { mode: 'default', rules: [program] })).toBe('allow');
  });

  it('asks without regard to case if the disk ignores it', () => {
    const files = [`${ROOT}/q/HEAD`, `${ROOT}/q/refs`];
    for (const name of ['q/Objects/x', 'q/OBJECTS', 'q/CommonDir', 'q/object\u017f/x', 'q/obj\u200cects/x']) {
      const on = (foldsCase: boolean) =>
        decided(
          'Write',
          { file_path: `${ROOT}/${name}`, content: '' },
          { mode: 'acceptEdits', world: { files, foldsCase } },
        );
      expect([name, on(true).decision, on(false).decision]).toEqual([name, 'ask', 'allow']);
    }
  });

  it('allows folders of sources with such names if the disk ignores case', () => {
    const files = [`${ROOT}/src/head`, `${ROOT}/src/HEAD`];
    const input = { file_path: `${ROOT}/src/objects/a.ts`, content: '' };
    const world = { files, foldsCase: true };
    expect(decided('Write', input, { mode: 'acceptEdits', world }).decision).toBe('allow');
  });

  it.each([
    'head/x',
    'rest/x',
    'rest/objects/y',
    'new/HEAD',
    'new/objects/x',
    'head/object/x',
    'src/objects/HEAD',
    'objects/a.ts',
    'stores/x',
    'stores/config',
    'stores/objects/y',
  ])('allows an edit that completes no repository: %s', (name) => {
    expect(write(name)).toBe('allow');
    expect(run(`touch ${name}`)).toBe('allow');
  });

  it.each([
    'cp -r rest copy',
    'mkdir -p src/objects && touch src/objects/a.ts',
    'mv rest moved',
    'cp -r head/refs rest/',
  ])('allows a script that completes no repository: %s', (command) => {
    expect(run(command)).toBe('allow');
  });
});

describe('git in a folder that the same script unpacks', () => {
  const rules =
    'tar unzip git rsync scp curl cd 7z cpio patch make npm cp mv find docker kubectl aws svn npx'.split(' ');

  it.each([
    'tar xf a.tar; cd deep; git status',
    'tar xf a.tar && git -C new status',
    'tar xf a.tar && git -C deep log',
    'tar xf a.tar -C deep && git -C deep commit -m x',
    'tar xf a.tar -C deep && git -C deep/t push',
    'tar xf a.tar x && git -C x status',
    'tar xf a.tar; git status',
    'tar xf a.tar; git add -A && git commit -m x',
    'tar -x -f a.tar; git log -1',
    'timeout 9 tar xf a.tar; git stash list',
    'cd deep; tar xf ../a.tar; git status',
    'unzip a.zip; git pull',
    'unzip -d new a.zip; git -C new fetch',
    'rsync -a host:x/ new; git -C new status',
    'scp -r host:x new; git -C new/x diff',
    'curl -O https://h/a.tar; tar xf a.tar; git -C a status',
    '7z x a.7z; git status',
    'cpio -idm < a; git -C deep status',
    'patch -p1 < a; git commit -am x',
    'for i in 1 2; do git -C deep add .; tar xf a.tar; done',
    'git checkout other; git -C deep status',
    'git pull && git -C deep/t log',
    'git clone https://h/x new && git -C new/sub status',
    'git submodule update --init; git -C deep status',
    'x=$(tar xf a.tar); git -C new status',
    'tar xf a.tar -C deep; git push ./deep/new x',
    'tar xf a.tar -C deep; git push deep/new x',
    'unzip -d deep a.zip && git fetch deep/y',
    'unzip -d deep a.zip && git archive --remote=deep/y HEAD',
    'git switch other && git push ./new x',
    'git switch other && git push "$PWD/new" x',
    'git switch other && git push "file://$PWD/new" x',
    'docker cp c:/x new; git -C new status',
    'kubectl cp p:/x new; git -C new status',
    'aws s3 sync s3://b new --delete; git -C new status',
    'svn export https://h/x new; git -C new status',
    'npx degit a/b new; git -C new status',
  ])('asks in every folder, although rules allow the commands: %s', (command) => {
    for (const isTrusted of [true, false])
      expect(run(command, { mode: 'default', rules, isTrusted })).toBe('ask');
  });

  it.each([
    'tar tf a.tar; git status',
    'tar czf a.tgz deep; git add -A && git commit -m x',
    'tar xf a.tar -C deep; git status',
    'unzip -d deep a.zip; git add -A',
    'git clone https://h/x new && git -C new log',
    'git checkout other && git pull && git log -1',
    'git stash && git pull && git stash pop',
    'git fetch && git -C deep log',
    'make all; git -C deep add .',
    'npm ci && git status',
    'cp -r deep new && git -C new status',
    'tar xf a.tar -C deep; git push origin main',
    'tar xf a.tar -C deep; git push origin feature/x',
    'git pull && git push -u origin feature/x',
    'docker cp a c:/x; git status',
    'git clone https://h/x ./new && git -C new log',
    'cd deep && git clone https://h/x ./new',
    'docker compose up -d && git status',
    'npx prettier --write . && git commit -am x',
    'aws s3 cp a s3://b/a; git status',
  ])('allows commands that do not unpack there: %s', (command) => {
    expect(run(command, { mode: 'default', rules })).toBe('allow');
  });

  it('leaves it to a rule for all commands', () => {
    expect(run('tar xf a.tar; git status', { mode: 'default', rule: 'Bash' })).toBe('allow');
  });
});

describe('git in a folder that is a repository without a work tree', () => {
  it.each([
    'git -C bare status',
    'git -C bare log',
    'git -C ./bare/ log -p',
    'git -C bare/sub diff',
    'git -C bare/objects status',
    'git -C deep/../bare branch',
    'git --git-dir=bare log',
    'git --git-dir bare log',
    'git --bare -C bare log',
    'cd bare && git status',
    'cd bare/sub; git diff',
    'cd bare && git log --oneline | head',
    '(cd bare && git rev-list HEAD)',
    'pushd bare && git show',
    'echo "$(cd bare; git describe)"',
  ])('asks, also in a trusted folder: %s', (command) => {
    for (const isTrusted of [false, true]) {
      expect(run(command, { isTrusted })).toBe('ask');
      expect(run(command, { isTrusted, mode: 'default' })).toBe('ask');
      expect(run(command, { isTrusted, mode: 'plan' })).toBe('deny');
    }
    expect(run('git status')).toBe('allow');
  });
});
