/**
 * `git` runs programs that a repository's configuration names: diff drivers, filters, a file monitor, a signature checker, the
 * transport that fetches missing objects. So only few forms are harmless by their arguments; the others are when nothing of
 * the kind is configured, which is for the caller to find out.
 */
import type { GitFacts } from '../git-facts.ts';
import { type Allowed, type Arg, isName, onlyAllowed } from './options.ts';

export function isReadOnlyGit(args: readonly Arg[], facts: GitFacts | undefined): boolean {
  // A glob can become names of files, never an option or a command.
  if (!args.every((arg) => arg.exact || isName(arg))) return false;
  const values = args.map(({ value }) => value);
  const [option] = values;
  if (values.length === 1 && (option === '--version' || option === 'version')) return true;
  const start = values.findIndex((value) => !GLOBAL.has(value));
  if (start < 0 || !args[start]?.exact) return false;
  const [command = '', ...rest] = values.slice(start);
  const given = args.slice(start + 1);
  if (given.every(({ exact }) => exact) && asksNothing(command, rest)) return true;
  if (facts === undefined || facts.helpers.length > 0 || facts.submodules) return false;
  // A signature is checked by a program of its own.
  if (rest.some((value) => /%G|signature/.test(value) && value !== '--no-show-signature')) return false;
  const allowed = READING.get(command);
  return (allowed !== undefined && onlyAllowed(given, allowed)) || (LISTING.get(command)?.(given) ?? false);
}

/** `-c`, `-C`, `--git-dir` and `--exec-path` would change what was found out. */
const GLOBAL: ReadonlySet<string> = new Set(['--no-pager', '--no-optional-locks', '--literal-pathspecs']);

/** Reads names and settings only: no index, no object, no driver. */
function asksNothing(command: string, args: readonly string[]): boolean {
  switch (command) {
    case 'rev-parse':
      return args.length > 0 && args.every((arg) => arg === 'HEAD' || REV_PARSE.has(arg));
    case 'branch':
      return args.length === 1 && args[0] === '--show-current';
    case 'remote':
      return args.length === 0 || (args.length === 1 && (args[0] === '-v' || args[0] === '--verbose'));
    case 'config': {
      const [action, key, ...more] = args;
      // Older versions take `list` and `get` for names of settings, and say that they are none.
      if (action === '--list' || action === '-l' || action === 'list') return key === undefined;
      // With a dot it is the name of a setting and no action.
      if (args.length === 1 && action !== undefined && /^\w[\w-]*\.[\w.-]+$/.test(action)) return true;
      return (
        (action === '--get' || action === '--get-all' || action === 'get') &&
        key !== undefined &&
        !key.startsWith('-') &&
        more.length === 0
      );
    }
    default:
      return false;
  }
}

const REV_PARSE: ReadonlySet<string> = new Set(
  '--show-toplevel --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-bare-repository --show-prefix --show-cdup --abbrev-ref --short --verify --symbolic-full-name'.split(
    ' ',
  ),
);

/** Without --output, --ext-diff, --textconv, --show-signature and everything else that is not known to only print. */
const HISTORY: Allowed = {
  short: 'psuiEFgzwbBMCDatcRqPmv',
  valued: 'UnSGL',
  numbers: true,
  long: (
    'oneline decorate no-decorate graph stat shortstat numstat dirstat compact-summary summary name-only name-status patch no-patch raw ' +
    'all branches tags remotes merges no-merges first-parent reverse follow since until after before author committer grep ' +
    'all-match invert-grep regexp-ignore-case fixed-strings max-count skip pretty format abbrev-commit no-abbrev-commit abbrev date ' +
    'relative-date topo-order date-order author-date-order cached staged merge-base color no-color word-diff color-words unified ' +
    'ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines find-renames find-copies no-renames diff-filter ' +
    'full-index check exit-code quiet no-ext-diff no-textconv minimal patience histogram diff-algorithm left-right cherry-pick ' +
    'cherry cherry-mark not ancestry-path simplify-by-decoration full-history source boundary no-walk function-context ' +
    'inter-hunk-context relative no-prefix pickaxe-regex pickaxe-all count no-notes no-show-signature'
  ).split(' '),
};

const PLUMBING: Allowed = {
  ...HISTORY,
  short: `${HISTORY.short}r`,
  long: [...(HISTORY.long ?? []), 'no-commit-id', 'root', 'always'],
};

