/**
 * The forms of git commands whose output is known: which options they have, and what they print. If a rule restricts
 * reading, any other form asks. Commands that print contents are also checked against the files that git stores.
 */
import type { GitFacts, ShellWord } from '@heddle/tools/shell';
import type { PermissionWorld } from '../../world.ts';
import type { Folders } from '../shell-state.ts';
import { type GitArguments, gitArguments } from './git-arguments.ts';
import { parseGitGrep } from './git-contents.ts';
import { printsSettings } from './git-settings.ts';

interface GitForm {
  /** Whole words that are options, with their attached values. */
  readonly options: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  /** Words before `--` that are not options. Without one, there may be none. */
  readonly operands?: RegExp;
  /** It prints messages or contents of objects, which a note or a replacement may extend. */
  readonly printsObjects?: boolean;
}

const option = (...names: readonly string[]): RegExp => new RegExp(`^(${names.join('|')})$`, 's');

/** A branch, a tag or a commit, with its ancestors, or a range of these. */
const REVISION = /^[\w@][\w./@~^{}-]*$/;
const NAME = /^[\w@.*?[\]/-]+$/;
const ANY = /^[^-]/s;
/** The properties of a commit that a format may print. Notes, signatures and contents are not among them. */
const PLACEHOLDER = String.raw`%(?:[HhTtPpsSfbBdDnm%]|a[nNeEdDrtiIs]|c[nNeEdDrtiIs]|g[dDs]|x[\da-fA-F]{2}|C(?:red|green|blue|reset|\([\w, ]+\)))`;
const FORMAT = `(?:--(?:format|pretty)=(?:t?format:)?(?:[^%]|${PLACEHOLDER})*|--oneline)`;
const REF_FORMAT = String.raw`--format=(?:[^%]|%(?:%|\((?:refname|objectname|upstream|push|HEAD|objecttype|committerdate|authordate|creatordate|taggerdate|authorname|committername)(?:[:=][\w:=-]+)?\)))*`;
const DATE = String.raw`--date=[\w:% /-]+`;
const REF_SORT = String.raw`--sort=-?(?:(?:version|v):)?(?:refname|committerdate|authordate|creatordate|taggerdate|objectname|HEAD)`;
const COLOR = '--(?:no-)?color|--color=(?:always|never|auto)';
const SUMMARY =
  '--(?:stat|shortstat|numstat|summary|compact-summary|name-only|name-status|no-patch)|--stat=[\\d,]+|-s';
const COMMITS = String.raw`-\d+|-n\d+|-i|--max-count=\d+|--skip=\d+|--(?:graph|all|branches|tags|remotes|merges|no-merges|first-parent|reverse|follow|no-notes|abbrev-commit|no-abbrev-commit|topo-order|date-order|decorate|no-decorate|left-right|cherry-pick|regexp-ignore-case|all-match|invert-grep|relative-date|no-renames|boundary|full-history)|--decorate=(?:short|full|auto|no)|--(?:since|until|after|before|author|committer|grep)=.*|--abbrev=\d+|--diff-filter=[A-Za-z]+`;
const LINES = String.raw`-[pwbu]|-U\d+|--unified=\d+|--(?:patch|word-diff|minimal|patience|histogram|ignore-all-space|ignore-space-change|ignore-space-at-eol|ignore-blank-lines|no-ext-diff|no-textconv|no-prefix|exit-code|quiet|cached|staged|function-context|check)|--word-diff=(?:plain|color|porcelain)`;
const LISTED =
  '-[arvil]+|--(?:list|all|remotes|verbose|ignore-case|no-column|show-current)|--(?:contains|no-contains|merged|no-merged|points-at)=[\\w./@~^-]+';
const LOG_VALUES = /^(-n|--(max-count|since|until|after|before|author|committer|grep))$/;

