/** Completes a draft on Tab: the name of a command at its start, or a path. */
import { readdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { escapeControls } from '../escape-controls.ts';
import { cellsOf, charactersOf, widthOf } from '../width.ts';
import type { Draft } from '../input/editor.ts';
import { type BegunWord, wordsOfPrompt, wordsOfShell } from './begun-words.ts';

export interface CompletionSources {
  /** Names of slash commands, without the slash. */
  readonly commands: readonly string[];
  /** Lists a folder. Returns nothing if the folder does not exist. */
  readonly list: (folder: string) => readonly FolderEntry[];
}

interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

export type Completed =
  | { readonly kind: 'draft'; readonly draft: Draft }
  /** Several candidates are possible, and they have no longer common start. */
  | { readonly kind: 'choices'; readonly names: readonly string[] }
  | { readonly kind: 'nothing' };

export function complete(draft: Draft, sources: CompletionSources): Completed {
  const before = draft.text.slice(0, draft.cursor);
  const command = /^\/([\p{L}\p{M}\p{N}_.:-]*)$/u.exec(before)?.[1];
  if (command !== undefined) {
    const done = completed(draft, commandWord(command), sources.commands);
    if (done.kind !== 'nothing') return done;
  }
  const shell = /^\s*!/.exec(before)?.[0];
  const words = shell === undefined ? wordsOfPrompt(before) : wordsOfShell(before.slice(shell.length));
  // After a space, Tab would list everything.
  if (words[0]?.path === '' && !/@"?$/.test(before)) return { kind: 'nothing' };
  for (const word of words) {
    const done = completed(draft, word, pathsLike(word.path, sources));
    if (done.kind !== 'nothing') return done;
  }
  return { kind: 'nothing' };
}

function commandWord(path: string): BegunWord {
  const write: BegunWord['write'] = (name, isWhole) => name.slice(path.length) + (isWhole ? ' ' : '');
  return { path, replaced: 0, write };
}

/** Returns the paths in the folder of a begun path. Those of folders end with a slash. */
function pathsLike(begun: string, { list }: CompletionSources): readonly string[] {
  const folder = begun.slice(0, begun.lastIndexOf('/') + 1);
  const showsHidden = begun.startsWith('.', folder.length);
  return (
    list(folder)
      .filter(({ name }) => showsHidden || !name.startsWith('.'))
      // As a path, it is the home folder.
      .filter(({ name }) => folder !== '' || name !== '~')
      .map(({ name, isFolder }) => `${folder}${name}${isFolder ? '/' : ''}`)
  );
}

/** `names`: whole names. They may start in another way than the word. */
function completed(draft: Draft, word: BegunWord, names: readonly string[]): Completed {
  const { path: begun, replaced, write } = word;
  const candidates = names.filter((name) => name.startsWith(begun) && write(name, true) !== undefined);
  const [only, ...others] = candidates;
  if (only === undefined) return { kind: 'nothing' };
  if (others.length === 0) return grown(draft, replaced, write(only, !only.endsWith('/')) ?? '');
  const common = candidates.reduce(commonStart);
  if (common.length > begun.length) return grown(draft, replaced, write(common, false) ?? '');
  const folder = begun.lastIndexOf('/') + 1;
  return { kind: 'choices', names: candidates.map((name) => name.slice(folder)) };
}

function grown({ text, cursor }: Draft, replaced: number, written: string): Completed {
  const rest = text.slice(cursor);
  // A space that already follows the cursor is not added again.
  const missing = written.endsWith(' ') && rest.startsWith(' ') ? written.slice(0, -1) : written;
  const start = cursor - replaced;
  const draft = { text: text.slice(0, start) + missing + rest, cursor: start + missing.length };
  return draft.text === text ? { kind: 'nothing' } : { kind: 'draft', draft };
}

function commonStart(left: string, right: string): string {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return left.slice(0, length);
}

/** Lists a folder. `written`: the path as typed, relative to `cwd`. */
export function listFolder(written: string, cwd: string): FolderEntry[] {
  const folder = path.resolve(cwd, written.replace(/^~(?=\/)/, os.homedir()));
  try {
    return (
      readdirSync(folder, { withFileTypes: true })
        // Names with control characters are left out.
        .filter(({ name }) => escapeControls(name) === name)
        .map((entry) => ({
          name: entry.name,
          isFolder:
            entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path.join(folder, entry.name))),
        }))
        .sort((left, right) => left.name.localeCompare(right.name))
    );
  } catch {
    return [];
  }
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

const INDENT = '  ';
const GAP = 2;
/** More rows would push the conversation off the screen. */
const MAX_ROWS = 10;

/** Formats the candidates in columns. `more`: the sign for omitted text. */
export function choiceRows(names: readonly string[], columns: number, more: string): string[] {
  // The last column stays free.
  const available = Math.max(1, columns - INDENT.length - 1);
  const width = Math.min(available, Math.max(0, ...names.map(widthOf)));
  const across = Math.floor((available + GAP) / (width + GAP)) || 1;
  const isAll = names.length <= across * MAX_ROWS;
  const shown = isAll ? names : names.slice(0, across * (MAX_ROWS - 1));
  const count = Math.ceil(shown.length / across);
  const rows = Array.from({ length: count }, (_row, row) =>
    shown
      .filter((_name, index) => index % count === row)
      .map((name) => filled(name, width, more))
      .join(' '.repeat(GAP)),
  );
  const rest = isAll ? [] : [`${more} ${names.length - shown.length} more`];
  return [...rows, ...rest].map((row) => INDENT + row.trimEnd());
}

function filled(name: string, width: number, more: string): string {
  const free = width - widthOf(name);
  if (free >= 0) return name + ' '.repeat(free);
  let left = width - widthOf(more);
  const kept = charactersOf(name).filter((character) => (left -= cellsOf(character)) >= 0);
  return kept.join('') + more;
}
