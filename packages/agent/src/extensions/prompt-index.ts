/**
 * A cache of the headers of skills and commands: one file per root in the user's own folder. It holds the state of every file and
 * folder that was looked at, and is used only if all of them are unchanged. A missing, broken or foreign index is ignored.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isRecord } from '@heddle/core';
import type { CheckedPath, GuardedFiles } from './guarded-files.ts';
import { type ExtensionRoot, isPromptFile, type PromptFile } from './prompt-file.ts';

/** The files of one root, in the order of their names. */
export interface RootContent {
  readonly skills: readonly PromptFile[];
  readonly commands: readonly PromptFile[];
  /** Sentences that name file and line. */
  readonly problems: readonly string[];
  /** Every path that the result depends on. */
  readonly seen: readonly SeenPath[];
  /** The links among them, and where they lead. */
  readonly checked: readonly CheckedPath[];
}

/** A path as it was when its content was read. Without a state: a folder, or a file that was absent. */
export interface SeenPath {
  readonly path: string;
  readonly state?: FileState | undefined;
}

/** Modified, changed, size and inode. `ABSENT`: there was no such path. */
type FileState = readonly [modified: number, changed: number, size: number, inode: number];

const ABSENT: FileState = [-1, -1, -1, -1];

interface StoredIndex {
  /** Identifies the root and the program that wrote the index. */
  readonly key: string;
  readonly paths: readonly string[];
  /** The states of these paths, one after the other. */
  readonly states: readonly number[];
  readonly checked: readonly CheckedPath[];
  readonly problems: readonly string[];
  readonly skills: readonly PromptFile[];
  readonly commands: readonly PromptFile[];
}

/** A file that changed this recently may change again without a different time stamp. */
const SETTLED_MS = 2_000;
/** Characters of a file name, below the limit of common file systems. */
const MAX_NAME = 200;
/** More indexes than this belong to projects that are no longer used. */
const MAX_INDEXES = 50;

export class PromptIndex {
  readonly #folder: string;
  readonly #version: string;
  readonly #now: () => number;
  /** Roots that were read without an index. */
  #unsaved: { readonly root: ExtensionRoot; readonly content: RootContent; readonly readAt: number }[] = [];

  /** `version`: of the program. Another version reads files in another way. */
  constructor(folder: string, version: string, now = Date.now) {
    this.#folder = folder;
    this.#version = version;
    this.#now = now;
  }

  /** Undefined if there is no index, or something has changed: a file, the target of a link, or a rule about it. */
  read(root: ExtensionRoot, files: GuardedFiles): RootContent | undefined {
    const { key, file } = this.#placeOf(root);
    const stored = existsSync(file) ? readIndex(file) : undefined;
    if (stored?.key !== key) return undefined;
    if (!areUnchanged(stored) || !stored.checked.every((one) => files.isUnchanged(one))) return undefined;
    const { skills, commands, problems } = stored;
    return { skills, commands, problems, seen: [], checked: [] };
  }

  /** The time before the files of a root are read. */
  now(): number {
    return this.#now();
  }

  /** Remembers what `save` stores. `readAt`: the result of `now` before the first file was read. */
  add(root: ExtensionRoot, content: RootContent, readAt: number): void {
    const { skills, commands } = content;
    if (skills.length + commands.length > 0) this.#unsaved.push({ root, content, readAt });
  }

  /** Stores what was added. An error is ignored: the next start reads the files again. */
  save(): void {
    for (const { root, content, readAt } of this.#unsaved.splice(0)) {
      const states = content.seen.map(({ path: at, state = stateAt(at) }) => state);
      if (states.some(([modified, changed]) => Math.max(modified, changed) > readAt - SETTLED_MS)) continue;
      const { key, file } = this.#placeOf(root);
      try {
        writeIndex(file, {
          key,
          paths: content.seen.map(({ path: at }) => at),
          states: states.flat(),
          checked: content.checked,
          problems: content.problems,
          skills: content.skills,
          commands: content.commands,
        });
      } catch {
        // The folder may be read-only, or the disk full.
      }
    }
  }

  #placeOf({ folder, scope, plugin = '', within = '' }: ExtensionRoot): {
    readonly key: string;
    readonly file: string;
  } {
    // Long paths may give the same name. The key tells them apart.
    const name = encodeURIComponent(`${scope}-${plugin}-${folder}`).slice(-MAX_NAME);
    return {
      key: JSON.stringify([this.#version, folder, scope, plugin, within]),
      file: path.join(this.#folder, `${name}.json`),
    };
  }
}

export function stateOf({ mtimeMs, ctimeMs, size, ino }: Stats): FileState {
  return [mtimeMs, ctimeMs, size, ino];
}

function stateAt(file: string): FileState {
  const stats = statsAt(file);
  return stats === undefined ? ABSENT : stateOf(stats);
}

function statsAt(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A plain loop: a start with a hundred files spends most of its time for them here. */
function areUnchanged({ paths, states }: Pick<StoredIndex, 'paths' | 'states'>): boolean {
  let at = 0;
  for (const file of paths) {
    const { mtimeMs, ctimeMs, size, ino } = statsAt(file) ?? ABSENT_STATS;
    if (mtimeMs !== states[at] || ctimeMs !== states[at + 1]) return false;
    if (size !== states[at + 2] || ino !== states[at + 3]) return false;
    at += ABSENT.length;
  }
  return true;
}

const ABSENT_STATS = { mtimeMs: ABSENT[0], ctimeMs: ABSENT[1], size: ABSENT[2], ino: ABSENT[3] };

function readIndex(file: string): StoredIndex | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isStoredIndex(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

function isStoredIndex(value: unknown): value is StoredIndex {
  if (!isRecord(value) || typeof value['key'] !== 'string') return false;
  const { paths, states, checked, problems, skills, commands } = value;
  return (
    Array.isArray(paths) &&
    paths.every(isString) &&
    Array.isArray(states) &&
    Array.isArray(checked) &&
    checked.every(isCheckedPath) &&
    Array.isArray(problems) &&
    problems.every(isString) &&
    Array.isArray(skills) &&
    skills.every(isPromptFile) &&
    Array.isArray(commands) &&
    commands.every(isPromptFile)
  );
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isCheckedPath(value: unknown): value is CheckedPath {
  return isRecord(value) && typeof value['path'] === 'string' && typeof value['real'] === 'string';
}

function writeIndex(file: string, stored: StoredIndex): void {
  const folder = path.dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, JSON.stringify(stored), { mode: 0o600 });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  removeOldest(folder);
}

function removeOldest(folder: string): void {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  if (files.length <= MAX_INDEXES) return;
  const age = new Map(files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0]));
  const oldest = files.sort((a, b) => (age.get(a) ?? 0) - (age.get(b) ?? 0)).slice(0, -MAX_INDEXES);
  for (const file of oldest) rmSync(file, { force: true });
}
