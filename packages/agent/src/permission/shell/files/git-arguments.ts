/** Parses the words of a `git` command, and finds options that write a file or run a program. */
import type { ShellWord } from '@heddle/tools/shell';
import { SAME_WORK_OF_GIT } from '../../rules/same-commands.ts';
import { partOfWord, unknownWord } from './touch.ts';
import { optionPattern } from '../short-options.ts';

export interface GitArguments {
  /** The folder that `-C` names. */
  readonly folder: ShellWord | undefined;
  /** The data of the repository that `--git-dir` names. */
  readonly gitDir?: ShellWord | undefined;
  /** The command names another repository or working tree. */
  readonly isElsewhere: boolean;
  /** The paths of the command match names in any case. */
  readonly ignoresCase: boolean;
  /** Empty if unknown. */
  readonly command: string;
  /** An option of git itself that is not known. The word after it may be its value, and not the command. */
  readonly unknownOption?: ShellWord | undefined;
  /** The words after the command. */
  readonly rest: readonly ShellWord[];
}

const VALUED: ReadonlySet<string> = new Set(
  '-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source'.split(' '),
);

/** Options without a value, or with an attached one. */
const OPTION =
  /^(-[pPvh]|--(paginate|no-pager|no-replace-objects|no-lazy-fetch|no-optional-locks|no-advice|(literal|glob|noglob|icase)-pathspecs|bare|html-path|man-path|info-path|exec-path|version|help)|--(exec-path|git-dir|work-tree|namespace|config-env|super-prefix|attr-source|list-cmds)=.*)$/s;

export function gitArguments(args: readonly ShellWord[]): GitArguments {
  let unknownOption: ShellWord | undefined;
  let folder: ShellWord | undefined;
  let gitDir: ShellWord | undefined;
  let isElsewhere = false;
  let ignoresCase = false;
  let at = 0;
  for (let word = args[at]; word?.value.startsWith('-'); word = args[at]) {
    const value = args[at + 1];
    if (word.value === '-C' && value)
      folder = folder && !value.value.startsWith('/') ? joined(folder, value) : value;
    if (word.value === '--git-dir') gitDir = value;
    else if (word.value.startsWith('--git-dir='))
      gitDir = partOfWord(word, word.value.slice('--git-dir='.length));
    isElsewhere ||= /^--(git-dir|work-tree)/.test(word.value);
    ignoresCase ||= word.value === '--icase-pathspecs';
    if (!VALUED.has(word.value) && !OPTION.test(word.value)) unknownOption ??= word;
    at += VALUED.has(word.value) ? 2 : 1;
  }
  const command = args[at];
  return {
    folder,
    gitDir,
    isElsewhere,
    ignoresCase,
    command: command?.kind === 'literal' && unknownOption === undefined ? command.value : '',
    unknownOption,
    rest: args.slice(at + 1),
  };
}

/** The commands of git itself. Any other name can be an alias, or the name of another program. */
const COMMANDS: ReadonlySet<string> = new Set(
  (
    'add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr check-ignore ' +
    'check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph ' +
    'commit-tree config count-objects credential describe diagnose diff diff-files diff-index diff-pairs diff-tree difftool ' +
    'fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref format-patch fsck gc grep ' +
    'hash-object help hook index-pack init interpret-trailers last-modified lfs log ls-files ls-remote ls-tree mailinfo ' +
    'mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv ' +
    'name-rev notes pack-objects pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport range-diff ' +
    'read-tree rebase receive-pack reflog refs remote repack replace replay repo request-pull rerere reset restore rev-list ' +
    'rev-parse revert rm send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status ' +
    'stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info ' +
    'upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree'
  ).split(' '),
);

/**
 * Returns whether git may run another of its commands than the one that the words name: an alias, a list of repositories, or
 * a setting of the command line that defines an alias.
 */
export function mayRunOtherCommand(args: readonly ShellWord[]): boolean {
  const { command, rest, unknownOption } = gitArguments(args);
  if (unknownOption) return true;
  const definesAlias = ({ value }: ShellWord): boolean => /^(-c|--config-env=)?alias\./i.test(value);
  const own = args.slice(0, args.length - rest.length);
  if (own.some(definesAlias) || (command === 'config' && rest.some(definesAlias))) return true;
  return command !== '' && !COMMANDS.has(command);
}

