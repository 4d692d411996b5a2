/** Variables of the environment with which programs run or load code. */

/** They contain options or code for a program. */
export const CODE_VARIABLES =
  /^(PERL5OPT|PERL5DB|RUBYOPT|NODE_OPTIONS|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|GIT_CONFIG.*|GIT_EXEC_PATH|MAKEFLAGS|GNUMAKEFLAGS|BASH_FUNC.*|TAR_OPTIONS|RSYNC_RSH|VIMINIT|EXINIT|LUA_INIT.*|PYTHONINSPECT|PYTHONBREAKPOINT)$/;
/** They name the programs, libraries or scripts that most programs start with. */
const CHOOSE_PROGRAMS = /^(PATH|BASH_ENV|LD_(PRELOAD|AUDIT|LIBRARY_PATH)|DYLD_.*)$/;
/** Options that do not change which program runs. */
const HARMLESS_OPTIONS =
  /^(--(max[-_]old[-_]space[-_]size=\d+|no-warnings|enable-source-maps|no-deprecation)|-[jkns\d]+|\s)*$/;

export function isHarmlessOption(value: string | undefined): boolean {
  return value !== undefined && HARMLESS_OPTIONS.test(value);
}

/** Returns whether a program may run other code if its environment contains the variable. Undefined: the value is unknown. */
export function mayContainCode(name: string, value: string | undefined): boolean {
  return CHOOSE_PROGRAMS.test(name) || (CODE_VARIABLES.test(name) && !isHarmlessOption(value));
}
