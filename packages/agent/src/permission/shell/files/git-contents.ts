/** Decides whether a git command can print the contents of stored files, and of which ones. */
import { listsOnlyCommits, type ShellWord } from '@heddle/tools/shell';
import { type GitArguments, splitAtSeparator } from './git-arguments.ts';
import { argumentsOf, type OptionTable, type ParsedOperands } from './operands.ts';
import { partOfWord } from './touch.ts';
import { optionPattern } from '../short-options.ts';

/** Commands that never print a line of a stored file. Some of them print settings. */
const SILENT: ReadonlySet<string> = new Set(
  (
    'status branch tag remote config rev-parse for-each-ref show-ref symbolic-ref ls-files ls-tree ls-remote merge-base ' +
    'name-rev describe count-objects worktree check-ignore check-attr check-mailmap var version help cherry ' +
    'fetch pull push clone init merge rebase revert cherry-pick switch mv rm clean gc prune fsck submodule notes ' +
    'sparse-checkout maintenance update-index update-ref hash-object write-tree commit-tree mktree pack-refs apply am'
  ).split(' '),
);
/** They print lines only if they ask about each change: `--patch`, `--interactive`, and not `--intent-to-add`, `--ignore-errors`, `--include`. */
const PATCHING: ReadonlyMap<string, string> = new Map([
  ['add', ''],
  ['stage', ''],
  ['commit', 'mFCct'],
  ['checkout', 'bB'],
  ['restore', 's'],
  ['reset', ''],
]);
/** The files that they show are among their operands. */
export const NAMES_FILES: ReadonlySet<string> = new Set('blame annotate'.split(' '));
const SUMMARY =
  /^(-s|--(no-patch|stat|shortstat|numstat|dirstat|summary|compact-summary|name-only|name-status|raw|quiet))(=|$)/;

/** Returns the files and folders after `--`. Undefined if there are none, or if they are unknown. */
export function scopesOf(given: GitArguments): readonly ShellWord[] | undefined {
  const { rest } = given;
  // The paths select commits, which are shown in full, or they are followed to other names.
  if (rest.some(({ value }) => /^--(full-d|fol)/.test(value))) return undefined;
  // The paths are in a file, or are all paths.
  if (rest.some(({ value }) => /^--(pathspec-f|stdin)/.test(value))) return undefined;
  if (given.ignoresCase) return undefined;
  const limits = limitsOf(given);
  const scopes = limits.flatMap((limit) => scopeOf(limit) ?? []);
  return limits.length > 0 && scopes.length === limits.length ? scopes : undefined;
}

/**
 * Returns whether a command shows only files after `--`. Other commands have commits, stashes or patterns there: `git archive -- HEAD`.
 * A tag or a number can be a file itself, which no path limits: `git show tag -- src`.
 */
export function showsOnlyPaths({ command, rest }: GitArguments): boolean {
  if (/^(log|whatchanged|blame|annotate|diff-files)$/.test(command)) return true;
  if (!/^(diff|diff-index|diff-tree|show|grep)$/.test(command)) return false;
  const before = command === 'grep' ? commitsOfGrep(rest) : (splitAtSeparator(rest)?.before ?? rest);
  return before.every(
    ({ kind, value }) => kind === 'literal' && (value.startsWith('-') || COMMIT.test(value)),
  );
}

/** A commit, or a range of commits. */
const COMMIT = /^(?:HEAD|@)(?:[~^]\d*)*$|^[^:]*\.\.[^:]*$/;

/** Only a commit has ancestors or a log, so git rejects everything else before `~`, and a tree of files as these names. */
const CERTAIN_COMMIT =
  /^(?:(?:HEAD|@)(?:@\{\d+\})?|@\{(?:-?\d+|u|upstream|push)\})(?:[~^]\d*)*$|^[\w./-]+(?:[~^]\d*)+$/;

/** Returns the names that may be a tag or a number of anything else than a commit. A branch is among them, too. */
export function maybeNoCommits(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== '' && !CERTAIN_COMMIT.test(name));
}

/**
 * Returns the names that may be a tree of files instead of a commit. Then a path counts from that tree: `git show 1a2b:key`,
 * `git diff 1a2b..3c4d -- key`.
 */
