/** Facts of a whole script that concern its parts: changes of files, settings and variables anywhere in it. */
import path from 'node:path';
import type { ReadCommand, ShellWord } from '@heddle/tools/shell';
import type { FilePart, Part, StoredFiles } from '../part.ts';
import { isAtOrBelow } from '../paths/places.ts';
import { storedElsewhere } from './files/stored-parts.ts';
import { setsUnknownName } from './shell-state.ts';
import { wordsIn } from './special-reads.ts';

export type Understood = Extract<ReadCommand, { ok: true }>;

export function withScriptFacts(parts: readonly Part[], text: string, read: Understood): readonly Part[] {
  return withSearches(withGlobs(withStored(withAdded(parts, text, read), text, read)), text, read);
}

/** The words of a script without quotes. */
export function valuesIn(read: Understood): readonly string[] {
  return wordsIn({ ...read, loopWords: [] }).flatMap(textsOf);
}

function textsOf({ value, becomes = [] }: ShellWord): readonly string[] {
  return [value, ...becomes.map(({ begins }) => begins)];
}

/** The words of a loop are not among those of commands. A variable in the first name of a path may be any text. */
export function namesInLoops(read: Understood): readonly string[] {
  const values = [...read.loopWords.flatMap(textsOf), ...valuesIn(read)];
  return values.map((value) => value.replace(/^(\.\/+)+/, '').replace(/^(\/+)[^/]*\$[^/]*/, '$1*'));
}

/** Adds facts of the whole script to its globs: whether a command changes files, or the matches of globs. */
function withGlobs(parts: readonly Part[]): readonly Part[] {
  if (!parts.some((part) => 'glob' in part && part.glob)) return parts;
  const lasting = parts.every((part) =>
    part.kind === 'command' ? part.readOnly === 'yes' : part.kind === 'read',
  );
  return parts.map((part) =>
    'glob' in part && part.glob ? { ...part, glob: { ...part.glob, lasting } } : part,
  );
}

/** After a change of a file of ignored names, or of a variable that leads to it, a search may touch any hidden file. */
function withSearches(parts: readonly Part[], text: string, read: Understood): readonly Part[] {
  const isSearch = (part: Part): part is FilePart => 'deep' in part && part.deep === 'visible';
  const searches = parts.filter(isSearch);
  if (searches.length === 0) return parts;
  const isMoved = mayMoveSettings(text, read);
  const areReadOpen = isMoved || parts.some(mayChangeIgnored);
  // The files that a search itself changes are visible ones, so they are not files of ignored names.
  const areChangesOpen = isMoved || parts.some((part) => !isSearch(part) && mayChangeIgnored(part));
  return parts.map((part) => {
    if (!isSearch(part)) return part;
    if (part.kind === 'read') return areReadOpen ? { ...part, deep: 'all' } : part;
    return areChangesOpen ? { ...part, deep: 'all', places: undefined } : part;
  });
}

