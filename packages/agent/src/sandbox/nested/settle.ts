/**
 * After a command: what it made that would run something outside of the sandbox, later, is taken away and kept elsewhere. A
 * repository made inside stays, without hooks and without settings that name a program.
 */
import { type GitSetting, readGitConfigFile } from '@heddle/tools/git';
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { cp, lstat, mkdir, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Nested, newcomers } from './scan.ts';

interface FolderSnapshots {
  readonly before: Nested;
  readonly now: Nested;
  /** What the command was kept from: whatever came into being there is somebody else's. */
  readonly kept: readonly string[];
  /** What it was not kept from all the time, after all. */
  readonly exposed: readonly string[];
}

/** Whole sentences for the model. `folder`: for what is taken away. */
export async function settleNewcomers(
  { before, now, kept, exposed }: FolderSnapshots,
  folder: string,
): Promise<string[]> {
  const made = newcomers(before, now, (file) => kept.some((one) => isAt(file, one) || isAt(one, file)));
  const suspects = [
    ...exposed,
    // What names the place of a worktree is new with each of them.
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

/** A link leads to hooks that lie anywhere: it goes as a whole. */
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

/** What belongs to a worktree names the repository it lies in, one that was looked at. */
function leadsHome(file: string, repositories: readonly string[]): boolean {
  const folder = path.dirname(file);
  const home = path.resolve(folder, '../..');
  try {
    const named = path.resolve(folder, readFileSync(file, 'utf8').trim());
    return path.basename(file) === 'commondir' && named === home && repositories.includes(home);
  } catch {
    return false;
  }
}

/** A worktree or a module of a repository that was looked at. */
function leadsTo(pointer: string, repositories: readonly string[]): boolean {
  try {
    const [, named = ''] = /^gitdir: (.+)$/m.exec(readFileSync(pointer, 'utf8')) ?? [];
    const own = realpathSync(path.resolve(path.dirname(pointer), named.trim()));
    if (named === '') return false;
    const known = new Set(repositories.map((git) => realpathSync(git)));
    if (known.has(own)) return true;
    const shared = readFileSync(path.join(own, 'commondir'), 'utf8').trim();
    return known.has(realpathSync(path.resolve(own, shared)));
  } catch {
    return false;
  }
}

/** What came with a repository waits for the user's trust in it. */
function isCloned(file: string, repositories: readonly string[]): boolean {
  return repositories.some(
    (git) => file.startsWith(`${path.dirname(git)}/`) && path.basename(git) === '.git',
  );
}

function isAt(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}

/** Every repository has these, or people set them. Any other setting is taken out. */
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
/** An address can be a program, too. */
const ADDRESS = /^(remote|submodule)\..+\.url$/s;
const PLAIN_ADDRESS = /^(https?:\/\/|ssh:\/\/|git:\/\/|file:\/\/|\.{0,2}\/|[\w.-]+@[\w.-]+:)/;

/** The names of the settings that were taken out; `unreadable` if the file must go as a whole. */
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

/** Each with a header of its own: the order stays as it was. */
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
    // Another command may have put a link there meanwhile: nothing of anybody else's is moved.
    if ((await realpath(parent)) !== parent) return 'left';
  } catch {
    return 'nothing';
  }
  const place = path.join(folder, randomUUID(), path.basename(file));
  try {
    await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
    await rename(file, place);
  } catch {
    // Another disk. What cannot be kept is removed all the same.
    await cp(file, place, { recursive: true, verbatimSymlinks: true }).catch(() => undefined);
    await rm(file, { recursive: true, force: true });
  }
  return 'taken';
}
