/** Checks a program's options against those that are known to only read. */

export interface Allowed {
  /** Options of one letter. */
  readonly short?: string;
  /** Options of one letter that take a value, which may be attached. */
  readonly valued?: string;
  /** Long options by name, with or without `=value`. Abbreviations are not among them. */
  readonly long?: readonly string[];
  /** `-20`. */
  readonly numbers?: boolean;
  /** How many arguments may stand beside the options, values of options included. */
  readonly operands?: number;
}

/**
 * Values of options are not told apart from operands: both only name what is read. So a value that looks like an option is
 * checked as one, and nothing is skipped because an option before it might take it.
 */
export function onlyAllowed(args: readonly string[], allowed: Allowed): boolean {
  let operands = 0;
  let isPast = false;
  for (const arg of args) {
    if (!arg.startsWith('-') || arg === '-') operands++;
    // Behind `--` there are no options, unless one before it took it for its value.
    else if (isPast || !isAllowed(arg, allowed)) return false;
    if (arg === '--') isPast = true;
  }
  return operands <= (allowed.operands ?? Infinity);
}

function isAllowed(arg: string, { short = '', valued = '', long = [], numbers = false }: Allowed): boolean {
  if (arg === '--') return true;
  if (arg.startsWith('--')) return long.includes(arg.slice(2).split('=', 1)[0] ?? '');
  if (numbers && /^-\d+$/.test(arg)) return true;
  for (const letter of arg.slice(1)) {
    if (valued.includes(letter)) return true;
    if (!short.includes(letter)) return false;
  }
  return true;
}
