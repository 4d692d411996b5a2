/** Git commands that only read for any operands, and their options that only read. */
import type { ShellWord } from '../command.ts';
import type { Allowed, Arg } from './options.ts';
import { onlyAllowed } from './options.ts';

/** The parts of a command in which a configured program may run. */
export interface GitNeeds {
  /** The command shows differences or annotated lines. */
  readonly diff?: boolean;
  /** The command compares files of the working tree with the index. */
  readonly tree?: boolean;
}

export interface GitReader {
  readonly allowed: Allowed;
  readonly needs: GitNeeds | ((given: readonly Arg[]) => GitNeeds);
}

const words = (text: string): readonly string[] => text.split(' ');

/** Options that select and print commits. None of them shows a difference line by line. */
const COMMITS: Allowed = {
  short: 'isgEFzqMCD',
  valued: 'n',
  numbers: true,
  long: words(
    'oneline decorate no-decorate decorate-refs decorate-refs-exclude clear-decorations graph no-graph stat shortstat numstat ' +
      'dirstat compact-summary summary name-only name-status no-patch raw all branches tags remotes glob exclude merges ' +
      'no-merges min-parents max-parents first-parent reverse follow no-follow since until after before since-as-filter ' +
      'author committer grep grep-reflog all-match invert-grep regexp-ignore-case fixed-strings extended-regexp ' +
      'basic-regexp perl-regexp max-count skip pretty format abbrev-commit no-abbrev-commit abbrev no-abbrev date ' +
      'relative-date topo-order date-order author-date-order color no-color find-renames find-copies no-renames ' +
      'diff-filter full-index exit-code quiet no-ext-diff no-textconv left-right left-only right-only cherry-pick cherry ' +
      'cherry-mark not ancestry-path simplify-by-decoration simplify-merges full-history dense sparse source boundary ' +
      'no-walk relative no-relative no-prefix count notes show-notes no-notes no-show-signature parents children show-pulls ' +
      'walk-reflogs reflog ignore-missing use-mailmap no-use-mailmap mailmap no-mailmap encoding no-expand-tabs ' +
      'ignore-submodules end-of-options null',
  ),
};

/** Without --output, --ext-diff, --textconv, --show-signature, --submodule, --remerge-diff and --alternate-refs. */
export const HISTORY: Allowed = {
  short: 'psuiEFgzwbBMCDatcRqPmvW',
  valued: 'UnSGLl',
  numbers: true,
  long: [
    ...(COMMITS.long ?? []),
    ...words(
      'patch patch-with-stat patch-with-raw cached staged merge-base word-diff word-diff-regex color-words unified ' +
        'ignore-all-space ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines ' +
        'ignore-matching-lines check minimal patience histogram diff-algorithm anchored function-context ' +
        'inter-hunk-context pickaxe-regex pickaxe-all find-object find-copies-harder break-rewrites cc text binary ' +
        'color-moved no-color-moved color-moved-ws indent-heuristic no-indent-heuristic src-prefix dst-prefix ' +
        'default-prefix line-prefix ws-error-highlight irreversible-delete',
    ),
  ],
};

const PLUMBING: Allowed = {
  ...HISTORY,
  short: `${HISTORY.short}r`,
  long: [...(HISTORY.long ?? []), 'no-commit-id', 'root', 'always'],
};

const NOTHING: GitNeeds = {};

/** By default commits are listed and not compared. */
export const showsHistory = (given: readonly Arg[]): GitNeeds =>
  onlyAllowed(given, COMMITS) ? NOTHING : { diff: true };

/** Returns true if a log with these words lists only commits and file names, and no lines of files. */
export function listsOnlyCommits(words: readonly ShellWord[]): boolean {
  const args = words.map(({ kind, value }) => ({ value, exact: kind === 'literal' }));
  return words.every(({ kind }) => kind !== 'dynamic') && onlyAllowed(args, COMMITS);
}

