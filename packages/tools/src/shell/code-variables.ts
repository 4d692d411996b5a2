/** Variables of the environment with places from which programs load code. */
import { START_FILES, startFilesOf } from './variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders in which programs look for a library by its name. An empty entry is the current folder. */
const LIBRARY_FOLDERS: readonly string[] = [
  'LD_LIBRARY_PATH',
  ...['', 'FALLBACK_', 'VERSIONED_'].flatMap((kind) => [
    `DYLD_${kind}LIBRARY_PATH`,
    `DYLD_${kind}FRAMEWORK_PATH`,
  ]),
];

const SEPARATORS: Readonly<Record<string, RegExp>> = { LD_LIBRARY_PATH: /[:;]/, LD_PRELOAD: /[: ]/ };

/** Lists of folders and files with compiled code, or settings that name some. */
const CODE_LISTS: readonly string[] = [
  ...LIBRARY_FOLDERS,
  ...(
    'LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES AWKLIBPATH ' +
    'BASH_LOADABLES_PATH DOCKER_CONFIG'
  ).split(' '),
];

/** Folders of sources, which are ordinary work of a project. */
const SOURCE_LISTS: readonly string[] =
  'NODE_PATH PERL5LIB PYTHONPATH PYTHONHOME PYTHONUSERBASE RUBYLIB RUBYGEMS_GEMDEPS GEM_HOME GEM_PATH BUNDLE_GEMFILE LUA_PATH LUA_CPATH'.split(
    ' ',
  );

/** Settings of searching programs, which can name programs: `--pre=./x`. */
const SETTINGS_FILES: readonly string[] = ['RIPGREP_CONFIG_PATH', 'BAT_CONFIG_PATH', 'BAT_CONFIG_DIR'];

/** Proven commands run without the places of the project in these variables. The characters are those between the places. */
export const CLEANED_VARIABLES: ReadonlyMap<string, RegExp> = new Map([
  ...[...CODE_LISTS, ...SOURCE_LISTS].map((name): [string, RegExp] => [name, SEPARATORS[name] ?? /:/]),
  // The name of one file. It may contain any character but this one.
  ...[...START_FILES, ...SETTINGS_FILES].map((name): [string, RegExp] => [name, /\0/]),
]);

/** A library without a folder is found through the other variables. */
const LIBRARIES = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/;

/** Returns whether an entry of a variable is the name of a library, which is not a path. */
export function isLibraryName(variable: string, entry: string): boolean {
  return LIBRARIES.test(variable) && /^[^/]+$/.test(entry);
}

/** Lists of further places. Without one of them, a proven command could mean something else. */
const KEPT_LISTS: readonly string[] = (
  'AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE CORECLR_PROFILER_PATH DOTNET_STARTUP_HOOKS GIO_EXTRA_MODULES GNUPGHOME GTK_PATH ' +
  'INPUTRC KRB5_CONFIG KUBECONFIG LESSKEY LESSKEYIN LESSKEY_SYSTEM MAKEFILES NODE_COMPILE_CACHE NODE_REPL_EXTERNAL_MODULE ' +
  'NPM_CONFIG_GLOBALCONFIG NPM_CONFIG_USERCONFIG PHPRC PHP_INI_SCAN_DIR PIP_CONFIG_FILE PYTHONSTARTUP QT_PLUGIN_PATH ' +
  'R_ENVIRON R_ENVIRON_USER R_PROFILE R_PROFILE_USER SASL_PATH WGETRC'
).split(' ');

/** Variables with the names of settings and folders of settings. A relative name means those of each project. */
export const SETTINGS_VARIABLES: ReadonlySet<string> = new Set([
  ...KEPT_LISTS,
  ...(
    'APT_CONFIG GEMRC LESSKEY_CONTENT MYPY_CONFIG_FILE NETRC PIP_PYTHON PIP_TARGET RPM_CONFIGDIR RUFF_CONFIG SCREENRC TMUX_CONF VALGRIND_LIB VALGRIND_OPTS XDG_CONFIG_DIRS ' +
    'XDG_CONFIG_HOME XDG_DATA_DIRS XDG_DATA_HOME'
  ).split(' '),
]);

/** Without these, a proven command would mean something else. Variables of git are examined with its settings. */
export const PLAIN_VARIABLES =
  /^(?:HOME|PWD|OLDPWD|PATH|SHELL|_|TMPDIR|TMP|TEMP|TMPPREFIX|VIRTUAL_ENV|INIT_CWD|GIT_\w+|CLAUDE_\w+|HEDDLE_\w+)$/;

/** Options or commands that may name files. */
const OPTIONS: readonly string[] = (
  'BROWSER BUN_OPTIONS CATALINA_OPTS EDITOR EXINIT GOFLAGS GRADLE_OPTS JAVA_OPTS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LESSCLOSE LESSOPEN ' +
  'LUA_INIT LUA_INIT_5_1 LUA_INIT_5_2 LUA_INIT_5_3 LUA_INIT_5_4 MAKEFLAGS MANPAGER MAVEN_OPTS NODE_OPTIONS PAGER PERL5DB ' +
  'PERL5OPT PROMPT_COMMAND RSYNC_RSH RUBYOPT RUSTC_WRAPPER SHELL SSH_ASKPASS SUDO_ASKPASS TAR_OPTIONS VIMINIT VISUAL _JAVA_OPTIONS'
).split(' ');

