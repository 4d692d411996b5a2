/** Git commands that write stored contents into files: in the working tree, or as copies that no rule finds. */
import type { ShellWord } from '@heddle/tools/shell';
import { type GitArguments, gitArguments, inFolder, splitAtSeparator } from './git-arguments.ts';
import { scopeOf, scopesOf } from './git-contents.ts';
import { hasHarmlessSettings } from './git-settings.ts';
import { argumentsOf } from './operands.ts';
import { HERE, partOfWord, type Touch, unknownWord } from './touch.ts';

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
  const read = sources.map((source): Touch => {
    const word = inFolder(source.word, given);
    // The word may also be the target.
    const known: Touch = { kind: 'read', word, stored: 'history', whole: true, knowledge: 'named' };
    return source.isSure ? known : Object.assign(known, { within: word });
  });
  return TAKES.test(command) || !isSure ? read : [...read, whole];
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
  if (/^[a-z]+::|^file:.*%/i.test(value)) return [unknown];
  const place = partOfWord(word, value.replace(/^file:(?:\/\/(?:localhost)?)?/i, ''));
  return [{ word: place, isSure: isClone || place.value.includes('/') || word.kind !== 'literal' }];
}

/** An object by its number. It can be a folder or a file, which gets another name. */
const NUMBER = /^[\da-f]{4,64}$/i;

const TAKES_REFSPECS = /^(push|fetch|pull|send-pack|fetch-pack)$/;
const NUMBERED_REFSPEC = /^\+?(?:[\da-f]{4,64}|[^:]*\^\{[^:]*):/i;

/** Settings that name another working tree or repository. */
const MOVES_REPOSITORY = /^(core\.(worktree|bare)|(remote|url|include|includeif|submodule)\..*)$/is;

/** Returns whether stored files get other names in the working tree, the index, a commit or a note. */
function movesNames({ command, rest }: GitArguments): boolean {
  const has = (option: RegExp): boolean => rest.some(({ value }) => option.test(value));
  const operands = rest.filter(({ value }) => !value.startsWith('-') && value !== 'set');
  const given = rest.map(({ value }) => value.replace(/^(?:-s|--so[a-z]*=)/, ''));
  const isNumbered = given.some((value) => NUMBER.test(value) || value.includes('^{'));
  // An object by its number gets a name: `git push . 1a2b3c:refs/tags/x`.
  if (TAKES_REFSPECS.test(command) && given.some((value) => NUMBERED_REFSPEC.test(value))) return true;
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
    case 'checkout':
    case 'restore':
      return isNumbered && !has(/^(-[bB]|--orphan)$/) && (command === 'restore' || operands.length > 1);
    case 'reset':
      return isNumbered && !has(/^--(h|s|k|me)/);
    case 'tag':
    case 'update-ref':
    case 'replace':
      return isNumbered;
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
      return has(/^-\w*u/);
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
    stored: 'tracked',
    knowledge: 'named',
    rewrites: true,
    whole,
  });
  return scopes?.map((word) => touchOf(inFolder(word, given), false)) ?? [touchOf(folder, true)];
}

/** Words before `--` are paths, too: `git restore config -- src`. Only `git checkout` has the name of a commit there. */
function pathsOf(given: GitArguments): readonly ShellWord[] | undefined {
  const behind = scopesOf(given);
  if (behind === undefined || given.command === 'checkout') return behind;
  const before = splitAtSeparator(given.rest)?.before.filter(({ value }) => !value.startsWith('-')) ?? [];
  const scopes = before.map(scopeOf);
  return scopes.some((scope) => scope === undefined)
    ? undefined
    : behind.concat(scopes.flatMap((scope) => scope ?? []));
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
