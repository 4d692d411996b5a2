import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { codeOutside, hasProgramsOfSystem, isSystemFolder, settingsOutside } from './code-places.ts';

/** The search path if no entry remains. */
const MAIN = '/usr/bin:/bin';

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
  expect(codeOutside([project], {})).toEqual({ PATH: MAIN });
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
    expect(codeOutside([opened], { PATH }, { home })).toEqual({ PATH: '/usr/bin' });
    expect(codeOutside([path.join(home, 'beside/opened')], { PATH }, { home })).toEqual({ PATH: '/usr/bin' });
  });

  it.each(['beside/bin', 'bin', 'outer-tools'])('keeps other folders: %s', (name) => {
    expect(codeOutside([opened], { PATH: `${home}/${name}:/usr/bin` }, { home })).toEqual({});
  });

  it.each(['.hg', '.jj', '.svn'])('counts other version control: %s', (name) => {
    const top = makeFolder(`home/other${name}`);
    makeFolder(`home/other${name}/${name}`);
    const PATH = `${top}/bin:/usr/bin`;
    expect(codeOutside([path.join(top, 'sub')], { PATH }, { home })).toEqual({ PATH: '/usr/bin' });
  });

  it('keeps the programs of a home folder that is a repository, also behind a link', () => {
    makeFolder('var/home/user/.git');
    const project = makeFolder('var/home/user/project');
    symlinkSync(path.join(base, 'var/home'), path.join(base, 'people'));
    const PATH = `${base}/people/user/bin:${base}/var/home/user/tools:/usr/bin`;
    const linked = path.join(base, 'people/user/project');
    for (const opened of [project, linked])
      for (const user of ['people/user', 'var/home/user'])
        expect(codeOutside([opened], { PATH }, { home: path.join(base, user) })).toEqual({});
    expect(codeOutside([project], { PATH }, { home: path.join(base, 'people/other') })).toEqual({
      PATH: '/usr/bin',
    });
  });
});

it.each([
  ['LD_LIBRARY_PATH', ':/opt/lib', '/opt/lib'],
  ['LD_LIBRARY_PATH', '/opt/lib:', '/opt/lib'],
  ['LD_LIBRARY_PATH', '/opt/lib;.;PROJECT/lib', '/opt/lib'],
  ['LD_LIBRARY_PATH', '$ORIGIN/lib', undefined],
  ['LD_PRELOAD', 'libjemalloc.so.2 ./x.so', 'libjemalloc.so.2'],
  ['LD_PRELOAD', '/opt/y.so:PROJECT/x.so', '/opt/y.so'],
  ['LD_AUDIT', 'lib/x.so', undefined],
  ['GCONV_PATH', '.', undefined],
  ['OPENSSL_CONF', './openssl.cnf', undefined],
  ['DOCKER_CONFIG', 'PROJECT/.docker', undefined],
  ['PYTHONPATH', 'src:/opt/python', '/opt/python'],
  ['PERL5LIB', '/opt/perl:PROJECT/lib', '/opt/perl'],
  ['NODE_PATH', '.', undefined],
  ['BASH_ENV', 'PROJECT/env.sh', undefined],
  ['RIPGREP_CONFIG_PATH', '.ripgreprc', undefined],
  ['RIPGREP_CONFIG_PATH', 'PROJECT/.ripgreprc', undefined],
  ['BAT_CONFIG_PATH', './bat.conf', undefined],
  ['BAT_CONFIG_DIR', 'PROJECT/bat', undefined],
  ['BASH_ENV', '/tmp/$NO/project/env.sh', undefined],
  ['BASH_ENV', '/tmp/`echo no`/project/env.sh', undefined],
  ['ENV', 'PROJECT/env.sh', undefined],
  ['ENV', 'env.sh', undefined],
])('removes places of the project from %s: %s', (name, given, expected) => {
  const inProject = (text: string): string => text.replaceAll('PROJECT', '/tmp/no/project');
  const cleaned = codeOutside(['/tmp/no/project'], { PATH: MAIN, [name]: inProject(given) });
  expect(cleaned).toStrictEqual({ [name]: expected });
  expect(codeOutside(['/tmp/no/project'], { PATH: MAIN, ...cleaned })).toStrictEqual({});
});

