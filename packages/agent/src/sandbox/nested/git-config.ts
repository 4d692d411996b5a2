/** Which settings of a repository could make git run a program, or read settings from elsewhere. */
import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What every repository has, and what people set. Whatever is not here is taken out. */
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
);
/** An address can be a program, too. */
const ADDRESS = /^(remote|submodule)\..+\.url$/;
const PLAIN_ADDRESS = /^(https?:\/\/|ssh:\/\/|git:\/\/|file:\/\/|\.{0,2}\/|[\w.-]+@[\w.-]+:)/;

const DEADLINE_MS = 2_000;
const run = promisify(execFile);

/** The names of such settings; `unreadable` where nobody can tell. */
export async function runningSettings(file: string): Promise<readonly string[] | 'unreadable'> {
  try {
    const about = await lstat(file);
    if (!about.isFile()) return 'unreadable';
  } catch {
    return [];
  }
  try {
    const { stdout } = await run('git', ['config', '--file', file, '--no-includes', '--list', '-z'], {
      timeout: DEADLINE_MS,
    });
    return [...new Set(stdout.split('\0').flatMap(runningSetting))];
  } catch {
    return 'unreadable';
  }
}

function runningSetting(setting: string): string[] {
  const [key = '', ...value] = setting.split('\n');
  if (key === '' || HARMLESS.test(key)) return [];
  return ADDRESS.test(key) && PLAIN_ADDRESS.test(value.join('\n')) ? [] : [key];
}

export async function unset(file: string, key: string): Promise<boolean> {
  return run('git', ['config', '--file', file, '--unset-all', key], { timeout: DEADLINE_MS }).then(
    () => true,
    () => false,
  );
}
