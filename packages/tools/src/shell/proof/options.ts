/** Checks a program's options against those that are known to only read. */

/** An argument as far as it is known: the whole of it, or how it begins. */
export interface Arg {
  readonly value: string;
  readonly exact: boolean;
}

export interface Allowed {
  /** Options of one letter. */
  readonly short?: string;
  /** Options of one letter that take a value, which may be attached. */
  readonly valued?: string;
  /** Values are never attached: the letters behind one that takes a value are options, too. */
  readonly separate?: boolean;
  /** Long options by name, with or without `=value`. Abbreviations are not among them. */
  readonly long?: readonly string[];
  /** `-20`. */
  readonly numbers?: boolean;
  /** How many arguments may stand beside the options, values of options included. */
  readonly operands?: number;
  /** No option of any version writes or runs anything: a file whose name looks like one does no harm. */
  readonly harmless?: boolean;
}

/**
 * Values of options are not told apart from operands: both only name what is read. So a value that looks like an option is
 * checked as one, and nothing is skipped because an option before it might take it.
 */
export function onlyAllowed(args: readonly Arg[], allowed: Allowed): boolean {
  let operands = 0;
  let isPast = false;
  for (const { value, exact } of args) {
    if (!exact) {
      // A glob may find many names, and one that begins with a wildcard may find one that looks like an option.
      operands = Infinity;
      if (value === '' ? !allowed.harmless : value.startsWith('-') && (isPast || !isBegun(value, allowed)))
        return false;
      continue;
    }
    if (!value.startsWith('-') || value === '-') operands++;
    // Some programs, and all of them on some systems, take what follows the first operand for another one: `xxd a -l`.
    else if (operands > 0 && allowed.operands !== undefined) operands++;
    // Behind `--` there are no options, unless one before it took it for its value.
    else if (isPast || !isAllowed(value, allowed)) return false;
    if (value === '--') isPast = true;
  }
  return operands <= (allowed.operands ?? Infinity);
}

/** Whatever it may become, it is no option: neither by its own text nor by what a glob finds. */
export function isName({ value }: Arg): boolean {
  return value !== '' && !value.startsWith('-');
}

/** The option itself is known, what follows is its value: `--include=*.ts`. */
function isBegun(value: string, { valued = '', long = [], short = '', separate = false }: Allowed): boolean {
  if (value.startsWith('--')) return value.includes('=') && long.includes(nameOf(value));
  if (separate) return false;
  for (const letter of value.slice(1)) {
    if (valued.includes(letter)) return true;
    if (!short.includes(letter)) return false;
  }
  return false;
}

function isAllowed(
  arg: string,
  { short = '', valued = '', long = [], numbers = false, separate = false }: Allowed,
): boolean {
  if (arg === '--') return true;
  if (arg.startsWith('--')) return long.includes(nameOf(arg));
  if (numbers && /^-\d+$/.test(arg)) return true;
  if (separate)
    return arg
      .slice(1)
      .split('')
      .every((letter) => (valued + short).includes(letter) || /\d/.test(letter));
  for (const letter of arg.slice(1)) {
    if (valued.includes(letter)) return true;
    if (!short.includes(letter)) return false;
  }
  return true;
}

function nameOf(option: string): string {
  return option.slice(2).split('=', 1)[0] ?? '';
}
