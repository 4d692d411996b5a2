/**
 * Finds the programs that a repository itself makes git run: its own settings name them, or they are its hooks. Settings of the
 * user and of the machine do not count, because the user chose them. Reads files and starts no process.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  type GitEnvironment,
  hooksFolders,
  readRepositorySettings,
  type ScopedSetting,
} from './config-files.ts';
import { isHarmlessSetting } from './harmless-settings.ts';
import { indexOf } from './index-file.ts';
import { findBareRepository, findRepository, type GitRepository } from './repository.ts';

export interface RepositoryPrograms {
  /** Settings and hooks of the repository that run a program. Undefined if they cannot be determined. */
  readonly named: readonly string[] | undefined;
  /**
   * A bare repository, which a project can contain as ordinary files, or a folder in which git may find another repository than
   * this reader.
   */
  readonly unclear?: string;
}

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
  if (found.kind === 'found') return { named: programsOf(found.repository, environment, depth) };
  const bare = findBareRepository(folder);
  if (bare === undefined) return { named: undefined, unclear: folder };
  const repository = { top: bare, gitDir: bare, commonDir: bare };
  return { named: programsOf(repository, environment, depth), unclear: bare };
}

function programsOf(
  repository: GitRepository,
  environment: GitEnvironment,
  depth: number,
): readonly string[] | undefined {
  const settings = readRepositorySettings(repository, environment);
  const index = indexOf(repository);
  if (settings === undefined || index === undefined || depth > MOST_NESTED) return undefined;
  const named = settings.filter((setting) => mayRunProgram(setting)).map(({ key }) => key);
  const nested = index.gitlinks
    .map((folder) => path.join(repository.top, folder))
    .filter((folder) => existsSync(path.join(folder, '.git')))
    .map((folder) => programsAround(folder, environment, depth + 1).named);
  if (nested.includes(undefined)) return undefined;
  return [
    ...new Set([
      ...named,
      ...hooksOf(repository, settings, environment),
      ...nested.flatMap((each) => each ?? []),
    ]),
  ];
}

/** Hooks of commands that are not known for hooks: they update the index or a ref, or collect garbage. */
const SILENT_HOOKS = ['post-index-change', 'reference-transaction', 'pre-auto-gc'];

function hooksOf(
  repository: GitRepository,
  settings: readonly ScopedSetting[],
  environment: GitEnvironment,
): readonly string[] {
  const folders = hooksFolders(repository, settings, environment);
  const hasHook = (hook: string): boolean =>
    folders.some((folder) => folder === undefined || existsSync(path.join(folder, hook)));
  return SILENT_HOOKS.filter(hasHook).map((hook) => `hooks/${hook}`);
}

/** Settings that name a program for a command that does more than read. */
const PROGRAMS =
  /^(core\.(editor|pager|sshcommand|askpass|gitproxy)|pager\.|credential\.(.*\.)?helper$|gpg\.|sequence\.editor$|interactive\.difffilter$|alias\.|(merge|diff)tool\.|(merge|diff)\.(gui)?tool$|merge\..*\.driver$|sendemail\.|gui\.|guitool\.|man\.|web\.|browser\.|help\.browser$|instaweb\.|imap\.tunnel$|submodule\..*\.update$|lfs\.(customtransfer|extension|standalone)|delta\.(.*\.)?pager$)/s;

/** Settings that are not harmless for a proof, but name no program. */
const NO_PROGRAM =
  /^(core\.(worktree|splitindex)$|log\.|format\.pretty$|status\.|submodule\.recurse$|diff\.submodule$|(branch|tag)\.sort$|extensions\.partialclone$|remote\..*\.(promisor|partialclonefilter)$|pretty\.)/s;

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
    /^(|true|false|yes|no|on|off|[01]|:|(cat|less|more|delta|diff-so-fancy|vim?|nvim|nano|emacs|code|cursor|subl)( +-[\w-]+)*)$/i,
  ],
  [
    /^credential\..*helper$/s,
    /^([\w-]*|!((\/usr|\/usr\/local|\/opt\/homebrew)\/bin\/)?gh auth git-credential)$/,
  ],
  [/^gpg\.(.*\.)?program$/s, /^(gpg2?|gpgsm|ssh-keygen)$/],
  [/^gpg\.(format|ssh\.(allowedsignersfile|revocationfile)|mintrustlevel)$/, /^/],
  [/^(merge|diff)\.(gui)?tool$|^(merge|diff)tool\.(prompt|keepbackup|.*\.trustexitcode)$/s, /^/],
  [/^submodule\..*\.update$/s, /^(none|checkout|rebase|merge)$/],
  [
    /^filter\.lfs\.(clean|smudge|process|required)$/,
    /^(true|git-lfs (clean -- %f|smudge( --skip)? -- %f|filter-process( --skip)?))$/,
  ],
];

function mayRunProgram({ key, value = 'true' }: ScopedSetting): boolean {
  if (USUAL_VALUES.some(([keys, values]) => keys.test(key) && values.test(value))) return false;
  return PROGRAMS.test(key) || !(NO_PROGRAM.test(key) || isHarmlessSetting(key, value));
}
