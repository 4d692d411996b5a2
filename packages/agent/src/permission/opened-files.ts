/**
 * Looks for files that searches and git open by themselves: files of ignored names, attributes and people, and those that settings of git
 * name. A link or a named pipe there makes them read another file. Starts no process.
 */
import { closeSync, constants, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import {
  findRepository,
  type GitRepository,
  gitSettingsOf,
  includedFiles,
  resolveConfigPath,
  unusualData,
} from '@heddle/tools/git';
import { NAMES_OPENED_IN_FOLDERS } from './paths/opened-names.ts';
import type { OpenedByGit } from './world.ts';

/**
 * Returns the files in a folder that searches and git look for there, and that are links or not regular files. The folder may be one to which
 * a file `.git` leads.
 */
export function openedFilesIn(folder: string): readonly string[] {
  return [...NAMES_OPENED_IN_FOLDERS, '.git/info/exclude', 'commondir', 'info/exclude']
    .map((name) => path.join(folder, name))
    .filter(isUnusual);
}

/** Bytes of the longest path, and of the word before it. */
const MOST_OF_PATH = 4_200;

/**
 * Returns the folder that the file `.git` in a folder names, as it is written. Searches read only the first line, and
 * accept files that git rejects.
 */
export function namedByGitFile(folder: string): string | undefined {
  const line = firstLineOf(path.join(folder, '.git'), MOST_OF_PATH);
  return line?.startsWith('gitdir: ') ? line.slice('gitdir: '.length) : undefined;
}

/** Returns the folder that the file `commondir` in a folder of git's data names, as it is written. */
export function namedByCommonDir(folder: string): string | undefined {
  return firstLineOf(path.join(folder, 'commondir'), MOST_OF_PATH);
}

/** Returns the first line of a regular file, as far as it is among so many bytes. Undefined if it cannot be read. */
export function firstLineOf(file: string, mostBytes: number): string | undefined {
  let opened: number | undefined;
  try {
    // An open of a named pipe would wait for its writer.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(mostBytes);
    const [line] = bytes.toString('utf8', 0, readSync(opened, bytes, 0, mostBytes, 0)).split(/\r?\n/, 1);
    return line;
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/** The settings that name a file which git reads. */
const NAMING_FILES =
  /^(?:blame\.ignorerevsfile|mailmap\.file|diff\.orderfile|core\.(?:excludesfile|attributesfile)|commit\.template|gpg\.ssh\.(?:allowedsigners|revocation)file|(?:fsck|receive\.fsck|fetch\.fsck)\.skiplist|format\.signaturefile)$/;

/** Files in the data of a repository. */
const IN_DATA = ['info/exclude', 'info/attributes', 'info/sparse-checkout', 'info/grafts', 'shallow'];

/** Files in the data of a repository that every command reads. */
const OF_ALL =
  'HEAD config config.worktree commondir packed-refs index objects/info/alternates logs/HEAD ORIG_HEAD'.split(
    ' ',
  );

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the files that git opens in a folder, except those that are in folders of the working tree. */
export function filesOpenedByGit(environment: Environment): (folder: string) => readonly OpenedByGit[] {
  const { HOME = '', XDG_CONFIG_HOME } = environment;
  const own = path.join(XDG_CONFIG_HOME || path.join(HOME, '.config'), 'git');
  const usual = [path.join(own, 'ignore'), path.join(own, 'attributes'), '/etc/gitattributes'];
  const searched = path.join(XDG_CONFIG_HOME || path.join(HOME, '.config'), 'fd/ignore');
  const known = new Map<string, readonly OpenedByGit[]>();
  const behind = (repository: GitRepository): readonly OpenedByGit[] => {
    const key = `${repository.gitDir}\0${repository.commonDir}`;
    const places = known.get(key) ?? behindData(repository);
    known.set(key, places);
    return places;
  };
  return (folder) => {
    const found = findRepository(folder);
    const repository = found.kind === 'found' ? found.repository : undefined;
    const { settings } = gitSettingsOf(repository, environment);
    // Git counts a relative name from the top, and a search from its own folder.
    const bases = new Set([repository?.top ?? folder, folder]);
    const named = settings.flatMap(({ key, value }): readonly OpenedByGit[] =>
      value && NAMING_FILES.test(key)
        ? Array.from(bases, (base) =>
            opened(resolveConfigPath(value, base, environment), key, key.endsWith('.excludesfile')),
          )
        : [],
    );
    const data = repository ? [...new Set([repository.commonDir, repository.gitDir])] : [];
    const inData = data.flatMap((place) =>
      IN_DATA.map((name) => opened(path.join(place, name), undefined, name === 'info/exclude')),
    );
    const ofUser = [...usual, searched].map((file) => opened(file, undefined, file.endsWith('/ignore')));
    const ofAll = [
      ...data.flatMap((place) => OF_ALL.map((name) => path.join(place, name))),
      ...includedFiles(settings, environment).flatMap((file) => file ?? []),
    ].map(openedByAll);
    return [...named, ...inData, ...ofUser, ...ofAll, ...(repository ? behind(repository) : [])];
  };
}

function opened(file: string | undefined, setting: string | undefined, isOfSearches: boolean): OpenedByGit {
  return { file, setting, isOfSearches, isUnusual: file !== undefined && isUnusual(file) };
}

function openedByAll(file: string): OpenedByGit {
  return { file, setting: undefined, isOfSearches: false, isUnusual: isSpecial(file), isOfAll: true };
}

/** Which command reads which of them is not known for each name, so every command counts as one that may. */
function behindData(repository: GitRepository): readonly OpenedByGit[] {
  const places = unusualData(repository) ?? [{ file: undefined, isFolder: false }];
  return places.map(({ file, isFolder }) => ({
    file,
    isFolder,
    setting: undefined,
    isOfSearches: false,
    isUnusual: true,
    isOfAll: true,
  }));
}

/** Returns whether the file is a link, is in a linked folder of git's data, or is not a regular file. */
function isUnusual(file: string): boolean {
  return isUnusualEntry(file) || (/\/info\/\w+$/.test(file) && isLink(path.dirname(file)));
}

function isUnusualEntry(file: string): boolean {
  const found = statusOf(file);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Returns whether it is, or leads to, something else than a regular file or a folder. */
function isSpecial(file: string): boolean {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found !== undefined && !found.isFile() && !found.isDirectory();
  } catch {
    return false;
  }
}

function isLink(file: string): boolean {
  return statusOf(file)?.isSymbolicLink() === true;
}

function statusOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    // A segment of the path is a file, or the folder cannot be read.
    return undefined;
  }
}