/** Options with which interpreters and readers load code, by names that may lead into the project: `-r dotenv/config`. */
export const CODE_OPTIONS: readonly string[] = (
  'NODE_OPTIONS NODE_REPL_EXTERNAL_MODULE BUN_OPTIONS DOTNET_STARTUP_HOOKS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS LESSOPEN LESSCLOSE ' +
  'LUA_INIT LUA_INIT_5_1 LUA_INIT_5_2 LUA_INIT_5_3 LUA_INIT_5_4 PERL5DB PERL5OPT PYTHONBREAKPOINT PYTHONINSPECT PYTHONSTARTUP RUBYOPT TAR_OPTIONS'
).split(' ');

/** Another reading of the words of `ps`, in which `-e` shows the environment of processes. */
export const CHANGED_MEANINGS: readonly string[] = [
  'CMD_ENV',
  'I_WANT_A_BROKEN_PS',
  'PS_FORMAT',
  'PS_PERSONALITY',
];

/** With these, programs that only read write files, or ask a server: for debugging information, traces, profiles and keys. */
export const SIDE_EFFECTS: readonly string[] = (
  'DEBUGINFOD_URLS SSLKEYLOGFILE LD_DEBUG LD_DEBUG_OUTPUT LD_PROFILE LD_PROFILE_OUTPUT MALLOC_TRACE GCOV_PREFIX LLVM_PROFILE_FILE PYTHONPYCACHEPREFIX ' +
  'GIT_TRACE GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF GIT_TRACE_CURL GIT_TRACE_FSMONITOR GIT_TRACE_PACKET GIT_TRACE_PACKFILE GIT_TRACE_PACK_ACCESS ' +
  'GIT_TRACE_PERFORMANCE GIT_TRACE_REFS GIT_TRACE_SETUP GIT_TRACE_SHALLOW'
).split(' ');

export interface CodePlaces {
  /** Files, and folders with all their files. A name may be relative. */
  readonly places: readonly string[];
  /** Words of options. Only files count: a folder in an option contains sources, or data. */
  readonly files: readonly string[];
  /** Folders with libraries. An empty name is the current folder. */
  readonly libraryFolders: readonly string[];
}

/** Returns the names of the files and folders from which variables load code, without folders of sources. */
export function codePlacesOf(environment: Environment): CodePlaces {
  const entriesOf = (name: string): readonly string[] =>
    environment[name]?.split(SEPARATORS[name] ?? /[:;]/) ?? [];
  const listed = [...CODE_LISTS, ...KEPT_LISTS, ...SETTINGS_FILES].flatMap((name) =>
    entriesOf(name).filter((entry) => entry !== '' && !isLibraryName(name, entry)),
  );
  return {
    places: [...listed, ...startFilesOf(environment)],
    files: OPTIONS.flatMap((name) => filesInOptions(environment[name] ?? '')),
    libraryFolders: LIBRARY_FOLDERS.flatMap(entriesOf),
  };
}

/** Returns the variables whose values change when a shell expands the home folder in them, with those values. */
export function withHome(environment: Environment, home: string): Environment {
  const changed = Object.entries(environment).flatMap(([name, value = '']) => {
    if (!/[~$]/.test(value)) return [];
    const expanded = value
      .replace(/(^|[\s"'=:|])~(?=[/:]|$)/g, (_, before: string) => before + home)
      .replace(/\$(?:HOME(?!\w)|\{HOME\})/g, () => home);
    return expanded === value ? [] : [[name, expanded] as const];
  });
  return Object.fromEntries(changed);
}

/** Interpreters add one of these to the name of a module. */
const ENDINGS = [
  '',
  '.js',
  '.cjs',
  '.mjs',
  '.json',
  '.node',
  '.rb',
  '.pm',
  '.lua',
  '/index.js',
  '/package.json',
];

/** The parts of `--import=file:///a.mjs`, `-r./a`, `-javaagent:a.jar=b`, `@a.txt` and `|./a.sh %s` that may be files. */
function filesInOptions(text: string): readonly string[] {
  const quoted = [...text.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other ?? '');
  const words = text.split(/[\s"'`;&|()<>]+/).concat(quoted);
  const parts = words.flatMap((word) =>
    word.split(/[=:,@]/).concat(word, /^-\w./.test(word) ? word.slice(2) : []),
  );
  const names = parts.filter((part) => part.includes('/') || /^[^-].*\.\w+$/.test(part));
  return [...new Set(names)].flatMap((name) =>
    /\.\w+$/.test(name) ? [name] : ENDINGS.map((ending) => name + ending),
  );
}
