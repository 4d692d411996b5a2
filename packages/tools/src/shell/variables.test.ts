import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathOutside, safeLocale } from './variables.ts';

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
  expect(pathOutside([project], { PATH: given })).toEqual({ PATH: '/usr/bin:/bin' });
  expect(pathOutside([project], { PATH: '/usr/bin:/bin' })).toEqual({});
  expect(pathOutside([project], {})).toEqual({});
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
