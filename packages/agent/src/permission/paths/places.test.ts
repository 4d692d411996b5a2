/** The place that the system finds for a path is always among those that a decision looks at. On a real disk. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from '../authorize.ts';
import { observeWorld } from '../observe-world.ts';
import type { PermissionWorld } from '../world.ts';
import { isAtOrBelow, placesOf, UNKNOWN_CHARACTER } from './places.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-places-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const FOLDERS = ['a', 'a/b', 'a/b/c', 'a/b/c/d', 'a/b/c/d/e', 'f', 'f/a', 'f/a/b'] as const;
let count = 0;

/** Makes a tree with three links. */
function makeTree(links: readonly (readonly [folder: string, target: string])[]): string {
  const root = path.join(base, `tree${count++}`);
  for (const folder of FOLDERS) {
    mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, folder, 'x'), '');
  }
  for (const [at, [folder, target]] of links.entries())
    symlinkSync(target.replace('ROOT', root), path.join(root, folder, ['one', 'two', 'three'][at] ?? 'four'));
  return root;
}

function worldOf(root: string): PermissionWorld {
  const environment = { HOME: path.join(root, 'home') };
  return observeWorld({
    root,
    cwd: root,
    directories: [],
    home: environment.HOME,
    configDirs: [],
    environment,
  });
}

/** Walks from the root by these choices: up, or into an entry. Returns the written path, and the place where the system is. */
function walk(root: string, choices: readonly number[]): { readonly written: string; readonly real: string } {
  const names: string[] = [];
  let real = root;
  for (const choice of choices) {
    const entries = statSync(real).isDirectory() ? readdirSync(real) : [];
    const name = choice % 2 === 0 ? '..' : entries[choice % entries.length];
    if (name === undefined || (name === '..' && entries.length === 0)) break;
    try {
      real = realpathSync.native(`${real}/${name}`);
    } catch {
      // A loop of links.
      continue;
    }
    names.push(name);
    // Entries of other folders may change meanwhile.
    if (!isAtOrBelow(real, base)) break;
  }
  return { written: names.join('/'), real };
}

describe('the places of a path', () => {
  it('contain the one that the system finds, for any links and any number of ".."', () => {
    const folder = fc.constantFrom('.', ...FOLDERS);
    const target = fc.oneof(
      fc.constantFrom(...FOLDERS.map((name) => `ROOT/${name}`)),
      fc.constantFrom('..', '../..', '../one', 'a/b/c', 'f/a', 'ROOT/one', 'ROOT/a/two', '.'),
    );
    const trees = fc.tuple(...[1, 2, 3].map(() => fc.tuple(folder, target)));
    const paths = fc.array(fc.array(fc.nat(1_000), { maxLength: 14 }), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(trees, paths, (links, walks) => {
        const root = makeTree(links);
        const world = worldOf(root);
        for (const choices of walks) {
          const { written, real } = walk(root, choices);
          const places = placesOf(written, [root], world).map((place) => place.real);
          // A path with too many meanings may mean any file.
          const isKnown = !places.some((place) => place.includes(UNKNOWN_CHARACTER));
          if (isKnown) expect({ written, places }).toMatchObject({ places: expect.arrayContaining([real]) });
        }
        rmSync(root, { recursive: true });
      }),
      { numRuns: 80 },
    );
  });

  it.each([
    ['Read', 'cat deep/../../../../../../secrets/key', 'deny'],
    ['Read', 'cat deep/../../../../../../x', 'allow'],
    ['Read', 'cat < deep/../../../../../../secrets/key', 'deny'],
    ['Edit', 'echo > deep/../../../../../../secrets/key', 'deny'],
  ])('follow a link that leads deeper than its own path: %s, %s', (tool, command, decision) => {
    const root = makeTree([]);
    mkdirSync(path.join(root, 'a/b/c/d/e/g'));
    mkdirSync(path.join(root, 'secrets'));
    for (const file of ['secrets/key', 'x']) writeFileSync(path.join(root, file), 'secret\n');
    symlinkSync('a/b/c/d/e/g', path.join(root, 'deep'));
    const deny = [{ text: `${tool}(./secrets/**)`, source: 'user' as const }];
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    const verdict = authorize(request, { deny, ask: [], allow: [] }, 'default', worldOf(root));
    expect(verdict.decision).toBe(decision);
  });
});
