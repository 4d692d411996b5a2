/**
 * Lists and reads the files of skills, commands, agents and plugins. All of them are found through this class, which checks where
 * links lead. A link of a project must not put the user's private files before the model.
 *
 * Links cost one `realpath` each. Other entries cost nothing: the types of `readdir` and `O_NOFOLLOW` tell them apart.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isWithin, realPath } from '../settings/trust.ts';
import { readSmallFile, readUnlinkedFile, type SmallFile } from './small-file.ts';

export interface FileLimits {
  /** A link must not lead out of this folder. Undefined for the user's own files: their links may lead anywhere. */
  readonly within?: string | undefined;
  /** The kind of this folder, for warnings. */
  readonly owner?: 'project' | 'plugin' | undefined;
  /** Whether a rule forbids reading a file. Such a file is not read through a link. */
  readonly isDenied?: ((file: string) => boolean) | undefined;
}

/** A path with its place after all links. */
export interface GuardedPath {
  readonly path: string;
  readonly real: string;
}

/** A path whose real place is another one, or a folder. A cached result depends on these. */
export interface CheckedPath extends GuardedPath {
  /** False if only a folder above is a link. */
  readonly isResolved: boolean;
  /** Null if the file may be read. */
  readonly objection: string | null;
}

interface MarkdownPlace extends GuardedPath {
  /** The folders between the top and the file. */
  readonly folders: readonly string[];
}

interface FolderEntry {
  readonly name: string;
  readonly isFile: boolean;
  readonly isLink: boolean;
}

/** Folders below the top: more than this is a mistake, such as a link to a home folder. */
const MAX_DEPTH = 5;
/** Folders of a project or plugin that are listed. */
const MAX_FOLDERS = 2_000;
/** Bytes that are read of all files of a project or plugin. Splitting them into lines takes up to 0.1 seconds for each million. */
const MAX_BYTES = 10_000_000;

export class GuardedFiles {
  /** Sentences that name the file. */
  readonly problems: string[] = [];
  readonly checked: CheckedPath[] = [];
  /** Every folder that was looked for. */
  readonly folders: string[] = [];
  readonly #limits: FileLimits;
  #realWithin: string | undefined;
  #bytes = 0;
  #hasReported = false;

  constructor(limits: FileLimits) {
    this.#limits = limits;
  }

  /** Resolves a path. Undefined if it is absent or may not be read. */
  resolve(at: string): GuardedPath | undefined {
    return existsSync(at) ? this.#check({ path: at, real: realPath(at) }, true) : undefined;
  }

  /** Resolves an entry of a folder. Undefined if it may not be read. An absent target of a link stays as it is. */
  enter(
    folder: GuardedPath,
    { name, isLink }: Pick<FolderEntry, 'name' | 'isLink'>,
  ): GuardedPath | undefined {
    const at = { path: path.join(folder.path, name), real: path.join(folder.real, name) };
    if (!isLink) return this.#check(at, false);
    return existsSync(at.path) ? this.resolve(at.path) : at;
  }

  /** Undefined if the file is absent, unreadable, not a regular file, or a link that may not be followed. */
  read(at: GuardedPath, maxBytes: number): SmallFile | undefined {
    if (this.#limits.within !== undefined && this.#bytes >= MAX_BYTES) {
      this.#reportOnce(
        `${at.path}: this and further files are ignored, because the others have ${MAX_BYTES} bytes.`,
      );
      return undefined;
    }
    const unlinked = readUnlinkedFile(at.real, maxBytes);
    const target = unlinked === 'link' ? this.resolve(at.path) : undefined;
    const read = unlinked === 'link' ? target && readSmallFile(target.real, maxBytes) : unlinked;
    this.#bytes += Math.min(read?.size ?? 0, maxBytes);
    return read;
  }

  /** A limit is reached. */
  #reportOnce(problem: string): void {
    if (!this.#hasReported) this.problems.push(problem);
    this.#hasReported = true;
  }

  /** Sorted, so that the result does not depend on the file system. A folder that is absent or unreadable is empty. */
  entries({ real }: GuardedPath): readonly FolderEntry[] {
    try {
      return readdirSync(real, { withFileTypes: true })
        .filter(({ name }) => !name.startsWith('.'))
        .map((entry) => ({ name: entry.name, isFile: entry.isFile(), isLink: entry.isSymbolicLink() }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch {
      return [];
    }
  }

  /** The folder below a root. Undefined if it is absent or may not be read. */
  folder(at: string): GuardedPath | undefined {
    this.folders.push(at);
    return this.resolve(at);
  }

  /** The Markdown files in a folder and its subfolders, at most `maxFiles`. Each real folder is visited once. */
  markdownFiles(top: string, maxFiles: number): readonly MarkdownPlace[] {
    const places: MarkdownPlace[] = [];
    const visited = new Set<string>();
    const visit = (folder: GuardedPath, folders: readonly string[]): void => {
      if (visited.has(folder.real)) return;
      if (this.#limits.within !== undefined && visited.size >= MAX_FOLDERS) {
        this.#reportOnce(
          `${folder.path}: this and further folders are ignored, because there are more than ${MAX_FOLDERS}.`,
        );
        return;
      }
      visited.add(folder.real);
      for (const entry of this.entries(folder)) {
        if (places.length >= maxFiles) return;
        const isMarkdown = entry.name.endsWith('.md');
        if (!isMarkdown && (entry.isFile || folders.length >= MAX_DEPTH || entry.name === 'node_modules'))
          continue;
        const at = this.enter(folder, entry);
        if (!isMarkdown) this.folders.push(path.join(folder.path, entry.name));
        if (at === undefined) continue;
        if (isMarkdown) places.push({ ...at, folders });
        else visit(at, [...folders, entry.name]);
      }
    };
    const start = this.folder(top);
    if (start !== undefined) visit(start, []);
    return places;
  }

  /** Whether a path that was checked before has the same place and the same answer now. */
  isUnchanged({ path: at, real, isResolved, objection }: CheckedPath): boolean {
    const now = { path: at, real: isResolved ? realPath(at) : real };
    return now.real === real && this.#objectionTo(now) === objection;
  }

  #check(at: GuardedPath, isResolved: boolean): GuardedPath | undefined {
    if (!isResolved && at.real === at.path) return at;
    const objection = this.#objectionTo(at);
    this.checked.push({ ...at, isResolved, objection });
    if (objection === null) return at;
    this.problems.push(`${at.path}: ${objection}, ignored.`);
    return undefined;
  }

  #objectionTo({ path: at, real }: GuardedPath): string | null {
    const { within, owner = 'project', isDenied } = this.#limits;
    if (within !== undefined) {
      this.#realWithin ??= realPath(within);
      if (!isWithin(real, this.#realWithin)) return `leads out of the ${owner}`;
    }
    return real !== path.resolve(at) && isDenied?.(real) === true ? `a rule forbids reading ${real}` : null;
  }
}
