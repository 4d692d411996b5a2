import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from './lock.ts';

describe('a folder for sessions', () => {
  it('is made with those above it, for its owner alone, and may be there already', () => {
    const folder = path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-folder-')), 'a/b');
    makeFolder(folder);
    makeFolder(folder);
    expect(statSync(path.dirname(folder)).mode & 0o777).toBe(0o700);
  });

  it('that cannot be made says why, and takes no time', () => {
    const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'heddle-folder-')), 'file');
    writeFileSync(file, '');
    expect(() => makeFolder(path.join(file, 'a/b'))).toThrow('ENOTDIR');
    // Node's own recursive way never comes back from there.
    if (process.platform === 'linux') expect(() => makeFolder('/proc/heddle/b')).toThrow('ENOENT');
  });
});