/** The commands of git that are allowed beside a rule about reading. */
const FORMS: ReadonlyMap<string, GitForm> = new Map<string, GitForm>([
  [
    'status',
    {
      options: option(
        '-[sbz]+|-u(?:no|all|normal)?|--(?:short|branch|long|porcelain|null|show-stash|ahead-behind|no-ahead-behind|renames|no-renames|column|no-column|ignored)',
        '--porcelain=(?:v1|v2|1|2)|--untracked-files(?:=(?:no|all|normal))?|--ignored=\\w+|--ignore-submodules(?:=\\w+)?',
      ),
      operands: ANY,
    },
  ],
  [
    'log',
    {
      options: option(FORMAT, COMMITS, SUMMARY, COLOR, DATE, LINES),
      valued: LOG_VALUES,
      operands: REVISION,
      printsObjects: true,
    },
  ],
  [
    'shortlog',
    {
      options: option('-[snec]+|--(?:summary|numbered|email|all|no-merges)|--(?:since|until)=.*'),
      operands: REVISION,
    },
  ],
  [
    'rev-list',
    {
      options: option(
        '--(?:count|all|no-merges|merges|first-parent|left-right|branches|tags|remotes)|--max-count=\\d+|-\\d+|-n\\d+|--(?:since|until|author)=.*',
      ),
      valued: /^-n$/,
      operands: REVISION,
    },
  ],
  [
    'reflog',
    {
      options: option(COMMITS, COLOR, DATE, '--oneline'),
      valued: /^-n$/,
      operands: REVISION,
      printsObjects: true,
    },
  ],
  [
    'show',
    {
      options: option(
        FORMAT,
        SUMMARY,
        COLOR,
        DATE,
        LINES,
        '--(?:no-notes|first-parent|abbrev-commit|no-renames|decorate|no-decorate)',
      ),
      operands: /^[\w@][\w./@~^{}:-]*$/,
      printsObjects: true,
    },
  ],
  [
    'diff',
    {
      options: option(
        SUMMARY,
        COLOR,
        LINES,
        '-[MC]\\d*|--(?:no-renames|find-renames|merge-base)|--diff-filter=[A-Za-z]+',
      ),
      operands: ANY,
      printsObjects: true,
    },
  ],
  [
    'blame',
    {
      options: option(
        '-[bcefklnsw]+|-L[\\w,/+-]+|--(?:porcelain|line-porcelain|show-email|show-name|show-number|root|first-parent|no-color)',
        DATE,
      ),
      valued: /^-L$/,
      operands: ANY,
      printsObjects: true,
    },
  ],
  // Its options are in a table of their own.
  ['grep', { options: /^-/, operands: /^/, printsObjects: true }],
  [
    'branch',
    {
      options: option(LISTED, COLOR, REF_FORMAT, REF_SORT),
      valued: /^--(contains|no-contains|merged|no-merged|points-at)$/,
      operands: NAME,
    },
  ],
  [
    'tag',
    {
      options: option(LISTED, COLOR, REF_FORMAT, REF_SORT),
      valued: /^--(contains|no-contains|merged|no-merged|points-at)$/,
      operands: NAME,
    },
  ],
  [
    'for-each-ref',
    {
      options: option(
        REF_FORMAT,
        REF_SORT,
        '--count=\\d+|--(?:contains|merged|no-merged|points-at)=[\\w./@~^-]+',
      ),
      operands: NAME,
    },
  ],
  ['show-ref', { options: option('-[sdq]+|--(?:heads|tags|head|hash|abbrev|quiet|verify)'), operands: NAME }],
  [
    'rev-parse',
    {
      options: option(
        '--(?:show-toplevel|git-dir|absolute-git-dir|git-common-dir|is-inside-work-tree|is-inside-git-dir|is-bare-repository|is-shallow-repository|show-prefix|show-cdup|abbrev-ref|short|verify|symbolic-full-name|all|branches|tags|remotes|quiet)|--short=\\d+|-q',
      ),
      operands: REVISION,
    },
  ],
  [
    'ls-files',
    {
      options: option(
        '-[cdmosktuvz]+|--(?:cached|deleted|modified|others|ignored|stage|unmerged|killed|exclude-standard|full-name|error-unmatch|directory|eol|deduplicate|abbrev)',
      ),
      operands: ANY,
    },
  ],
  [
    'ls-tree',
    {
      options: option('-[drtlz]+|--(?:long|name-only|name-status|object-only|full-name|full-tree|abbrev)'),
      operands: ANY,
    },
  ],
  [
    'describe',
    {
      options: option(
        '--(?:all|tags|contains|long|always|exact-match|first-parent|dirty)|--abbrev=\\d+|--(?:match|exclude)=[\\w.*?-]+',
      ),
      operands: REVISION,
    },
  ],
  ['merge-base', { options: option('-a|--(?:all|octopus|is-ancestor|fork-point)'), operands: REVISION }],
  ['name-rev', { options: option('--(?:tags|name-only|always)'), operands: REVISION }],
  ['symbolic-ref', { options: option('-q|--(?:quiet|short)'), operands: REVISION }],
  ['count-objects', { options: option('-[vH]+|--(?:verbose|human-readable)') }],
  ['check-ignore', { options: option('-[qvn]+|--(?:quiet|verbose|non-matching)'), operands: ANY }],
  ['cat-file', { options: option('-[tsep]'), operands: /^[\w@][\w./@~^{}:-]*$/, printsObjects: true }],
  [
    'stash',
    {
      options: option(SUMMARY, COLOR, DATE, '--oneline', '--no-notes'),
      operands: /^(list|show|stash@\{\d+\}|\d+)$/,
      printsObjects: true,
    },
  ],
  ['worktree', { options: option('-[v]|--(?:porcelain|verbose)'), operands: /^list$/ }],
  ['remote', { options: option('-v|--verbose|-n|--all|--push'), operands: /^[\w.-]+$/ }],
  [
    'config',
    {
      options: option(
        '--(?:get|get-all|get-regexp|list|local|global|system|worktree|includes|no-includes|name-only|show-scope|show-origin|null)|-[lz]',
      ),
      operands: /^[\w][\w.-]*$/,
    },
  ],
  ['version', { options: option('--build-options') }],
]);

