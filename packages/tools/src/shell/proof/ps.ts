/** Allows `ps` only with options that do not show the environment of processes, which may contain keys. */

/** BSD options: letters without a dash. `e` shows the environment. */
const BSD = /^[aAcCfHhjlLmnrSsTuvwXxZ]+$/;
/** Letters after a dash. `-e` selects every process. With `x`, all of them would be read as BSD options. */
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
