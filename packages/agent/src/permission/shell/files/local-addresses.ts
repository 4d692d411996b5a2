/** Addresses of places on this machine: `file:///a%20b`, `git+file://localhost/x`, `fileb://x`, `unix:///run/x`, `sqlite:///x`. */
import { percentDecoded } from '@heddle/tools/git';

/** The scheme may follow another one, or the letter of an option: `-Hunix:///run/x`. */
const LOCAL_ADDRESS = /(fileb?|unix|sqlite3?|ipc)(?:\+[a-z0-9]{1,20})?:(?=([^\s'"`]+))/gi;
/** A number of characters. No file system accepts longer paths. */
const LONGEST_PATH = 4_096;
/** The number of addresses in a text that are looked at. */
const MOST_ADDRESSES = 16;

/** Returns the paths that the addresses in a text may mean, as written and decoded. */
export function localPaths(text: string): readonly string[] {
  if (!text.includes(':')) return [];
  const found = Array.from(text.matchAll(LOCAL_ADDRESS))
    .slice(0, MOST_ADDRESSES)
    .flatMap(({ index, 0: start, 1: scheme = '', 2: plain = '' }) => {
      // A name may contain blanks and quotes, so the address may end later: at a quote, or with the text.
      const all = text.slice(index + start.length).slice(0, LONGEST_PATH);
      const rests = [plain, all.replace(/['"`].*$/s, ''), all];
      // After the scheme of SQLite, three slashes are before a relative path.
      return /^sqlite/i.test(scheme) ? rests.concat(rests.map((rest) => rest.replace(/^\/{3}/, ''))) : rests;
    });
  const paths = [...new Set(found)].flatMap(pathsAfterScheme);
  return [...new Set(paths)].filter((path) => path !== '');
}

/** Returns the paths that the rest of an address may mean, with and without the name of this machine, a query and codes. */
export function pathsAfterScheme(rest: string): readonly string[] {
  const starts = [
    rest,
    rest.replace(/^\/\//, ''),
    rest.replace(/^\/\/(?:localhost|127\.0\.0\.1)(?=[/%])/i, ''),
  ];
  const ends = starts.flatMap((path) => [
    path,
    path.replace(/[?#].*$/s, ''),
    path.replace(/[)>,;|&\]}].*$/s, ''),
  ]);
  return [...new Set(ends.flatMap((path) => [path, percentDecoded(path)]))];
}
