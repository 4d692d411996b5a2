/** `ps` that shows processes without their environment, in which keys may be. A list of the options that do not show it. */

/** Letters without a dash, as BSD has them. `e` shows the environment. */
const BSD = /^[aAcCfHhjlLmnrSsTuvwXxZ]+$/;
/** Letters behind a dash. There `-e` means every process, and `x` would make BSD letters of them all. */
const UNIX = /^-[AacdefFHjlLmMNTVwyZ]*$/;
/** Options with a value, which follows or is attached. */
const VALUED = /^-[AacdefFHjlLmMNTVwyZ]*[CGgkoOpqstUu]$/;
const LONG =
  /^--(?:forest|headers?|no-headers?|heading|version|help|info|cumulative|deselect|(?:cols|columns|rows|lines|width|pid|ppid|user|User|group|Group|tty|sid|sort|format)=[\w,:.%+=-]*)$/;
/** Columns, processes and users. A column for the environment is not among them. */
const VALUE = /^(?!.*env)[\w,:.%+= -]+$/i;

export function isReadOnlyPs(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (VALUED.test(arg)) {
      at++;
      if (!VALUE.test(args[at] ?? '')) return false;
    } else if (arg.startsWith('--')) {
      if (!LONG.test(arg) || !VALUE.test(arg)) return false;
    } else if (!(UNIX.test(arg) || BSD.test(arg) || /^\d+(,\d+)*$/.test(arg))) return false;
  }
  return true;
}
