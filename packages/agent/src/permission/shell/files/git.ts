/**
 * Finds the files that `git` accesses: those in its arguments, those that its options write, and those in its history.
 */
import { listsOnlyCommits, type ShellWord } from '@heddle/tools/shell';
import { dangerousOptions, type GitArguments, gitArguments, mayWriteOrRun } from './git-arguments.ts';
import { changedSettings, findProgramWord } from './git-settings.ts';
import { argumentsOf } from './operands.ts';
import { HERE, partOfWord, type Touch, touch, unknownWord } from './touch.ts';

export function gitTouches(args: readonly ShellWord[]): Touch[] {
  const given = gitArguments(args);
  const { rest, command } = given;
  const isSearch = command === 'grep';
  const has = (option: string): boolean => rest.some(({ value }) => value === option);
  // Untracked files can be hidden ones.
  const walks = has('--no-index') || has('--untracked') ? 'all' : isSearch ? 'visible' : undefined;
  const named = rest.flatMap((word): Touch[] => {
    const path = pathIn(word);
    if (path === undefined) return [];
    return [
      {
        kind: 'read',
        word: word.value.includes(':') ? partOfWord(word, path) : inFolder(partOfWord(word, path), given),
        knowledge: 'named',
        staysInTree: true,
        ...(walks ? { deep: walks } : {}),
        ...(word.value.includes(':') ? { fromTopOf: given.folder ?? HERE } : {}),
      },
    ];
  });
  if (walks && isSearch && scopesOf(given) === undefined)
    named.push({ ...touch('read', given.folder ?? HERE, walks), staysInTree: true });
  named.push(...written(given).map((word) => touch('write', inFolder(word, given))));
  named.push(...changedSettings(given).map((word) => touch('write', word)));
  named.push(...stored(given), ...rewritten(given));
  if (NAMING.has(command) && rest.some(({ kind }) => kind === 'dynamic'))
    named.push(touch('read', unknownWord('the file that git shows')));
  // The files that a patch changes are listed in the patch, which was not read.
  return command === 'apply' || command === 'am'
    ? [
        ...named,
        { kind: 'read', word: given.folder ?? HERE, deep: 'all', knowledge: 'named', staysInTree: true },
      ]
    : named;
}

/**
 * Returns why only a rule for all commands covers the call. Undefined if the call does only what its git command does.
 */
export function gitDoubt(args: readonly ShellWord[]): string | undefined {
  const given = gitArguments(args);
  const options = dangerousOptions(given);
  const runs = options.find(({ does }) => does === 'runs')?.word ?? findProgramWord(args);
  if (runs) return `${runs.text} makes git run another program.`;
  const end = args.findIndex(({ value }) => value === '--');
  const isOption = (word: ShellWord): boolean => end < 0 || args.indexOf(word) < end;
  const writes = options.find(({ does, word }) => does === 'writes' && isOption(word))?.word;
  if (writes && READS_HISTORY.test(given.command)) return `${writes.text} makes git write a file.`;
  return mayWriteOrRun(given)
    ? 'An expanded word may be an option with which git writes a file or runs a program.'
    : undefined;
}

/** Commands that write nothing without such an option. A rule for one of them is meant for reading. */
const READS_HISTORY =
  /^(log|diff|show|shortlog|whatchanged|reflog|diff-tree|diff-index|diff-files|rev-list|blame|grep)$/;

/**
 * `HEAD:secrets/x` is an old version of the file, `:0:secrets/x` the staged one. `--file=secrets/x` is the value of an
 * option.
 */
function pathIn({ kind, value: text }: ShellWord): string | undefined {
  if (kind === 'dynamic') return undefined;
  const [, value = text] = /^(?:--[\w-]+=|-[A-Za-z](?=[^=]))(.*)$/s.exec(text) ?? [];
  if (value.startsWith('-')) return undefined;
  const path = value.slice(value.indexOf(':') + 1).replace(/^[0-3]:/, '');
  return path === '' || /\s/.test(path) ? undefined : path;
}

/** Resolves a word from the folder of `-C sub`. */
function inFolder(word: ShellWord, { folder }: GitArguments): ShellWord {
  if (folder === undefined || word.kind === 'dynamic' || word.value.startsWith('/')) return word;
  if (folder.kind === 'dynamic') return unknownWord(word.text);
  return {
    ...partOfWord(folder, `${folder.value}/${word.value}`),
    kind: word.kind === 'pattern' ? 'pattern' : folder.kind,
  };
}

