/** Variables that can be set for a command without changing which programs it runs. */
import type { ShellAssignment } from './command.ts';

/** Variables that change only the output of a program, not the programs it runs or their location. */
const SAFE =
  /^(NODE_ENV|CI|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|RUST_BACKTRACE|RUST_LOG|GOOS|GOARCH|CGO_ENABLED|GO111MODULE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|PYTHONUTF8|DEBIAN_FRONTEND|TIME_STYLE|BLOCK_SIZE|QUOTING_STYLE)$/;

/** Variables of a script. By convention, variables that programs read have capital letters. */
const OWN = /^[a-z_][a-z0-9_]*$/;
const LOWERCASE_SETTINGS =
  /proxy|^(npm_|path$|cdpath$|fpath$|manpath$|mailpath$|module_path$|psvar$|prompt|histchars$|_$)/;

/**
 * In other encodings, a backslash can be the second byte of a character. Then the shell and its programs read a script
 * differently from the proof.
 */
const SAFE_LOCALE = /^(?:C|POSIX|(?:C|[a-z]{2,3}(?:_[A-Z]{2})?)\.(?:UTF-8|utf8))?$/;
const LOCALE = /^(?:LANG|LC_\w+)$/;

/** Programs open the file that an absolute path names as a time zone, or one that leaves the folder of zones. */
const SAFE_ZONE = /^:?(?!.*\.\.)(?:\/etc\/localtime|(?:\/usr\/share\/zoneinfo\/)?[\w+,.-][\w+,.:/-]*)?$/;

export function isSafe({ name, value }: ShellAssignment): boolean {
  return value?.kind === 'literal' && isSafeSetting(name, value.value);
}

/** Returns true for a variable that changes only the output of a program, with a value that names no file. */
export function isSafeSetting(name: string, value: string): boolean {
  if (LOCALE.test(name)) return SAFE_LOCALE.test(value);
  if (name === 'TZ') return SAFE_ZONE.test(value);
  // Programs load translations from this folder, and use them as formats.
  if (name === 'LANGUAGE') return /^[\w:]*$/.test(value);
  return SAFE.test(name);
}

/** With these variables, the shell or its programs read a command differently from the decision about it. */
const READ_BY_SHELLS: readonly string[] = [
  'BASHOPTS',
  'SHELLOPTS',
  'GLOBIGNORE',
  'CDPATH',
  'POSIXLY_CORRECT',
];

/** Shells run the file that these name before a command. They expand variables and substitutions in the name. */
export const START_FILES: readonly string[] = ['BASH_ENV', 'ENV'];

/** Returns the files that shells run before a command, if their names are known. */
export function startFilesOf(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return START_FILES.flatMap((name) => environment[name] ?? []).filter(
    (file) => isAbsolute(file) && !isExpanded(file),
  );
}

/**
 * Returns the environment for commands. Options of the user's own shell are not part of it, and neither is a start-up file
 * with a relative path: that would be a file of the project.
 */
export function withoutShellOptions<Value>(
  environment: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  const isLeftOut = (name: string): boolean =>
    READ_BY_SHELLS.includes(name) || (START_FILES.includes(name) && !isAbsolute(environment[name]));
  const names = [...READ_BY_SHELLS, ...START_FILES].filter((name) => Object.hasOwn(environment, name));
  if (!names.some(isLeftOut)) return environment;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isLeftOut(name)));
}

/** Returns whether shells may expand the name of a start-up file. */
export function isExpanded(file: string): boolean {
  return /[$`]/.test(file);
}

function isAbsolute(file: unknown): boolean {
  return typeof file === 'string' && file.startsWith('/');
}

/** Returns the locale for proven commands if that of the environment is not safe. */
export function safeLocale(environment: Readonly<Record<string, string | undefined>>): {
  readonly LC_ALL?: string;
} {
  const { LC_ALL, LC_CTYPE, LANG } = environment;
  const current = [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== '') ?? '';
  return SAFE_LOCALE.test(current) ? {} : { LC_ALL: 'C.UTF-8' };
}

/** Returns true for an assignment before a command that changes only its output: a plain value, or `cat` as the pager. */
export function isHarmlessPrefix({ name, value, append }: ShellAssignment): boolean {
  if (value?.kind !== 'literal' || append) return false;
  if (PAGERS.test(name)) return /^(?:cat)?$/.test(value.value);
  const safe = GIT_SWITCHES.get(name);
  if (safe) return safe.includes(value.value);
  return isSafeSetting(name, value.value) && hasPlainValue(value.value);
}

/** Returns true for words, numbers and names such as `Europe/Rome`. */
export function hasPlainValue(value: string): boolean {
  return /^[\w.,:@%+ -]*(?:\/[\w+-]+)*$/.test(value) && !value.includes('..');
}

const PAGERS = /^(?:PAGER|GIT_PAGER|MANPAGER|BAT_PAGER)$/;
/** Values that do not undo the variables with which proven commands run. */
const GIT_SWITCHES: ReadonlyMap<string, readonly string[]> = new Map([
  ['GIT_OPTIONAL_LOCKS', ['0']],
  ['GIT_TERMINAL_PROMPT', ['0']],
  ['GIT_NO_LAZY_FETCH', ['1']],
  ['GIT_LITERAL_PATHSPECS', ['0', '1', '']],
]);

/** Returns true for a variable that no program reads. Only the script itself uses it, and those uses are checked. */
export function isOwn(name: string): boolean {
  return OWN.test(name) && !LOWERCASE_SETTINGS.test(name);
}

/** Commands that `less` and `bat` run with each file that they show. They may start further programs because of its name or content. */
const RUN_WITH_FILES: readonly string[] = ['LESSOPEN', 'LESSCLOSE'];

/** Returns the variables without which proven commands run. */
export function withoutFileFilters(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, undefined>> {
  const given = RUN_WITH_FILES.filter((name) => environment[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, undefined]));
}
