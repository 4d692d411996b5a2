/** Folders that are copied, moved or made with everything below them, compared with protected places on a real disk. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import { mayBeginProtection, protectedBelow, protectedFromChange } from './paths/changed-places.ts';
import { isProgramFolder } from './paths/program-places.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-trees-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Makes files, and links for values with `-> `. */
function make(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    const place = path.join(folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), place);
    else writeFileSync(place, text);
  }
  return folder;
}

const project = path.join(base, 'project');
const home = make(path.join(base, 'home'), { '.bashrc': `. ${project}/sub/rc/init.sh\n` });
const settings = path.join(project, 'conf/hooks/settings.json');
make(project, {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/objects/x': '',
  '.git/refs/x': '',
  '.git/config': '[core]\n\thooksPath = sub/gh/hk\n',
  '.husky/pre-commit': './sub/x/check.sh\n./sub/t/x3/x/check.sh\n',
  'sub/a.ts': '',
  'sub/into': '-> deep/down',
  'sub/deep/down/a.ts': '',
  lk: '-> sub',
  here: '-> .',
  out: '-> ../home',
  's.json': '-> sub/a.ts',
  'sub.json': '-> sub',
  'g/hk/pre-push': '',
  'gh/hk/pre-push': '',
  'q2/init.sh': '',
  'src3/check.sh': '',
  'x3/x/check.sh': '',
  'p/tool': '',
  'em/__init__.py': '',
  'x/email/__init__.py': '',
  'plain/a/b.ts': '',
  'many/gh/hk/pre-push': '',
  'mixed/.gitignore': '',
  'mixed/.envrc': '',
  'statistics.py': 'x = 1\n',
  'html/__init__.py': '',
  'string.py/x': '',
  'tty/__init__.py/x': '',
  'evil.txt': '',
  'hw2/x86-64-v2/libselinux.so.1': '',
  'glibc-hwcaps/x86-64-v3/libz.so.1': '',
});

interface Place {
  readonly root?: string;
  readonly home?: string;
  readonly rules?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

function decide(tool: string, input: JsonObject, place: Place = {}): string {
  const { root = project, home: user = home, rules = [], environment = {} } = place;
  const world = observeWorld({
    root,
    cwd: root,
    directories: [],
    home: user,
    configDirs: [path.join(user, '.heddle'), settings],
    environment: {
      HOME: user,
      GIT_CONFIG_NOSYSTEM: '1',
      PATH: `/usr/bin:/bin:${project}/sub/pe`,
      ...environment,
    },
  });
  const allow = rules.map((text) => ({ text, source: 'user' as const }));
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow }, 'acceptEdits', world).decision;
}

const run = (command: string, place?: Place): string => decide('Bash', { command }, place);

describe('a folder that is copied or moved behind a link', () => {
  it.each([
    'mv g sub/gh',
    'mv g lk/gh',
    'mv gh lk',
    'mv gh lk/',
    'mv gh sub',
    'mv -T g lk/gh',
    'mv many/* lk',
    'mv many/g* here/lk',
    'cp -r many/. lk',
    'cp -rT many lk',
    'cp -a g lk/gh',
    'cp -rT g here/sub/gh',
    'mv q2 lk/rc',
    'cp -r src3 lk/x',
    'cp -r x3/x lk',
    'mv p lk/pe',
    'mv em here/email',
    'mv x/email here',
    'cp -r x/. here',
    'mkdir -p lk/rc/init.sh',
    'mkdir -p here/email/__init__.py',
  ])('asks if it contains a protected place: %s', (command) => {
    expect(run(command)).toBe('ask');
  });

  it.each(['mv plain lk/gz', 'mv plain lk', 'cp -r plain here/new', 'cp -r plain lk/new', 'mkdir -p lk/z/y'])(
    'is ordinary work: %s',
    (command) => {
      expect(run(command)).toBe('allow');
    },
  );

  const rules = ['Bash(rsync *)', 'Bash(install *)', 'Bash(cp *)', 'Bash(find *)', 'Edit'];
  it.each([
    'rsync -a many/ lk',
    'rsync -a gh lk/',
    'rsync -aR many/./gh lk/',
    'rsync -aR x3/x lk/t',
    'cp -r --parents x3/x lk/t',
    'install -D -t lk/x src3/check.sh',
    'find gh -exec cp --parents {} lk \\;',
    'find src3 -name "*.sh" -exec cp {} lk/x \\;',
  ])('asks also beside a rule: %s', (command) => {
    expect(run(command, { rules })).toBe('ask');
  });

  it('asks about a protected name in a folder outside that a rule covers', () => {
    expect(run('cp -r plain ~/z', { rules: ['Bash(cp *)', 'Edit(~/**)'] })).toBe('allow');
    expect(run('cp -r mixed ~/z', { rules: ['Bash(cp *)', 'Edit(~/**)'] })).toBe('ask');
  });
});