/** Commands that write one of their operands, with its position. */
const WRITTEN_OPERANDS: ReadonlyMap<string, (operands: readonly ShellWord[]) => readonly ShellWord[]> =
  new Map([
    ['bundle', ([action, file]) => (action?.value === 'create' && file ? [file] : [])],
    ['clone', ([, folder]) => (folder ? [folder] : [])],
    ['init', ([folder]) => (folder ? [folder] : [])],
    ['worktree', ([action, folder]) => (action?.value === 'add' && folder ? [folder] : [])],
    ['mailinfo', (files: readonly ShellWord[]) => files],
  ]);

function written(given: GitArguments): ShellWord[] {
  const { command, rest } = given;
  const byOption = dangerousOptions(given).flatMap(({ does, file, word }) =>
    does === 'writes' ? [file ?? unknownWord(word.text)] : [],
  );
  const valued = [
    '-b',
    '-c',
    '-o',
    '-j',
    '-u',
    '--branch',
    '--config',
    '--depth',
    '--origin',
    '--template',
    '--reference',
  ];
  const { operands } = argumentsOf(rest, valued);
  return [...byOption, ...(WRITTEN_OPERANDS.get(command)?.(operands) ?? [])];
}

/** Commands that never print a line of a file. */
const SILENT: ReadonlySet<string> = new Set(
  (
    'status branch tag remote config rev-parse for-each-ref show-ref symbolic-ref ls-files ls-tree ls-remote merge-base ' +
    'name-rev describe count-objects worktree check-ignore check-attr check-mailmap var version help cherry ' +
    'fetch pull push clone init merge rebase revert cherry-pick switch mv rm clean gc prune fsck bisect submodule notes ' +
    'sparse-checkout maintenance update-index update-ref hash-object write-tree commit-tree mktree pack-refs apply am'
  ).split(' '),
);
/** They print lines only if they ask about each change. */
const PATCHING: ReadonlySet<string> = new Set('add commit checkout restore reset'.split(' '));
/** The files that they show are among their operands. */
const NAMING: ReadonlySet<string> = new Set('blame annotate'.split(' '));
const SUMMARY =
  /^(-s|--(no-patch|stat|shortstat|numstat|dirstat|summary|compact-summary|name-only|name-status|raw|quiet))(=|$)/;

/** Returns whether the words of the command are revisions, branches or remotes, and none of its options shows a file. */
export function takesOnlyRevisions(args: readonly ShellWord[]): boolean {
  return /^(fetch|pull|push|switch|branch|merge|rebase|revert|cherry-pick|rev-parse|merge-base|describe)$/.test(
    gitArguments(args).command,
  );
}

/** Stored versions show the content of a file that may not be read. */
function stored(given: GitArguments): Touch[] {
  const shown = contentShown(given);
  if (shown === 'none') return [];
  const { folder = HERE } = given;
  const whole: Touch = { kind: 'read', word: folder, stored: shown, whole: true };
  if (given.isElsewhere) return [touch('read', unknownWord('another repository'))];
  const scopes = scopesOf(given);
  return scopes?.map((word) => ({ kind: 'read', word: inFolder(word, given), stored: shown })) ?? [whole];
}

/** They replace tracked files of the working tree by other versions. */
const REWRITES: ReadonlySet<string> = new Set(
  'checkout switch restore merge pull rebase revert cherry-pick am apply sparse-checkout'.split(' '),
);

function rewritten(given: GitArguments): Touch[] {
  const { command, rest, folder = HERE } = given;
  const has = (option: RegExp): boolean => rest.some(({ value }) => option.test(value));
  const isRewritten =
    (REWRITES.has(command) && !createsBranch(given)) ||
    (command === 'reset' && has(/^--(h|m|k)/)) ||
    (command === 'read-tree' && has(/^-\w*u/)) ||
    (command === 'stash' && !has(/^(list|show|drop|clear|create|store)$/));
  if (!isRewritten) return [];
  const scopes = given.isElsewhere ? undefined : scopesOf(given);
  const touchOf = (word: ShellWord, whole: boolean): Touch => ({
    kind: 'read',
    word,
    stored: 'tracked',
    knowledge: 'named',
    rewrites: true,
    whole,
  });
  return scopes?.map((word) => touchOf(inFolder(word, given), false)) ?? [touchOf(folder, true)];
}

/** `git switch -c new` keeps every file. */
function createsBranch({ command, rest }: GitArguments): boolean {
  const options = rest.filter(({ value }) => value.startsWith('-'));
  return (
    /^(checkout|switch)$/.test(command) &&
    options.some(({ value }) => /^(-[bBcC]|--create)$/.test(value)) &&
    rest.length === options.length + 1
  );
}

