/** Names are looked up in listed folders. The result is the same as that of following each path. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { realTarget } from '@heddle/tools/files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLinkLookup } from './link-lookup.ts';

let base = '';
let root = '';
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-lookup-')));
  root = path.join(base, 'project');
  for (const folder of ['sub/deep', 'other']) mkdirSync(path.join(root, folder), { recursive: true });
  mkdirSync(path.join(base, 'outside'));
  for (const file of ['a', 'b', 'sub/a', 'sub/deep/x', '../outside/a'])
    writeFileSync(path.join(root, file), '');
  for (const [name, target] of [
    ['link', 'a'],
    ['folder', 'sub'],
    ['out', '../outside'],
    ['gone', 'missing/x'],
    ['through', 'a/../sub/a'],
    ['chained', 'through/../../b'],
    ['loop', 'loop'],
    ['sub/up', '..'],
    ['sub/LINK2', '../../outside/a'],
    ['self', '/proc/self/cwd'],
    ['chain', 'self'],
  ] as const)
    symlinkSync(target, path.join(root, name));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const FOLDERS = [
  '',
  'sub/',
  'sub/deep/',
  'folder/',
  'folder/up/',
  'out/',
  'missing/',
  'a/',
  'gone/',
  '../outside/',
];
const NAMES =
  'a b link folder out gone through chained x up LINK2 link2 LINK A missing new é sub deep c d e f'.split(
    ' ',
  );

describe('a lookup of many names in a folder', () => {
  it('resolves each path like the file tools, in any order', () => {
    const paths = FOLDERS.flatMap((folder) => NAMES.map((name) => path.posix.join(root, folder) + name));
    for (const order of [paths, paths.toReversed()]) {
      const { realpath } = createLinkLookup([root]);
      for (const file of order) expect([file, realpath(file)]).toEqual([file, targetOf(file)]);
    }
  });

  it('resolves paths that are not normal, and those with a link to itself', () => {
    const { realpath } = createLinkLookup([root]);
    for (const name of NAMES) realpath(`${root}/${name}`);
    for (const file of [
      'folder/../a',
      'out/../a',
      './/a',
      'sub/',
      'link/',
      'loop',
      'loop/x',
      'folder/up/link',
    ])
      expect([file, realpath(`${root}/${file}`)]).toEqual([file, targetOf(`${root}/${file}`)]);
  });

  it('resolves a link to a missing file like the system: `..` after a link is the parent of its target', () => {
    const { realpath } = createLinkLookup([root]);
    for (const [name, target, real] of [
      ['late', 'out/../new', `${base}/new`],
      ['later', `${root}/folder/deep/../../out/../new`, `${base}/new`],
      ['sub/late', '../late', `${base}/new`],
      ['latest', './sub/../new', `${root}/new`],
    ] as const) {
      symlinkSync(target, path.join(root, name));
      expect([name, realpath(path.join(root, name))]).toEqual([name, real]);
      writeFileSync(path.join(root, name), '');
      expect([name, realpathSync.native(path.join(root, name))]).toEqual([name, real]);
      rmSync(real);
    }
  });

  it.runIf(process.platform === 'linux')('finds links of processes among them', () => {
    const { passesProcess } = createLinkLookup([root]);
    const passing = ['self', 'chain', 'self/a', 'chain/sub/a', '/proc/self/root', '/proc/self/cwd/a'];
    const plain = [...NAMES, 'sub/a', 'folder/a', '/proc/self/status'];
    const passes = (name: string): boolean => passesProcess(path.resolve(root, name));
    for (const name of plain) expect([name, passes(name)]).toEqual([name, false]);
    for (const name of passing) expect([name, passes(name)]).toEqual([name, true]);
  });
});

/** As many segments as possible are resolved. */
function targetOf(file: string): string {
  try {
    return realTarget(file);
  } catch {
    const entry = path.join(targetOf(path.dirname(file)), path.basename(file));
    return entry === file ? entry : targetOf(entry);
  }
}
