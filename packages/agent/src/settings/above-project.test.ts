/** Settings of folders above the nearest ones, up to the top of the repository: they can only forbid. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { authorize } from '../permission/authorize.ts';
import { observeWorld } from '../permission/observe-world.ts';
import { addRuleTo, removeRuleFrom } from './change-scope.ts';
import { mergeSettings } from './merge-settings.ts';
import { acceptedRepositoryTop, possibleRepositoryTop, settingsFileOf, settingsFiles } from './scopes.ts';
import { createSettingsHome } from './test/settings-home.ts';

function repository() {
  const own = createSettingsHome();
  execFileSync('git', ['init', '-q'], { cwd: own.project });
  const cwd = path.join(own.project, 'pkg/sub');
  mkdirSync(cwd, { recursive: true });
  const places = { cwd, home: own.home, env: {}, managedDir: own.managed };
  const permissions = () => own.permissions({ cwd, projectRoot: undefined });
  const load = () => own.load({ cwd, projectRoot: undefined });
  /** Decides about a command in the folder of the session, in the widest mode. */
  const decide = async (command: string): Promise<string> => {
    const { rules } = await permissions();
    const world = observeWorld({
      root: cwd,
      cwd,
      directories: [],
      home: own.home,
      configDirs: [],
      environment: {},
    });
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    return authorize(request, rules, 'bypassPermissions', world).decision;
  };
  return { ...own, cwd, places, permissions, load, decide };
}

const texts = (rules: readonly { readonly text: string; readonly source: string }[]): string[] =>
  rules.map(({ text, source }) => `${source} ${text}`);

describe('deny and ask rules', () => {
  it.each([true, false])(
    'of all folders up to the top of the repository count (trusted: %s)',
    async (trusted) => {
      const { write, trust, permissions } = repository();
      if (trusted) trust();
      write('project/pkg/sub/.claude/settings.json', {});
      write('project/pkg/.heddle/settings.local.json', { permissions: { ask: ['Bash(local)'] } });
      write('project/pkg/.claude/settings.json', { permissions: { deny: ['Bash(middle)'] } });
      write('project/.claude/settings.json', {
        permissions: { deny: ['Bash(top)'], disableBypassPermissionsMode: 'disable' },
      });
      write('.claude/settings.json', { permissions: { deny: ['Bash(outside)'] } });
      const { rules, bypassDisabled, problems, leftOut } = await permissions();
      expect(texts(rules.deny)).toEqual(['project Bash(middle)', 'project Bash(top)']);
      expect(texts(rules.ask)).toEqual(['local Bash(local)']);
      expect([bypassDisabled, problems, leftOut]).toEqual([true, [], []]);
    },
  );

  it('of folders above a nested repository do not count', async () => {
    const { write, permissions, cwd } = repository();
    execFileSync('git', ['init', '-q'], { cwd });
    write('project/.claude/settings.json', { permissions: { deny: ['Bash(top)'] } });
    expect((await permissions()).rules.deny).toEqual([]);
  });

  it.each(['Read(.env)', 'Read(./.env)', 'Read(/.env)', 'Read(secrets/**)', 'Read(./secrets/**)'])(
    'protect the files beside the settings, and those of the session: %s',
    async (rule) => {
      const { write, decide } = repository();
      for (const name of ['.env', 'secrets/k', 'pkg/sub/.env', 'pkg/sub/secrets/k', 'pkg/README'])
        write(`project/${name}`, 'KEY');
      write('project/pkg/sub/.claude/settings.json', {});
      write('project/.claude/settings.json', { permissions: { deny: [rule] } });
      const name = rule.includes('.env') ? '.env' : 'secrets/k';
      expect(await decide(`cat ../../${name}`)).toBe('deny');
      expect(await decide(`cd ../..; cat ${name}`)).toBe('deny');
      expect(await decide(`grep -r KEY ../..`)).not.toBe('allow');
      expect(await decide(`cat ${name}`)).toBe(rule === 'Read(/.env)' ? 'allow' : 'deny');
      expect(await decide('cat ../README')).toBe('allow');
    },
  );

  it('of the nearest settings protect the files beside them', async () => {
    const { write, decide } = repository();
    write('project/.env', 'KEY');
    write('project/.claude/settings.json', { permissions: { deny: ['Read(./.env)'] } });
    expect(await decide('cat ../../.env')).toBe('deny');
  });

  it('of the user mean the files of the session', async () => {
    const { write, decide } = repository();
    write('home/.claude/.env', 'KEY');
    write('home/.claude/settings.json', { permissions: { deny: ['Read(./.env)'] } });
    expect(await decide('cat .env')).toBe('deny');
    expect(await decide('cat ../../../home/.claude/.env')).toBe('allow');
  });
});