export const READERS: ReadonlyMap<string, GitReader> = new Map<string, GitReader>([
  ['log', { allowed: HISTORY, needs: showsHistory }],
  ['show', { allowed: HISTORY, needs: { diff: true } }],
  [
    'diff',
    {
      allowed: { ...HISTORY, long: [...(HISTORY.long ?? []), 'no-index'] },
      needs: { diff: true, tree: true },
    },
  ],
  ['diff-tree', { allowed: PLUMBING, needs: { diff: true } }],
  ['diff-index', { allowed: PLUMBING, needs: { diff: true, tree: true } }],
  ['diff-files', { allowed: PLUMBING, needs: { diff: true, tree: true } }],
  ['rev-list', { allowed: { ...HISTORY, long: [...(HISTORY.long ?? []), 'objects'] }, needs: showsHistory }],
  ['shortlog', { allowed: { ...HISTORY, short: 'sneqzc', valued: 'w' }, needs: NOTHING }],
  [
    'status',
    {
      allowed: {
        short: 'sbvz',
        valued: 'u',
        long: words(
          'short branch show-stash porcelain long verbose untracked-files ignored ahead-behind no-ahead-behind renames ' +
            'no-renames find-renames column no-column null ignore-submodules',
        ),
      },
      needs: { diff: true, tree: true },
    },
  ],
  [
    'blame',
    {
      allowed: {
        short: 'bcefkltnpsw',
        valued: 'LMCS',
        long: words(
          'root show-stats porcelain line-porcelain incremental date abbrev show-email show-name show-number ignore-rev ' +
            'first-parent since color-lines color-by-age minimal',
        ),
      },
      needs: { diff: true, tree: true },
    },
  ],
  [
    'ls-files',
    {
      allowed: {
        short: 'cdmokstuvz',
        valued: 'xX',
        long: words(
          'cached deleted modified others ignored stage unmerged killed exclude exclude-standard full-name error-unmatch ' +
            'abbrev directory eol deduplicate format',
        ),
      },
      needs: { tree: true },
    },
  ],
  [
    'ls-tree',
    {
      allowed: {
        short: 'drtlz',
        long: words('long name-only name-status object-only full-name full-tree abbrev format'),
      },
      needs: NOTHING,
    },
  ],
  ['cat-file', { allowed: { short: 'etsp', long: [] }, needs: NOTHING }],
  [
    'rev-parse',
    {
      allowed: {
        long: words(
          'show-toplevel git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository ' +
            'is-shallow-repository show-prefix show-cdup abbrev-ref short verify symbolic-full-name all branches tags remotes ' +
            'show-superproject-working-tree show-object-format quiet',
        ),
        short: 'q',
      },
      needs: NOTHING,
    },
  ],
  [
    'describe',
    {
      allowed: {
        long: words('all tags contains abbrev long always exact-match match exclude first-parent candidates'),
      },
      needs: NOTHING,
    },
  ],
  [
    'for-each-ref',
    {
      allowed: {
        long: words('count sort format points-at merged no-merged contains no-contains ignore-case exclude'),
      },
      needs: NOTHING,
    },
  ],
  [
    'show-ref',
    {
      allowed: { short: 'dqs', long: words('heads tags branches head dereference hash verify abbrev quiet') },
      needs: NOTHING,
    },
  ],
  [
    'merge-base',
    {
      allowed: { short: 'a', long: words('all octopus independent is-ancestor fork-point') },
      needs: NOTHING,
    },
  ],
  ['name-rev', { allowed: { long: words('tags refs all name-only always') }, needs: NOTHING }],
  ['cherry', { allowed: { short: 'v', long: ['verbose', 'abbrev'] }, needs: { diff: true } }],
  [
    'check-ignore',
    { allowed: { short: 'qvnz', long: words('quiet verbose non-matching no-index') }, needs: NOTHING },
  ],
  ['check-attr', { allowed: { short: 'az', long: ['all', 'cached'] }, needs: NOTHING }],
  // With a second name the command writes.
  ['symbolic-ref', { allowed: { short: 'q', long: ['quiet', 'short'], operands: 1 }, needs: NOTHING }],
  ['count-objects', { allowed: { short: 'vH', long: ['verbose', 'human-readable'] }, needs: NOTHING }],
  // Without -O and --open-files-in-pager, and without --textconv and --recurse-submodules.
  [
    'grep',
    {
      allowed: {
        short: 'aIiwvEGPFnLlzoqcpWhH',
        valued: 'ABCefm',
        numbers: true,
        long: words(
          'cached untracked no-index text ignore-case word-regexp invert-match extended-regexp basic-regexp perl-regexp ' +
            'fixed-strings line-number column files-with-matches name-only files-without-match count heading break ' +
            'show-function function-context context after-context before-context max-depth max-count only-matching and or ' +
            'not all-match color no-color full-name null quiet threads',
        ),
      },
      needs: NOTHING,
    },
  ],
]);
