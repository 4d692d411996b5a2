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

interface Candidate {
  readonly name: string;
  /** The text after the name if it is the only candidate. */
  readonly end: string;
}

export function complete(draft: Draft, sources: CompletionSources): Completed {
  const before = draft.text.slice(0, draft.cursor);
  const command = /^\/([\w-]*)$/.exec(before)?.[1];
  if (command !== undefined) {
    const done = completed(draft, command, commandsLike(command, sources));
    if (done.kind !== 'nothing') return done;
  }
  const shell = /^\s*!/.exec(before)?.[0];
  const words = shell === undefined ? wordsOfPrompt(before) : wordsOfShell(before.slice(shell.length));
  // After a space, Tab would list everything.
  if (words[0]?.path === '' && !before.endsWith('@')) return { kind: 'nothing' };
  for (const word of words) {
    const done = completedPath(draft, word, sources);
    if (done.kind !== 'nothing') return done;
  }
  return { kind: 'nothing' };
}

function completedPath(draft: Draft, word: BegunWord, sources: CompletionSources): Completed {
  const end = word.path.lastIndexOf('/') + 1;
  const begun = word.path.slice(end);
  const files = filesLike(begun, word.path.slice(0, end), sources);
  return completed(
    draft,
    begun,
    files.map(({ name, isFolder }) => ({ name, end: isFolder ? '/' : word.end })),
    word.write,
  );
}

function commandsLike(begun: string, { commands }: CompletionSources): Candidate[] {
  return commands.filter((name) => name.startsWith(begun)).map((name) => ({ name, end: ' ' }));
}

function filesLike(begun: string, folder: string, { list }: CompletionSources): FolderEntry[] {
  return list(folder).filter(
    ({ name }) => name.startsWith(begun) && (begun.startsWith('.') || !name.startsWith('.')),
  );
}

function completed(
  draft: Draft,
  begun: string,
  candidates: readonly Candidate[],
  write: BegunWord['write'] = (added) => added,
): Completed {
  const [only, ...others] = candidates;
  if (!only) return { kind: 'nothing' };
  if (others.length === 0) return grown(draft, write(only.name.slice(begun.length)) + only.end);
  const common = candidates.map(({ name }) => name).reduce(commonStart);
  if (common.length > begun.length) return grown(draft, write(common.slice(begun.length)));
  return { kind: 'choices', names: candidates.map(({ name, end }) => (end === '/' ? `${name}/` : name)) };
}

function grown({ text, cursor }: Draft, added: string): Completed {
  const rest = text.slice(cursor);
  // A space that already follows the cursor is not added again.
  const missing = added.endsWith(' ') && rest.startsWith(' ') ? added.slice(0, -1) : added;
  const draft = { text: text.slice(0, cursor) + missing + rest, cursor: cursor + missing.length };
  return missing === '' ? { kind: 'nothing' } : { kind: 'draft', draft };
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
