import os from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { configDir, settleHome } from './config-dir.ts';

const home = process.env['HOME'];
afterEach(() => {
  process.env['HOME'] = home;
});

it('uses the home folder of the user database if HOME is empty', () => {
  process.env['HOME'] = '';
  settleHome(process.env);
  expect(configDir({})).toBe(`${os.userInfo().homedir}/.heddle`);
});
