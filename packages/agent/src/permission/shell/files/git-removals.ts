/** Finds the files that `git` removes from the working tree although it does not track them, and folders that it removes. */
import type { ShellWord } from '@heddle/tools/shell';
import type { Untracked } from '../../paths/walk-tree.ts';
import { type GitArguments, inFolder, splitAtSeparator } from './git-arguments.ts';
import { scopeOf } from './git-contents.ts';
import { argumentsOf } from './operands.ts';
import { HERE, type Touch, touch, unknownWord } from './touch.ts';
import { optionPattern } from '../short-options.ts';

/** Letters of an option word before one that takes a value. */
function hasLetter(words: readonly ShellWord[], letter: string, valued: string): boolean {
  return words.some(({ value }) => optionPattern({ letters: letter, valued }).test(value));
}

interface Words {
  /** The words before `--`, without the values of options. */
  readonly options: readonly ShellWord[];
  /** Undefined if a file contains them. */
  readonly paths: readonly ShellWord[] | undefined;
}

/** Git accepts the beginning of a long option, so a pattern describes the options with a value. */
function wordsOf(rest: readonly ShellWord[], valued: RegExp): Words {
  const words = rest.filter((_, index) => !valued.test(rest[index - 1]?.value ?? ''));
  const end = words.findIndex(({ value }) => value === '--');
  const options = end < 0 ? words : words.slice(0, end);
  const isListed = options.some(({ value }) => value.startsWith('--path'));
  return { options, paths: isListed ? undefined : argumentsOf(words).operands };
}

export function removedFiles(given: GitArguments): Touch[] {
  switch (given.command) {
    case 'clean':
      return cleaned(given);
    case 'stash':
      return stashed(given);
    case 'rm':
      return removedTracked(given);
    case 'worktree':
    case 'submodule':
      return removedTrees(given);
    default:
      return [];
  }
}

/** Git selects the files below, so that not the folder itself is removed. */
function untrackedBelow(word: ShellWord, untracked: Untracked, more: Pick<Touch, 'fromTopOf'> = {}): Touch {
  const selects = { mayMatch: () => true, withContents: untracked.folders, untracked };
  return touch('remove', word, 'all', { ...more, picks: true, selects });
}

/** `git clean` removes files that git does not track, in the present folder or in its operands. */
function cleaned(given: GitArguments): Touch[] {
  const { rest, folder = HERE } = given;
  const { options: words, paths } = wordsOf(rest, /^(-[^-e]*e|--e[a-z]*)$/);
  const isDry =
    (hasLetter(words, 'n', 'e') || words.some(({ value }) => /^--d[a-z-]*$/.test(value))) &&
    !words.some(({ kind, value }) => kind !== 'literal' || value.startsWith('--no'));
  if (isDry) return [];
  const force = words.filter(({ value }) =>
    optionPattern({ letters: 'f', valued: 'e', long: 'f' }).test(value),
  );
  const repositories = force.length > 1 || force.some(({ value }) => /^-[^-e]*f[^-e]*f/.test(value));
  // With a path, folders without tracked files are entered, too.
  const folders =
    hasLetter(words, 'd', 'e') || paths?.length !== 0 || words.some(({ kind }) => kind !== 'literal');
  const selection = { folders, repositories };
  return paths?.length === 0 && !given.isElsewhere
    ? [untrackedBelow(folder, selection)]
    : removedIn(given, paths, selection);
}

/** Without known paths, it concerns the whole repository. */
function removedIn(given: GitArguments, paths: Words['paths'], untracked: Untracked): Touch[] {
  if (given.isElsewhere) return [touch('remove', unknownWord('another working tree'))];
  const scopes = (paths ?? []).map(scopeOf);
  const known = scopes.filter((word) => word !== undefined);
  if (known.length < scopes.length || known.length === 0)
    return [untrackedBelow(HERE, untracked, { fromTopOf: given.folder ?? HERE })];
  return known.map((word) => {
    const isBelow = word.kind === 'literal' && /^[^/.]/.test(word.value) && !word.value.includes('..');
    return untrackedBelow(inFolder(word, given), { ...untracked, isBelow });
  });
}

const STASH_VALUED = /^(-[^-m]*m|--m[a-z]*|--path[a-z-]*)$/;

