import { describe, expect, it } from 'vitest';
import { findPackageFile } from './package-lookup.ts';

/** A disk on which a search from a folder finds these files. Links lead to their targets. */
function find(
  found: Readonly<Record<string, string>>,
  places: { readonly code: string; readonly config?: string },
  links: Readonly<Record<string, string>> = {},
): string | undefined {
  const realpath = (file: string): string => links[file] ?? file;
  return findPackageFile('a', places, { realpath, resolve: (folder) => found[folder] });
}

describe('a package', () => {
  it.each([
    '/x/heddle/dist/node_modules/a/i.js',
    '/x/heddle/node_modules/a/i.js',
    '/x/node_modules/a/i.js',
    '/node_modules/a/i.js',
    '/x/node_modules/.pnpm/a@1/node_modules/a/i.js',
  ])('is found around the code of the program: %s', (file) => {
    expect(find({ '/x/heddle/dist': file }, { code: '/x/heddle/dist' })).toBe(file);
  });

  it.each(['/x/lib/a/i.js', '/y/node_modules/a/i.js', '/x/heddle/node_modules2/a/i.js', '/x/heddle/a/i.js'])(
    'is not found elsewhere: %s',
    (file) => {
      expect(find({ '/x/heddle/dist': file }, { code: '/x/heddle/dist' })).toBeUndefined();
    },
  );

  it('is not found behind a link that leaves the folders of packages', () => {
    const file = '/x/node_modules/a/i.js';
    const places = { code: '/x/heddle/dist' };
    expect(find({ '/x/heddle/dist': file }, places, { [file]: '/project/a/i.js' })).toBeUndefined();
  });

  it("is found in the user's own folder if the program has none", () => {
    const own = '/u/.heddle/node_modules/a/i.js';
    const places = { code: '/x/heddle/dist', config: '/u/.heddle' };
    expect(find({ '/u/.heddle': own }, places)).toBe(own);
    expect(find({ '/u/.heddle': own, '/x/heddle/dist': '/lib/a/i.js' }, places)).toBe(own);
    expect(find({ '/u/.heddle': '/u/node_modules/a/i.js' }, places)).toBeUndefined();
  });

  it('is found in the store of pnpm if the program is installed there', () => {
    const links = '/s/store/v11/links';
    const code = `${links}/@/heddle/1.0.0/abc/node_modules/heddle/dist`;
    const file = `${links}/@/a/2.0.0/def/node_modules/a/i.js`;
    expect(find({ [code]: file }, { code })).toBe(file);
    expect(find({ '/x/heddle/dist': file }, { code: '/x/heddle/dist' })).toBeUndefined();
  });
});