describe('a project that contains the folders of the system', () => {
  it.each(['/', '/usr', '/usr/', '//', '/usr/../', '/usr/local/..', '/usr/bin/..'])(
    'does not own their programs: %s',
    (folder) => {
      const PATH = '/usr/bin:/bin:/usr/sbin:/sbin';
      expect(codeOutside([folder], { PATH })).toEqual({});
      expect(codeOutside(['/tmp/no/project', folder], { PATH })).toEqual({});
      expect(hasProgramsOfSystem([folder], { PATH })).toBe(true);
    },
  );

  it.each([
    '',
    ':',
    '.',
    'bin',
    './usr/bin',
    'usr/bin',
    ':.:bin',
    '/srv/x',
    '/opt/bin:/people/u/bin',
    undefined,
  ])('leaves the search path with the programs of the system: %s', (PATH) => {
    const { PATH: searched = '' } = codeOutside(['/'], { PATH });
    expect(searched).toMatch(/^(?:\/usr)?\/bin(?::|$)/);
    expect(searched.split(':').every((entry) => isSystemFolder(entry))).toBe(true);
    expect(hasProgramsOfSystem(['/'], { PATH })).toBe(true);
  });

  it('keeps only folders of the system', () => {
    const given = [
      '.',
      base,
      '/usr/bin',
      '',
      '/usr/lib',
      `${base}/usr/bin`,
      'usr/bin',
      '/proc/self/cwd',
      '/bin/',
    ];
    expect(codeOutside(['/'], { PATH: given.join(':') })).toEqual({ PATH: '/usr/bin:/bin/' });
  });

  it('does not keep a link to such a folder, or a link of that name', () => {
    const folder = makeFolder('linked');
    symlinkSync('/usr/bin', path.join(folder, 'link'));
    expect(codeOutside(['/'], { PATH: `${folder}/link:/bin` })).toEqual({ PATH: '/bin' });
    expect(isSystemFolder(`${folder}/link`)).toBe(false);
  });

  it('removes the other variables', () => {
    const environment = { PATH: '/usr/bin', LD_PRELOAD: '/opt/x.so', NODE_PATH: '/usr/lib/node_modules' };
    expect(codeOutside(['/'], environment)).toStrictEqual({ LD_PRELOAD: undefined, NODE_PATH: undefined });
  });

  it('may change them if it is such a folder and its user is the administrator', () => {
    for (const folder of ['/usr/bin', '/usr/bin/', '/usr/local/../bin', '/bin'])
      for (const PATH of ['/usr/bin:/bin', '/usr/bin', '/bin', '', 'bin']) {
        const privileged = { isPrivileged: true };
        expect(codeOutside([folder], { PATH }, privileged)['PATH']).toBe('/dev/null');
        expect(hasProgramsOfSystem([folder], { PATH }, privileged)).toBe(false);
        expect(hasProgramsOfSystem([folder], { PATH }, { isPrivileged: false })).toBe(true);
      }
  });
});

it.each([
  ['NODE_OPTIONS', '-r dotenv/config'],
  ['NODE_OPTIONS', '--import=./pre.mjs'],
  ['PERL5OPT', '-Mlib=lib'],
  ['RUBYOPT', '-r./x'],
  ['JAVA_TOOL_OPTIONS', '-javaagent:a.jar'],
  ['TAR_OPTIONS', '-I ./x'],
  ['LESSOPEN', '|./x %s'],
  ['PYTHONUSERBASE', 'ub'],
  ['PYTHONHOME', path.join(base, 'project')],
  ['GEM_PATH', path.join(base, 'project/gems')],
  ['RUBYGEMS_GEMDEPS', '-'],
  ['PS_PERSONALITY', 'bsd'],
  ['CMD_ENV', 'bsd'],
  ['DEBUGINFOD_URLS', 'https://debuginfod.example'],
  ['GIT_TRACE', '/var/tmp/trace'],
  ['SSLKEYLOGFILE', '/var/tmp/keys'],
])('keeps code of the project out of proven commands: %s=%s', (name, value) => {
  const environment = { PATH: MAIN, [name]: value };
  expect({ ...environment, ...codeOutside([path.join(base, 'project')], environment) }).toEqual({
    PATH: MAIN,
  });
});

it('keeps folders of sources of the user', () => {
  const environment = { PATH: MAIN, PYTHONUSERBASE: '/opt/py', GEM_HOME: '/opt/gems' };
  expect(codeOutside([path.join(base, 'project')], environment)).toEqual({});
});

describe('settings in the project', () => {
  const project = path.join(base, 'project');
  const without = (environment: Record<string, string>, command = 'pip list'): readonly string[] =>
    Object.keys(settingsOutside([project], environment, command));

  it.each([
    ['PIP_CONFIG_FILE', 'pip.conf'],
    ['PIP_CONFIG_FILE', path.join(project, 'pip.conf')],
    ['PIP_PYTHON', './evil.sh'],
    ['XDG_CONFIG_HOME', '.config'],
    ['XDG_CONFIG_HOME', path.join(project, '.config')],
    ['XDG_CONFIG_DIRS', `/etc/xdg:${project}/xdg`],
    ['LESSKEYIN', '.lesskey'],
    ['PHPRC', '.'],
    ['GEMRC', '.gemrc'],
    ['VALGRIND_LIB', path.join(project, 'lib')],
    ['npm_config_userconfig', path.join(project, 'rc')],
    ['SOME_TOOL_SETTINGS', path.join(project, 'tool.toml')],
  ])('are not read by proven commands: %s=%s', (name, value) => {
    expect(without({ [name]: value })).toEqual([name]);
  });

  it('stay if they are outside, if their names are no paths, or if the command names the variable', () => {
    expect(
      without({
        XDG_CONFIG_HOME: '/opt/config',
        PIP_INDEX_URL: 'https://example.com/simple',
        SOME_NAME: 'pip.conf',
        HOME: project,
        PWD: project,
        GIT_DIR: path.join(project, '.git'),
      }),
    ).toEqual([]);
    expect(without({ ROOT: project }, 'cat "$ROOT/a"')).toEqual([]);
    expect(without({ ROOT: project }, 'cat a')).toEqual(['ROOT']);
  });
});