export function doubtfulRevisions(
  { command, rest }: GitArguments,
  shown: 'none' | 'tracked' | 'history',
): readonly string[] {
  const words = (splitAtSeparator(rest)?.before ?? rest).filter(({ value }) => !value.startsWith('-'));
  const isNamed = shown === 'none' && /^(show|cat-file)$/.test(command);
  if (isNamed && (rest.some(({ value }) => /^-[tse]$/.test(value)) || rest.every(isCommitOrSummary)))
    return [];
  const isLimited = shown !== 'none' && /^(show|diff|diff-index|diff-tree)$/.test(command);
  const names = words.flatMap(({ value }) => {
    if (isNamed) return value.split(':', 1);
    // Two commits of which the common ancestor is looked for.
    return isLimited && !value.includes('...') ? value.split('..') : [];
  });
  return maybeNoCommits(names);
}

function commitsOfGrep(rest: readonly ShellWord[]): readonly ShellWord[] {
  const { operands, leading, valuesOf } = parseGitGrep(rest);
  return operands.slice(valuesOf('-e', '-f').length > 0 ? 0 : 1, leading);
}

function limitsOf({ command, rest }: GitArguments): readonly ShellWord[] {
  if (command !== 'grep') return splitAtSeparator(rest)?.after ?? [];
  const given = parseGitGrep(rest);
  return given.isUncertain || isPatternBehind(given) ? [] : given.operands.slice(given.leading);
}

/** `git grep -v -- a`: the first word after `--` is the pattern, and the others may be commits. */
function isPatternBehind({ leading, operands, valuesOf }: ParsedOperands): boolean {
  return leading === 0 && operands.length > 0 && valuesOf('-e', '-f').length === 0;
}

