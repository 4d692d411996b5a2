/**
 * Applies the ignore files of a tree in ripgrep's order: nearer files first, .rgignore before .ignore
 * before .gitignore.
 */
import { readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

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

async function rulesIn(file: string): Promise<IgnoreLines | undefined> {
  try {
    // A pipe would block.
    if (!(await stat(file)).isFile()) return undefined;
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
  readonly pattern: RegExp;
}

function ignoreLines(text: string): IgnoreLines {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap(lineOf)
    .toReversed();
  return {
    verdict(path, isFolder) {
      const last = lines.find(({ foldersOnly, pattern }) => (isFolder || !foldersOnly) && pattern.test(path));
      return last && (last.keeps ? 'kept' : 'ignored');
    },
  };
}

/** Returns nothing for a comment, an empty line, and a line that cannot be parsed. */
function lineOf(written: string): Line[] {
  if (written.startsWith('#')) return [];
  // Spaces at the end do not count, unless they are escaped.
  const line = /\\\s*$/.test(written) ? written : written.trimEnd();
  const keeps = line.startsWith('!');
  const body = keeps ? line.slice(1) : line;
  const foldersOnly = body.endsWith('/');
  const inner = body.replace(/\/$/, '').replace(/^\//, '');
  if (inner === '') return [];
  const anchored = body.startsWith('/') || inner.includes('/');
  try {
    const source = sourceOf(inner);
    return [{ keeps, foldersOnly, pattern: new RegExp(`^${anchored ? '' : '(?:.*/)?'}${source}$`, 'su') }];
  } catch {
    return [];
  }
}

function sourceOf(body: string): string {
  const segments = body.split('/');
  return segments
    .map((segment, index) => {
      const isLast = index === segments.length - 1;
      if (segment === '**') return isLast ? '.+' : '(?:.*/)?';
      return segmentSource(segment) + (isLast ? '' : '/');
    })
    .join('');
}

const PIECES = /\\(.)|\*+|\?|\[([!^]?)(\]?[^\]]*)\]|./gsu;

function segmentSource(segment: string): string {
  return segment.replaceAll(PIECES, (piece, escaped?: string, not?: string, set?: string) => {
    if (escaped !== undefined) return literal(escaped);
    if (piece.startsWith('*')) return '[^/]*';
    if (piece === '?') return '[^/]';
    if (set === undefined) return literal(piece);
    return `(?!/)[${not === '' ? '' : '^'}${set.replaceAll(/[\\[\]^]/g, String.raw`\$&`)}]`;
  });
}

function literal(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
