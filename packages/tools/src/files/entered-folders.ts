/** Finds the folders that commands enter or name for a program, and the names that start in them. The folders need not exist. */
import path from 'node:path';

const ENTERS = /^(?:cd|pushd)$/;
/** The value is the folder in which the program runs: `env -C x`, `uv --directory x`. */
export const FOLDER_OPTION = /^(?:-C|--(?:directory|cwd|chdir))$/;
const WITH_VALUE = /^(?:-C|--(?:directory|cwd|chdir)=)([^=]+)$/;
/** Not a pattern, and not the current folder. */
const NAME = /^(?![./]*$|-)[^*?$\0]+$|^(?:\.\.\/?)+$/;
const MOST_FOLDERS = 8;
/** More names are generated. */
const MOST_NAMES = 256;

/**
 * Returns the relative names in each folder that the commands enter, also one after another: `cd a && cd b && ./x` leads to `b/x` and to
 * `a/b/x`. The commands are lists of words.
 */
export function inEnteredFolders(
  names: readonly string[],
  commands: readonly (readonly string[])[],
): readonly string[] {
  const entered = [...new Set(commands.flatMap(foldersOf))].slice(0, MOST_FOLDERS);
  let current = '.';
  const folders = entered.flatMap((folder) => {
    current = path.isAbsolute(folder) ? folder : path.join(current, folder);
    return [folder, current];
  });
  const relative = names.filter((name) => !path.isAbsolute(name)).slice(0, MOST_NAMES);
  return [...new Set(folders)].flatMap((folder) => relative.map((name) => path.join(folder, name)));
}

function foldersOf(words: readonly string[]): readonly string[] {
  const found = words.flatMap((word, at) => {
    if (FOLDER_OPTION.test(word)) return words[at + 1] ?? [];
    if (ENTERS.test(word)) return words.slice(at + 1).find((next) => !next.startsWith('-')) ?? [];
    return WITH_VALUE.exec(word)?.[1] ?? [];
  });
  return found.filter((folder) => NAME.test(folder));
}