describe('settings above the nearest ones', () => {
  it('allow nothing, and set nothing', async () => {
    const { write, trust, permissions, load } = repository();
    trust();
    write('project/pkg/.claude/settings.json', { model: 'near' });
    write('project/.claude/settings.local.json', { env: { A: '1' } });
    write('project/.claude/settings.json', {
      permissions: {
        allow: ['Bash(a)'],
        defaultMode: 'plan',
        additionalDirectories: ['/x'],
        ask: ['Bash(b)'],
      },
      model: 'top',
      hooks: {},
      effortLevel: 'low',
    });
    const { rules, defaultMode, directories, leftOut } = await permissions();
    expect([rules.allow, defaultMode, directories, leftOut]).toEqual([[], undefined, [], []]);
    expect(texts(rules.ask)).toEqual(['project Bash(b)']);
    expect(mergeSettings(load().files)).toEqual({ model: 'near', permissions: { ask: ['Bash(b)'] } });
  });

  it('are reported if they cannot be read', async () => {
    const { write, permissions, project } = repository();
    write('project/pkg/sub/.claude/settings.json', {});
    write('project/pkg/.claude/settings.json', '{ "permissions": ');
    write('project/.claude/settings.json', { permissions: { deny: 'Bash(x)', ask: ['Bash(b)'] } });
    mkdirSync(path.join(project, '.heddle/settings.json'), { recursive: true });
    const { problems, rules } = await permissions();
    expect(problems.map((text) => path.relative(project, text.split(/[: ]/, 1)[0] ?? ''))).toEqual([
      'pkg/.claude/settings.json',
      '.heddle/settings.json',
      '.claude/settings.json',
    ]);
    expect(texts(rules.ask)).toEqual(['project Bash(b)']);
  });

  it('count through a link', async () => {
    const { write, permissions, project } = repository();
    write('project/pkg/.claude/settings.json', {});
    const shared = write('shared.json', { permissions: { deny: ['Bash(shared)'], allow: ['Bash(a)'] } });
    mkdirSync(path.join(project, '.claude'));
    symlinkSync(shared, path.join(project, '.claude/settings.json'));
    const { rules, leftOut } = await permissions();
    expect([texts(rules.deny), rules.allow, leftOut]).toEqual([['project Bash(shared)'], [], []]);
  });

  it('are not changed by a change of the project', () => {
    const { write, places, project } = repository();
    const near = write('project/pkg/.claude/settings.json', {});
    const top = write('project/.claude/settings.json', { permissions: { deny: ['Bash(b)'] } });
    const before = readFileSync(top, 'utf8');
    expect(addRuleTo('project', 'deny', 'Bash(a)', places).file).toBe(near);
    expect(removeRuleFrom('project', 'deny', 'Bash(b)', places)).toMatchObject({ ok: true, changed: false });
    expect(settingsFileOf('local', places).file).toBe(path.join(project, 'pkg/.claude/settings.local.json'));
    expect(readFileSync(top, 'utf8')).toBe(before);
  });

  it('of another checkout mean the same folders of this one', async () => {
    const { write, load, cwd, project } = repository();
    write('other/.claude/settings.json', { permissions: { deny: ['Read(./k)'] } });
    const other = path.join(project, '../other');
    execFileSync('git', ['init', '-q'], { cwd: other });
    write('other/pkg/.claude/settings.json', {});
    writeFileSync(write('project/pkg/.claude/settings.json', {}), '{}');
    const files = settingsFiles({ cwd, home: '/h', env: {}, projectRoot: path.join(other, 'pkg') });
    const bases = files.flatMap(({ file, base }) => (file.startsWith(other) ? [[file, base]] : []));
    expect(bases).toContainEqual([path.join(other, 'pkg/.claude/settings.json'), path.join(project, 'pkg')]);
    expect(bases).toContainEqual([path.join(other, '.claude/settings.json'), project]);
    expect(load().files.map(({ base }) => base)).toEqual([path.join(project, 'pkg')]);
  });
});

