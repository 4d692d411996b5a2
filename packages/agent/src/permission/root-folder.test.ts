/** A session in the root folder, as in a container without a working directory. Everything is in its working directory. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { PermissionMode } from '@heddle/core';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import type { PermissionWorld } from './world.ts';
import { worldOf } from './test/world.ts';

const FILES = [
  '/etc/hosts',
  '/etc/env.sh',
  '/srv/a.txt',
  '/srv/usr/local/bin/tool',
  '/srv/t/bin/tool',
  '/srv/deep/usr/bin/ls',
  '/usr/bin',
  '/usr/bin/ls',
  '/usr/local/bin',
  '/usr/local/bin/tool',
  '/people/user/.claude/settings.json',
];

const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/new/bin',
  BASH_ENV: '/etc/env.sh',
};

const [HOMES, ROOT_HOME] = ['/home', '/root'];

const FOLDERS_OF_SYSTEM = [
  '/etc/vim/vimrc.local',
  '/etc/bash_completion.d/x',
  '/etc/update-motd.d/x',
  '/etc/apt/apt.conf.d/x',
  '/etc/ld.so.cache',
  '/etc/default/x',
  '/run/systemd/system/x.service',
  '/usr/share/git-core/templates/hooks/post-checkout',
  '/usr/share/nodejs/a/index.js',
  '/usr/local/etc/x',
  '/var/lib/dpkg/info/x.postinst',
  '/opt/x/bin/y',
  '/snap/bin/x',
  '/nix/store/x',
  '/proc/sys/kernel/core_pattern',
  '/dev/sda',
  `${HOMES}/other/.config/foo`,
  `${ROOT_HOME}/.unknown`,
];

const TOPS = ['etc', 'opt', 'people', 'srv', 'usr'];
const TABLE = worldOf({ files: FILES, links: { '/bin': '/usr/bin' }, environment: ENVIRONMENT, cwd: '/' });
const WORLD: PermissionWorld = {
  ...TABLE,
  root: '/',
  list: (folder) => (folder === '/' ? [...TOPS, 'bin'] : TABLE.list(folder)),
  entries: (folder) => {
    if (folder !== '/') return TABLE.entries(folder);
    const folders = TOPS.map((name) => ({ name, kind: 'folder' }) as const);
    return [...folders, { name: 'bin', kind: 'link' }];
  },
};

function decide(
  tool: string,
  input: Record<string, string>,
  {
    allow = [],
    mode = 'acceptEdits',
    world = WORLD,
  }: {
    readonly allow?: readonly string[];
    readonly mode?: PermissionMode;
    readonly world?: PermissionWorld;
  } = {},
): string {
  const rules = { deny: [], ask: [], allow: allow.map((text) => ({ text, source: 'user' as const })) };
  return authorize({ tool, input, readOnly: false, names: [], hookDecision: undefined }, rules, mode, world)
    .decision;
}

describe('a session in the root folder', () => {
  it.each(['/usr/local/bin/foo', '/usr/bin/ls', '/bin/ls', '/opt/new/bin/x', '/etc/env.sh'])(
    'asks about a change to a program or a start-up file: %s',
    (file) => {
      expect(decide('Write', { file_path: file, content: 'x' })).toBe('ask');
      expect(decide('Bash', { command: `echo x > ${file}` })).toBe('ask');
      expect(decide('Bash', { command: `echo x > ${file.slice(1)}` })).toBe('ask');
      expect(decide('Bash', { command: `cp srv/a.txt ${file}` })).toBe('ask');
    },
  );

  it.each([
    'cp etc/hosts usr/local/bin',
    'cp -r srv/usr .',
    'cp -r srv/usr /',
    'cp -r srv/deep/. /',
    'cp -r srv/* .',
    'mv srv/usr .',
    'rm -rf usr/local',
    'mv usr/local srv/q',
    'rm bin',
    'rm -rf people/user',
    'chmod -R 777 /',
  ])('asks about a command that changes them: %s', (command) => {
    expect(decide('Bash', { command })).toBe('ask');
    expect(decide('Bash', { command }, { allow: [`Bash(${command.split(' ', 1)[0] ?? ''} *)`] })).toBe('ask');
  });

  it.each([
    'echo x > srv/new',
    'touch home/user/a',
    'mkdir -p var/www/site',
    'cp srv/a.txt srv/b.txt',
    'cp -r srv/t srv/q',
  ])('allows other edits: %s', (command) => {
    expect(decide('Bash', { command })).toBe('allow');
  });

  it.each(FOLDERS_OF_SYSTEM)('asks about a change to a file that programs of the system load: %s', (file) => {
    expect(decide('Write', { file_path: file, content: 'x' })).toBe('ask');
    expect(decide('Bash', { command: `echo x > ${file.slice(1)}` })).toBe('ask');
    expect(decide('Bash', { command: `cd srv && cp a.txt ..${file}` })).toBe('ask');
  });

  it.each([
    ['/etc', '/etc/nginx/nginx.conf', 'ask'],
    ['/usr', '/usr/share/vim/vimrc', 'ask'],
    ['/usr/local', '/usr/local/share/a', 'allow'],
    ['/usr/local', '/usr/local/lib/a', 'ask'],
    ['/etc/nginx', '/etc/nginx/nginx.conf', 'allow'],
    ['/usr/src/app', '/usr/src/app/index.js', 'allow'],
    ['/opt/app', '/opt/app/.eslintrc.json', 'allow'],
    ['/var/lib/app/data', '/var/lib/app/data/a', 'allow'],
    ['/var', '/var/lib/app/a', 'ask'],
    ['/var', '/var/www/a', 'allow'],
    ['/srv', '/srv/etc/a', 'allow'],
    [`${HOMES}/app`, `${HOMES}/app/.eslintrc.json`, 'allow'],
    ['/home', `${HOMES}/app/.unknownrc`, 'ask'],
    ['/home', `${HOMES}/app/bin/a`, 'ask'],
    ['/home', `${HOMES}/app/src/a`, 'allow'],
  ])('in %s, an edit of %s: %s', (root, file, decision) => {
    const world = { ...TABLE, root, cwd: root };
    expect(decide('Write', { file_path: file, content: 'x' }, { world })).toBe(decision);
    expect(decide('Bash', { command: `echo x > ${file}` }, { world })).toBe(decision);
  });

  it('takes a folder of the system that was opened beside the root folder for an ordinary one', () => {
    const world = { ...WORLD, directories: ['/etc/nginx'] };
    expect(decide('Write', { file_path: '/etc/nginx/a', content: 'x' }, { world })).toBe('allow');
    expect(decide('Write', { file_path: '/etc/b', content: 'x' }, { world })).toBe('ask');
  });

  it('takes programs of the system for ordinary ones', () => {
    expect(decide('Bash', { command: 'npm test; ls' }, { allow: ['Bash(npm test)'] })).toBe('allow');
    expect(decide('Bash', { command: 'npm test /usr/bin/ls' }, { allow: ['Bash(npm test *)'] })).toBe(
      'allow',
    );
    expect(decide('Bash', { command: 'ls /usr/bin' }, { mode: 'default' })).toBe('allow');
  });
});

describe('the root folder of this machine', () => {
  const base = mkdtempSync(path.join(realpathSync(tmpdir()), 'heddle-root-folder-'));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  for (const folder of ['tools/bin', 't/bin']) {
    mkdirSync(path.join(base, folder), { recursive: true });
    writeFileSync(path.join(base, folder, 'tool'), '');
  }
  const world = observeWorld({
    root: '/',
    cwd: '/',
    directories: [],
    home: '/nonexistent',
    configDirs: [],
    environment: { PATH: `/usr/bin:${base}/tools/bin` },
  });
  const below = base.slice(1);

  it.each([
    'echo x > usr/bin/new',
    `echo x > ${below}/tools/bin/tool`,
    `cp -r ${below}/t/bin ${below}/tools`,
    `cp -r ${below}/t/. ${below}/tools`,
    `rm -rf ${below}/tools`,
    `mv ${below}/tools ${below}/q`,
  ])('asks about a change to a program in the search path: %s', (command) => {
    expect(decide('Bash', { command }, { world })).toBe('ask');
  });

  it('allows an edit beside it', () => {
    expect(decide('Bash', { command: `echo x > ${below}/tools/new` }, { world })).toBe('allow');
    expect(decide('Write', { file_path: `${base}/new`, content: 'x' }, { world })).toBe('allow');
    expect(decide('Write', { file_path: '/usr/bin/ls', content: 'x' }, { world })).toBe('ask');
  });
});

describe('the folders with programs of this machine', () => {
  const RULES = { deny: [], ask: [], allow: [{ text: 'Bash(npm test)', source: 'user' as const }] };
  const worldIn = (root: string, PATH: string, directories: readonly string[] = []): PermissionWorld =>
    observeWorld({
      root,
      cwd: root,
      directories,
      home: '/nonexistent',
      configDirs: [],
      environment: { PATH },
    });
  const decideIn = (world: PermissionWorld, command: string): string =>
    authorize(
      { tool: 'Bash', input: { command }, readOnly: false, names: [], hookDecision: undefined },
      RULES,
      'default',
      world,
    ).decision;

  const COMMANDS = [
    'cat a',
    'ls -la | wc -l',
    'timeout 5 cat a',
    'nice cat a',
    'for f in a b; do cat b; done',
    'echo "$(cat a)"',
    'if cat a; then echo y; fi',
  ];

  it.each(['/', '/usr'])('are not those of a project that contains them: %s', (root) => {
    for (const PATH of ['/usr/bin:/bin', ''])
      for (const command of COMMANDS) {
        expect([command, decideIn(worldIn(root, PATH), command)]).toEqual([command, 'allow']);
        expect([command, decideIn(worldIn('/srv', PATH, [root]), command)]).toEqual([command, 'allow']);
      }
    expect(decideIn(worldIn(root, '/usr/bin:/bin'), 'npm test; cat a')).toBe('allow');
  });

  it('need a question if the project could change them', () => {
    const world = { ...worldIn('/', '/usr/bin:/bin'), hasProgramsOfSystem: () => false };
    for (const readOnlyView of [false, true])
      for (const command of [
        ...COMMANDS,
        'npm test; cat a',
        'ls | /usr/bin/xargs cat',
        '/usr/bin/find srv -name x -exec cat {} +',
      ])
        expect([command, decideIn({ ...world, readOnlyView }, command)]).toEqual([command, 'ask']);
    for (const command of ['pwd', 'echo a', 'cd srv && pwd', '/usr/bin/cat a'])
      expect([command, decideIn(world, command)]).toEqual([command, 'allow']);
  });

  it.each(['/usr/bin:/bin', '/opt/x', '', '.'])(
    'are not changed without a question with the search path "%s"',
    (PATH) => {
      for (const root of ['/', '/usr']) {
        const world = worldIn(root, PATH);
        for (const file of [
          '/usr/bin/ls',
          '/usr/bin/new',
          '/usr/sbin/new',
          '/usr/local/bin/new',
          '/usr/lib/new.so',
          '/usr/lib/git-core/git-log',
          '/bin/bash',
          '/bin/../bin/new',
        ]) {
          expect([file, decide('Write', { file_path: file, content: 'x' }, { world })]).toEqual([
            file,
            'ask',
          ]);
          expect([file, decide('Bash', { command: `echo x > ${file}` }, { world })]).toEqual([file, 'ask']);
          expect([file, decide('Bash', { command: `cp /etc/hosts ${file}` }, { world })]).toEqual([
            file,
            'ask',
          ]);
        }
        for (const command of ['rm -rf /usr/lib', 'mv /usr/bin /usr/b', 'chmod -R 777 /usr/lib', 'rm /bin'])
          expect([command, decide('Bash', { command }, { world })]).toEqual([command, 'ask']);
        expect(decide('Write', { file_path: '/usr/share/new', content: 'x' }, { world })).toBe('ask');
      }
    },
  );
});
