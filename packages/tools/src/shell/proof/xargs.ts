/** Proves `xargs` with a program that has no effects for any arguments from the pipe. */
import { isHarmlessProgram } from './allowed-options.ts';
import type { Arg } from './options.ts';

const ALONE =
  /^(-[0rtx]+|-[nLPsI]\S+|--null|--no-run-if-empty|--(max-args|max-procs|max-lines|replace)=\S+)$/;
const VALUED = /^-[0rtx]*[nLPsId]$/;

/** Returns the index of the command that `xargs` runs, or undefined if an option is not known. */
export function xargsCommand(args: readonly string[]): number | undefined {
  let at = 0;
  for (; args[at]?.startsWith('-'); at++) {
    const option = args[at] ?? '';
    if (VALUED.test(option)) at++;
    else if (!ALONE.test(option)) return undefined;
  }
  return at;
}

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
