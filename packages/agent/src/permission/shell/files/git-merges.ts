/**
 * Git commands that merge changes. Git recognizes renamed files by their contents, so a merge may put the present lines of a file
 * into another one: a commit that moved `a` to `b` changes `b`, and gets the lines of `a`.
 */
import type { GitArguments } from './git-arguments.ts';
import { HERE, type Touch } from './touch.ts';
import { optionPattern } from '../short-options.ts';

/** They replace tracked files, and never by the lines of another one. */
const KEEPS_NAMES =
  /^(apply|bisect|checkout-index|citool|difftool|gui|lfs|mergetool|quiltimport|read-tree|rerere|reset|restore|sparse-checkout|submodule)$/;

/** `git checkout -m` and `git switch -m` merge the changes of the working tree into the other branch. */
const MERGES_CHANGES: ReadonlyMap<string, RegExp> = new Map([
  ['checkout', optionPattern({ letters: 'm', valued: 'bB', long: 'm|conf' })],
  ['switch', optionPattern({ letters: 'm', valued: 'cC', long: 'm|conf' })],
]);

/** They end a merge, show its state, or continue one that was decided on, with the options that it had. */
const OF_STARTED = /^--(abort|quit|show-current-patch|edit-todo|continue|skip)$/;
const OPTION_OF_RENAMES = /renames|threshold/;

/** Returns the contents that a merge may put into files with other names. `isRewritten`: the command may change tracked files. */
export function mergedContents(given: GitArguments, isRewritten: boolean): readonly Touch[] {
  if (!mayMerge(given, isRewritten) || isWithoutRenames(given)) return [];
  const touchIf = (more: Pick<Touch, 'setting'>): Touch =>
    Object.assign(
      { kind: 'read', word: given.folder ?? HERE, stored: 'tracked', whole: true } as const,
      more,
    );
  // It only moves the branch forward. Then it merges changes of the working tree if a setting stores them before.
  if (isForward(given))
    return [touchIf({ setting: 'merge.autostash' }), touchIf({ setting: 'rebase.autostash' })];
  return [touchIf({})];
}

function mayMerge({ command, rest }: GitArguments, isRewritten: boolean): boolean {
  const has = (option: RegExp): boolean => rest.some(({ value }) => option.test(value));
  if (command === 'replay') return true;
  if (command === 'subtree') return has(/^(merge|pull|add|split)$/) || rest.some(isUnknown);
  if (!isRewritten || KEEPS_NAMES.test(command)) return false;
  const option = MERGES_CHANGES.get(command);
  if (option) return has(option) || rest.some((word) => isUnknown(word) && !/^[^-]/.test(word.begins));
  if (command === 'stash') return !/^(push|save|-.*)?$/s.test(rest[0]?.value ?? '');
  const [first] = rest;
  return !(rest.length === 1 && first?.kind === 'literal' && OF_STARTED.test(first.value));
}

function isUnknown({ kind }: { readonly kind: string }): boolean {
  return kind === 'dynamic' || kind === 'pattern';
}

/** Returns whether an option turns the search for renames off, and no other one turns it on again. */
function isWithoutRenames({ command, rest }: GitArguments): boolean {
  if (!/^(merge|pull|rebase|cherry-pick|revert)$/.test(command) || rest.some(isUnknown)) return false;
  const about = rest.filter(({ value }) => OPTION_OF_RENAMES.test(value));
  const isOff = about.every(({ value }) => {
    const at = rest.findIndex((word) => word.value === value);
    const isAttached = /^(-X|--strategy-option=)no-renames$/.test(value);
    return (
      isAttached || (value === 'no-renames' && /^(-X|--strategy-option)$/.test(rest[at - 1]?.value ?? ''))
    );
  });
  // Git stores the changes of the working tree before, and merges them without this option.
  const isStored = rest.some(({ value }) => value.startsWith('--aut'));
  return about.length > 0 && isOff && !isStored;
}

/** Returns whether the command only moves the branch forward, or fails. */
function isForward({ command, rest }: GitArguments): boolean {
  const choices = rest.filter(({ value }) => /^--(no-)?(f|r|squ|aut)|^-(?!-)\w*r/.test(value));
  return (
    /^(merge|pull)$/.test(command) &&
    !rest.some(isUnknown) &&
    choices.length > 0 &&
    choices.every(({ value }) => value === '--ff-only')
  );
}
