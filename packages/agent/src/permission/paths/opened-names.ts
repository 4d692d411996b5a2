/** Files that `rg`, `fd`, `tree`, `shellcheck` and similar programs, or git, look for in every folder. */
export const NAMES_OPENED_IN_FOLDERS: readonly string[] = [
  '.gitignore',
  '.ignore',
  '.rgignore',
  '.fdignore',
  '.agignore',
  '.hgignore',
  '.gitattributes',
  '.gitmodules',
  '.mailmap',
  '.info',
  '.tokeignore',
  '.sccignore',
  '.shellcheckrc',
  'shellcheckrc',
  '.ackrc',
];

const OPENED: ReadonlySet<string> = new Set(NAMES_OPENED_IN_FOLDERS);

export function isOpenedInFolders(name: string): boolean {
  return OPENED.has(name);
}