/** Returns the names of other commands of git that do the same: `push` for `git send-pack` and `git lfs push`. */
export function commandsWithSameWork(args: readonly ShellWord[]): readonly string[] {
  const { command, rest } = gitArguments(args);
  const [first] = rest;
  if (command === 'lfs' && first !== undefined)
    return first.kind === 'literal' ? [first.value] : ['push', 'fetch', 'pull', 'checkout'];
  return SAME_WORK_OF_GIT.get(command)?.split(' ') ?? [];
}

/** Resolves a word from the folder of `-C sub`. */
export function inFolder(word: ShellWord, { folder }: Pick<GitArguments, 'folder'>): ShellWord {
  if (folder === undefined || /^(dynamic|tilde)$/.test(word.kind) || word.value.startsWith('/')) return word;
  if (folder.kind === 'dynamic') return unknownWord(word.text);
  return {
    ...partOfWord(folder, `${folder.value}/${word.value}`),
    kind: word.kind === 'pattern' ? 'pattern' : folder.kind,
  };
}

/** Options of any command that take no value, so that `--` after them ends the options. */
const FLAG =
  /^-([psuwbiqzvrRcEFPatWf]+|\d+|[UMCnl]\d+)$|=|^--((no-)?(patch|color|ext-diff|textconv|renames|merges|decorate|index)|stat|shortstat|numstat|summary|compact-summary|raw|name-only|name-status|cached|staged|worktree|oneline|graph|all|reverse|first-parent|word-diff|quiet|exit-code|force|hard|soft|ours|theirs|merge|full-diff|follow)$/;

/**
 * Returns the words before and after `--`. Undefined if an option may take `--` as its value: `git log --until -- HEAD`.
 */
export function splitAtSeparator(
  rest: readonly ShellWord[],
): { readonly before: readonly ShellWord[]; readonly after: readonly ShellWord[] } | undefined {
  const at = rest.findIndex(({ value }) => value === '--');
  if (at < 0) return { before: rest, after: [] };
  const previous = rest[at - 1];
  const isEnd =
    previous === undefined ||
    (previous.kind === 'literal' ? /^[^-]|^$/.test(previous.value) || FLAG.test(previous.value) : false);
  return isEnd ? { before: rest.slice(0, at), after: rest.slice(at + 1) } : undefined;
}

function joined(folder: ShellWord, inner: ShellWord): ShellWord {
  if (folder.kind === 'dynamic' || inner.kind === 'dynamic')
    return unknownWord(`${folder.text}/${inner.text}`);
  return partOfWord(folder, `${folder.value}/${inner.value}`);
}

const WRITES = ['output', 'output-directory', 'index-output', 'export-marks', 'separate-git-dir'];
/** The last three start the program that checks signatures, or the merge drivers. */
const RUNS =
  'ext-diff textconv open-files-in-pager exec upload-pack receive-pack extcmd show-signature verify-signatures remerge-diff'.split(
    ' ',
  );
/** Other options whose names begin in the same way. */
const OTHERS: ReadonlySet<string> = new Set(['text', 'exec-path', 'verify']);

/** Short options with the same effect, by command. Other letters may take the rest of the word as their value. */
const LETTERS: readonly {
  readonly commands: RegExp;
  readonly option: RegExp;
  readonly does: 'writes' | 'runs';
}[] = [
  {
    commands: /^(archive|format-patch|mailsplit|index-pack)$/,
    option: optionPattern({ letters: 'o' }),
    does: 'writes',
  },
  // The suffix is a part of the file's path, and can leave its folder.
  { commands: /^(bugreport|diagnose)$/, option: optionPattern({ letters: 'os' }), does: 'writes' },
  { commands: /^grep$/, option: optionPattern({ letters: 'O', valued: 'ABCefm' }), does: 'runs' },
  { commands: /^rebase$/, option: optionPattern({ letters: 'x', valued: 'CsSX' }), does: 'runs' },
  { commands: /^difftool$/, option: optionPattern({ letters: 'x', valued: 't' }), does: 'runs' },
  { commands: /^clone$/, option: optionPattern({ letters: 'u', valued: 'bcjo' }), does: 'runs' },
  { commands: /^ls-remote$/, option: optionPattern({ letters: 'u', valued: 'o' }), does: 'runs' },
];

