/** Proves that programs with arguments of their own kind have no effects: xargs, find, awk and ps. */
import { isHarmlessProgram } from './allowed-options.ts';
import { type Arg, isName } from './options.ts';
import { mayShowEnvironment } from './ps-options.ts';

const XARGS_ALONE =
  /^(-[0rtx]+|-[nLPsI]\S+|--null|--no-run-if-empty|--(max-args|max-procs|max-lines|replace)=\S+)$/;
const XARGS_WITH_VALUE = /^-[0rtx]*[nLPsId]$/;

/** Returns the index of the command that `xargs` runs, or undefined if an option is not known. */
export function xargsCommand(args: readonly string[]): number | undefined {
  let at = 0;
  for (; args[at]?.startsWith('-'); at++) {
    const option = args[at] ?? '';
    if (XARGS_WITH_VALUE.test(option)) at++;
    else if (!XARGS_ALONE.test(option)) return undefined;
  }
  return at;
}

/** Proves `xargs` with a program that has no effects for any arguments from the pipe. */
export function isReadOnlyXargs(args: readonly Arg[]): boolean {
  if (!args.every(({ exact }) => exact)) return false;
  const at = xargsCommand(args.map(({ value }) => value));
  const program = at === undefined ? undefined : args[at]?.value;
  if (program === undefined || !isHarmlessProgram(program)) return false;
  return !placeholders(args.slice(0, at)).some((text) => program.includes(text));
}

/** The placeholders that lines of the input replace. Some versions also replace them in the name of the program. */
function placeholders(options: readonly Arg[]): string[] {
  return options.flatMap(({ value }, index) => {
    const [, attached] = /^(?:-I|--replace=)(.+)$/.exec(value) ?? [];
    const next = /^-[0rtx]*I$/.test(value) ? options[index + 1]?.value : undefined;
    return attached ?? next ?? [];
  });
}

/** Each takes one argument or none. In both cases the next word is checked as a part of the expression. */
const FIND_EXPRESSIONS: ReadonlySet<string> = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -empty ' +
    '-mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -nouser -nogroup -perm -links ' +
    '-inum -samefile -readable -writable -executable -maxdepth -mindepth -depth -d -xdev -mount -daystart -noleaf ' +
    '-follow -prune -quit -print -print0 -printf -ls -true -false -not -a -and -o -or -H -L -P'
  ).split(' '),
);

/** `find` without the parts of its expression that run, delete or write. */
export function isReadOnlyFind(args: readonly Arg[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const { value, exact } = args[at] ?? { value: '', exact: true };
    if (exact && value === '-exec') {
      const end = endOfRun(args, at + 1);
      if (end === undefined) return false;
      at = end;
    } else if (value.startsWith('-') ? !exact || !isReadingExpression(value) : !exact && value === '')
      return false;
  }
  return true;
}

/** Returns true for a part of an expression of `find` that neither runs, deletes nor writes. */
export function isReadingExpression(option: string): boolean {
  return (
    FIND_EXPRESSIONS.has(option) || /^-newer[aBcm][aBcmt]$/.test(option) || /^-\d+[a-zA-Z]?$/.test(option)
  );
}

/**
 * Returns the index of the end of a command of `find` that starts at `from`, or -1. A plus sign ends it only after `{}`.
 */
export function endOfFindRun(words: readonly { readonly value: string }[], from: number): number {
  for (let at = from; at < words.length; at++) {
    const value = words[at]?.value;
    if (value === ';' || (value === '+' && at > from && words[at - 1]?.value === '{}')) return at;
  }
  return -1;
}

/** Returns the index of the end of an `-exec` command, or undefined if the command may have effects. */
function endOfRun(args: readonly Arg[], from: number): number | undefined {
  const end = endOfFindRun(args, from);
  const run = end < 0 ? [] : args.slice(from, end);
  const [program] = run;
  if (program === undefined || !run.every(({ exact }) => exact)) return undefined;
  return isHarmlessProgram(program.value) ? end : undefined;
}

/** Proves that an awk program only prints. A program that may write, run or open files is not proven. */
export function isReadOnlyAwk(args: readonly Arg[]): boolean {
  let at = 0;
  for (; args[at]?.exact && args[at]?.value.startsWith('-'); at++) {
    const option = args[at]?.value ?? '';
    if (option === '-F' || option === '-v') {
      at++;
      const value = args[at];
      if (!value?.exact && !(option === '-v' && /^\w+=/.test(value?.value ?? ''))) return false;
    } else if (!/^(-F.+|-v\w+=[\s\S]*)$/.test(option)) return false;
  }
  const program = args[at];
  if (!program?.exact || !isPrinting(program.value)) return false;
  return args.slice(at + 1).every((file) => isAwkFile(file) || (file.exact && file.value === '-'));
}

/** Some versions open a network connection for a name below /inet. A name that is not known exactly may become one. */
function isAwkFile(file: Arg): boolean {
  const mayBecome = !file.exact && '/inet'.startsWith(file.value);
  return isName(file) && !file.value.startsWith('/inet') && !mayBecome;
}

/**
 * Parts that run commands, load libraries, read other input, call a function by a computed or split name, or add files to
 * the input.
 */
const AWK_POWERS = /system|extension|getline|@|ARG[CV]|SYMTAB|\\\n/;

/**
 * Rejects pipes and redirections. Only `print` and `printf` redirect, so a `>` before the first of them is a comparison.
 * After it, a `|` or `>` is rejected even inside a string.
 */
function isPrinting(program: string): boolean {
  if (AWK_POWERS.test(program)) return false;
  const bare = program.replace(/\|\||>=/g, '  ');
  const print = bare.indexOf('print');
  return !bare.includes('|') && !(print < 0 ? '' : bare.slice(print)).includes('>');
}

/** BSD options: letters without a dash. `e` shows the environment. */
const PS_BSD = /^[aAcCfHhjlLmnrSsTuvwXxZ]+$/;
/** Letters after a dash. `-e` selects every process. */
const PS_UNIX = /^-[AacdefFHjlLmMNTVwyZ]*$/;
/** Options with a value, which follows or is attached. */
const PS_WITH_VALUE = /^-[AacdefFHjlLmMNTVwyZ]*[CGgoOpqstUu]$/;
const PS_LONG =
  /^--(?:forest|headers?|no-headers?|heading|version|help|info|cumulative|deselect|(?:cols|columns|rows|lines|width|pid|ppid|user|User|group|Group|tty|sid|sort|format)=[\w,:.%+=-]*)$/;
/** Columns, processes and users. A column for the environment is not among them. */
const PS_VALUE = /^(?!-)(?!.*env)[\w,:.%+= -]+$/i;

/** Allows `ps` only with options that do not show the environment of processes, which may contain keys. */
export function isReadOnlyPs(args: readonly string[]): boolean {
  if (mayShowEnvironment(args)) return false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (PS_WITH_VALUE.test(arg)) {
      at++;
      if (!PS_VALUE.test(args[at] ?? '')) return false;
    } else if (arg.startsWith('--')) {
      if (!PS_LONG.test(arg) || !PS_VALUE.test(arg.slice(2))) return false;
    } else if (!(PS_UNIX.test(arg) || PS_BSD.test(arg) || /^\d+(,\d+)*$/.test(arg))) return false;
  }
  return true;
}