/** A working tree or a submodule that was mounted without its data, or a folder that git rejects. */
describe('deny rules above a session', () => {
  const entries: readonly (readonly [string, string, string])[] = [
    ['names a missing folder', '.git', 'gitdir: /host/repo/.git/worktrees/x\n'],
    ['is an empty file', '.git', ''],
    ['is a folder without data', '.git/x', ''],
    ['is a folder with only HEAD', '.git/HEAD', 'ref: refs/heads/x\n'],
  ];
  const below = (entry: string, text: string) => {
    const own = createSettingsHome();
    const cwd = path.join(own.project, 'pkg/sub');
    mkdirSync(cwd, { recursive: true });
    own.write(`project/${entry}`, text);
    const deny = { deny: ['Read(./.env)'], allow: ['Bash(x)'], disableBypassPermissionsMode: 'disable' };
    own.write('project/.heddle/settings.json', { permissions: deny });
    return { ...own, cwd };
  };

  it.each(entries)('count if the entry `.git` beside them %s', async (_, entry, text) => {
    const { cwd, permissions } = below(entry, text);
    const { rules, bypassDisabled } = await permissions({ cwd, projectRoot: undefined });
    expect([texts(rules.deny), rules.allow, bypassDisabled]).toEqual([['project Read(./.env)'], [], true]);
    expect(rules.deny[0]?.file).toContain('project/.heddle');
    expect(acceptedRepositoryTop(cwd)).toBe(undefined);
  });

  const heads: readonly (readonly [string, string | undefined])[] = [
    ['other text', 'hello\n'],
    ['no text', ''],
    ['a link outside of refs', undefined],
    ['a name outside of refs', 'ref: heads/x\n'],
    ['more blanks than git reads', `ref:${' '.repeat(300)}refs/heads/x\n`],
    ['more than 4 kB', `ref: refs/heads/x\n${'x'.repeat(4096)}`],
    ['too few digits', `${'a'.repeat(39)}\n`],
  ];
  it.each(heads)('count if git rejects the HEAD beside them: %s', async (_, head) => {
    const { cwd, project, write, permissions } = below('.git/objects/x', '');
    write('project/.git/refs/x', '');
    if (head === undefined) {
      write('project/.git/H2', 'ref: refs/heads/x\n');
      symlinkSync('H2', path.join(project, '.git/HEAD'));
    } else write('project/.git/HEAD', head);
    expect(acceptedRepositoryTop(cwd)).toBe(undefined);
    expect(texts((await permissions({ cwd, projectRoot: undefined })).rules.deny)).toHaveLength(1);
  });

  it.each([
    ['HEAD is a folder', { 'HEAD/x': '', 'objects/x': '', 'refs/x': '' }],
    ['`commondir` leads nowhere', { HEAD: 'ref: refs/heads/x\n', commondir: '../nowhere\n' }],
    ['`commondir` names a folder without data', { HEAD: 'ref: refs/heads/x\n', commondir: '..\n' }],
    ['`commondir` is empty', { HEAD: 'ref: refs/heads/x\n', commondir: '', 'objects/x': '', 'refs/x': '' }],
    ['`refs` is missing', { HEAD: 'ref: refs/heads/x\n', 'objects/x': '' }],
  ])('count above a nearer `.git` that git rejects: %s', async (_, data) => {
    const { cwd, write, permissions } = below('.git', '');
    for (const [name, text] of Object.entries(data)) write(`project/pkg/sub/.git/${name}`, text);
    expect(texts((await permissions({ cwd, projectRoot: undefined })).rules.deny)).toHaveLength(1);
  });

  it.each(['ref:refs/heads/x', 'ref: \t\nrefs/heads/x', 'a'.repeat(40), `${'0'.repeat(64)}\n`])(
    'do not count above a repository that git uses, with HEAD %j',
    async (head) => {
      const { cwd, write, permissions } = below('.git', '');
      for (const name of ['objects/x', 'refs/x']) write(`project/pkg/sub/.git/${name}`, '');
      write('project/pkg/sub/.git/HEAD', head);
      expect(acceptedRepositoryTop(cwd)).toBe(cwd);
      expect((await permissions({ cwd, projectRoot: undefined })).rules.deny).toEqual([]);
    },
  );

  it('do not count above a repository whose HEAD is a link to refs', async () => {
    const { cwd, write, permissions } = below('.git', '');
    for (const name of ['objects/x', 'refs/x']) write(`project/pkg/sub/.git/${name}`, '');
    symlinkSync('refs/heads/none', path.join(cwd, '.git/HEAD'));
    expect((await permissions({ cwd, projectRoot: undefined })).rules.deny).toEqual([]);
  });

  it('count up to the outermost entry, or to the repository that git uses', async () => {
    const { cwd, project, write, permissions } = below('.git', 'gitdir: ../nowhere\n');
    write('project/pkg/.git', '');
    expect(possibleRepositoryTop(cwd)).toBe(project);
    expect(texts((await permissions({ cwd, projectRoot: undefined })).rules.deny)).toHaveLength(1);
    execFileSync('git', ['init', '-q'], { cwd });
    expect(possibleRepositoryTop(cwd)).toBe(cwd);
  });

  it('do not count without an entry `.git`', async () => {
    const { cwd, permissions } = below('other', '');
    expect((await permissions({ cwd, projectRoot: undefined })).rules.deny).toEqual([]);
  });
});
