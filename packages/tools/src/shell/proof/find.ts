/** `find` without the parts of its expression that run, delete or write. */

/** They take one argument each, or none; either way what follows them is checked as if it were one of the expression. */
const EXPRESSIONS: ReadonlySet<string> = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -empty ' +
    '-mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -nouser -nogroup -perm -links ' +
    '-inum -samefile -readable -writable -executable -maxdepth -mindepth -depth -d -xdev -mount -daystart -noleaf ' +
    '-follow -prune -quit -print -print0 -printf -ls -true -false -not -a -and -o -or -H -L -P'
  ).split(' '),
);

export function isReadOnlyFind(args: readonly string[]): boolean {
  return args.every(
    (arg) =>
      !arg.startsWith('-') ||
      EXPRESSIONS.has(arg) ||
      /^-newer[aBcm][aBcmt]$/.test(arg) ||
      /^-\d+[a-zA-Z]?$/.test(arg),
  );
}
