import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOutside, safeLocale } from './variables.ts';

it('removes folders of the project from the search path', () => {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-path-')));
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
