import { describe, expect, it } from 'vitest';
import { safeLocale, withoutFileFilters } from './variables.ts';

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
