/**
 * Finds the files that `git` accesses: those in its arguments, those that its options write, and those in its history.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { addedFiles } from './git-additions.ts';
import {
  dangerousOptions,
  type GitArguments,
  gitArguments,
  inFolder,
  mayWriteOrRun,
} from './git-arguments.ts';
import {
  contentShown,
  doubtfulRevisions,
  NAMES_FILES,
  parseGitGrep,
  scopesOf,
  showsOnlyPaths,
} from './git-contents.ts';
import { CLONE_VALUED, copied, rewritten } from './git-copies.ts';
import { changedByRefs } from './git-refs.ts';
import { removedFiles, unknownApplyOption } from './git-removals.ts';
import { changedSettings, findProgramWord, mayShowBySetting, shownSettings } from './git-settings.ts';
import { isMessage } from './message-options.ts';
import { namesInAddress } from './network.ts';
import { argumentsOf, attachedValues } from './operands.ts';
import { HERE, literalWord, partOfWord, type Touch, touch, unknownWord } from './touch.ts';

export function gitTouches(args: readonly ShellWord[]): Touch[] {
  const given = gitArguments(args);
  const { rest, command } = given;
  const isSearch = command === 'grep';
  const has = (option: string): boolean => rest.some(({ value }) => value === option);
  // Untracked files can be hidden ones. An unknown option may be a short form of these.
  const isOpen = has('--no-index') || has('--untracked') || (isSearch && parseGitGrep(rest).isUncertain);
  const walks = isOpen ? 'all' : isSearch ? 'visible' : undefined;
  // Two paths of which one is outside of the repository are compared as they are, folders with their contents.
  const deepIfFolder = command === 'diff' && rest.filter(({ value }) => !value.startsWith('-')).length > 1;
  const more: Partial<Touch> = {
    knowledge: 'named',
    staysInTree: true,
    ...(walks ? { isText: true, skipsGit: true } : {}),
    ...(deepIfFolder ? { deepIfFolder, readsFolders: true } : {}),
  };
  const named = rest.flatMap((word): Touch[] => {
    if (/\s/.test(word.value) && isMessage('git', args, args.indexOf(word))) return [];
    if (deepIfFolder && word.kind === 'dynamic') return [touch('read', word, undefined, more)];
    return pathsIn(word).map(({ path, isInCommit }) => {
      const part = partOfWord(word, path);
      return isInCommit
        ? touch('read', part, walks, Object.assign({ fromTopOf: given.folder ?? HERE }, more))
        : touch('read', inFolder(part, given), walks, more);
    });
  });
  if (walks && isSearch && scopesOf(given) === undefined)
    named.push(
      touch('read', given.folder ?? HERE, walks, { staysInTree: true, isText: true, skipsGit: true }),
    );
  named.push(...written(given).map((word) => touch('write', inFolder(word, given))));
  named.push(...prefixed(given), ...ownFiles(given), ...movedData(given), ...changedByRefs(given));
  named.push(...changedSettings(given).map((word) => touch('write', word)), ...changedSubmodules(given));
  named.push(
    ...shownSettings(given),
    ...stored(given),
    ...storedBySettings(args),
    ...rewritten(given),
    ...copied(args),
    ...removedFiles(given),
    ...addedFiles(args),
  );
  if (NAMES_FILES.has(command) && rest.some(({ kind }) => kind === 'dynamic'))
    named.push(touch('read', unknownWord('the file that git shows')));
  if (
    READS_LISTED.some(
      ([commands, options]) => command === commands && rest.some(({ value }) => options.test(value)),
    )
  )
    named.push(touch('read', unknownWord('the files of a list')));
  // The files that a patch changes are listed in the patch, which was not read.
  return /^(apply|am|quiltimport)$/.test(command)
    ? [
        ...named,
        touch('read', given.folder ?? HERE, 'all', { knowledge: 'named', staysInTree: true, skipsGit: true }),
      ]
    : named;
}

/** They store the files that their input names. */
const READS_LISTED: readonly (readonly [string, RegExp])[] = [
  ['hash-object', /^--stdin-/],
  ['update-index', /^--st/],
];

/**
 * Returns why only a rule for all commands covers the call. Undefined if the call does only what its git command does.
 */
export function gitDoubt(args: readonly ShellWord[]): string | undefined {
  const given = gitArguments(args);
  const { unknownOption } = given;
  if (unknownOption) return `${unknownOption.text} is an option of git that Heddle does not know.`;
  if (INTERNAL.test(given.command)) return `git ${given.command} may run other programs.`;
  const options = dangerousOptions(given);
  const runs = options.find(({ does }) => does === 'runs')?.word ?? findProgramWord(args);
  if (runs) return `${runs.text} makes git run another program.`;
  const end = args.findIndex(({ value }) => value === '--');
  const isOption = (word: ShellWord): boolean => end < 0 || args.indexOf(word) < end;
  const writes = options.find(({ does, word }) => does === 'writes' && isOption(word))?.word;
  if (writes && READS_HISTORY.test(given.command)) return `${writes.text} makes git write a file.`;
  const unknown = given.command === 'apply' && unknownApplyOption(given);
  if (unknown) return `${unknown.text} may make git change files outside of the repository.`;
  return mayWriteOrRun(given)
    ? 'An expanded word may be an option with which git writes a file or runs a program.'
    : undefined;
}