describe('a folder with the name of a protected file', () => {
  it.each([
    'mkdir json.py',
    'mkdir -p json.py/a',
    'cp -r plain json.py',
    'cp evil.txt string.py',
    'rm -r string.py && cp evil.txt string.py',
    'touch string.py',
    'touch tty/__init__.py',
    'cp -r em tty',
    'mkdir conf',
    'mkdir conf/hooks',
    'mkdir -p conf/zz',
    'mkdir -p conf/hooks/zz',
    'mkdir -p here/conf/zz',
    'mkdir -p sub/../conf/a/b',
  ])('takes no protection away, and is made with a question: %s', (command) => {
    expect(run(command)).toBe('ask');
  });

  it.each(['json.py/x', 'json.py/a/b/c', 'conf/a', 'conf/hooks/x/y.ts', 'here/conf/a'])(
    'is not made on the way of a written file: %s',
    (file) => {
      const file_path = path.join(project, file);
      expect(decide('Write', { file_path, content: '' })).toBe('ask');
      expect(decide('Edit', { file_path, old_string: '', new_string: 'x' })).toBe('ask');
      expect(decide('NotebookEdit', { notebook_path: file_path, new_source: '' })).toBe('ask');
    },
  );

  it.each(['install -D evil.txt conf/zz/x', 'install -D -t json.py/x evil.txt', 'rsync -a em conf/z/'])(
    'is not made by a program that a rule allows: %s',
    (command) => {
      expect(run(command, { rules: ['Bash(install *)', 'Bash(rsync *)', 'Edit'] })).toBe('ask');
    },
  );

  it.each([
    'cp evil.txt statistics.py',
    'touch statistics.py',
    'cp evil.txt html/__init__.py',
    'touch html/parser.py',
    'mkdir -p new/deep/folder',
    'cp -r plain new',
  ])('leaves files of the project ordinary: %s', (command) => {
    expect(run(command)).toBe('allow');
  });
});

describe('in a session in the home folder', () => {
  const user = make(path.join(base, 'user'), {
    'x/x86_64-pc-linux-gnu-library/a/R/a.R': '',
    'r-files/x86_64-pc-linux-gnu-library/a': '',
    'd2/sbin/tool': '',
    'd/WindowsPowerShell/profile.ps1': '',
    'm/matlab/startup.m': '',
    'R/x86_64-pc-linux-gnu-library/b': '',
    'go/src/a.go': '',
    'flutter/bin/dart': '',
    'notes/a': '',
  });
  const place = { root: user, home: user };

  it.each([
    'mkdir -p R/x86_64-pc-linux-gnu-library',
    'mv x R2/../R',
    'cp -rT x R',
    'mv d2 node',
    'cp -rT d2 go',
    'mv d Documents',
    'mv m Documents',
    'rm -r R',
    'mv R other',
    'mv flutter other',
    'rm -rf flutter',
  ])('a copy, move or removal finds folders of programs: %s', (command) => {
    expect(run(command, place)).toBe('ask');
  });

  it.each(['mv x work', 'mv d2 other', 'rm -r x', 'rm -r go', 'mv d other', 'mv notes Documents'])(
    'is ordinary elsewhere: %s',
    (command) => {
      expect(run(command, place)).toBe('allow');
    },
  );
});

describe('with a working directory among the folders of libraries', () => {
  const place = { environment: { LD_LIBRARY_PATH: ':/usr/local/lib' } };

  it.each([
    'mkdir glibc-hwcaps/x86-64-v2 && touch glibc-hwcaps/x86-64-v2/libselinux.so.1',
    'mv hw2 glibc-hwcaps',
    'cp -rT hw2 here/glibc-hwcaps',
    'rm -r glibc-hwcaps',
    'mv glibc-hwcaps other',
  ])('a copy, move or removal finds libraries: %s', (command) => {
    expect(run(command, place)).toBe('ask');
  });

  it.each(['mv hw2 other', 'rm -r hw2'])('is ordinary elsewhere: %s', (command) => {
    expect(run(command, place)).toBe('allow');
    expect(run('mv hw2 glibc-hwcaps')).toBe('allow');
  });
});

