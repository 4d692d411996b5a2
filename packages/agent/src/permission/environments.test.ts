/** Edits in environments of Python and conda with any name, and of modules of Python, on a real disk. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const top = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-environments-')));
const home = `${top}-home`;
afterAll(() => rmSync(top, { recursive: true, force: true }));

for (const file of [
  'my/pyvenv.cfg',
  'my/bin/python',
  'my/bin/activate',
  'apart/conda-meta/history',
  'apart/bin/python',
  'sub/deep/old/bin/activate_this.py',
  'plain/bin/python',
  'template/bin/python',
  'bin/run',
  'src/etc/conda/x',
  'src/app/types.py',
  'code.py',
  'jsonx/__init__.py',
  'more/json/__init__.py',
  'more/http/client.py',
  'calendar/view.ts',
  'parts/etc/conda/activate.d/a.sh',
  'whole/pyvenv.cfg',
  'whole/etc/conda/activate.d/a.sh',
]) {
  mkdirSync(path.dirname(path.join(top, file)), { recursive: true });
  writeFileSync(path.join(top, file), '');
}
symlinkSync('my', path.join(top, 'link'));
symlinkSync('plain', path.join(top, 'ordinary'));

function decisionOn(command: string, allowed?: string): string {
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const places = { root: top, cwd: top, directories: [], home, configDirs: [], environment };
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const allow =
    allowed === undefined ? [] : [`Bash(${allowed})`, 'Bash(mkdir *)', 'Bash(touch *)', 'Bash(cp *)', 'Edit'];
  const rules = {
    deny: [],
    ask: [],
    allow: allow.map((text) => ({ text, source: 'user' as const })),
  };
  return authorize(request, rules, 'acceptEdits', observeWorld(places)).decision;
}

describe('programs of an environment', () => {
  it.each([
    'echo x > my/bin/activate',
    'echo x > my/bin/git',
    'echo x > link/bin/git',
    'echo x > my/Scripts/git',
    'cd my && echo x > bin/git',
    'cp -r template/bin my',
    'cp -r template/. my',
    'cp template/bin/* my/bin/',
    'mv plain/bin/python my/bin',
    'touch my/bin/{a,b}',
    'sed -i s/a/b/ my/bin/activate',
    'ln -s a my/bin/git',
    'echo x > apart/bin/python',
    'mkdir -p apart/etc/conda/activate.d && echo x > apart/etc/conda/activate.d/a.sh',
    'echo x > sub/deep/old/bin/activate',
    'cp -r parts/. apart',
    'cp -r parts/etc apart/',
    'cp -r parts/etc/conda apart/etc',
    'mv whole/etc e2',
    'rm -r whole/etc',
    'cd whole && mv etc ..',
  ])('are protected: %s', (command) => {
    expect(decisionOn(command)).toBe('ask');
  });

  it.each([
    'echo x > bin/run',
    'echo x > plain/bin/git',
    'echo x > src/etc/conda/x',
    'cp -r template/bin new',
    'mkdir -p my/lib/python3/site-packages/a && echo x > my/lib/python3/site-packages/a/b.py',
    'echo x > my/README.md',
    'mv parts/etc e2',
    'rm -r parts/etc',
  ])('are not other files: %s', (command) => {
    expect(decisionOn(command)).toBe('allow');
  });
});

describe('a link to an environment', () => {
  it.each(['rm link', 'rm -f l*', 'unlink link', 'mv link other', 'mv -T plain link', 'ln -sfn plain link'])(
    'is not removed or replaced without a question: %s',
    (command) => {
      expect(decisionOn(command)).toBe('ask');
    },
  );

  it.each(['touch link/README.md', 'mkdir link/lib', 'rm ordinary'])(
    'leaves other files ordinary: %s',
    (command) => {
      expect(decisionOn(command)).toBe('allow');
    },
  );
});

describe('a file that shows an environment', () => {
  it.each([
    'mv apart/conda-meta old',
    'rm -r apart/conda-meta',
    'rm apart/conda-meta/history',
    'mv apart apart2',
    'rm -rf apart',
    'cd apart && mv conda-meta old',
    'mv apart/* src',
    'rm my/pyvenv.cfg',
    'mv my other',
    'rm -r sub/deep/old',
    'mv sub/deep other',
    'mv sub/deep/old/bin/activate_this.py x.py',
    'mkdir src/conda-meta',
    'mkdir -p plain/conda-meta',
    'echo x > plain/pyvenv.cfg',
    'cp code.py plain/bin/activate_this.py',
    'cp -r apart new',
  ])('is protected: %s', (command) => {
    expect(decisionOn(command)).toBe('ask');
  });

  it.each([
    'mv plain other',
    'rm -r template',
    'mkdir -p conda/meta && echo x > conda/meta/history',
    'echo x > src/conda-meta.yaml',
    'mkdir -p scripts && cp template/bin/python scripts',
    'cp code.py activate.py',
  ])('is not another file: %s', (command) => {
    expect(decisionOn(command)).toBe('allow');
  });
});

describe('programs that an installation restores', () => {
  for (const file of [
    'pkg/node_modules/.bin/x',
    'pkg/vendor/bin/x',
    'deps/vendor/a/.envrc',
    'pkg/.venv/bin/x',
  ]) {
    mkdirSync(path.dirname(path.join(top, file)), { recursive: true });
    writeFileSync(path.join(top, file), '');
  }

  it.each(['rm -r pkg/node_modules', 'rm -r pkg/vendor', 'rm -rf pkg/node_modules pkg/vendor', 'rm -r pkg'])(
    'are removed with their whole folder: %s',
    (command) => {
      expect(decisionOn(command)).toBe('allow');
    },
  );

  it.each([
    'rm -r pkg/node_modules/.bin',
    'rm -r pkg/vendor/bin',
    'rm -r pkg/.venv/bin',
    'rm -r deps/vendor',
    'mv pkg/vendor other',
  ])('are not removed alone or with other places: %s', (command) => {
    expect(decisionOn(command)).toBe('ask');
  });
});

describe('a new module that replaces one of Python', () => {
  it.each([
    'echo x > json.py',
    'touch readline.py',
    'echo x > ./os.py',
    'mkdir json && echo x > json/__init__.py',
    'cp code.py http.py',
    'mv code.py ast.py',
    'cd src && echo x > ../pdb.py',
    'echo x > re.pyc',
    'cp code.py rlcompleter.cpython-312-x86_64-linux-gnu.so',
    'ln -s code.py typing.py',
    'sed w/dev/null code.py > site.py',
    'tee encodings/__init__.py < code.py',
    'echo x > gettext.py',
    'echo x > _strptime.py',
    'touch calendar/__init__.py',
    'echo x > _sysconfigdata__linux_x86_64-linux-gnu.py',
    'mv jsonx json',
    'cp -r jsonx json',
    'mv -T jsonx json',
    'cp -rT jsonx ./json',
    'cp -a jsonx/ json/',
    'cp -r jsonx/. calendar',
    'mv jsonx/* calendar/',
    'mv jsonx/__init__.py calendar',
    'mv more/json .',
    'cp -r more/* .',
    'cp -r more/. .',
    'cp -r more/{json,http} .',
    'cd src && mv ../jsonx ../json',
    'mv jsonx json && ls',
    'cp -rT src/app .',
    'cp -r src/app/ .',
    'cp -r src/app/. .',
    'cp -r src/app/* .',
    'mv src/app/types.py .',
  ])('is protected: %s', (command) => {
    expect(decisionOn(command)).toBe('ask');
  });

  it.each([
    'echo x > code.py',
    'echo x > app.py',
    'mkdir -p src/json && echo x > src/json.py',
    'mkdir -p http && echo x > http/client.py',
    'echo x > json.ts',
    'mkdir -p tests && echo x > tests/string.py',
    'mkdir -p calendar test types email && echo x > calendar/month.py',
    'mkdir test && echo x > test/__init__.py',
    'echo x > test.py',
    'echo x > __main__.py',
    'mv jsonx src',
    'mv jsonx src/json',
    'cp -r jsonx jsony',
    'cp -r more/json src',
    'mv more/http .',
    'mv src/app .',
    'cp -r src/app .',
    'cp -r src/app lib',
    'mv calendar email',
  ])('is not another file: %s', (command) => {
    expect(decisionOn(command)).toBe('allow');
  });
});

describe('a module that a permitted command makes', () => {
  it.each([
    ['rsync -a jsonx/ json/', 'rsync *'],
    ['rsync -a jsonx/__init__.py calendar/', 'rsync *'],
    ['rsync -a more/ .', 'rsync *'],
    ['git mv jsonx json', 'git mv *'],
    ['ln -s jsonx json', 'ln *'],
    ['install code.py queue.py', 'install *'],
    ['find jsonx -exec cp -r {} json \\;', 'find *'],
    ['mkdir q; touch q/__init__.py; mv q json', 'mv *'],
    ['mkdir q; touch q/__init__.py; cp -r q http', 'cp *'],
    ['cp -r --parents jsonx calendar; mv calendar/jsonx types', 'mv *'],
  ])('is protected: %s', (command, allowed) => {
    expect(decisionOn(command, allowed)).toBe('ask');
  });

  it.each([
    ['rsync -a jsonx/ jsony/', 'rsync *'],
    ['git mv jsonx jsony', 'git mv *'],
    ['ln -s jsonx jsony', 'ln *'],
    ['find jsonx -exec cp -r {} jsony \\;', 'find *'],
    ['mkdir q; touch q/__init__.py; mv q test', 'mv *'],
  ])('is not another folder: %s', (command, allowed) => {
    expect(decisionOn(command, allowed)).toBe('allow');
  });
});
