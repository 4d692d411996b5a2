/** A file with several names is found by the one that its folder lists. */
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ignoresCase, listedPaths, type NameAccess, UnlistedNameError } from './listed-names.ts';
import { realTarget } from './path.ts';

interface Disk {
  readonly files: readonly string[];
  /** Further names of files → the listed one. */
  readonly short?: Readonly<Record<string, string>>;
  /** Whether names in a folder are compared without case. */
  readonly folds?: (folder: string) => boolean;
  readonly unreadable?: string;
}

/** A disk out of a table. It counts looks at it. */
function diskOf({ files, short = {}, folds = () => false, unreadable }: Disk) {
  const all = new Set(
    files.flatMap((file) => file.split('/').map((_, at, names) => names.slice(0, at + 1).join('/'))),
  );
  const looks = { list: 0, identify: 0 };
  const namesIn = (folder: string): string[] =>
    Array.from(all)
      .filter((file) => file !== '' && path.posix.dirname(file) === folder)
      .map((file) => path.posix.basename(file));
  const access: NameAccess = {
    list: (folder) => {
      looks.list++;
      return folder === unreadable ? undefined : namesIn(folder);
    },
    first: (folder, most) => namesIn(folder).slice(0, most),
    identify: (file) => {
      looks.identify++;
      if (all.has(file)) return file;
      const folder = path.posix.dirname(file);
      const form = (name: string): string => (folds(folder) ? name.normalize('NFC').toLowerCase() : name);
      const known = Object.entries(short).find(
        ([alias]) => form(path.posix.basename(alias)) === form(path.posix.basename(file)),
      );
      if (known) return known[1];
      const found = namesIn(folder).find((name) => form(name) === form(path.posix.basename(file)));
      return found === undefined ? undefined : path.posix.join(folder, found);
    },
  };
  return { access, looks };
}

const FILES = [
  '/mnt/c/p/.env',
  '/mnt/c/p/.envrc',
  '/mnt/c/p/Secrets/k',
  '/mnt/c/p/Straße/x',
  '/mnt/c/p/caf\u00E9',
];
const SHORT = {
  '/mnt/c/p/ENVRC~1': '/mnt/c/p/.envrc',
  '/mnt/c/p/SECRET~1': '/mnt/c/p/Secrets',
  '/mnt/c/p/.env.': '/mnt/c/p/.env',
  '/mnt/c/p/.env::$DATA': '/mnt/c/p/.env',
};
const isOnC = (folder: string): boolean => folder.startsWith('/mnt/c');

describe('a folder that ignores case', () => {
  it.each([
    ['.ENV', '.env'],
    ['.env', '.env'],
    ['.Env', '.env'],
    ['secrets/k', 'Secrets/k'],
    ['SECRETS/K', 'Secrets/k'],
    ['SECRETS/new', 'Secrets/new'],
    ['SECRETS/NEW/x', 'Secrets/NEW/x'],
    ['cafe\u0301', 'caf\u00E9'],
    ['CAF\u00C9', 'caf\u00E9'],
    ['ENVRC~1', '.envrc'],
    ['envrc~1', '.envrc'],
    ['SECRET~1/k', 'Secrets/k'],
    ['SECRET~1/new', 'Secrets/new'],
    ['.env.', '.env'],
    ['.env::$DATA', '.env'],
    ['OTHER~1', 'OTHER~1'],
    ['new', 'new'],
    ['New/.ENV', 'New/.ENV'],
  ])('lists %s as %s', (written, listed) => {
    const { access } = diskOf({ files: FILES, short: SHORT, folds: isOnC });
    expect(listedPaths(access)(`/mnt/c/p/${written}`)).toBe(`/mnt/c/p/${listed}`);
  });

  it('is recognized by one of its entries', () => {
    expect(ignoresCase('/mnt/c/p', diskOf({ files: FILES, folds: isOnC }).access)).toBe(true);
    expect(ignoresCase('/mnt/c/p', diskOf({ files: FILES }).access)).toBe(false);
    expect(ignoresCase('/mnt/c/p', diskOf({ files: ['/mnt/c/p/1'], folds: isOnC }).access)).toBe(false);
    expect(ignoresCase('/none', diskOf({ files: [] }).access)).toBe(false);
  });
});