/** Options before the command that change neither the files nor the settings that git reads. */
const BEFORE = /^(--no-pager|-P|--no-optional-locks|-C|-c)$/;
/** Settings of the output with plain values. */
const OUTPUT =
  /^((color|advice|column)\.[\w.]+=\w*|core\.(quotepath|abbrev)=\w*|core\.pager=cat|blame\.(date|showemail)=[\w-]*|diff\.(algorithm|renames|noprefix|mnemonicprefix|context)=\w*|log\.(date|decorate|abbrevcommit)=[\w-]*)$/i;

export interface GitReadsAround {
  readonly folders: Folders;
  readonly world: PermissionWorld;
}

/** `args` are the words after `git`. Returns whether every form is listed, and nothing else is printed. */
export function hasKnownGitReads(args: readonly ShellWord[], around: GitReadsAround): boolean {
  if (args.some(({ kind }) => kind === 'dynamic' || kind === 'tilde')) return false;
  const { command, rest, folder } = gitArguments(args);
  const before = args.slice(0, args.length - rest.length - 1);
  const isPlain = before.every(({ value }, at) => {
    const option = before[at - 1]?.value;
    return option === '-C' || (option === '-c' ? OUTPUT.test(value) : BEFORE.test(value));
  });
  if (args.length === 1 && args[0]?.value === '--version') return true;
  const form = FORMS.get(command);
  if (form === undefined || !isPlain) return false;
  if (!rest.every((word, at) => isListed(word, at, rest, form))) return false;
  if (command === 'grep' && parseGitGrep(rest).isUncertain) return false;
  const facts = factsAt(folder, around);
  if (!form.printsObjects) return facts !== undefined;
  const isWithoutNotes = rest.some(({ value }) => value === '--no-notes');
  return (
    facts?.every(({ hasNotes, hasReplacements }) => !hasReplacements && (!hasNotes || isWithoutNotes)) ===
    true
  );
}

function isListed(
  { value, kind }: ShellWord,
  at: number,
  rest: readonly ShellWord[],
  { options, valued, operands }: GitForm,
): boolean {
  const end = rest.findIndex(({ value: text }) => text === '--');
  if (end >= 0 && at >= end) return true;
  // The value of the option before it. A value that looks like an option is not accepted.
  if (valued?.test(rest[at - 1]?.value ?? '')) return kind === 'literal' && !value.startsWith('-');
  if (value.startsWith('-'))
    return kind === 'literal' && (options.test(value) || valued?.test(value) === true);
  return operands?.test(value) === true;
}

/** Returns what is known about the repositories in which the command may run. Undefined if one of them is unknown. */
function factsAt(
  folder: ShellWord | undefined,
  { folders, world }: GitReadsAround,
): readonly GitFacts[] | undefined {
  const facts = folders?.map((from) => {
    if (folder === undefined) return world.gitIn(from);
    return world.gitIn(folder.value.startsWith('/') ? folder.value : `${from}/${folder.value}`);
  });
  const known = facts?.filter((fact) => fact !== undefined);
  return known?.length === facts?.length ? known : undefined;
}

/** Returns the files with settings that the command may print. Undefined if they are unknown. */
export function settingsFiles(
  args: readonly ShellWord[],
  around: GitReadsAround,
): readonly string[] | undefined {
  const given = gitArguments(args);
  if (!printsSettings(given)) return [];
  const known = factsAt(given.folder, around)?.flatMap(({ sources = [] }) => sources);
  return known ?? (isPlainChange(given) || namesSettingsFile(given) ? [] : undefined);
}

/** `git config user.name x` and `git config set user.name x` print nothing. */
function isPlainChange({ command, rest }: GitArguments): boolean {
  const [first] = rest;
  if (command !== 'config' || first === undefined || rest.length < 2) return false;
  return rest.every(({ kind, value }) => kind === 'literal' && !/^-|^(get|list)/.test(value));
}

/** Git reads that file alone, unless it follows its includes. */
function namesSettingsFile({ command, rest }: GitArguments): boolean {
  const has = (option: RegExp): boolean => rest.some(({ value }) => option.test(value));
  return command === 'config' && has(/^(-f|--file(=.*)?)$/s) && !has(/^--inc/);
}
