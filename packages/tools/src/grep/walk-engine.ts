/** Searches without ripgrep: slower, with the same answers. Its expressions are JavaScript's, which differ in rare corners. */
import type { Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { READ } from '../files/content.ts';
import { pinFile, type PinnedFile, PinnedFolder, requireSame } from '../files/pinned.ts';
import { IgnoreRules } from './ignore-rules.ts';
import type { FileMatches, FileQuery, SearchEngine, TextQuery } from './query.ts';
import { compile, searchText } from './search-text.ts';
import { patternOfType } from './types.ts';
import { withinTime } from './within-time.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Larger files are data. */
const LARGEST_FILE = 64 * 1024 * 1024;
const AT_ONCE = 16;

export class WalkEngine implements SearchEngine {
  async files(query: FileQuery, signal: AbortSignal): Promise<{ names: string[]; isCut: boolean }> {
    return { names: await this.#names(query, signal), isCut: false };
  }

  async #names(query: FileQuery, signal: AbortSignal): Promise<string[]> {
    if (query.file !== undefined) return [query.file];
    const type = query.type === undefined ? undefined : patternOfType(query.type);
    const found: string[] = [];
    const walk = async (folder: string, above: IgnoreRules): Promise<void> => {
      signal.throwIfAborted();
      const entries = await entriesOf(folder);
      const hasRules = entries.some((entry) => entry.name.endsWith('ignore'));
      const rules = hasRules ? await above.entering(folder) : above;
      for (const entry of entries) {
        const file = path.join(folder, entry.name);
        if (entry.name === '.git' || rules.ignores(file, entry.isDirectory())) continue;
        if (entry.isDirectory()) await walk(file, rules);
        else if (entry.isFile()) {
          const name = path.relative(query.root, file).replaceAll(path.sep, '/');
          if ((query.pattern?.matches(name) ?? true) && (type?.matches(name) ?? true)) found.push(name);
        }
      }
    };
    await walk(query.root, await IgnoreRules.above(query.root));
    return found;
  }

  async search(query: TextQuery, signal: AbortSignal): Promise<{ matches: FileMatches[]; isCut: boolean }> {
    const expression = compile(query);
    const files = await this.#names(query, signal);
    const matches: FileMatches[] = [];
    let bytes = 0;
    for (let at = 0; at < files.length && bytes <= MAX_BYTES; at += AT_ONCE) {
      signal.throwIfAborted();
      const batch = files.slice(at, at + AT_ONCE);
      const texts = await Promise.all(batch.map((name) => textOf(path.join(query.root, name))));
      for (const match of withinTime(() => searchAll(batch, texts, expression, query), charsOf(texts))) {
        matches.push(match);
        for (const line of match.lines) bytes += line.length;
      }
      await breathe();
    }
    return { matches, isCut: bytes > MAX_BYTES };
  }
}

function searchAll(
  names: readonly string[],
  texts: readonly (string | undefined)[],
  expression: RegExp,
  query: TextQuery,
): FileMatches[] {
  return names.flatMap((path, index) => {
    const text = texts[index];
    const match = text === undefined ? undefined : searchText(text, expression, query);
    return match === undefined ? [] : [{ path, ...match }];
  });
}

function charsOf(texts: readonly (string | undefined)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

/** `folder` is a real path: one that became a link has no entries. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const pinned = PinnedFolder.open(folder);
    try {
      return await readdir(pinned.at('.'), { withFileTypes: true });
    } finally {
      pinned.close();
    }
  } catch {
    return [];
  }
}

/** Undefined for files that are not text or cannot be read. `file` is a real path: a link in it is not followed. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    const pinned = pinFile(file);
    try {
      return pinned.about.isFile() ? await textIn(pinned) : undefined;
    } finally {
      pinned.close();
    }
  } catch {
    return undefined;
  }
}

async function textIn(pinned: PinnedFile): Promise<string | undefined> {
  const handle = await open(pinned.path, READ | pinned.flags);
  try {
    const about = await handle.stat();
    requireSame(pinned, about);
    if (about.size > LARGEST_FILE) return undefined;
    const bytes = await handle.readFile();
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le');
    if (bytes.includes(0)) return undefined;
    return bytes.toString('utf8').replace(/^\ufeff/, '');
  } finally {
    await handle.close();
  }
}
