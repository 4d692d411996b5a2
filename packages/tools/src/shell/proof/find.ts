/** `find` without the parts of its expression that run, delete or write. */
import { isHarmlessProgram } from './allowed-options.ts';
import type { Arg } from './options.ts';

/** Each takes one argument or none. In both cases the next word is checked as a part of the expression. */
const EXPRESSIONS: ReadonlySet<string> = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -empty ' +
    '-mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -nouser -nogroup -perm -links ' +
    '-inum -samefile -readable -writable -executable -maxdepth -mindepth -depth -d -xdev -mount -daystart -noleaf ' +
    '-follow -prune -quit -print -print0 -printf -ls -true -false -not -a -and -o -or -H -L -P'
  ).split(' '),
);

export function isReadOnlyFind(args: readonly Arg[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const { value, exact } = args[at] ?? { value: '', exact: true };
    if (exact && value === '-exec') {
      const end = endOfRun(args, at + 1);
      if (end === undefined) return false;
      at = end;
    } else if (value.startsWith('-') ? !exact || !isReading(value) : !exact && value === '') return false;
  }
  return true;
}

function isReading(option: string): boolean {
  return EXPRESSIONS.has(option) || /^-newer[aBcm][aBcmt]$/.test(option) || /^-\d+[a-zA-Z]?$/.test(option);
}

/** Returns the index of the end of an `-exec` command, or undefined if the command may have effects. */
function endOfRun(args: readonly Arg[], from: number): number | undefined {
  const end = args.findIndex(({ value }, index) => index > from && (value === ';' || value === '+'));
  const run = end < 0 ? [] : args.slice(from, end);
  const [program] = run;
  if (program === undefined || !run.every(({ exact }) => exact)) return undefined;
  return isHarmlessProgram(program.value) ? end : undefined;
}
