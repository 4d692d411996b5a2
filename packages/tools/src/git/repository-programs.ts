/**
 * Finds what a repository itself makes git do beside its commands: its own settings name a program or another place, a link leads out
 * of its data, or it has hooks. Settings of the user and of the machine do not count, because the user chose them. Reads files and
 * starts no process.
 */
import { realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { BUILD_FILE, type FileKinds, filesInCommand } from '../files/files-in-command.ts';
import { isLinkOfProcess, passesPlace } from '../files/follow-path.ts';
import {
  type GitEnvironment,
  hooksFolders,
  readableUserSettings,
  readRepositorySettings,
  type ScopedSetting,
} from './config-files.ts';
import { findDataLink } from './data-links.ts';
import { gitPath, mayExist } from './git-path.ts';
import { isHarmlessSetting } from './harmless-settings.ts';
import { indexOf } from './index-file.ts';
import { addressesOf, localAddresses, REPLACED, type Replacement, replacementsIn } from './remotes.ts';
import {
  findBareRepository,
  findRepository,
  type FoundRepository,
  type GitRepository,
  isLinkedTree,
} from './repository.ts';
import { moduleRepositories } from './submodules.ts';

export interface RepositoryPrograms {
  /** Settings, hooks and links of the repository that run a program, or change other places. Undefined if they are unknown. */
  readonly named: readonly string[] | undefined;
  /**
   * A bare repository, which a project can contain as ordinary files, or a folder in which git may find another repository than
   * this reader.
   */
  readonly unclear?: string;
  /** Hooks that run in the repository if another one is pushed to it. */
  readonly receiving?: readonly string[];
  /** The local addresses in its settings, as full paths unless they start with a scheme or a tilde. Undefined: one that is unknown. */
  readonly addresses?: readonly (string | undefined)[];
  /** Replaced beginnings of addresses. */
  readonly replacements?: readonly Replacement[];
}

/** Marks an address of a remote that is on this machine. It matters only to commands that connect to a remote. */
export const ADDRESS_PREFIX = 'the address ';

const NO_PROGRAMS: RepositoryPrograms = { named: [] };

/** A submodule can have submodules. Deeper ones count as unknown. */
const MOST_NESTED = 3;

/** Returns a reader for existing folders. */
export function repositoryProgramsIn(environment: GitEnvironment): (folder: string) => RepositoryPrograms {
  return (folder) => programsAround(folder, environment, 0);
}

function programsAround(folder: string, environment: GitEnvironment, depth: number): RepositoryPrograms {
  const found = findRepository(folder);
  if (found.kind === 'none') return NO_PROGRAMS;
  if (found.kind === 'found') return programsOf(found.repository, environment, depth);
  const bare = findBareRepository(folder);
  if (bare === undefined) return { named: undefined, unclear: folder };
  const repository = { top: bare, gitDir: bare, commonDir: bare };
  return { ...programsOf(repository, environment, depth), unclear: bare };
}

const UNKNOWN_PROGRAMS: RepositoryPrograms = { named: undefined };

function programsOf(
  repository: GitRepository,
  environment: GitEnvironment,
  depth: number,
): RepositoryPrograms {
  const own = readRepositorySettings(repository, environment);
  const index = indexOf(repository);
  const modules = moduleRepositories(repository);
  if (own === undefined || index === undefined || modules === undefined || depth > MOST_NESTED)
    return UNKNOWN_PROGRAMS;
  const settings = [...own, ...userSettingsIn(repository, environment)];
  const named = settings.filter((setting) => mayRunProgram(setting, repository)).map(({ key }) => key);
  const found = findDataLink(repository);
  if (found === undefined) return UNKNOWN_PROGRAMS;
  const trees = index.gitlinks
    .map((folder) => path.join(repository.top, folder))
    .filter((folder) => mayExist(path.join(folder, '.git')));
  const used = new Set(trees.flatMap((folder) => dataOf(findRepository(folder))));
  const nested = trees
    .map((folder) => programsAround(folder, environment, depth + 1))
    // Git uses the data of a submodule again when it is checked out.
    .concat(
      modules
        .filter(({ gitDir }) => !used.has(gitDir))
        .map((module) => programsOf(module, environment, depth + 1)),
    );
  if (nested.some((each) => each.named === undefined)) return UNKNOWN_PROGRAMS;
  const hooksIn = (names: readonly string[]): readonly string[] =>
    existingHooks(names, repository, settings, environment);
  return {
    named: [
      ...new Set([
        ...named,
        ...localAddresses(settings, repository.commonDir).map((key) => `${ADDRESS_PREFIX}${key}`),
        ...(found.link === undefined ? [] : [`the link ${found.link}`]),
        ...(areOwnData(repository, settings) ? [] : [`its data in ${repository.gitDir}`]),
        ...hooksIn(SILENT_HOOKS),
        ...nested.flatMap((each) => each.named ?? []),
      ]),
    ],
    receiving: hooksIn(RECEIVING_HOOKS),
    addresses: [...addressesOf(settings, repository), ...nested.flatMap((each) => each.addresses ?? [])],
    replacements: [...replacementsIn(settings), ...nested.flatMap((each) => each.replacements ?? [])],
  };
}

/**
 * Returns the settings of the user that really are in a file of the working tree, for example behind a link `~/.gitconfig`: a branch can
 * replace them. If the home folder is the working tree, they are in their usual place.
 */
function userSettingsIn({ top }: GitRepository, environment: GitEnvironment): readonly ScopedSetting[] {
  const isIn = (file: string): boolean => !/^\.\.(\/|$)/.test(path.relative(top, realPlace(file)));
  if (isIn(environment['HOME'] ?? '/')) return [];
  return readableUserSettings(environment, []).settings.filter(
    ({ file }) => file !== undefined && isIn(file),
  );
}

function realPlace(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}

function dataOf(found: FoundRepository): readonly string[] {
  return found.kind === 'found' ? [found.repository.gitDir] : [];
}

/** Hooks of commands that are not known for hooks: they update the index or a ref, or collect garbage. */
const SILENT_HOOKS = ['post-index-change', 'reference-transaction', 'pre-auto-gc'];

/** Hooks of a repository to which another one is pushed. */
const RECEIVING_HOOKS = [
  'pre-receive',
  'update',
  'post-receive',
  'post-update',
  'push-to-checkout',
  'proc-receive',
  'reference-transaction',
  'post-index-change',
  'post-checkout',
  'pre-auto-gc',
];

function existingHooks(
  names: readonly string[],
  repository: GitRepository,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): readonly string[] {
  const folders = hooksFolders(repository, settings, environment);
  const hasHook = (hook: string): boolean =>
    folders.some((folder) => folder === undefined || mayExist(path.join(folder, hook)));
  return names.filter(hasHook).map((hook) => `hooks/${hook}`);
}

/**
 * Settings with which no command of git runs a program, or writes outside the repository. Any other setting counts as one that
 * does.
 */
const ORDINARY: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|longpaths|quotepath|(loose)?compression|sparsecheckout(cone)?|abbrev|whitespace|checkstat|trustctime|preloadindex|untrackedcache|commentchar|commentstring|fscache|bigfilethreshold|hidedotfiles|protecthfs|protectntfs|multipackindex|commitgraph|warnambiguousrefs|createobject|fsync\w*|usereplacerefs|packedrefstimeout|filesreflocktimeout|sharedrepository|splitindex|excludesfile|attributesfile|notesref|hookspath|deltabasecachelimit|packedgit\w+|fsmonitorhookversion|maxtreedepth)$/,
  /^(user|author|committer)\.(name|email|useconfigonly|signingkey)$/,
  /^remote\.(.*\.(url|pushurl|fetch|push|tagopt|mirror|prune|prunetags|skipdefaultupdate|skipfetchall|gh-resolved|glab-resolved|promisor|partialclonefilter)|pushdefault)$/s,
  // Options of a merge can name a program.
  /^branch\.(.*\.(?!mergeoptions$)[\w-]+|autosetup\w+|sort)$/s,
  /^submodule\.(.*\.(url|active|branch|ignore|path|shallow|fetchrecursesubmodules)|active|recurse|fetchjobs|propagatebranches|alternate\w+)$/s,
  /^extensions\.(objectformat|refstorage|worktreeconfig|relativeworktrees|partialclone|preciousobjects|noop)$/,
  /^(color|column|advice|init|log|status|pretty|i18n|index|pack|blame|grep|versionsort|showbranch|checkout|clean|clone|stash|add|am|apply|transfer|receive|fsck|worktree|feature|safe|rerere|mailmap|github|gitlab|hub|gitflow|magit|gitbutler|oh-my-zsh|bash|gitk)\./,
  /^gc\.(?!recentobjectshook$)[\w.-]+$/,
  /^maintenance\.[\w.-]+$/,
  /^push\.(default|autosetupremote|followtags|recursesubmodules|useforceifincludes|gpgsign)$/,
  /^pull\.(rebase|ff)$/,
  /^fetch\.(prune|prunetags|parallel|all|showforcedupdates|output|writecommitgraph|recursesubmodules|fsckobjects|unpacklimit)$/,
  /^rebase\.(autosquash|autostash|updaterefs|stat|abbreviatecommands|missingcommitscheck|instructionformat|maxlabellength|forkpoint)$/,
  /^merge\.(ff|conflictstyle|log|renames|renamelimit|stat|verbosity|autostash|directoryrenames|.*\.(name|recursive))$/s,
  /^commit\.(gpgsign|verbose|status|cleanup)$/,
  /^tag\.(gpgsign|forcesignannotated|sort)$/,
  /^diff\.(submodule|colormoved\w*)$/,
  /^format\.(pretty|signoff|thread|attach|headers|to|cc|from|subjectprefix|coverletter|signature)$/,
  /^credential\.(.*\.)?(username|usehttppath)$/s,
  /^http\.(.*\.)?(extraheader|postbuffer|version|lowspeed\w+|maxrequests|minsessions|sslverify|followredirects)$/s,
  /^lfs\.(repositoryformatversion|url|pushurl|concurrenttransfers|skipdownloaderrors|fetch\w+|.*\.(access|locksverify))$/s,
  /^interactive\.singlekey$/,
  /^protocol\.version$/,
  /^include(if)?\..*path$/s,
  /^url\..*\.(push)?insteadof$/s,
];