/** Commands that git itself calls, that serve or import repositories, or that run programs for parts of a repository. */
const INTERNAL =
  /--|^(?:archimport|citool|credential-cache|cvs\w+|daemon|filter-(?:branch|repo)|for-each-repo|gui|hook|http-\w+|imap-send|instaweb|merge-(?:index|one-file)|p4|receive-pack|remote-\w+|send-email|shell|svn|upload-\w+)$/;

/** Commands that write nothing without such an option. A rule for one of them is meant for reading. */
const READS_HISTORY =
  /^(log|diff|show|shortlog|whatchanged|reflog|diff-tree|diff-index|diff-files|rev-list|blame|grep)$/;

interface PathInWord {
  readonly path: string;
  /** The path is after a colon, and counts from the top of the repository. */
  readonly isInCommit: boolean;
}

/**
 * `HEAD:secrets/x` is an old version of the file, `:0:secrets/x` the staged one. `--file=secrets/x` and `-aFsecrets/x` are
 * values of options.
 */
function pathsIn({ kind, value: text }: ShellWord): readonly PathInWord[] {
  if (kind === 'dynamic') return [];
  const [, attached] = /^--[\w-]+=(.*)$/s.exec(text) ?? [];
  const values = text.startsWith('-') && attached === undefined ? attachedValues(text) : [attached ?? text];
  return values
    .filter((value) => value !== '' && !value.startsWith('-'))
    .flatMap((path) => {
      const inCommit = path.slice(path.indexOf(':') + 1).replace(/^[0-3]:/, '');
      const whole = { path, isInCommit: false };
      return path.includes(':') && inCommit !== '' ? [whole, { path: inCommit, isInCommit: true }] : [whole];
    });
}

/** Commands that write one of their operands, with its position. */
const WRITTEN_OPERANDS: ReadonlyMap<string, (operands: readonly ShellWord[]) => readonly ShellWord[]> =
  new Map([
    ['bundle', ([action, file]) => (action?.value === 'create' && file ? [file] : [])],
    ['clone', clonedFolders],
    ['init', ([folder]) => (folder ? [folder] : [])],
    ['worktree', ([action, folder]) => (action?.value === 'add' && folder ? [folder] : [])],
    ['submodule', ([action, ...words]) => (action?.value === 'add' ? clonedFolders(words) : [])],
    ['mailinfo', (files: readonly ShellWord[]) => files],
  ]);

/** Without a folder, its name is the end of the address. */
function clonedFolders(operands: readonly ShellWord[]): readonly ShellWord[] {
  const last = operands.at(-1);
  const isNamed = operands.length > 1 && last?.kind === 'literal' && !/:/.test(last.value);
  if (last === undefined || isNamed) return last ? [last] : [];
  if (last.kind === 'dynamic') return operands.length > 1 ? [last] : [];
  const address = last.value.replace(/(?<![/\s])[/\s]+$/, '').replace(/\/\.git$/, '');
  const names = namesInAddress(address.replace(/^[^/]*:(?!\/\/)/, '')) ?? [];
  return [...names, ...names.map((name) => name.replace(/\.(git|bundle)$/, ''))]
    .filter((name) => name !== '' && name !== '.' && name !== '..')
    .map((name) => literalWord(name));
}

function written(given: GitArguments): ShellWord[] {
  const { command, rest } = given;
  const byOption = dangerousOptions(given).flatMap(({ does, file, word }) =>
    does === 'writes' ? [file ?? unknownWord(word.text)] : [],
  );
  const { operands } = argumentsOf(rest, CLONE_VALUED);
  return [...byOption, ...(WRITTEN_OPERANDS.get(command)?.(operands) ?? [])];
}

/** `git checkout-index --prefix=x` writes tracked files. The prefix is a text before their names, or a folder. */
function prefixed(given: GitArguments): Touch[] {
  if (given.command !== 'checkout-index') return [];
  return given.rest.flatMap((word, index): Touch[] => {
    const [option, attached] = /^--pre[a-z]*(?:=(.*))?$/s.exec(word.value) ?? [];
    if (option === undefined) return [];
    const value = attached === undefined ? given.rest[index + 1] : partOfWord(word, attached);
    if (value?.kind !== 'literal' || !value.value.endsWith('/'))
      return [touch('write', unknownWord(word.text))];
    return [touch('write', inFolder(value, given), 'all', { fills: true })];
  });
}

/** Commands that change files of git or of the user without a name. */
const OWN_FILES: readonly (readonly [RegExp, RegExp, readonly string[]])[] = [
  [/^credential$/, /^(?!fill$|capability$)/, ['~/.git-credentials']],
  [/^credential-(?!cache)/, /^(store|erase)$/, ['~/.git-credentials']],
  [/^lfs$/, /^(install|uninstall|update|track|untrack|migrate)$/, ['.gitattributes', '.git/hooks/pre-push']],
];

