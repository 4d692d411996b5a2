/** Settings of a repository that a command made: those that could run a program, or lead to other settings, are taken out. */
import { lstatSync, renameSync, writeFileSync } from 'node:fs';
import { type GitSetting, readGitConfigFile } from '@heddle/tools/git';

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
export function removeRunningSettings(file: string): readonly string[] | 'unreadable' {
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