/** Returns whether a script may set where searches find their settings. To use the value of HOME changes nothing. */
function mayMoveSettings(text: string, read: Understood): boolean {
  if (read.commands.some(setsUnknownName)) return true;
  // A quoted name is not in the text: `export $'HO\x4dE'=x`.
  return [text, ...valuesIn(read)].some((value) => {
    const bare = value.replace(/\\\n|["'\\]/g, '').replace(/\$\{?HOME\b/g, '');
    return /(?<!\w)(HOME|XDG_CONFIG_HOME|RIPGREP_CONFIG_PATH)(?!\w)/.test(bare);
  });
}

/** Variables of git that name no repository, working tree, index, or settings. */
const PLAIN_GIT_VARIABLE =
  /^GIT_(PAGER|EDITOR|SEQUENCE_EDITOR|(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT|MERGE_VERBOSITY|SSH\w*|ASKPASS|SSL\w+|HTTP_\w+|CURL_VERBOSE|TRACE\w*|LFS_SKIP_SMUDGE|PROTOCOL|ADVICE|FLUSH|REFLOG_ACTION|PROGRESS_DELAY|ALLOW_PROTOCOL)$/;

/** After a change of a variable of git, or of a link to its data, stored contents may be those of any repository, and get to any folder. */
function withStored(parts: readonly Part[], text: string, read: Understood): readonly Part[] {
  const isStored = (part: Part): part is FilePart => 'stored' in part && part.stored !== undefined;
  if (!parts.some(isStored)) return parts;
  const names = [text, ...valuesIn(read)].flatMap(
    (value) => value.replace(/\\\n|["'\\]/g, '').match(/(?<![A-Za-z0-9_])GIT_\w+/g) ?? [],
  );
  const isMoved =
    read.commands.some(setsUnknownName) ||
    names.some((name) => !PLAIN_GIT_VARIABLE.test(name)) ||
    parts.some((part) => part.kind === 'write' && part.places?.some(({ path }) => path.endsWith('/.git')));
  return isMoved
    ? parts.flatMap((part): readonly Part[] => (isStored(part) ? [part, storedElsewhere(part)] : [part]))
    : parts;
}

const IGNORED_NAMES = /\/(\.(git|rg|fd)?ignore|(git|fd)\/ignore|git\/config|info\/exclude|\.gitconfig)$/i;

/** After a change of a file of ignored names, or in a new repository, git may add any file that such a change concerns. */
function withAdded(parts: readonly Part[], text: string, read: Understood): readonly Part[] {
  const isAdded = (part: Part): part is FilePart =>
    'stored' in part && part.stored?.withIgnored !== undefined;
  if (!parts.some(isAdded)) return parts;
  const isMade = (): boolean =>
    valuesIn(read).some((value) => /^(init|clone|worktree|submodule)$/.test(value));
  const opened = mayMoveSettings(text, read) || isMade() ? EVERYWHERE : parts.flatMap(foldersOpened);
  if (opened.length === 0) return parts;
  return parts.map((part) => {
    const stored = isAdded(part) ? part.stored?.withIgnored : undefined;
    return isAdded(part) && stored ? { ...part, stored: storedBelow(part.stored, stored, opened) } : part;
  });
}

const EVERYWHERE: readonly string[] = ['/'];

/** Returns the files that git stores if it adds all files in some folders, and elsewhere those that are not ignored. */
function storedBelow(
  shown: StoredFiles | undefined,
  all: StoredFiles,
  folders: readonly string[],
): StoredFiles {
  const { someTracked } = all;
  if (folders.includes('/') || !someTracked) return all;
  return {
    ...all,
    someTracked: (fits, pattern) =>
      shown?.someTracked?.(fits, pattern) !== false ||
      someTracked((file) => fits(file) && folders.some((folder) => isAtOrBelow(file, folder)), pattern),
  };
}

/** They contain files of ignored names for whole repositories. */
const ABOVE_SETTINGS = /\/(\.config(\/git)?|\.git(\/info)?)$/i;

/** Returns the folders in which git may ignore other files after a command. */
function foldersOpened(part: Part): readonly string[] {
  const isRemoval = part.kind === 'remove' && part.by === 'command';
  const replaces = part.kind === 'read' && part.rewrites === true && !part.stored;
  if (!isRemoval && !replaces) return mayChangeIgnored(part) && !copiesOthers(part) ? EVERYWHERE : [];
  const places = part.glob ? part.glob.found(true) : part.places;
  const files = places?.flatMap(({ path: written, real }) => [written, real]);
  return (
    files?.flatMap((file) => {
      if (/\/\.gitignore$/i.test(file)) return [path.posix.dirname(file)];
      if (IGNORED_NAMES.test(file) || ABOVE_SETTINGS.test(file)) return EVERYWHERE;
      return part.deep === 'no' ? [] : [file];
    }) ?? EVERYWHERE
  );
}

/** Returns whether a part writes the known names of a copied or moved tree, and none of them is a file of ignored names. */
function copiesOthers(part: Part): boolean {
  if (part.kind !== 'write' || part.glob || part.fills) return false;
  const seen = part.below?.();
  const files = part.places?.flatMap(({ path: written, real }) => [written, real]);
  if (!files || seen?.isComplete !== true || seen.mayGrow) return false;
  return [...files, ...seen.paths].every((file) => !IGNORED_NAMES.test(file));
}

function mayChangeIgnored(part: Part): boolean {
  const isNamed = part.kind === 'read' && part.rewrites === true && !part.stored;
  if (part.kind === 'read' && !isNamed) return part.rewrites === true;
  if (part.kind !== 'write' && !isNamed) return false;
  const { places, deep, glob } = part;
  if (places === undefined || deep !== 'no' || glob) return true;
  return places.some(({ path, real }) => [path, real].some((file) => IGNORED_NAMES.test(file)));
}