function ownFiles({ command, rest, folder }: GitArguments): Touch[] {
  return OWN_FILES.flatMap(([commands, actions, files]) =>
    commands.test(command) && rest.some(({ value }) => actions.test(value))
      ? files.map((file) => touch('write', inFolder(partOfWord(literalWord(file), file), { folder })))
      : [],
  );
}

/** `git init --separate-git-dir x` moves git's data, and leaves a file that names the new place. */
function movedData(given: GitArguments): Touch[] {
  const { command, rest } = given;
  if (!/^(init|clone)$/.test(command) || !rest.some(({ value }) => /^--se(p[a-z-]*)?(=|$)/.test(value)))
    return [];
  const { operands } = argumentsOf(rest, CLONE_VALUED);
  const named = command === 'init' ? operands.slice(0, 1) : clonedFolders(operands);
  const data = literalWord('.git');
  return [data, ...named.map((folder) => inFolder(data, { folder }))].map((word) =>
    touch('write', inFolder(word, given)),
  );
}

/** They change where git gets the code of a submodule from. */
const CHANGES_SUBMODULES = /^(add|set-url|set-branch)$/;

function changedSubmodules(given: GitArguments): Touch[] {
  const { command, rest, folder = HERE, isElsewhere } = given;
  // Git removes or renames the entry of a submodule in this file.
  if (command === 'rm' || command === 'mv')
    return rest
      .filter(({ kind, value }) => kind !== 'literal' || !/^-(?!-pat)/.test(value))
      .map((word) =>
        touch('write', literalWord('.gitmodules'), undefined, {
          fromTopOf: folder,
          // Git itself expands patterns, and reads a list of paths.
          submodule:
            isElsewhere || /[*?[\\]|^(?::|--pat)/.test(word.value)
              ? unknownWord(word.text)
              : inFolder(word, given),
        }),
      );
  if (command !== 'submodule' && command !== 'submodule--helper') return [];
  const action = rest.find(({ kind, value }) => kind !== 'literal' || !value.startsWith('-'));
  if (action === undefined || (action.kind === 'literal' && !CHANGES_SUBMODULES.test(action.value)))
    return [];
  if (isElsewhere) return [touch('write', unknownWord('another repository'))];
  return ['.gitmodules', '.git/config'].map((file) =>
    touch('write', literalWord(file), undefined, { fromTopOf: folder }),
  );
}

/** Returns whether the words of the command are revisions, branches or remotes, and none of its options shows a file. */
export function takesOnlyRevisions(args: readonly ShellWord[]): boolean {
  return /^(fetch|pull|push|switch|branch|merge|rebase|revert|cherry-pick|rev-parse|merge-base|describe)$/.test(
    gitArguments(args).command,
  );
}

/** Stored versions show the content of a file that may not be read. */
function stored(given: GitArguments): Touch[] {
  const shown = contentShown(given);
  const revisions = doubtfulRevisions(given, shown);
  if (shown === 'none' && revisions.length === 0) return [];
  const { folder = HERE, command, rest } = given;
  const whole: Touch = { kind: 'read', word: folder, stored: 'history', whole: true };
  if (given.isElsewhere) return [touch('read', unknownWord('another repository'))];
  const doubtful = revisions.length > 0 ? [{ ...whole, revisions }] : [];
  if (shown === 'none') return doubtful;
  const scopes = showsOnlyPaths(given) ? scopesOf(given) : undefined;
  const isInTree =
    command === 'grep' && shown === 'tracked' && rest.every(({ value }) => value !== '--cached');
  const readsTree = isInTree ? { readsTree: true } : {};
  if (scopes === undefined) return [{ ...whole, stored: shown, ...readsTree }];
  const limited = scopes.map((word) =>
    touch('read', inFolder(word, given), undefined, { stored: shown, ...readsTree }),
  );
  return [...limited, ...doubtful];
}

/** They make commits, and a commit command may show changes. */
const COMMITS = /^(commit|merge|cherry-pick|revert|rebase|citool)$/;

/** Contents that only a setting shows: of the command line, of a file, or of a variable. */
function storedBySettings(args: readonly ShellWord[]): Touch[] {
  const given = gitArguments(args);
  const { command, folder = HERE, isElsewhere } = given;
  const whole: Touch = { kind: 'read', word: folder, stored: 'history', whole: true };
  if (mayShowBySetting(args)) return [whole];
  if (COMMITS.test(command))
    return isElsewhere
      ? [touch('read', unknownWord('another repository'))]
      : [{ ...whole, setting: 'commit.verbose' }];
  if (command === 'log' && contentShown(given) !== 'none') return [{ ...whole, setting: 'log.follow' }];
  return command === 'grep'
    ? [touch('read', folder, 'all', { setting: 'submodule.recurse', skipsGit: true })]
    : [];
}