const SSH_WORD = String.raw`("[\w./:~@ -]+"|[\w./:~@-]+)`;
const SSH_OPTION =
  'IdentitiesOnly|StrictHostKeyChecking|CheckHostIP|UserKnownHostsFile|IdentityFile|BatchMode|ConnectTimeout|LogLevel|ServerAlive\\w+';
const PLAIN_SSH = new RegExp(
  `^("?(/usr/bin/)?ssh"?)( +(-[46CqTx]+|-[pli] *${SSH_WORD}|-o *"?(${SSH_OPTION})[= ]${SSH_WORD}"?))*$`,
);

/** Values with which a setting starts only a well-known program of the machine. */
const USUAL_VALUES: readonly (readonly [RegExp, RegExp])[] = [
  [/^core\.fsmonitor$/, /^(|true|yes|on|1|false|no|off|0)$/i],
  [/^core\.sshcommand$/, PLAIN_SSH],
  [
    /^(core\.(editor|pager)|sequence\.editor|pager\..*)$/s,
    /^(|true|false|yes|no|on|off|[01]|:|(cat|less|more|delta|diff-so-fancy|code|cursor|subl)( +-[\w-]+)*|(vim?|nvim|nano|emacs)( +-(nw|n|R|f|w))*)$/i,
  ],
  [
    /^credential\..*helper$/s,
    /^([\w-]*|!((\/usr|\/usr\/local|\/opt\/homebrew)\/bin\/)?gh auth git-credential)$/,
  ],
  [/^gpg\.(.*\.)?program$/s, /^(gpg2?|gpgsm|ssh-keygen)$/],
  [/^gpg\.(format|ssh\.(allowedsignersfile|revocationfile)|mintrustlevel)$/, /^/],
  [/^(merge|diff)\.(gui)?tool$|^(merge|diff)tool\.(prompt|keepbackup|.*\.trustexitcode)$/s, /^/],
  // After a slash, it can lead to any place.
  [/^format\.suffix$/, /^[^/]*$/],
  [/^submodule\..*\.update$/s, /^(none|checkout|rebase|merge)$/],
  [
    /^filter\.lfs\.(clean|smudge|process|required)$/,
    /^(true|git-lfs (clean -- %f|smudge( --skip)? -- %f|filter-process( --skip)?))$/,
  ],
];

