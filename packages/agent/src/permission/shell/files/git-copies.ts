/** Git commands that write stored contents into files: in the working tree, or as copies that no rule finds. */
import type { ShellWord } from '@heddle/tools/shell';
import { type GitArguments, gitArguments, inFolder, splitAtSeparator } from './git-arguments.ts';
import { maybeNoCommits, scopeOf, scopesOf } from './git-contents.ts';
import { mergedContents } from './git-merges.ts';
import { hasHarmlessSettings } from './git-settings.ts';
import { argumentsOf } from './operands.ts';
import { HERE, partOfWord, type Touch, unknownWord } from './touch.ts';
import { optionPattern, shortOption } from '../short-options.ts';

/** Options of `git clone` and `git submodule add` that take the next word. */
export const CLONE_VALUED: readonly string[] =
  '-b -c -o -j -u --branch --config --depth --name --origin --template --reference --reference-if-able --jobs --filter --shallow-since --shallow-exclude --server-option --upload-pack --separate-git-dir --bundle-uri --revision --ref-format'.split(
    ' ',
  );
/** The same for commands that exchange commits with another repository. */
const REMOTE_VALUED: readonly string[] =
  '-o -j -s -X -t -m --depth --deepen --jobs --strategy --strategy-option --upload-pack --receive-pack --exec --repo --remote --shallow-since --shallow-exclude --server-option --push-option --negotiation-tip --refmap --prefix -P'.split(
    ' ',
  );
/** They take the address of another repository, which may be a folder. */
const EXCHANGES =
  /^(clone|fetch|pull|push|remote|submodule|fetch-pack|send-pack|archive|upload-pack|upload-archive|receive-pack|subtree)$/;
/** They only take contents from the other repository. */
const TAKES = /^(fetch|pull|fetch-pack)$/;

/** Returns the stored contents that the command copies to a place where no rule about their names finds them. */
export function copied(args: readonly ShellWord[]): Touch[] {
  const given = gitArguments(args);
  const { command, folder = HERE } = given;
  const whole: Touch = { kind: 'read', word: folder, stored: 'history', whole: true };
  const isExchange = EXCHANGES.test(command);
  const sources = isExchange ? otherRepositories(given) : [];
  const isSure = sources.some((source) => source.isSure);
  const writesFiles = isRewritten(given);
  // The command names another working tree or repository, or a setting may name one.
  if (given.isElsewhere && (writesFiles || isSure)) return [ELSEWHERE];
  if ((writesFiles || isExchange) && !hasHarmlessSettings(args)) return [ELSEWHERE];
  if (movesNames(given)) return [whole];
  const merged = mergedContents(given, writesFiles);
  const read = sources.map((source): Touch => {
    const word = inFolder(source.word, given);
    // The word may also be the target.
    const known: Touch = { kind: 'read', word, stored: 'history', whole: true, knowledge: 'named' };
    return source.isSure ? known : Object.assign(known, { within: word });
  });
  const { names, prefersPaths } = renamedSources(given);
  const revisions = maybeNoCommits(names);
  const renamed: Touch[] = revisions.length > 0 ? [{ ...whole, revisions, prefersPaths }] : [];
  return [...merged, ...read, ...(TAKES.test(command) || !isSure ? renamed : [whole])];
}

const ELSEWHERE: Touch = { kind: 'read', word: unknownWord('another repository or working tree') };

interface OtherRepository {
  readonly word: ShellWord;
  /** Otherwise it is a folder only if one of that name exists. */
  readonly isSure: boolean;
}

/** Returns the words that may be repositories on this machine. */
function otherRepositories({ command, rest }: GitArguments): OtherRepository[] {
  const isClone = command === 'clone';
  const { operands, valuesOf } = argumentsOf(rest, isClone ? CLONE_VALUED : REMOTE_VALUED);
  const [action] = operands;
  if (/^(remote|submodule)$/.test(command) && !/^(add|set-url)$/.test(action?.value ?? '')) return [];
  const first = /^(remote|submodule|subtree)$/.test(command) ? operands.slice(1) : operands.slice(0, 1);
  const places = rest.filter(
    ({ kind, value }) =>
      kind === 'tilde' || (isClone && kind === 'dynamic') || /^(?:--[\w-]+=)?(?:[./~]|file:)/i.test(value),
  );
  return [...first, ...valuesOf('--repo', '--remote', '--reference'), ...places].flatMap((word) =>
    repositoryIn(word, isClone),
  );
}

