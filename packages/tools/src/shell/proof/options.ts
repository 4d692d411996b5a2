/** Checks a program's options against those that are known to only read. */

/** An argument: its whole value, or only its start if the value is not known. */
export interface Arg {
  readonly value: string;
  readonly exact: boolean;
}

export interface Allowed {
  /** Options of one letter. */
  readonly short?: string;
  /** Options of one letter that take a value, which may be attached. */
  readonly valued?: string;
  /** Values are never attached: the letters after an option with a value are also options. */
  readonly separate?: boolean;
  /** Long options by name, with or without `=value`. Abbreviations are not among them. */
  readonly long?: readonly string[];
  /** `-20`. */
  readonly numbers?: boolean;
  /** The maximum number of arguments that are not options, including values of options. */
  readonly operands?: number;
  /** No option of any version writes or runs anything. A file name that looks like an option is safe. */
  readonly harmless?: boolean;
}

/** Returns the options of both lists. Other limits are those of the first list. */
export function mergeAllowed(first: Allowed, second: Allowed = {}): Allowed {
  return {
    ...first,
    short: (first.short ?? '') + (second.short ?? ''),
    valued: (first.valued ?? '') + (second.valued ?? ''),
    long: [...(first.long ?? []), ...(second.long ?? [])],
    numbers: first.numbers === true || second.numbers === true,
  };
}

/**
 * Values of options are handled like operands: both only name input. A value that looks like an option is checked as an
 * option. Only a number after an option of one letter is certainly its value: `uniq -f 1`.
 */
export function onlyAllowed(args: readonly Arg[], allowed: Allowed): boolean {
  let operands = 0;
  let isPast = false;
  /** Every value so far is known as such. In `xxd -c -c 8 x`, the second option is a value, and `x` is written. */
  let areValuesKnown = true;
  for (const [index, { value, exact }] of args.entries()) {
    const option = args[index - 1];
    if (option && takesNext(option, allowed)) {
      const isNumber = exact && /^\d+$/.test(value) && option.value.length === 2;
      if (isNumber && areValuesKnown && operands === 0 && !isPast) continue;
      areValuesKnown = false;
    }
    if (!exact) {
      // A glob may match many names. If it starts with a wildcard, it may match a name that looks like an option.
      operands = Infinity;
      if (value === '' ? !allowed.harmless : value.startsWith('-') && (isPast || !isBegun(value, allowed)))
        return false;
      continue;
    }
    if (!value.startsWith('-') || value === '-') operands++;
    // Some programs and systems read every argument after the first operand as an operand: `xxd a -l`.
    else if (operands > 0 && allowed.operands !== undefined) operands++;
    // There are no options after `--`, unless it is the value of the option before it.
    else if (isPast || !isAllowed(value, allowed)) return false;
    if (value === '--') isPast = true;
  }
  return operands <= (allowed.operands ?? Infinity);
}

/** Returns true for an option whose value may be the next argument. */
function takesNext({ value }: Arg, { valued = '' }: Allowed): boolean {
  if (value.startsWith('--')) return !value.includes('=');
  return /^-[a-zA-Z]+$/.test(value) && valued.includes(value.slice(-1));
}

/** Returns true if the argument cannot become an option, neither by its own text nor by the matches of a glob. */
export function isName({ value }: Arg): boolean {
  return value !== '' && !value.startsWith('-');
}

/** Returns true if the option itself is known and the rest is its value: `--include=*.ts`. */
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
