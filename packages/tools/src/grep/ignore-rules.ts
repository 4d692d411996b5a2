/**
 * Applies the ignore files of a tree in ripgrep's order: nearer files first, .rgignore before .ignore
 * before .gitignore.
 */
import { readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathMatcher, type PathMatcher } from './glob-matcher.ts';
import { parseGlob } from './glob-syntax.ts';

const KINDS = ['.rgignore', '.ignore', '.gitignore'] as const;

interface Level {
  readonly folder: string;
  readonly rules: ReadonlyMap<string, IgnoreLines>;
}

/** The rules of a folder. Immutable: each folder of a walk adds its own. */
export class IgnoreRules {
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

  /** Includes those of the folders above, up to the repository. */
  static async above(root: string): Promise<IgnoreRules> {
    const folders: string[] = [];
    let repository: string | undefined;
    for (let folder = root; ; folder = path.dirname(folder)) {
      folders.unshift(folder);
      if (await exists(path.join(folder, '.git'))) repository = folder;
      if (repository !== undefined || folder === path.dirname(folder)) break;
    }
    let rules = new IgnoreRules(await outermost(repository ?? root));
    for (const folder of folders.slice(0, -1)) rules = await rules.entering(folder);
    return rules;
  }

  async entering(folder: string): Promise<IgnoreRules> {
    const rules = new Map<string, IgnoreLines>();
    await Promise.all(
      KINDS.map(async (kind) => {
        const read = await rulesIn(path.join(folder, kind));
        if (read) rules.set(kind, read);
      }),
    );
    return rules.size === 0 ? this : new IgnoreRules([...this.#levels, { folder, rules }]);
  }

  ignores(file: string, isFolder: boolean): boolean {
    for (const kind of [...KINDS, OUTERMOST]) {
      for (let index = this.#levels.length - 1; index >= 0; index--) {
        const level = this.#levels[index];
        const rules = level?.rules.get(kind);
        if (!level || !rules) continue;
        const relative = path.relative(level.folder, file).replaceAll(path.sep, '/');
        const verdict = rules.verdict(relative, isFolder);
        if (verdict !== undefined) return verdict === 'ignored';
      }
    }
    return false;
  }
}

const OUTERMOST = 'outermost';

/** The repository's private excludes, then the user's. */
async function outermost(folder: string): Promise<Level[]> {
  const config = process.env['XDG_CONFIG_HOME'] || path.join(os.homedir(), '.config');
  const files = [path.join(config, 'git/ignore'), path.join(folder, '.git/info/exclude')];
  const levels: Level[] = [];
  for (const file of files) {
    const rules = await rulesIn(file);
    if (rules) levels.push({ folder, rules: new Map([[OUTERMOST, rules]]) });
  }
  return levels;
}

/** Larger ignore files have no effect, because their patterns would be compared with every name. */
const MOST_BYTES = 1024 * 1024;

async function rulesIn(file: string): Promise<IgnoreLines | undefined> {
  try {
    // A pipe would block.
    const found = await stat(file);
    if (!found.isFile() || found.size > MOST_BYTES) return undefined;
    return ignoreLines(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
/**
 * The lines of an ignore file. Each path is checked alone: the walk has already checked the folders above
 * it, and a nearer file may have included one of them again. Pure.
 */
interface IgnoreLines {
  /** Undefined if no line matches. `path` is relative to the file's folder. */
  verdict(path: string, isFolder: boolean): 'ignored' | 'kept' | undefined;
}

interface Line {
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
  readonly matches: PathMatcher;
}

function ignoreLines(text: string): IgnoreLines {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap(lineOf)
    .toReversed();
  return {
    verdict(path, isFolder) {
      const names = path.split('/');
      const last = lines.find(({ foldersOnly, matches }) => (isFolder || !foldersOnly) && matches(names));
      return last && (last.keeps ? 'kept' : 'ignored');
    },
  };
}

/** Returns nothing for a comment, an empty line, and a line that git rejects. */
function lineOf(written: string): Line[] {
  if (written.startsWith('#')) return [];
  const line = withoutSpaces(written);
  const keeps = line.startsWith('!');
  const body = keeps ? line.slice(1) : line;
  const foldersOnly = body.endsWith('/');
  const inner = body.slice(body.startsWith('/') ? 1 : 0, foldersOnly ? -1 : undefined);
  if (inner === '') return [];
  const anchored = body.startsWith('/') || inner.includes('/');
  const segments = parseGlob(inner, 'git');
  if (segments === undefined) return [];
  const matches = pathMatcher(anchored ? segments : ['**', ...segments]);
  return [{ keeps, foldersOnly, matches }];
}

/** Spaces at the end do not count, unless they are escaped. */
function withoutSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes++;
  const isEscaped = backslashes % 2 === 1 && end < line.length;
  return line.slice(0, isEscaped ? end + 1 : end);
}