/** Returns the file or folder that contains all matches of a pathspec. Undefined if unknown. */
export function scopeOf(word: ShellWord): ShellWord | undefined {
  if (word.kind === 'dynamic' || word.value.startsWith(':') || word.value === '') return undefined;
  const wildcard = word.value.search(/[*?[\\]/);
  if (wildcard < 0) return word;
  // Git resolves `..` before it looks for matches.
  if (word.value.includes('..', wildcard)) return undefined;
  const folder = word.value.slice(0, word.value.lastIndexOf('/', wildcard) + 1);
  return folder === '' ? undefined : { ...partOfWord(word, folder), kind: 'literal' };
}

/** Returns whether the command shows contents: of tracked files, or of any file that was ever stored. */
export function contentShown(given: GitArguments): 'none' | 'tracked' | 'history' {
  const { command, rest } = given;
  const [action] = rest;
  const has = (pattern: RegExp): boolean => rest.some(({ value }) => pattern.test(value));
  const isList = listsOnlyCommits(rest);
  const mayBeOption = rest.some(({ kind, begins }) => kind === 'dynamic' && !/^[^-]/.test(begins));
  if (command === 'status')
    return mayBeOption || has(optionPattern({ letters: 'v', long: 'v' })) ? 'history' : 'none';
  // It copies files to a place that no rule covers.
  if (command === 'worktree' && action?.value === 'add') return 'history';
  // They show a commit, or a log with any options.
  if (command === 'bisect' && !/^(log|start|good|bad|new|old|skip|reset|terms)$/.test(action?.value ?? ''))
    return 'history';
  if (/^(am|rebase)$/.test(command) && has(/^--show/)) return 'history';
  // A tag can be a file, and this field is its content.
  if (/^(tag|branch|for-each-ref)$/.test(command) && has(/(?:%\(|^-?|=-?)\*?raw/)) return 'history';
  // The value may be the name of any stored file.
  if (command === 'config' && has(/^--bl/)) return 'history';
  // They write plain copies of contents into the folder of git.
  if (/^(add|stage)$/.test(command) && has(optionPattern({ letters: 'e', long: 'e' }))) return 'history';
  if (command === 'fsck' && has(/^--l/)) return 'history';
  if (command === '' || command === 'bisect' || SILENT.has(command) || NAMES_FILES.has(command))
    return 'none';
  if (command === 'commit' && has(optionPattern({ letters: 'v', valued: 'mFCct', long: 'v' })))
    return 'history';
  const valued = PATCHING.get(command);
  if (valued !== undefined)
    return has(optionPattern({ letters: 'pi', valued, long: 'p|i(?!nten|gn|nc)' })) ? 'history' : 'none';
  switch (command) {
    case 'log':
    case 'shortlog':
    case 'rev-list':
    case 'reflog':
      return isList ? 'none' : 'history';
    case 'stash':
      if (action?.value === 'list') return isList ? 'none' : 'history';
      // Without an option, a setting of the repository decides whether it shows lines.
      if (action?.value === 'show') return isList && has(SUMMARY) ? 'none' : 'history';
      return mayBeOption || has(optionPattern({ letters: 'p', valued: 'm', long: 'p' })) ? 'history' : 'none';
    case 'show':
      // A name alone can be a commit or the content of a file.
      return has(SUMMARY) && rest.every(isCommitOrSummary) ? 'none' : showsOnlyNamed(rest);
    case 'diff':
    case 'diff-tree':
    case 'diff-index':
    case 'diff-files':
      if (isList && has(SUMMARY)) return 'none';
      return command !== 'diff-tree' && isPlainDiff(rest) ? 'tracked' : 'history';
    case 'cat-file':
      return has(/^-[tse]$/) ? 'none' : showsOnlyNamed(rest);
    case 'grep':
      return searchesCommits(rest) ? 'history' : 'tracked';
    default:
      return 'history';
  }
}

/** Options of `git show` and `git cat-file` that neither select more objects nor show other files. */
const SHOW_OPTION =
  /^(-[spqmtPM]|-U\d+|--(stat|shortstat|numstat|dirstat|summary|compact-summary|name-only|name-status|raw|no-patch|patch|quiet|oneline|format|pretty|date|abbrev|abbrev-commit|color|no-color|decorate|no-decorate|no-notes|no-renames|first-parent|no-ext-diff|no-textconv|word-diff|unified)(=.*)?)$/s;
/** A commit before the colon has no braces: `HEAD^{/a: b}` and `HEAD@{10:30}` are commits, not files. */
const STORED_FILE = /^[\w./~^@-]*:[^:(/!^{}][^:{}]*$/;

/** `git show HEAD:src/a.ts` shows only that file. */
function showsOnlyNamed(rest: readonly ShellWord[]): 'none' | 'history' {
  const isOption = ({ value }: ShellWord): boolean => value.startsWith('-');
  const isKnown = (word: ShellWord): boolean =>
    word.kind === 'literal' && (isOption(word) ? SHOW_OPTION : STORED_FILE).test(word.value);
  return rest.every(isKnown) && !rest.every(isOption) ? 'none' : 'history';
}

function isCommitOrSummary({ kind, value }: ShellWord): boolean {
  if (kind !== 'literal') return false;
  if (value.startsWith('-')) return SHOW_OPTION.test(value) && !SHOWS_LINES.test(value);
  return /^(HEAD|@)([~^]\d*)*$/.test(value);
}

const SHOWS_LINES = /^(-[pmt]|-U|--(patch|word-diff|unified))/;

/** Without commits, the working tree is compared with the index. Only tracked files can show. */
function isPlainDiff(rest: readonly ShellWord[]): boolean {
  const parts = splitAtSeparator(rest);
  return (
    rest.every(({ kind }) => kind !== 'dynamic') &&
    parts?.before.every(({ value }) => value.startsWith('-') && !/^--(c|st|su|m|no-i)/.test(value)) === true
  );
}

const list = (text: string): readonly string[] => text.split(' ');

/** The options of `git grep`, without those that search in other repositories. */
const GIT_GREP: OptionTable = {
  valued: list(
    '-e -f -A -B -C -m --max-count --max-depth --threads --context --after-context --before-context',
  ),
  letters: 'aIiwvEGPFnLlzoqcpWhHr0123456789',
  long: list(
    '--cached --untracked --no-index --text --ignore-case --word-regexp --invert-match --extended-regexp --basic-regexp ' +
      '--perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match ' +
      '--count --heading --break --show-function --function-context --only-matching --and --or --not --all-match ' +
      '--color --no-color --full-name --null --quiet --recursive --no-recursive',
  ),
};

export function parseGitGrep(rest: readonly ShellWord[]): ParsedOperands {
  return argumentsOf(rest, GIT_GREP);
}

/** A word besides the pattern may be the name of a commit. */
function searchesCommits(rest: readonly ShellWord[]): boolean {
  const given = parseGitGrep(rest);
  const hasPattern = given.valuesOf('-e', '-f').length > 0;
  const mayBeSeveral = given.operands.some(({ kind, single }) => kind === 'dynamic' && !single);
  const isBehind = isPatternBehind(given) && given.operands.length > 1;
  return given.isUncertain || mayBeSeveral || isBehind || given.leading > (hasPattern ? 0 : 1);
}