function mayRunProgram({ key, value = 'true' }: ScopedSetting, repository: GitRepository): boolean {
  if (key === 'core.worktree') return !isOwnTree(value, repository);
  if (USUAL_VALUES.some(([keys, values]) => keys.test(key) && values.test(value))) return false;
  if (ORDINARY.some((keys) => keys.test(key))) return false;
  return (
    !/^(diff|merge)\./.test(key) ||
    /^(diff|merge)\..*\.(command|textconv|driver)$/s.test(key) ||
    !isHarmlessSetting(key, value)
  );
}

/**
 * Returns the files that settings of any scope name as programs: `core.editor = ~/dot/edit.sh`, `alias.x = !tools/x.sh`,
 * `diff.x.textconv = python3 -m tools.x`. Modules and scripts need not exist yet. Undefined: a file that cannot be determined.
 */
export function programFiles(
  repository: GitRepository,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): readonly (string | undefined)[] {
  const top = repository.top;
  const place = (word: string, from = top): string => placeOf(word, from, environment);
  const kinds: FileKinds = new Map();
  const variables = { ...environment, PWD: top };
  const isInside = (file: string): boolean => !`${top}/`.startsWith(path.join(file, '/'));
  return settings.flatMap((setting) => {
    const { key, value = '' } = setting;
    if (key === TEMPLATES) return [];
    const text = mayRunProgram(setting, repository) ? value : commandInAddress(setting);
    if (text === '') return [];
    const words = wordsInCommand(text);
    // The program can start in one of the folders that are named: `cd tools && ./x.sh`.
    const folders = words.map((word) => place(word)).filter((file) => statsOf(file)?.isDirectory() === true);
    const files = [top, ...folders].flatMap((from) => words.map((word) => place(word, from)));
    const present = Array.from(new Set(files))
      .flatMap(knownFile)
      .filter((file) => file === undefined || statsOf(file)?.isFile() === true);
    const reading = { bases: [top], variables, isInside, leftOut: BUILD_FILE };
    const started = filesInCommand(text.replace(/^(?:!|\w+::)/, ''), reading, kinds).filter(isInside);
    return [...new Set([...present, ...started.flatMap(knownFile)])];
  });
}