describe('the fast test of names in a walk', () => {
  it('finds each place whose change counts although one of its folder does not', () => {
    const environment = {
      HOME: project,
      GIT_CONFIG_NOSYSTEM: '1',
      PATH: `/usr/bin:${project}/sub/pe`,
      LD_LIBRARY_PATH: ':',
    };
    const places = { root: project, cwd: project, directories: [], home: project, environment };
    const world = observeWorld({ ...places, configDirs: [settings] });
    const names = (
      'sub gh hk rc init.sh x pe t conf hooks settings.json json.py email __init__.py libz.so.1 glibc-hwcaps .git .envrc bin etc conda ' +
      'pyvenv.cfg go sbin R a-library Documents PowerShell matlab startup.m node_modules .bin .venv vendor .config .claude worktrees lk here'
    ).split(' ');
    const counts = (file: string): boolean =>
      protectedFromChange({ path: file, real: world.realpath(file) }, world) !== undefined;
    const pairs = names.flatMap((name) => ['', ...names].map((folder) => path.join(project, folder, name)));
    const found = pairs.filter((file) => counts(file) && !counts(path.dirname(file)));
    expect(found.length).toBeGreaterThan(50);
    const isNamed = (file: string): boolean =>
      [file, world.realpath(file)].some((each) => mayBeginProtection(each, world));
    expect(found.filter((file) => !isNamed(file))).toEqual([]);
  });

  it.each(['moved', 'removed'] as const)('finds each existing place below a folder that is %s', (kind) => {
    const whole = make(path.join(base, `whole-${kind}`), {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/objects/x': '',
      '.git/refs/x': '',
      '.git/config': '[core]\n\thooksPath = sub/gh/hk\n',
      'sub/gh/hk/pre-push': '',
      'sub/conf/hooks/settings.json': '',
      'sub/pe/tool': '',
      'sub/v/pyvenv.cfg': '',
      'sub/v/bin/python': '',
      'sub/v/etc/conda/activate.d/a.sh': '',
      'sub/v/etc/fish/a.fish': '',
      'sub/c/conda-meta/history': '',
      'sub/c/condabin/conda': '',
      'sub/c/etc/profile.d/a.sh': '',
      'sub/t/bin/activate_this.py': '',
      'sub/s/site-packages/a.pth': '',
      'sub/w/.envrc': '',
      'sub/w/.vscode/tasks.json': '{}',
      'sub/bare/HEAD': '',
      'sub/bare/objects/x': '',
      'sub/bare/refs/x': '',
      'sub/plain/etc/conda/a': '',
      'glibc-hwcaps/x86-64-v2/libz.so.1': '',
    });
    const world = observeWorld({
      root: whole,
      cwd: whole,
      directories: [],
      home: `${whole}-home`,
      configDirs: [path.join(whole, 'sub/conf/hooks/settings.json')],
      environment: { GIT_CONFIG_NOSYSTEM: '1', PATH: `/usr/bin:${whole}/sub/pe`, LD_LIBRARY_PATH: ':' },
    });
    const all = readdirSync(whole, { recursive: true, encoding: 'utf8' }).map((name) =>
      path.join(whole, name),
    );
    const counts = (file: string): boolean =>
      protectedFromChange({ path: file, real: file }, world) !== undefined;
    const isFound = (folder: string): boolean =>
      protectedBelow({ path: folder, real: folder }, world, kind) !== undefined;
    // An installation restores the usual folders of programs.
    const places = all.filter((file) => counts(file) && !isProgramFolder(file));
    const above = all.filter((folder) => places.some((file) => file.startsWith(`${folder}/`)));
    expect(above.length).toBeGreaterThan(20);
    expect(above.filter((folder) => !counts(folder) && !isFound(folder))).toEqual([]);
    expect(isFound(path.join(whole, 'sub/plain'))).toBe(false);
  });
});

describe('a link that sed renames', () => {
  it.each(['sed -i.json s/a/b/ s.json', 'sed -i.bak s/a/b/ s.j*', 'sed -i.json s/a/b/ s.json sub/a.ts'])(
    'becomes another link, so it asks: %s',
    (command) => {
      expect(run(command)).toBe('ask');
    },
  );

  it.each(['sed -i s/a/b/ s.json', 'sed -i.bak s/a/b/ sub/a.ts', 'sed -i.bak s/a/b/ lk/a.ts'])(
    'is not involved: %s',
    (command) => {
      expect(run(command)).toBe('allow');
    },
  );
});
