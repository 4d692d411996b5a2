import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { pathOutside } from './variables.ts';

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