describe('a disk that folds the case of some letters only', () => {
  // As exFAT: each letter has at most one other case, and forms of accents stay.
  const simple = (name: string): string =>
    Array.from(name, (letter) => {
      const upper = letter.toUpperCase();
      return upper.length === 1 && upper !== 'I' ? upper : letter === 'i' ? 'I' : letter;
    }).join('');
  const files = ['/mnt/e/Stra\u00DFe/x', '/mnt/e/\u0131', '/mnt/e/\uFB01', '/mnt/e/7', '/mnt/e/Private/k'];
  const list = (folder: string): string[] => {
    const below = files.filter((file) => file.startsWith(`${folder}/`));
    return [...new Set(below.map((file) => file.slice(folder.length + 1).split('/', 1)[0] ?? ''))];
  };
  const known = files.flatMap((file) => [file, path.posix.dirname(file), '/mnt/e', '/mnt']);
  const access: NameAccess = {
    list,
    first: (folder, most) => list(folder).slice(0, most),
    identify: (file) => known.find((one) => simple(one) === simple(file)),
  };

  it.each(['Stra\u00DFe', '\u0131', '\uFB01', '7', 'none'])(
    'finds names in another case after a look at the name %s',
    (first) => {
      const listed = listedPaths(access);
      expect(listed(`/mnt/e/${first}`)).toBe(`/mnt/e/${first}`);
      expect(listed('/mnt/e/private/K')).toBe('/mnt/e/Private/k');
    },
  );
});

describe('a folder that respects case', () => {
  it('keeps names that differ only in case', () => {
    const { access } = diskOf({ files: ['/p/a', '/p/A', '/p/b'] });
    const listed = listedPaths(access);
    expect(['a', 'A', 'b', 'B', 'x', 'X/y'].map((name) => listed(`/p/${name}`))).toEqual(
      ['a', 'A', 'b', 'B', 'x', 'X/y'].map((name) => `/p/${name}`),
    );
  });

  it('finds a short name in it', () => {
    const { access } = diskOf({ files: FILES, short: SHORT });
    expect(listedPaths(access)('/mnt/c/p/ENVRC~1')).toBe('/mnt/c/p/.envrc');
  });

  it('takes one look per folder, and is not listed', () => {
    const files = Array.from({ length: 500 }, (_, at) => `/srv/p/src/file${at}.ts`);
    const { access, looks } = diskOf({ files });
    const listed = listedPaths(access);
    for (const file of files) expect(listed(file)).toBe(file);
    expect(looks.list).toBe(0);
    // A look at the other case, and one at the name itself, in /srv, /srv/p and /srv/p/src.
    expect(looks.identify).toBe(6);
  });

  it('takes few looks at a long path that is missing', () => {
    const { access, looks } = diskOf({ files: ['/p/a'] });
    const long = `/p/${'b/'.repeat(2_000)}c`;
    expect(listedPaths(access)(long)).toBe(long);
    expect(looks.identify).toBeLessThan(6);
  });
});

describe('a name that is not listed', () => {
  it('is an error if no entry is the same file, or several are', () => {
    const none = diskOf({ files: ['/p/a'], short: { '/p/X~1': '/elsewhere' } });
    expect(() => listedPaths(none.access)('/p/X~1')).toThrow(UnlistedNameError);
    const { access } = diskOf({ files: ['/p/a', '/p/b'] });
    const linked = { ...access, identify: () => 'same' };
    expect(() => listedPaths(linked)('/p/X~1')).toThrow(UnlistedNameError);
  });

  it('is an error in a folder with too many entries', () => {
    const files = Array.from({ length: 3_000 }, (_, at) => `/p/file${at}`);
    const { access, looks } = diskOf({ files, short: { '/p/X~1': '/p/file1' } });
    expect(() => listedPaths(access)('/p/X~1')).toThrow(UnlistedNameError);
    expect(looks.identify).toBeLessThan(10);
  });

  it('counts as written in a folder that cannot be read', () => {
    const { access } = diskOf({ files: FILES, short: SHORT, unreadable: '/mnt/c/p' });
    expect(listedPaths(access)('/mnt/c/p/ENVRC~1')).toBe('/mnt/c/p/ENVRC~1');
  });
});

describe('on this disk', () => {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-listed-')));
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it('unusual names that are listed stay, also hard links and links', () => {
    mkdirSync(path.join(base, 'DIR~1'));
    for (const name of ['A~1', 'a~1', 'Caf\u00E9', 'cafe\u0301', 'x.', 'y ', 'a:b', 'DIR~1/Z'])
      writeFileSync(path.join(base, name), '');
    linkSync(path.join(base, 'x.'), path.join(base, 'X.'));
    symlinkSync('DIR~1', path.join(base, 'L~1'));
    for (const name of [
      'A~1',
      'a~1',
      'Caf\u00E9',
      'cafe\u0301',
      'x.',
      'X.',
      'y ',
      'a:b',
      'DIR~1/Z',
      'new~1',
      'DIR~1/new',
    ])
      expect(realTarget(path.join(base, name))).toBe(path.join(base, name));
    expect(realTarget(path.join(base, 'L~1/Z'))).toBe(path.join(base, 'DIR~1/Z'));
  });
});