export interface DangerousOption {
  readonly word: ShellWord;
  readonly does: 'writes' | 'runs';
  /** The file that the option writes, if known. */
  readonly file: ShellWord | undefined;
}

/** Git accepts the beginning of a long option. So a beginning of a dangerous option counts as that option. */
export function dangerousOptions({ command, rest }: GitArguments): DangerousOption[] {
  return rest.flatMap((word, index): DangerousOption[] => {
    const next = rest[index + 1];
    const letter = letterOption(word, command);
    const found = [...longOptions(word, command), ...(letter ? [letter] : [])].map(({ does, attached }) => ({
      word,
      does,
      file: attached === undefined ? next : attached,
    }));
    return command === 'format-patch' && leavesFolder(word, next)
      ? [...found, { word, does: 'writes', file: unknownWord(word.text) }]
      : found;
  });
}

/** The suffix of a patch follows a name that git computes from the subject. After a slash, it can lead to any place. */
function leavesFolder(word: ShellWord, next: ShellWord | undefined): boolean {
  const text = word.kind === 'dynamic' ? word.prefix : word.value;
  const [, name = '', attached] = /^--([a-z]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === '' || !'suffix'.startsWith(name)) return false;
  const value = attached === undefined ? next : word;
  return value?.kind === 'dynamic' || (attached ?? next?.value ?? '').includes('/');
}

interface Recognized {
  readonly does: 'writes' | 'runs';
  /** Undefined if the value is the next word. */
  readonly attached?: ShellWord;
}

/** Returns every option that the word may be the beginning of: `--ex` may write or run. */
function longOptions(word: ShellWord, command: string): readonly Recognized[] {
  const text = word.kind === 'dynamic' ? word.prefix : word.value;
  if (!text.startsWith('--') || text === '--') return [];
  const at = text.indexOf('=');
  const name = text.slice(2, at < 0 ? undefined : at);
  if (OTHERS.has(name) || name === '') return [];
  const means = (names: readonly string[]): boolean => names.some((option) => option.startsWith(name));
  const attached =
    word.kind === 'dynamic'
      ? { attached: unknownWord(word.text) }
      : at < 0
        ? {}
        : { attached: partOfWord(word, text.slice(at + 1)) };
  return [
    ...(means(/^(bugreport|diagnose)$/.test(command) ? [...WRITES, 'suffix'] : WRITES)
      ? [{ does: 'writes' as const, ...attached }]
      : []),
    ...(means(RUNS) ? [{ does: 'runs' as const, ...attached }] : []),
  ];
}

function letterOption(word: ShellWord, command: string): Recognized | undefined {
  const text = word.kind === 'dynamic' ? word.prefix : word.value;
  for (const { commands, option, does } of LETTERS) {
    const [found] = commands.test(command) ? (option.exec(text) ?? []) : [];
    if (found === undefined) continue;
    const value = text.slice(found.length);
    if (word.kind === 'dynamic') return { does, attached: unknownWord(word.text) };
    return value === '' ? { does } : { does, attached: partOfWord(word, value) };
  }
  return undefined;
}

/** Common commands that have such options. */
const TAKES_DANGEROUS =
  /^(log|show|diff|whatchanged|reflog|stash|shortlog|rev-list|format-patch|archive|diff-tree|diff-index|diff-files|range-diff|grep|blame|difftool|clone|fetch|pull|push|ls-remote|rebase|bundle)$/;

export function takesDangerousOptions(command: string): boolean {
  return TAKES_DANGEROUS.test(command);
}

/** A word with an unknown value may be such an option, unless its beginning excludes it or it follows `--`. */
export function mayWriteOrRun({ command, rest }: GitArguments): boolean {
  if (!TAKES_DANGEROUS.test(command)) return false;
  const end = rest.findIndex(({ value }) => value === '--');
  const before = end < 0 ? rest : rest.slice(0, end);
  return before.some((word) => word.kind === 'dynamic' && !isNoOption(word));
}

/** A word without quotes may become several words, and only the first one has the known beginning. */
function isNoOption({ text, becomes }: ShellWord): boolean {
  return becomes?.every(({ begins }) => /^[^-]/.test(begins)) ?? /^"[\w@./][^"]*"$/.test(text);
}
