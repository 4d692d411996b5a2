/** Links that appear in a path after its resolution are not followed. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { permittedPlace } from './path.ts';
import { MovedError, pinFile, PinnedFolder, type PinWay } from './pinned.ts';
import { PinnedPlace } from './pinned-place.ts';
import { Scratch, shown, temporaryFolder } from './test/scratch.ts';

function tree(): { folder: string; inside: string; outside: string } {
  const folder = temporaryFolder();
  const inside = path.join(folder, 'project/a/b');
  const outside = path.join(folder, 'outside/b');
  for (const place of [inside, outside]) {
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, 'x'), place);
  }
  return { folder, inside, outside };
}

/** Replaces `project/a` by a link to `outside`. */
function swapFolder({ folder }: { folder: string }): void {
  renameSync(path.join(folder, 'project/a'), path.join(folder, 'project/aside'));
  symlinkSync(path.join(folder, 'outside'), path.join(folder, 'project/a'));
}

describe.each<PinWay>(['descriptor', 'compare'])('A folder held by %s', (way) => {
  it('is not opened if its path contains a link', () => {
    const there = tree();
    swapFolder(there);
    expect(() => PinnedFolder.open(there.inside, way)).toThrow(MovedError);
    expect(() => pinFile(path.join(there.inside, 'x'), way)).toThrow(MovedError);
    expect(() => PinnedPlace.open(path.join(there.inside, 'new/x'), way)).toThrow(MovedError);
  });

  it('does not follow a link that was put into its path later', () => {
    const there = tree();
    const place = PinnedPlace.open(path.join(there.inside, 'y'), way);
    swapFolder(there);
    try {
      writeFileSync(place.at(), 'written');
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(MovedError);
    }
    place.close();
    expect(readdirSync(there.outside)).toEqual(['x']);
  });

  it('does not follow a link in the place of a file', () => {
    const { inside, outside } = tree();
    renameSync(path.join(inside, 'x'), path.join(inside, 'old'));
    symlinkSync(path.join(outside, 'x'), path.join(inside, 'x'));
    const place = PinnedPlace.open(path.join(inside, 'x'), way);
    expect(() => place.pin()).toThrow(MovedError);
    place.close();
    expect(() => pinFile(path.join(inside, 'x'), way)).toThrow(MovedError);
  });

  it('creates missing folders in itself, and removes only its own', () => {
    const there = tree();
    const place = PinnedPlace.open(path.join(there.inside, 'c/d/e'), way);
    mkdirSync(path.join(there.inside, 'c'));
    place.makeFolders();
    expect(lstatSync(path.join(there.inside, 'c/d')).isDirectory()).toBe(true);
    place.removeMade();
    expect(readdirSync(path.join(there.inside, 'c'))).toEqual([]);
    place.close();
  });

  it('creates no folder behind a link that took its name', () => {
    const there = tree();
    const place = PinnedPlace.open(path.join(there.inside, 'c/d/e'), way);
    symlinkSync(there.outside, path.join(there.inside, 'c'));
    expect(() => place.makeFolders()).toThrow(MovedError);
    place.close();
    expect(readdirSync(there.outside)).toEqual(['x']);
  });

  it('opens names that end like those of removed files', () => {
    const { inside } = tree();
    const folder = path.join(inside, 'x (deleted)');
    mkdirSync(folder);
    const pinned = PinnedFolder.open(folder, way);
    writeFileSync(pinned.at('y'), 'y');
    pinned.close();
    expect(readFileSync(path.join(folder, 'y'), 'utf8')).toBe('y');
  });
});

describe('A call that was permitted for a place', () => {
  it.each([
    ['Read', { file_path: 'link' }],
    ['Write', { file_path: 'link', content: 'new' }],
    ['Edit', { file_path: 'link', old_string: 'old', new_string: 'new' }],
  ])('%s fails if its link now has another target', async (tool, input) => {
    const scratch = new Scratch({ inside: 'old', outside: 'old secret' });
    await scratch.read('inside');
    await scratch.read('outside');
    const places = [{ path: scratch.path('link'), real: scratch.path('inside') }];
    const call = () =>
      scratch.tool(tool).call(input, { ...scratch.context, places, toolUseId: 't' }, () => undefined);
    symlinkSync('outside', scratch.path('link'));
    await expect(call()).rejects.toThrow(
      /led to .*inside when the call was permitted, and leads to .*outside now/,
    );
    expect(scratch.text('inside')).toBe('old');
    expect(scratch.text('outside')).toBe('old secret');
  });

  it('fails for a path that was not part of the decision', () => {
    const places = [{ path: '/project/a', real: '/project/a' }];
    expect(() => permittedPlace('b', { workingDirectory: '/project', places })).toThrow(
      /was not part of what was permitted/,
    );
  });
});

describe('The home folder', () => {
  it.each(['~/x', '~', '~/../x', './~/x', 'a~/x', '~other/x'])('%s is expanded as in a shell', (given) => {
    const home = os.homedir();
    const expected: Record<string, string> = {
      '~/x': `${home}/x`,
      '~': home,
      '~/../x': path.join(path.dirname(home), 'x'),
    };
    expect(permittedPlace(given, { workingDirectory: '/nowhere/at/all' })).toBe(
      expected[given] ?? path.join('/nowhere/at/all', given),
    );
  });

  it('is the same for every file tool', async () => {
    const scratch = new Scratch({}, { home: true });
    expect(await scratch.write('~/notes.ipynb', '{"cells":[]}')).toBe(
      `Created ${scratch.path('notes.ipynb')}.`,
    );
    expect(await scratch.read('~/notes.ipynb')).toMatch(/no cells/);
    const cell = { notebook_path: '~/notes.ipynb', new_source: 'x', cell_type: 'code', edit_mode: 'insert' };
    expect(shown(await scratch.call('NotebookEdit', cell))).toMatch(/Inserted cell/);
    await scratch.write('~/a.txt', 'one');
    expect(await scratch.edit('~/a.txt', { old_string: 'one', new_string: 'two' })).toMatch(/Edited/);
    expect(scratch.text('a.txt')).toBe('two');
    expect(shown(await scratch.call('Glob', { pattern: '*.txt', path: '~' }))).toMatch(/a\.txt/);
    expect(shown(await scratch.call('Glob', { pattern: '~/*.txt' }))).toMatch(/a\.txt/);
    expect(shown(await scratch.call('Grep', { pattern: 'two', path: '~/a.txt' }))).toMatch(/a\.txt/);
  });
});