/** Returns the files and folders after `--`. Undefined if there are none, or if they are unknown. */
function scopesOf({ rest }: GitArguments): readonly ShellWord[] | undefined {
  // The paths select commits, which are shown in full, or they are followed to other names.
  if (rest.some(({ value }) => /^--(full-d|fol)/.test(value))) return undefined;
  const at = rest.findIndex(({ value }) => value === '--');
  const limits = at < 0 ? [] : rest.slice(at + 1);
  const scopes = limits.flatMap((limit) => scopeOf(limit) ?? []);
  return limits.length > 0 && scopes.length === limits.length ? scopes : undefined;
}

/** Returns the file or folder that contains all matches of a pathspec. Undefined if unknown. */
function scopeOf(word: ShellWord): ShellWord | undefined {
  if (word.kind === 'dynamic' || word.value.startsWith(':') || word.value === '') return undefined;
  const wildcard = word.value.search(/[*?[\\]/);
  if (wildcard < 0) return word;
  const folder = word.value.slice(0, word.value.lastIndexOf('/', wildcard) + 1);
  return folder === '' ? undefined : { ...partOfWord(word, folder), kind: 'literal' };
}

function contentShown(given: GitArguments): 'none' | 'tracked' | 'history' {
  const { command, rest } = given;
  const [action] = rest;
  const has = (pattern: RegExp): boolean => rest.some(({ value }) => pattern.test(value));
  const isList = listsOnlyCommits(rest);
  const mayBeOption = rest.some(({ kind, begins }) => kind === 'dynamic' && !/^[^-]/.test(begins));
  if (command === 'status') return mayBeOption || has(/^(-\w*v|--v)/) ? 'history' : 'none';
  // They copy files to places that no rule covers.
  if ((command === 'worktree' && action?.value === 'add') || (command === 'clone' && rest.some(isLocalPath)))
    return 'history';
  if (command === '' || SILENT.has(command) || NAMING.has(command)) return 'none';
  if (command === 'commit' && has(/^(-[^-mFCct]*v|--v)/)) return 'history';
  if (PATCHING.has(command)) return has(/^(-\w*[pi]|--p|--i)/) ? 'history' : 'none';
  switch (command) {
    case 'log':
    case 'shortlog':
    case 'rev-list':
    case 'reflog':
      return isList ? 'none' : 'history';
    case 'stash':
      if (action?.value === 'list' || action?.value === 'show') return isList ? 'none' : 'history';
      return mayBeOption || has(/^(-\w*p|--p)/) ? 'history' : 'none';
    case 'show':
      // A name alone can be a commit or the content of a file.
      return isList && has(SUMMARY) && rest.every(isCommitOrOption) ? 'none' : showsOnlyNamed(rest);
    case 'diff':
    case 'diff-tree':
    case 'diff-index':
    case 'diff-files':
      if (isList && has(SUMMARY)) return 'none';
      return command !== 'diff-tree' && rest.every(isPlainDiff) ? 'tracked' : 'history';
    case 'cat-file':
      return has(/^-[tse]$/) ? 'none' : showsOnlyNamed(rest);
    case 'grep':
      // A second word may be the name of a commit.
      return operandsBefore(rest) > 1 ? 'history' : 'tracked';
    default:
      return 'history';
  }
}

/** `git show HEAD:src/a.ts` shows only that file. */
function showsOnlyNamed(rest: readonly ShellWord[]): 'none' | 'history' {
  const operands = rest.filter(({ value }) => !value.startsWith('-'));
  const isNamed = ({ kind, value }: ShellWord): boolean =>
    kind === 'literal' && /^[^:]*:[^:(/!^]/.test(value);
  return operands.length > 0 && operands.every(isNamed) && rest.every(({ kind }) => kind !== 'dynamic')
    ? 'none'
    : 'history';
}

function isCommitOrOption({ kind, value }: ShellWord): boolean {
  return kind === 'literal' && (value.startsWith('-') || /^(HEAD|@)([~^]\d*)*$/.test(value));
}

/** Without commits, the working tree is compared with the index. Only tracked files can show. */
function isPlainDiff({ kind, value }: ShellWord, index: number, rest: readonly ShellWord[]): boolean {
  if (kind === 'dynamic') return false;
  const end = rest.findIndex((word) => word.value === '--');
  if (end >= 0 && index >= end) return true;
  return value.startsWith('-') && !/^--(c|st|m)/.test(value);
}

/** Returns whether the word is a local path, not an address of another machine. */
function isLocalPath({ kind, value }: ShellWord): boolean {
  return kind === 'dynamic' || (/^[./~]|^file:/.test(value) && !value.startsWith('-'));
}

function operandsBefore(rest: readonly ShellWord[]): number {
  const end = rest.findIndex(({ value }) => value === '--');
  const before = end < 0 ? rest : rest.slice(0, end);
  return before.filter(({ kind, value }) => kind === 'dynamic' || !value.startsWith('-')).length;
}
