/** Checks that every link and every path in the documents names a file that exists, and every anchor a heading. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../../..');
const documents = globSync(['*.md', 'docs/*.md', 'packages/*/README.md'], { cwd: root }).sort();

const textOf = (name: string): string =>
  readFileSync(path.join(root, name), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchors that GitHub makes of the headings. */
function anchorsIn(name: string): readonly string[] {
  return [...textOf(name).matchAll(/^#+ (.*)$/gm)].map(({ 1: heading = '' }) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinksIn(name: string): string[] {
  return [...textOf(name).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    .filter(({ 1: file = '', 2: anchor }) => {
      const target = file === '' ? name : path.join(path.dirname(name), file);
      if (!existsSync(path.join(root, target))) return true;
      return anchor !== undefined && !anchorsIn(target).includes(anchor);
    })
    .map(([link]) => `${name}: ${link}`);
}

/** Inline code such as `packages/core/src/loop/query.ts`. Patterns with `*` or `<…>` are not paths. */
function missingPathsIn(name: string): string[] {
  return [...textOf(name).matchAll(/`((?:packages|docs|scripts|bench|bin)\/[^`*<>\s]*)`/g)]
    .filter(({ 1: file = '' }) => !existsSync(path.join(root, file)))
    .map(([shown]) => `${name}: ${shown}`);
}

it('names only headings and files that exist', () => {
  expect(documents.length).toBeGreaterThan(15);
  expect(documents.flatMap(brokenLinksIn)).toEqual([]);
  expect(documents.flatMap(missingPathsIn)).toEqual([]);
});
