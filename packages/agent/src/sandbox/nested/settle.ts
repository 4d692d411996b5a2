/**
 * Moves files that a command made into quarantine if they would later run programs outside of the sandbox. A new
 * repository stays, without hooks and without settings that name a program.
 */
import { gitPath, type GitSetting, readGitConfigFile } from '@heddle/tools/git';
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { cp, lstat, mkdir, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { readRegularFile } from '../../settings/json-file.ts';
import { type Nested, findNewPaths } from './scan.ts';

interface FolderSnapshots {
  readonly before: Nested;
  readonly now: Nested;
  /** Paths that the command could not write. A new file there was made by another program. */
  readonly kept: readonly string[];
  /** Paths among these that were unprotected for some time. */
  readonly exposed: readonly string[];
}

/** Returns whole sentences for the model. `folder` is the quarantine folder. */
export async function quarantineNewFiles(
  { before, now, kept, exposed }: FolderSnapshots,
  folder: string,
): Promise<string[]> {
  const made = findNewPaths(before, now, (file) => kept.some((one) => isAt(file, one) || isAt(one, file)));
  const suspects = [
    ...exposed,
    // Each worktree has a new `gitdir` file with its own location.
    ...made.switches.filter((file) => path.basename(file) !== 'gitdir' && !leadsHome(file, now.repositories)),
    ...made.repositories.flatMap(hooksIn),
    ...made.pointers.filter((pointer) => !leadsTo(pointer, now.repositories)),
    ...made.settings.filter((file) => !isCloned(file, made.repositories)),
    ...made.settings.map((file) => path.join(file, 'settings.local.json')),
  ];
  const removed: string[] = [];
  for (const git of made.repositories) {
    const config = path.join(git, 'config');
    const settings = removeRunningSettings(config);
    if (settings === 'unreadable') suspects.push(config);
    else removed.push(...settings.map((key) => `${key} in ${config}`));
  }
  const taken: string[] = [];
  const left: string[] = [];
  for (const file of suspects) {
    const how = await quarantine(file, folder);
    if (how === 'taken') taken.push(file);
    if (how === 'left') left.push(file);
  }
  return [
    ...(left.length === 0
      ? []
      : [
          `Something may run outside of the sandbox, later, and could not be taken away: ${left.join(', ')}.`,
        ]),
    ...(taken.length === 0
      ? []
      : [
          `The sandbox took away what would run outside of it later: ${taken.join(', ')}. It is kept in ${folder}.`,
        ]),
    ...(removed.length === 0
      ? []
      : [`The sandbox took settings out that name a program: ${removed.join(', ')}.`]),
  ];
}

/** Returns the hooks of a repository. A linked hooks folder can contain anything, so the link itself is returned. */
function hooksIn(git: string): string[] {
  const folder = path.join(git, 'hooks');
  try {
    if (lstatSync(folder).isSymbolicLink()) return [folder];
    return readdirSync(folder)
      .filter((name) => !name.endsWith('.sample'))
      .map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

/** Returns whether a `commondir` file of a worktree names its own repository, and that repository was scanned. */
function leadsHome(file: string, repositories: readonly string[]): boolean {
  const folder = path.dirname(file);
  const home = path.resolve(folder, '../..');
  try {
    const named = gitPath(folder, readRegularFile(file).trim());
    const isHome = named !== undefined && named === gitPath(folder, '../..');
    return path.basename(file) === 'commondir' && isHome && repositories.includes(home);
  } catch {
    return false;
  }
}

/** Returns whether a `.git` file points to a worktree or submodule of a repository that was scanned. */
function leadsTo(pointer: string, repositories: readonly string[]): boolean {
  try {
    const [, named = ''] = /^gitdir: (.+)$/m.exec(readRegularFile(pointer)) ?? [];
    const folder = gitPath(path.dirname(pointer), named.trim());
    if (named === '' || folder === undefined) return false;
    const own = realpathSync.native(folder);
    const known = new Set(repositories.map((git) => realpathSync.native(git)));
    if (known.has(own)) return true;
    const shared = gitPath(own, readRegularFile(path.join(own, 'commondir')).trim());
    return shared !== undefined && known.has(realpathSync.native(shared));
  } catch {
    return false;
  }
}

/** Returns whether a settings file came with a cloned repository. It has no effect until the user trusts the folder. */
function isCloned(file: string, repositories: readonly string[]): boolean {
  return repositories.some(
    (git) => file.startsWith(`${path.dirname(git)}/`) && path.basename(git) === '.git',
  );
}

function isAt(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}

/** Settings that every repository has, or that users set often. All other settings are removed. */
const HARMLESS = new RegExp(
  `^(${[
    'core\\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|worktree)',
    'core\\.(autocrlf|eol|safecrlf|longpaths|quotepath|compression|sparsecheckout|sparsecheckoutcone)',
    'extensions\\.(objectformat|refstorage)',
    'remote\\..+\\.(fetch|push|tagopt|mirror|prune)',
    'branch\\..+\\.(remote|merge|rebase|description)',
    'submodule\\..+\\.(active|branch)|submodule\\.active',
    'user\\.(name|email)|init\\.defaultbranch|pull\\.(rebase|ff)|push\\.(default|autosetupremote)|fetch\\.prune',
    'merge\\.(ff|conflictstyle)|rebase\\.(autostash|autosquash)|gc\\.[a-z]+|color\\..+|advice\\..+',
  ].join('|')})$`,
  's',
);
/** A URL can also name a program. */
const ADDRESS = /^(remote|submodule)\..+\.url$/s;
const PLAIN_ADDRESS = /^(https?:\/\/|ssh:\/\/|git:\/\/|file:\/\/|\.{0,2}\/|[\w.-]+@[\w.-]+:)/;

/**
 * Removes settings that could run a program or include other settings. Returns their names, or `unreadable` if the
 * whole file must be removed.
 */
function removeRunningSettings(file: string): readonly string[] | 'unreadable' {
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) return 'unreadable';
    const settings = readGitConfigFile(file);
    if (settings === 'absent') return [];
    if (settings === undefined) return 'unreadable';
    const removed = settings.filter((setting) => !isHarmless(setting));
    if (removed.length === 0) return [];
    const written = `${file}.${process.pid}.new`;
    writeFileSync(written, settings.filter(isHarmless).map(settingText).join(''), { flag: 'wx' });
    renameSync(written, file);
    return [...new Set(removed.map(({ key }) => key))];
  } catch {
    return 'unreadable';
  }
}

function isHarmless({ key, value = '' }: GitSetting): boolean {
  return HARMLESS.test(key) || (ADDRESS.test(key) && PLAIN_ADDRESS.test(value));
}

/** Writes each setting with its own header, which keeps the order. */
function settingText({ key, value }: GitSetting): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  const sub = first === last ? '' : ` "${escaped(key.slice(first + 1, last))}"`;
  const assigned = value === undefined ? '' : ` = ${isPlain(value) ? value : quoted(value)}`;
  return `[${key.slice(0, first)}${sub}]\n\t${key.slice(last + 1)}${assigned}\n`;
}

function isPlain(value: string): boolean {
  return /^[\w./:@+*-]+( [\w./:@+*-]+)*$/.test(value);
}

function quoted(value: string): string {
  return `"${escaped(value).replaceAll('\n', String.raw`\n`)}"`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\"]/g, String.raw`\$&`);
}

/** Moves a file or a folder into the quarantine folder, where no program looks for it. */
async function quarantine(file: string, folder: string): Promise<'taken' | 'nothing' | 'left'> {
  const parent = path.dirname(file);
  try {
    await lstat(file);
    // Another command may have replaced the folder by a link. Files of other programs must not be moved.
    if ((await realpath(parent)) !== parent) return 'left';
  } catch {
    return 'nothing';
  }
  const place = path.join(folder, randomUUID(), path.basename(file));
  try {
    await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
    await rename(file, place);
  } catch {
    // The quarantine is on another disk. A file that cannot be copied is removed anyway.
    await cp(file, place, { recursive: true, verbatimSymlinks: true }).catch(() => undefined);
    await rm(file, { recursive: true, force: true });
  }
  return 'taken';
}
