/** Finds settings with which git shows lines of files in commands that do not show them otherwise. Starts no process. */
import { findRepository, gitSettingsOf } from '@heddle/tools/git';

/**
 * The commit command shows changes, a log follows a file to its other names, a search enters submodules, and a merge stores
 * changes of the working tree before it, and then merges them.
 */
export type PrintingSetting =
  | 'commit.verbose'
  | 'log.follow'
  | 'submodule.recurse'
  | 'merge.autostash'
  | 'rebase.autostash';

/** Returns the settings that are on in a folder, from files and variables. Undefined if some of them cannot be read. */
export function enabledGitSettings(
  environment: Readonly<Record<string, string | undefined>>,
): (folder: string) => ReadonlySet<string> | undefined {
  return (folder) => {
    const found = findRepository(folder);
    if (found.kind === 'unknown') return undefined;
    const repository = found.kind === 'found' ? found.repository : undefined;
    const { settings, isComplete } = gitSettingsOf(repository, environment);
    if (!isComplete) return undefined;
    return new Set(settings.filter(({ value }) => !isSettingOff(value)).map(({ key }) => key));
  };
}

/** A setting without a value is on. */
export function isSettingOff(value: string | undefined): boolean {
  return value !== undefined && /^(|false|no|off|0)$/i.test(value);
}
