import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { codeOutside, safeLocale, withoutFileFilters } from './variables.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-path-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function makeFolder(name: string): string {
  mkdirSync(path.join(base, name), { recursive: true });
  return path.join(base, name);
}

it('removes folders of the project from the search path', () => {
  const folder = makeFolder('first');
  const project = path.join(folder, 'project');
  mkdirSync(path.join(project, 'bin'), { recursive: true });
  symlinkSync(path.join(project, 'bin'), path.join(folder, 'link'));
  const given = [
    '/usr/bin',
    '',
    '.',
    'bin',
    path.join(project, 'bin'),
    path.join(folder, 'link'),
    '/bin',
  ].join(':');
  expect(codeOutside([project], { PATH: given })).toEqual({ PATH: '/usr/bin:/bin' });
  expect(codeOutside([project], { PATH: '/usr/bin:/bin' })).toEqual({});
  expect(codeOutside([project], {})).toEqual({});
});

describe('a project that was opened below the top of its repository', () => {
  const home = makeFolder('home');
  const opened = makeFolder('home/outer/repo/packages/a');
  for (const name of ['outer/.git', 'outer/repo/.git', 'beside/bin', 'outer/repo/bin'])
    makeFolder(`home/${name}`);
  symlinkSync(path.join(home, 'outer/repo/bin'), path.join(home, 'link'));
  symlinkSync(opened, path.join(home, 'beside/opened'));

  it.each([
    'outer/repo',
    'outer/repo/bin',
    'outer/repo/node_modules/.bin',
    'outer/repo/packages',
    'outer/repo/packages/b/bin',
    'outer/repo/packages/a/bin',
    'outer/repo/packages/a/../b',
    'outer',
    'outer/tools',
    'link',
    'beside/opened/bin',
  ])('runs no program from its repository: %s', (name) => {
    const PATH = `${home}/${name}:/usr/bin`;
    expect(codeOutside([opened], { PATH }, home)).toEqual({ PATH: '/usr/bin' });
    expect(codeOutside([path.join(home, 'beside/opened')], { PATH }, home)).toEqual({ PATH: '/usr/bin' });
  });

  it.each(['beside/bin', 'bin', 'outer-tools'])('keeps other folders: %s', (name) => {
    expect(codeOutside([opened], { PATH: `${home}/${name}:/usr/bin` }, home)).toEqual({});
  });

  it.each(['.hg', '.jj', '.svn'])('counts other version control: %s', (name) => {
    const top = makeFolder(`home/other${name}`);
    makeFolder(`home/other${name}/${name}`);
    const PATH = `${top}/bin:/usr/bin`;
    expect(codeOutside([path.join(top, 'sub')], { PATH }, home)).toEqual({ PATH: '/usr/bin' });
  });

  it('keeps the programs of a home folder that is a repository, also behind a link', () => {
    makeFolder('var/home/user/.git');
    const project = makeFolder('var/home/user/project');
    symlinkSync(path.join(base, 'var/home'), path.join(base, 'people'));
    const PATH = `${base}/people/user/bin:${base}/var/home/user/tools:/usr/bin`;
    const linked = path.join(base, 'people/user/project');
    for (const opened of [project, linked])
      for (const user of ['people/user', 'var/home/user'])
        expect(codeOutside([opened], { PATH }, path.join(base, user))).toEqual({});
    expect(codeOutside([project], { PATH }, path.join(base, 'people/other'))).toEqual({ PATH: '/usr/bin' });
  });
});

it.each([
  ['LD_LIBRARY_PATH', ':/opt/lib', '/opt/lib'],
  ['LD_LIBRARY_PATH', '/opt/lib:', '/opt/lib'],
  ['LD_LIBRARY_PATH', '/opt/lib;.;PROJECT/lib', '/opt/lib'],
  ['LD_LIBRARY_PATH', '$ORIGIN/lib', ''],
  ['LD_PRELOAD', 'libjemalloc.so.2 ./x.so', 'libjemalloc.so.2'],
  ['LD_PRELOAD', '/opt/y.so:PROJECT/x.so', '/opt/y.so'],
  ['LD_AUDIT', 'lib/x.so', ''],
  ['GCONV_PATH', '.', ''],
  ['OPENSSL_CONF', './openssl.cnf', ''],
  ['DOCKER_CONFIG', 'PROJECT/.docker', ''],
  ['PYTHONPATH', 'src:/opt/python', '/opt/python'],
  ['PERL5LIB', '/opt/perl:PROJECT/lib', '/opt/perl'],
  ['NODE_PATH', '.', ''],
  ['BASH_ENV', 'PROJECT/env.sh', ''],
  ['BASH_ENV', '/tmp/$NO/project/env.sh', ''],
  ['BASH_ENV', '/tmp/`echo no`/project/env.sh', ''],
  ['ENV', 'PROJECT/env.sh', ''],
  ['ENV', 'env.sh', ''],
])('removes places of the project from %s: %s', (name, given, expected) => {
  const inProject = (text: string): string => text.replaceAll('PROJECT', '/tmp/no/project');
  const cleaned = codeOutside(['/tmp/no/project'], { [name]: inProject(given) });
  expect(cleaned).toEqual({ [name]: expected });
  expect(codeOutside(['/tmp/no/project'], cleaned)).toEqual(expected === '' ? { [name]: '' } : {});
});

describe('the locale of a proven command', () => {
  it.each([
    [{}],
    [{ LANG: 'en_US.UTF-8' }],
    [{ LANG: 'zh_TW.BIG5', LC_ALL: 'C' }],
    [{ LC_ALL: '', LC_CTYPE: 'C.utf8', LANG: 'zh_CN.GBK' }],
  ])('stays as it is: %j', (environment) => {
    expect(safeLocale(environment)).toEqual({});
  });

  it.each([
    [{ LANG: 'zh_CN.GBK' }],
    [{ LANG: 'en_US.UTF-8', LC_CTYPE: 'ja_JP.SJIS' }],
    [{ LC_ALL: 'zh_TW' }],
  ])('is replaced if a backslash can be part of a character: %j', (environment) => {
    expect(safeLocale(environment)).toEqual({ LC_ALL: 'C.UTF-8' });
  });
});

it('removes the commands that readers run with each file', () => {
  const environment = { LESSOPEN: '| /usr/bin/lesspipe %s', LESSCLOSE: '', LESS: '-R' };
  const removed = withoutFileFilters(environment);
  expect(Object.entries(removed)).toEqual([
    ['LESSOPEN', undefined],
    ['LESSCLOSE', undefined],
  ]);
  expect(withoutFileFilters({ LESS: '-R' })).toEqual({});
});