/** An address of another machine: `https://host/x`, `user@host:x`. */
const ADDRESS = /^(?!file:)(?:[a-z][a-z0-9+.-]*:\/\/|(?:[\w.-]+@)?[\w.-]+:(?!:))/i;

function repositoryIn(word: ShellWord, isClone: boolean): OtherRepository[] {
  const unknown = { word: unknownWord(word.text), isSure: true };
  const value = word.value.replace(/^--[\w-]+=/, '');
  if (word.kind === 'dynamic') return ADDRESS.test(word.prefix) ? [] : [unknown];
  if (value === '' || (value === '.' && !isClone) || value.startsWith('-') || ADDRESS.test(value)) return [];
  // Git decodes the address, and ignores its host, also one in brackets.
  if (/^[a-z]+::|^file:.*[%\]]/i.test(value)) return [unknown];
  const place = partOfWord(word, value.replace(/^file:(?:\/\/[^/]*)?/i, ''));
  return [{ word: place, isSure: isClone || place.value.includes('/') || word.kind !== 'literal' }];
}

const TAKES_REFSPECS = /^(push|fetch|pull|send-pack|fetch-pack)$/;
/** Git takes `x-g1a2b3c` for a number, too. */
const NUMBERED_REFSPEC = /^\+?(?:(?:[^:]*-g)?[\da-f]{4,64}|[^:]*\^\{[^:]*):/i;

/** Options of `git tag`, `git update-ref` and `git symbolic-ref` that take the next word. */
const NAMING_VALUED =
  '-m -F -u --message --file --local-user --cleanup --trailer --contains --no-contains --merged --no-merged --points-at --format --sort'.split(
    ' ',
  );

interface RenamedSources {
  readonly names: readonly string[];
  /** A name that exists as a file is not a source. */
  readonly prefersPaths: boolean;
}

/**
 * Returns the names of objects from which files, or the objects themselves, get other names. In a tree of files, a name starts at
 * that tree: `git restore -s TREE key`.
 */
function renamedSources({ command, rest }: GitArguments): RenamedSources {
  const has = (option: RegExp): boolean => rest.some(({ value }) => option.test(value));
  const end = rest.findIndex(({ value }) => value === '--');
  const prefersPaths = end < 0;
  const before = rest.slice(0, prefersPaths ? undefined : end).filter(({ value }) => !value.startsWith('-'));
  const [first] = before;
  const source = (word: ShellWord | undefined): RenamedSources => ({
    names: word ? [nameOf(word)] : [],
    prefersPaths,
  });
  switch (command) {
    case 'checkout':
      return has(/^(-[bB]|--orphan)$/) || (prefersPaths && before.length < 2) ? NO_SOURCES : source(first);
    case 'reset':
      return has(/^--(h|s|k|me)/) || (prefersPaths && before.length < 2) ? NO_SOURCES : source(first);
    case 'restore':
      return { names: restoredFrom(rest), prefersPaths: false };
    case 'tag':
      return has(/^(-[dlv]|--(delete|list|verify))$/)
        ? NO_SOURCES
        : { ...source(secondOf(rest)), prefersPaths: false };
    case 'update-ref':
      return { ...source(secondOf(rest)), prefersPaths: false };
    case 'push':
    case 'fetch':
    case 'pull':
      return first?.value === '.'
        ? {
            names: before.slice(1).map((word) => nameOf(word).replace(/^\+/, '').replace(/:.*$/s, '')),
            prefersPaths: false,
          }
        : NO_SOURCES;
    default:
      return NO_SOURCES;
  }
}

const NO_SOURCES: RenamedSources = { names: [], prefersPaths: false };

/** A name that is computed is not known to be a branch. */
function nameOf({ kind, value, text }: ShellWord): string {
  return kind === 'literal' ? value : text;
}

function secondOf(rest: readonly ShellWord[]): ShellWord | undefined {
  return argumentsOf(rest, NAMING_VALUED).operands[1];
}

const RESTORE_SOURCE = new RegExp(`^(?:${shortOption('s')}|--so[a-z]*=?)(.*)$`, 's');

/** `-s x`, `-SWsx`, `-3sx`, `--source=x`, `--so x`. */
function restoredFrom(rest: readonly ShellWord[]): readonly string[] {
  return rest.flatMap((word, at) => {
    const [, attached] = RESTORE_SOURCE.exec(word.value) ?? [];
    if (attached === undefined) return [];
    const next = rest[at + 1];
    if (attached !== '') return [word.kind === 'literal' ? attached : word.text];
    return next ? [nameOf(next)] : [];
  });
}

/** Settings that name another working tree or repository. */
const MOVES_REPOSITORY = /^(core\.(worktree|bare)|(remote|url|include|includeif|submodule)\..*)$/is;

/** Returns whether stored files get other names in the working tree, the index, a commit or a note. */
function movesNames({ command, rest }: GitArguments): boolean {
  const has = (option: RegExp): boolean => rest.some(({ value }) => option.test(value));
  const operands = rest.filter(({ value }) => !value.startsWith('-') && value !== 'set');
  // An object by its number gets a name: `git push . 1a2b3c:refs/tags/x`.
  if (TAKES_REFSPECS.test(command) && has(NUMBERED_REFSPEC)) return true;
  switch (command) {
    case 'merge':
    case 'pull':
    case 'rebase':
    case 'revert':
    case 'cherry-pick':
      return rest.some(
        ({ value }, at) =>
          value.includes('subtree') &&
          [value, rest[at - 1]?.value ?? ''].some((text) => text.startsWith('-')),
      );
    case 'update-ref':
      return has(/^--std/);
    case 'replace':
      return !has(/^(-[dl]|--(d|l))/) && operands.length > 0;
    case 'symbolic-ref': {
      const target = secondOf(rest);
      return target !== undefined && !nameOf(target).startsWith('refs/heads/');
    }
    case 'update-index':
      return has(/^--(ca|index-i)/);
    case 'mktree':
    case 'commit-tree':
      return true;
    case 'notes':
      return !has(/^(list|remove|prune|get-ref)$/);
    case 'init':
      return has(/^--te/);
    case 'config':
      return (
        operands.length > 1 && has(MOVES_REPOSITORY) && !has(/^(--get.*|get|--unset.*|unset|--list|-l)$/)
      );
    default:
      return false;
  }
}

/**
 * Commands that leave the contents of tracked files as they are, apart from files that their words name. Any other one may
 * replace them by other versions: `git merge-recursive`, `git quiltimport`, an alias.
 */
const KEEPS: ReadonlySet<string> = new Set(
  (
    'add annotate archive backfill blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap ' +
    'check-ref-format cherry clean clone column commit commit-graph commit-tree config count-objects credential describe ' +
    'diagnose diff diff-files diff-index diff-pairs diff-tree fast-export fast-import fetch fetch-pack fmt-merge-msg ' +
    'for-each-ref format-patch fsck gc grep hash-object help index-pack init interpret-trailers last-modified log ls-files ' +
    'ls-remote ls-tree mailinfo mailsplit maintenance merge-base merge-file merge-tree mktag mktree multi-pack-index mv ' +
    'name-rev notes pack-objects pack-redundant pack-refs patch-id prune prune-packed push range-diff reflog refs remote ' +
    'repack replace replay repo request-pull rev-list rev-parse rm send-email send-pack shortlog show show-branch show-index ' +
    'show-ref stage status stripspace symbolic-ref tag unpack-file unpack-objects update-index update-ref ' +
    'update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree ' +
    'write-tree'
  ).split(' '),
);

function isRewritten(given: GitArguments): boolean {
  const { command, rest } = given;
  const has = (option: RegExp): boolean => rest.some(({ value }) => option.test(value));
  switch (command) {
    case '':
      return false;
    case 'checkout':
    case 'switch':
      return !createsBranch(given);
    case 'reset':
      return has(/^--(h|m|k)/);
    case 'read-tree':
      return has(optionPattern({ letters: 'u' }));
    case 'stash':
      return !/^(list|show|drop|clear|create|store)$/.test(rest[0]?.value ?? '');
    case 'submodule':
      return !/^(|status|summary|init|sync|add|set-url|set-branch)$/.test(rest[0]?.value ?? '');
    case 'lfs':
      return !/^(env|fetch|install|locks|logs|ls-files|prune|push|status|track|untrack|version)$/.test(
        rest[0]?.value ?? '',
      );
    default:
      return !KEEPS.has(command);
  }
}

export function rewritten(given: GitArguments): Touch[] {
  if (!isRewritten(given)) return [];
  const { folder = HERE } = given;
  // After `--`, other commands have commits: `git merge-recursive base -- ours theirs`.
  const isPushed = given.command === 'stash' && /^(push|--)$/.test(given.rest[0]?.value ?? '');
  const hasPaths = isPushed || /^(checkout|restore|checkout-index)$/.test(given.command);
  const scopes = given.isElsewhere || !hasPaths ? undefined : pathsOf(given);
  const touchOf = (word: ShellWord, whole: boolean): Touch => ({
    kind: 'read',
    word,
    stored: createsAnyFile(given) ? 'history' : 'tracked',
    knowledge: 'named',
    rewrites: true,
    whole,
  });
  return scopes?.map((word) => touchOf(inFolder(word, given), false)) ?? [touchOf(folder, true)];
}

/** A patch, or a tree of files by its number, may add files with any names. */
function createsAnyFile({ command, rest }: GitArguments): boolean {
  const onlyShows =
    command === 'apply' &&
    rest.some(({ value }) => /^--(check|stat|numstat|summary)$/.test(value)) &&
    rest.every(({ kind, value }) => kind === 'literal' && !value.startsWith('--ap'));
  return /^(am|apply|checkout-index|quiltimport|read-tree)$/.test(command) && !onlyShows;
}

/** Words before `--` are paths, too: `git restore config -- src`. Only `git checkout` has the name of a commit there. */
function pathsOf(given: GitArguments): readonly ShellWord[] | undefined {
  const behind = scopesOf(given) ?? (takesOnlyPaths(given) ? [] : undefined);
  if (behind === undefined || given.command === 'checkout') return behind;
  const before = splitAtSeparator(given.rest)?.before.filter(({ value }) => !value.startsWith('-')) ?? [];
  const scopes = before.map(scopeOf);
  return scopes.some((scope) => scope === undefined)
    ? undefined
    : behind.concat(scopes.flatMap((scope) => scope ?? []));
}

/** Without `--`, all operands of `git restore` are paths. The value of an option counts as one more. */
function takesOnlyPaths({ command, rest, ignoresCase }: GitArguments): boolean {
  return (
    command === 'restore' &&
    !ignoresCase &&
    rest.some(({ value }) => !value.startsWith('-')) &&
    rest.every(({ kind, value }) => kind !== 'dynamic' && !/^--($|pathspec-f|stdin)/.test(value))
  );
}

/** `git switch -c new` keeps every file. */
function createsBranch({ command, rest }: GitArguments): boolean {
  const options = rest.filter(({ value }) => value.startsWith('-'));
  return (
    /^(checkout|switch)$/.test(command) &&
    options.some(({ value }) => /^(-[bBcC]|--create)$/.test(value)) &&
    // Others may discard changes: `git switch -f -c new`.
    options.every(({ value }) =>
      /^(-[bBcCqt]|--(create|quiet|track|no-track|guess|no-guess))$/.test(value),
    ) &&
    rest.length === options.length + 1
  );
}
