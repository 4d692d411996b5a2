/** What Tab makes of a draft: the name of a command at its beginning, a path anywhere else. Pure. */
import type { Draft } from '../screen/editor.ts';
import { type Begun, wordOfShell, wordsOfPrompt } from './words.ts';

export interface CompletionSources {
  /** Names of slash commands, without the slash. */
  readonly commands: readonly string[];
  /** What lies in a folder, as it was written; nothing where there is no such folder. */
  readonly list: (folder: string) => readonly FolderEntry[];
}

export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

export type Completed =
  | { readonly kind: 'draft'; readonly draft: Draft }
  /** Several are possible, and they have no more in common. */
  | { readonly kind: 'choices'; readonly names: readonly string[] }
  | { readonly kind: 'nothing' };

interface Candidate {
  readonly name: string;
  /** What follows once it is the only one. */
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
  const words = shell === undefined ? wordsOfPrompt(before) : [wordOfShell(before.slice(shell.length))];
  // Tab after a space would list everything.
  if (words[0]?.path === '' && !before.endsWith('@')) return { kind: 'nothing' };
  for (const word of words) {
    const done = completedPath(draft, word, sources);
    if (done.kind !== 'nothing') return done;
  }
  return { kind: 'nothing' };
}

function completedPath(draft: Draft, word: Begun, sources: CompletionSources): Completed {
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
  write: Begun['write'] = (added) => added,
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
  // What stands behind the cursor already is not put there twice.
  const missing = added.endsWith(' ') && rest.startsWith(' ') ? added.slice(0, -1) : added;
  const draft = { text: text.slice(0, cursor) + missing + rest, cursor: cursor + missing.length };
  return missing === '' ? { kind: 'nothing' } : { kind: 'draft', draft };
}

function commonStart(left: string, right: string): string {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return left.slice(0, length);
}