const READING: ReadonlyMap<string, Allowed> = new Map<string, Allowed>([
  ['log', HISTORY],
  ['show', HISTORY],
  ['diff', { ...HISTORY, long: [...(HISTORY.long ?? []), 'no-index'] }],
  ['diff-tree', PLUMBING],
  ['diff-index', PLUMBING],
  ['diff-files', PLUMBING],
  ['rev-list', HISTORY],
  ['shortlog', { ...HISTORY, short: 'sneqz', valued: 'w' }],
  [
    'status',
    {
      short: 'sbvz',
      valued: 'u',
      long: 'short branch show-stash porcelain long verbose untracked-files ignored ahead-behind no-ahead-behind renames no-renames'.split(
        ' ',
      ),
    },
  ],
  [
    'blame',
    {
      short: 'bcefkltnpsw',
      valued: 'LMCS',
      long: 'root show-stats porcelain line-porcelain incremental date abbrev show-email show-name show-number ignore-rev first-parent since color-lines'.split(
        ' ',
      ),
    },
  ],
  [
    'ls-files',
    {
      short: 'cdmokstuvz',
      valued: 'xX',
      long: 'cached deleted modified others ignored stage unmerged killed exclude exclude-standard full-name error-unmatch abbrev directory eol'.split(
        ' ',
      ),
    },
  ],
  [
    'ls-tree',
    {
      short: 'drtlz',
      long: 'long name-only name-status object-only full-name full-tree abbrev format'.split(' '),
    },
  ],
  ['cat-file', { short: 'etsp', long: [] }],
  ['rev-parse', { long: [...REV_PARSE].map((option) => option.slice(2)) }],
  [
    'describe',
    { long: 'all tags contains abbrev long always exact-match match exclude first-parent'.split(' ') },
  ],
  [
    'for-each-ref',
    { long: 'count sort format points-at merged no-merged contains no-contains ignore-case'.split(' ') },
  ],
  [
    'show-ref',
    { short: 'dqs', long: 'heads tags branches head dereference hash verify abbrev quiet'.split(' ') },
  ],
  ['merge-base', { short: 'a', long: 'all octopus independent is-ancestor fork-point'.split(' ') }],
  ['name-rev', { long: 'tags refs all name-only always'.split(' ') }],
  ['cherry', { short: 'v', long: ['verbose', 'abbrev'] }],
  ['check-ignore', { short: 'qvnz', long: 'quiet verbose non-matching no-index'.split(' ') }],
  ['var', { short: 'l' }],
  // A second name would be written.
  ['symbolic-ref', { short: 'q', long: ['quiet', 'short'], operands: 1 }],
  ['count-objects', { short: 'vH', long: ['verbose', 'human-readable'] }],
  // Without -O, which opens a pager.
  [
    'grep',
    {
      short: 'aIiwvEGPFnLlzoqcpWhH',
      valued: 'ABCefm',
      numbers: true,
      long: 'cached untracked no-index text ignore-case word-regexp invert-match extended-regexp perl-regexp fixed-strings line-number files-with-matches name-only files-without-match count heading break show-function context after-context before-context max-depth only-matching and or not'.split(
        ' ',
      ),
    },
  ],
]);

/** Commands that also change things: only the forms that list. */
const LISTING: ReadonlyMap<string, (args: readonly Arg[]) => boolean> = new Map([
  [
    'branch',
    (args) =>
      lists(args, /^--(list|contains|no-contains|merged|no-merged|points-at)(=|$)/, {
        short: 'arvi',
        long: 'list all remotes verbose contains no-contains merged no-merged points-at sort format color no-color column ignore-case abbrev'.split(
          ' ',
        ),
      }),
  ],
  [
    'tag',
    (args) =>
      lists(args, /^(-l|-n\d*|--(list|contains|no-contains|merged|no-merged|points-at)(=.*)?)$/, {
        short: 'li',
        valued: 'n',
        long: 'list contains no-contains merged no-merged points-at sort format color column ignore-case'.split(
          ' ',
        ),
      }),
  ],
  ['stash', ([action, ...args]) => isOne(action, 'list', 'show') && onlyAllowed(args, HISTORY)],
  [
    'reflog',
    (args) => {
      const [action, ...rest] = args;
      const isBare = action === undefined || (action.exact && action.value.startsWith('-'));
      return (isBare || isOne(action, 'show')) && onlyAllowed(isBare ? args : rest, HISTORY);
    },
  ],
  [
    'worktree',
    ([action, ...args]) =>
      isOne(action, 'list') &&
      onlyAllowed(args, { short: 'vz', long: ['porcelain', 'verbose'], operands: 0 }),
  ],
  ['remote', ([action, ...args]) => isOne(action, 'get-url') && onlyAllowed(args, { long: ['all', 'push'] })],
]);

function isOne(action: Arg | undefined, ...names: readonly string[]): boolean {
  return action?.exact === true && names.includes(action.value);
}

/** A name beside them would be created, unless an option says that names are patterns. */
function lists(args: readonly Arg[], listing: RegExp, allowed: Allowed): boolean {
  const says = args.some(({ value, exact }) => exact && listing.test(value));
  return onlyAllowed(args, says ? allowed : { ...allowed, operands: 0 });
}