const TEMPLATES = 'init.templatedir';

/** Returns the folders that `git init` and `git clone` copy to a new repository, also missing ones. */
export function templateFolders(
  { top }: GitRepository,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): readonly (string | undefined)[] {
  return settings.flatMap(({ key, value }) =>
    key === TEMPLATES && value ? knownFile(placeOf(value, top, environment)) : [],
  );
}

function placeOf(word: string, from: string, { HOME: home = '' }: GitEnvironment): string {
  return path.resolve(from, word.replace(/^(~|\$\{?HOME\}?)(?=\/)/, home));
}

/** Undefined: a link of the process, which may be another file for git. A stream in `/dev` is not a program: `less < /dev/tty`. */
function knownFile(file: string): readonly (string | undefined)[] {
  return !file.startsWith('/dev/') && passesPlace(file, isLinkOfProcess) ? [undefined, file] : [file];
}

/** Undefined if no such file can exist, also because its name is too long. */
function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Returns the address `ext::COMMAND` in a setting, or an empty text. Such an address runs a program. */
function commandInAddress({ key, value = '' }: ScopedSetting): string {
  const address = REPLACED.exec(key)?.[1] ?? value;
  return address.includes('::') ? address : '';
}

/**
 * Returns every text in a command that may be a path: the whole of it, its words as the shell reads them, the words of commands in its
 * quotes, and parts of words such as `--hook=a`, `-r./a` and `a:b`. A text too many names no file.
 */
function wordsInCommand(command: string): readonly string[] {
  // A variable or a substitution can be the top of the repository: `$(git rev-parse --show-toplevel)/x.sh`.
  const text = command.replace(/^!/, '').replace(/\$\{[^{}]*\}(?!\/)/g, './');
  const inQuotes = [...text.matchAll(/"([^"]*)"|'([^']*)'/g)].flatMap(([, one, other]) => one ?? other ?? []);
  const words = [text, ...inQuotes].flatMap((part) =>
    [part.trim()].concat(
      Array.from(part.matchAll(SHELL_WORD), ([word]) => word.replace(/\\(.)/g, '$1').replace(/["']/g, '')),
      part.replace(/["'\\]/g, '').split(/[\s`;&|()<>!]+/),
    ),
  );
  const parts = words.flatMap((word) =>
    [word].concat(
      word.split(/[=:,@]+/),
      /^-\w./.test(word) ? [2, 3, 4].map((letters) => word.slice(letters)) : [],
    ),
  );
  const fromTop = parts.flatMap((word) => [
    word,
    word.replace(/^(?:\$\{[^{}]*\}|\$\w+[^/]*)?\/+/, './'),
    word.replace(/^.*[)`]\/+/, './'),
  ]);
  return [...new Set(fromTop)].filter((word) => word !== '' && !word.includes('\0'));
}

const SHELL_WORD = /(?:"[^"]*"|'[^']*'|\\.|[^\s;&|()<>`"'\\])+/g;

/**
 * Returns whether the data are in the working tree, or name it, as those of linked trees and submodules do. A file or link named
 * `.git` in an archive can lead to any other repository of the user.
 */
function areOwnData(repository: GitRepository, settings: readonly ScopedSetting[]): boolean {
  const { top, gitDir } = repository;
  if (gitDir === top || gitDir.startsWith(path.join(top, '/'))) return true;
  const tree = settings.findLast(({ key }) => key === 'core.worktree')?.value;
  return isLinkedTree(repository) || (tree !== undefined && isOwnTree(tree, repository));
}

/** Git writes this setting for submodules. Any other value makes commands change another folder. */
function isOwnTree(written: string, { top, gitDir }: GitRepository): boolean {
  const place = gitPath(gitDir, written);
  if (place === top) return true;
  try {
    return place !== undefined && realpathSync.native(place) === realpathSync.native(top);
  } catch {
    return false;
  }
}
