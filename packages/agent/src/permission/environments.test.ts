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
  'code.py',
]) {
  mkdirSync(path.dirname(path.join(top, file)), { recursive: true });
  writeFileSync(path.join(top, file), '');
}
symlinkSync('my', path.join(top, 'link'));

function decisionOn(command: string): string {
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const places = { root: top, cwd: top, directories: [], home, configDirs: [], environment };
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', observeWorld(places)).decision;
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
  ])('are not other files: %s', (command) => {
    expect(decisionOn(command)).toBe('allow');
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
  ])('is not another file: %s', (command) => {
    expect(decisionOn(command)).toBe('allow');
  });
});
