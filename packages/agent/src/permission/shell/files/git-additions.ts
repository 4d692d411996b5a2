/** Git commands that store files of the working tree: `git add`, `git commit -a`, `git stash`. A push then sends them away. */
import type { ShellWord } from '@heddle/tools/shell';
import { optionPattern } from '../short-options.ts';
import { type GitArguments, gitArguments } from './git-arguments.ts';
import { hasHarmlessSettings } from './git-settings.ts';
import { argumentsOf } from './operands.ts';
import { type Addition, HERE, type Touch, touch, unknownWord } from './touch.ts';

export function addedFiles(args: readonly ShellWord[]): Touch[] {
  const given = gitArguments(args);
  const found = additionOf(given);
  if (found === undefined) return [];
  // They may name another working tree, or other files of ignored names.
  if (given.isElsewhere || !hasHarmlessSettings(args))
    return [touch('read', unknownWord('another working tree'))];
  // With such names, a sign before a path has no meaning.
  const isLiteral = args.some(({ value }) => value.startsWith('--literal-p'));
  const pathspecs = isLiteral
    ? found.pathspecs?.filter(({ value }) => !value.startsWith(':'))
    : found.pathspecs;
  const adds: Addition = {
    untracked: found.untracked,
    pathspecs: pathspecs?.some(isUnknown) === true ? undefined : pathspecs,
    ignoresCase: given.ignoresCase,
  };
  return [touch('read', given.folder ?? HERE, undefined, { adds })];
}

type Found = Omit<Addition, 'ignoresCase'>;

function isUnknown({ kind }: ShellWord): boolean {
  return kind === 'dynamic';
}

function additionOf({ command, rest }: GitArguments): Found | undefined {
  const end = rest.findIndex(({ value }) => value === '--');
  const options = (end < 0 ? rest : rest.slice(0, end)).filter(
    ({ kind, value }) => kind === 'dynamic' || value.startsWith('-'),
  );
  const has = (option: RegExp): boolean => options.some(({ value }) => option.test(value));
  // An unknown word may be any option.
  const isOpen = options.some(({ kind, begins }) => kind === 'dynamic' && !/^[^-]/.test(begins));
  const isListed = has(/^--path/);
  switch (command) {
    case 'add':
    case 'stage': {
      const names = namesOf(rest);
      const isDry = has(optionPattern({ letters: 'n', valued: 'U', long: 'd' })) && !has(/^--no/);
      if (isDry && !isOpen) return undefined;
      const isForced =
        (isOpen && rest.length > 1) || has(optionPattern({ letters: 'f', valued: 'U', long: 'f' }));
      const isUpdate =
        !isOpen && has(optionPattern({ letters: 'u', valued: 'U', long: 'up' })) && !has(/^--no/);
      return {
        untracked: isUpdate ? 'none' : isForced ? 'all' : 'shown',
        pathspecs: isListed || names.length === 0 ? undefined : names,
      };
    }
    case 'commit':
      return committed(rest, { has, isOpen, isListed });
    case 'update-index':
      return has(optionPattern({ letters: 'g', long: 'ag' }))
        ? { untracked: 'none', pathspecs: undefined }
        : undefined;
    case 'stash': {
      const [action, ...others] = argumentsOf(rest, ['-m', '--message']).operands;
      if (/^(list|show|drop|clear|store|pop|apply|branch|export|import)$/.test(action?.value ?? ''))
        return undefined;
      const isAll = isOpen || has(optionPattern({ letters: 'a', valued: 'm', long: 'a' }));
      const isUntracked = has(optionPattern({ letters: 'u', valued: 'm', long: 'i' }));
      const names = action?.value === 'push' ? others : [];
      const isNamed = !isListed && !isOpen && names.length > 0;
      return {
        untracked: isAll ? 'all' : isUntracked ? 'shown' : 'none',
        pathspecs: isNamed ? names : undefined,
      };
    }
    default:
      return undefined;
  }
}

/** Options of `git commit` that take the next word. */
const COMMIT_VALUED =
  '-m -F -C -c -t --message --file --reuse-message --reedit-message --template --author --date --fixup --squash --trailer --cleanup'.split(
    ' ',
  );

interface Options {
  readonly has: (option: RegExp) => boolean;
  readonly isOpen: boolean;
  readonly isListed: boolean;
}

function committed(rest: readonly ShellWord[], { has, isOpen, isListed }: Options): Found | undefined {
  const isInteractive = has(/^--int/);
  const isWhole =
    isOpen ||
    isListed ||
    isInteractive ||
    has(optionPattern({ letters: 'ap', valued: 'mFCctuS', long: 'all$|patc' }));
  // The rest of such a word is its value, and it may look like an option with a value.
  const names = has(/^-[^-]*[uS]./) ? namesOf(rest) : argumentsOf(rest, COMMIT_VALUED).operands;
  if (!isWhole && names.length === 0) return undefined;
  return { untracked: isInteractive ? 'shown' : 'none', pathspecs: isWhole ? undefined : names };
}

/** The value of an option counts as one more. */
function namesOf(rest: readonly ShellWord[]): readonly ShellWord[] {
  const end = rest.findIndex(({ value }) => value === '--');
  return rest.filter(
    ({ kind, value }, at) =>
      at !== end && ((end >= 0 && at > end) || kind === 'dynamic' || !value.startsWith('-')),
  );
}