/** `git stash -u` and `git stash --all` also store files that git does not track, and remove them. */
function stashed(given: GitArguments): Touch[] {
  const { options, paths = [] } = wordsOf(given.rest, STASH_VALUED);
  const isUntracked =
    hasLetter(options, 'ua', 'm') ||
    options.some(({ value }) => /^--(i|a)/.test(value)) ||
    mayBeOption(options);
  const [action] = paths;
  if (!isUntracked || /^(list|show|drop|clear|create|store|pop|apply|branch)$/.test(action?.value ?? ''))
    return [];
  const named = action?.value === 'push' ? paths.slice(1) : action?.value === 'save' ? [] : paths;
  return removedIn(given, named, { folders: true, repositories: false });
}

function mayBeOption(words: readonly ShellWord[]): boolean {
  return words.some(({ kind, begins }) => kind === 'dynamic' && !/^[^-]/.test(begins));
}

/** Git itself expands these paths: `git rm '.envr*'`. A pattern that the shell does not expand is one of them. */
const EXPANDED_BY_GIT = /[*?[\\]|^:/;

/** `git rm` removes tracked files: those that its patterns match and, with `-r`, those in folders. */
function removedTracked(given: GitArguments): Touch[] {
  const { options, paths } = wordsOf(given.rest, /^--path[a-z-]*$/);
  const isKept =
    options.some(({ value }) => optionPattern({ letters: 'n', long: 'c|d' }).test(value)) &&
    options.every(({ kind, value }) => kind === 'literal' && !value.startsWith('--no'));
  if (isKept) return [];
  if (given.isElsewhere) return [touch('remove', unknownWord('another working tree'))];
  const isRecursive = hasLetter(options, 'r', '') || mayBeOption(options);
  const fromTop = { fromTopOf: given.folder ?? HERE };
  return (paths ?? [undefined]).flatMap((word): Touch[] => {
    const isPattern = word !== undefined && EXPANDED_BY_GIT.test(word.value);
    if (word && !isRecursive && !isPattern && !given.ignoresCase && word.kind !== 'dynamic')
      return [touch('read', inFolder(word, given), undefined, { rewrites: true })];
    const mayMatch = word && isPattern && !isRecursive ? endOfMatches(word) : () => true;
    const more = { picks: true, ...(isRecursive ? {} : { selects: { mayMatch, withContents: false } }) };
    const isAnywhere =
      word === undefined ||
      given.ignoresCase ||
      word.kind === 'dynamic' ||
      /^:|\.\./.test(isPattern ? word.value : '');
    if (isAnywhere) return [touch('remove', HERE, 'all', { ...more, ...fromTop })];
    return [touch('remove', inFolder(scopeOf(word) ?? HERE, given), 'all', more)];
  });
}

/** A wildcard of git also matches slashes. So only the text after the last one is certain in the name of a match. */
function endOfMatches({ value }: ShellWord): (name: string) => boolean {
  // A pattern with a sign before it can select all files that it does not match.
  if (value.startsWith(':')) return () => true;
  const end = /[^*?[\]\\]*$/.exec(value)?.[0] ?? '';
  return (name) => name.endsWith(end.slice(end.lastIndexOf('/') + 1));
}

/** With force, they remove a folder although it contains files that git does not track. */
function removedTrees(given: GitArguments): Touch[] {
  const { options, paths = [] } = wordsOf(given.rest, /(?!)/);
  const [action, ...trees] = paths;
  const isRemoval = action?.value === (given.command === 'worktree' ? 'remove' : 'deinit');
  const isForced = hasLetter(options, 'f', '') || options.some(({ value }) => value.startsWith('--f'));
  return isRemoval && isForced
    ? removedIn(given, trees, { folders: true, repositories: true }).map(withoutNesting)
    : [];
}

/** The folder itself is the top of a repository. */
function withoutNesting(one: Touch): Touch {
  const { selects } = one;
  return selects?.untracked
    ? { ...one, selects: { ...selects, untracked: { ...selects.untracked, isBelow: false } } }
    : one;
}

/** Options with which a patch changes only files of the working tree. */
const APPLY_OPTION =
  /^(-[Rzqv3N]+|-[pC]\d*|--(stat|numstat|summary|check|index|cached|intent-to-add|3way|ours|theirs|union|apply|no-add|exclude|include|reverse|reject|whitespace|ignore-space-change|ignore-whitespace|inaccurate-eof|verbose|quiet|recount|directory|unidiff-zero|allow-empty|allow-overlap|allow-binary-replacement|binary|no-index)(=.*)?)$/s;

/** Returns an option of `git apply` that may let a patch change other files: `--unsafe-paths`. */
export function unknownApplyOption({ rest }: GitArguments): ShellWord | undefined {
  const words = splitAtSeparator(rest)?.before ?? rest;
  return words.find(
    ({ kind, value }) => kind === 'literal' && /^-./.test(value) && !APPLY_OPTION.test(value),
  );
}
