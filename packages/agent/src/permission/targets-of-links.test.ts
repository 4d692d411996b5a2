/** Targets of links that are protected because of what is beside or around the link, on a real disk. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskProject } from './test/disk-project.ts';

const { top, decide, decideCommand } = diskProject({
  files: [
    'v/pyvenv.cfg',
    'deep/pyvenv.cfg',
    'deep/bin/x',
    'deep/w/pyvenv.cfg',
    'apart/conda-meta/history',
    'vb/python',
    'bare/HEAD',
    'tree/HEAD',
    'store/config',
    'store/hooks/x',
    'store/objects/x',
    'plain/HEAD.md',
    'gen/used.py',
    'gen/other.py',
    'pack/a.py',
    'filled/__init__.py',
    'evil.txt',
    'sp/a.py',
    'sp/known.pth',
    'third/lib/a.py',
    'new/evil.pth',
    'native/__init__.abi3.so',
    'rp/.git/objects/x',
    'rp/.git/refs/x',
    'rp/.git/info/x',
    'rp/gen/x',
  ],
  links: {
    'v/bin': '../vb',
    'v/lib': '../vl',
    'deep/bin/run': '../../gen/run.py',
    'deep/w/scripts': '../../ds',
    'apart/etc': '../ae',
    'plain/bin': '../pb',
    'plain/etc': '../pe',
    'plain/commondir': '../pc',
    'tree/commondir': '../gen/common',
    'bare/objects': '../store/objects',
    'bare/refs': '../gen/refs',
    'bare/config': '../store/config',
    'bare/hooks': '../store/hooks',
    'json.py': 'gen/json.txt',
    'used.py': 'gen/missing.py',
    'glob.py': 'gen/used.py',
    http: 'pack',
    email: 'filled',
    extra: 'gen/extra',
    'site-packages': 'sp',
    'deep/w/dist-packages': '../../dp',
    'venv-3.12': 'third',
    'rp/.git/info/attributes': '../../gen/attr',
    'rp/other': 'gen/other',
  },
});
writeFileSync(path.join(top, 'rp/.git/HEAD'), 'ref: refs/heads/main\n');

describe('the target of a link', () => {
  it.each([
    ['with the name of a folder of programs in an environment', 'vb/git'],
    ['with such a name two folders below', 'ds/git'],
    ['with the name of a program in an environment', 'gen/run.py'],
    ['around the scripts of an environment', 'ae/conda/activate.d/a.sh'],
    ['that completes a linked working tree of git', 'gen/common'],
    ['that completes a repository', 'gen/refs/heads/main'],
    ['to settings of a repository', 'store/config'],
    ['to hooks of a repository', 'store/hooks/pre-commit'],
    ["to a missing file, in git's data", 'rp/gen/attr'],
    ['with the name of a missing module of Python', 'gen/json.txt'],
    ['with the name of a module, if the file makes a folder one', 'pack/__init__.py'],
    [
      'with the name of a module, for a library of one version',
      'pack/__init__.cpython-312-x86_64-linux-gnu.so',
    ],
    ['with the name of a module, for a library of several versions', 'pack/__init__.abi3.so'],
    ['with the name of the folder of packages', 'sp/evil.pth'],
    ['with the name of the folder of packages, for an existing file', 'sp/known.pth'],
    ['with the name of the folder of packages, for a module that each start loads', 'sp/sitecustomize.py'],
    ['with such a name, two folders below and without a target', 'dp/evil.pth'],
    ['with one of many names of an environment', 'third/bin/python'],
  ])('%s is protected', (_, file) => {
    expect(decide('Write', { file_path: path.join(top, file), content: 'x' })).toBe('ask');
    for (const command of [`echo x > ${file}`, `cp evil.txt ${file}`, `mv evil.txt ${file}`])
      expect([command, decideCommand(command)]).toEqual([command, 'ask']);
  });

  it.each([
    'rm -r vb',
    'mv vb other',
    'mv pack/a.py pack/__init__.py',
    'mkdir ae && cp -r plain ae/conda',
    'cp -rT filled pack',
    'mv store other',
    'cp -rT new sp',
    'cp new/* sp',
    'mv new/evil.pth sp',
    'mv new dp',
    'rm sp/known.pth',
    'rm -r sp',
    'cp -rT native pack',
  ])('is protected from a change of a folder: %s', (command) => {
    expect(decideCommand(command)).toBe('ask');
  });

  it.each([
    ['to other files of an environment', 'vl/python3/a.py'],
    ['in an ordinary folder', 'pb/run'],
    ['named `etc` in an ordinary folder', 'pe/conda/a.sh'],
    ['named `commondir` in an ordinary folder', 'pc'],
    ['without the name of a module', 'gen/missing.py'],
    ['with the name of a module that the project has', 'gen/used.py'],
    ['with the name of a module, beside its first file', 'pack/b.py'],
    ['to a module that the project has', 'filled/b.py'],
    ['with another name', 'gen/extra'],
    ['with the name of the folder of packages, for an ordinary module', 'sp/a.py'],
    ['with the name of the folder of packages, for a file in a package', 'sp/package/evil.pth'],
    ['with one of many names of an environment, for a package', 'third/lib/a.py'],
    ['to a missing file, beside the data of git', 'rp/gen/other'],
  ])('%s is not protected', (_, file) => {
    expect(decide('Write', { file_path: path.join(top, file), content: 'x' })).toBe('allow');
    const command = `echo x > ${file}`;
    expect([command, decideCommand(command)]).toEqual([command, 'allow']);
  });
});
