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

/** Modified, changed, size and inode. Null: the path was absent. */
type FileState = readonly number[] | null;

interface StoredIndex {
  /** Identifies the root and the program that wrote the index. */
  readonly key: string;
  readonly states: readonly (readonly [path: string, state: FileState])[];
  readonly checked: readonly CheckedPath[];
  readonly content: Omit<RootContent, 'seen' | 'checked'>;
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
    if (!stored.states.every(([at, state]) => isSame(stateAt(at), state))) return undefined;
    if (!stored.checked.every((one) => files.isUnchanged(one))) return undefined;
    return { ...stored.content, seen: [], checked: [] };
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
      const states = content.seen.map(
        ({ path: at, state }) => [at, state === undefined ? stateAt(at) : state] as const,
      );
      if (states.some(([, state]) => state !== null && lastChange(state) > readAt - SETTLED_MS)) continue;
      const { skills, commands, problems, checked } = content;
      const { key, file } = this.#placeOf(root);
      try {
        writeIndex(file, { key, states, checked, content: { skills, commands, problems } });
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
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? null : stateOf(stats);
  } catch {
    return null;
  }
}

function isSame(now: FileState, then: FileState): boolean {
  if (now === null || then === null) return now === then;
  return now[0] === then[0] && now[1] === then[1] && now[2] === then[2] && now[3] === then[3];
}

function lastChange([modified = 0, changed = 0]: readonly number[]): number {
  return Math.max(modified, changed);
}

function readIndex(file: string): StoredIndex | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isStoredIndex(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

function isStoredIndex(value: unknown): value is StoredIndex {
  if (!isRecord(value) || typeof value['key'] !== 'string' || !isRecord(value['content'])) return false;
  const { skills, commands, problems } = value['content'];
  return (
    Array.isArray(value['states']) &&
    value['states'].every((entry) => Array.isArray(entry) && typeof entry[0] === 'string') &&
    Array.isArray(value['checked']) &&
    value['checked'].every(isCheckedPath) &&
    Array.isArray(problems) &&
    Array.isArray(skills) &&
    skills.every(isPromptFile) &&
    Array.isArray(commands) &&
    commands.every(isPromptFile)
  );
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
