/** Splits the arguments of a program into options, values and operands. */
import type { ShellWord } from '@heddle/tools/shell';
import { literalWord, partOfWord } from './touch.ts';

/** All options of a program. Any other option, or letter among short options, is unknown. */
export interface OptionTable {
  /** Options whose value is the next word or attached to them. */
  readonly valued: readonly string[];
  /** Letters without a value. */
  readonly letters: string;
  /** Long options without a value, or whose value is always attached. */
  readonly long: readonly string[];
}

export interface ParsedOperands {
  readonly options: readonly string[];
  /** An option is not in the table. It may take the next word, and may change the meaning of others. */
  readonly isUncertain: boolean;
  /** The values of these options, in order. */
  readonly valuesOf: (...options: readonly string[]) => readonly ShellWord[];
  readonly operands: readonly ShellWord[];
  /** The number of operands before `--`. */
  readonly leading: number;
}

/** `{a,b}` is two words. Other words stay as they are. */
export function expandBraces(word: ShellWord): readonly ShellWord[] {
  const { kind, becomes } = word;
  if (kind !== 'dynamic' || becomes?.every(({ exact }) => exact) !== true) return [word];
  return becomes.map(({ begins }) => literalWord(begins));
}

/**
 * `known` lists options whose value is the next word or attached to them. With a whole table, an option that is not in it
 * makes the result uncertain.
 */
export function argumentsOf(
  args: readonly ShellWord[],
  known: readonly string[] | OptionTable = [],
): ParsedOperands {
  const valued = 'valued' in known ? known.valued : known;
  const readExactly = 'valued' in known ? tableReader(known) : undefined;
  let isUncertain = false;
  let leading: number | undefined;
  const options: string[] = [];
  const values: { readonly option: string; readonly word: ShellWord }[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    const { value } = word;
    if (value === '--') {
      leading = operands.length;
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!value.startsWith('-') || value === '-') {
      if (value !== '-') operands.push(word);
      continue;
    }
    // Its value is unknown. It may become any option, or an option and operands.
    if (word.kind !== 'literal') operands.push(word);
    const exact = readExactly?.(value) ?? 'none';
    isUncertain ||= exact === 'unknown';
    // An unknown option is read in the usual way, for example as an abbreviation.
    const taker =
      exact === 'unknown' || readExactly === undefined
        ? takerIn(value, valued)
        : exact === 'none'
          ? undefined
          : exact;
    if (taker === undefined) {
      options.push(value);
      continue;
    }
    const { option, flags, attached } = taker;
    if (flags !== '') options.push(`-${flags}`);
    options.push(option);
    if (attached !== undefined) {
      values.push({
        option,
        word: { ...word, value: attached, text: attached, prefix: attached, becomes: undefined },
      });
    } else {
      const next = args[++at];
      if (next) values.push({ option, word: next });
    }
  }
  return {
    options,
    isUncertain,
    valuesOf: (...names) =>
      values.filter(({ option }) => names.includes(option)).map(({ word: taken }) => taken),
    operands,
    leading: leading ?? operands.length,
  };
}

/** Options can be repeated, and some are digits or other characters: `-vvvvvvvvvoFILE`, `-0aFILE`. */
const OPTION_LETTERS = /^-([A-Za-z\d#?%+!^]+)/;

/** Returns the texts that may be attached to a short option: `-ox`, `-I.`, `-itv.:/x`. Any of the letters may take the rest. */
export function attachedValues(value: string): readonly string[] {
  const [, letters = ''] = OPTION_LETTERS.exec(value) ?? [];
  return Array.from(letters, (_, index) => value.slice(index + 2)).filter((rest) => rest !== '');
}

/** `tar cfz a.tar b`: letters without a dash, whose values follow in order. */
export function dashedOptions([first, ...rest]: readonly ShellWord[]): readonly ShellWord[] {
  if (first === undefined || first.value.startsWith('-')) return first ? [first, ...rest] : [];
  const values = [...rest];
  const options = Array.from(first.value).flatMap((letter) => {
    const value = /[bfgCFHIKLNTVX]/.test(letter) ? values.shift() : undefined;
    const option = { ...first, value: `-${letter}`, text: `-${letter}` };
    return value ? [option, value] : [option];
  });
  return [...options, ...values];
}

/**
 * Returns the whole name of the long option that a word abbreviates: `--in-place=.bak` for `--i=.bak`. The word stays as it is
 * if it has a whole name, or may mean several options: the program rejects it then.
 */
export function wholeOption(value: string, known: readonly string[]): string {
  const [, name = '', attached = ''] = /^(--[a-z][\w-]*)(=.*)?$/s.exec(value) ?? [];
  if (name === '' || known.includes(name)) return value;
  const [whole, ...others] = known.filter((option) => option.startsWith(name));
  return whole === undefined || others.length > 0 ? value : whole + attached;
}

/** All long options of GNU sed. Any abbreviation that means only one of them is accepted. */
const SED_LONG: readonly string[] =
  '--binary --debug --expression --file --follow-symlinks --help --in-place --line-length --null-data --posix --quiet --regexp-extended --sandbox --separate --silent --unbuffered --version --zero-terminated'.split(
    ' ',
  );

/** Returns whether a word makes sed edit its files, in any spelling. Other versions of sed have `-I`. */
export function isSedInPlace(value: string): boolean {
  return /^-[^-efl]*[iI]/.test(value) || /^--in-place(=|$)/.test(wholeOption(value, SED_LONG));
}

/**
 * Separates `-ni.bak` of sed into `-n` and `--in-place=.bak`: the rest of the word is a suffix, not options. Abbreviated
 * options become whole ones.
 */
export function sedWords(args: readonly ShellWord[]): readonly ShellWord[] {
  const end = args.findIndex(({ value }) => value === '--');
  return args.flatMap((word, at) => {
    const isOption = word.kind === 'literal' && (end < 0 || at < end);
    const whole = isOption ? wholeOption(word.value, SED_LONG) : word.value;
    if (whole !== word.value) return [partOfWord(word, whole)];
    const [, flags, suffix] = /^-([^-efl]*?)[iI](.*)$/s.exec(word.value) ?? [];
    if (!isOption || flags === undefined || suffix === undefined) return [word];
    const inPlace = partOfWord(word, suffix === '' ? '--in-place' : `--in-place=${suffix}`);
    return flags === '' ? [inPlace] : [partOfWord(word, `-${flags}`), inPlace];
  });
}

interface Taker {
  readonly option: string;
  /** The letters before it in the same word: `-sSLo file`. */
  readonly flags: string;
  /** Undefined if the next word is the value. The value in `--regexp=` is empty. */
  readonly attached: string | undefined;
}

/** Finds the option in a word that takes a value. Undefined if there is none. */
function takerIn(value: string, valued: readonly string[]): Taker | undefined {
  const whole = valued.find((option) => takes(value, option));
  if (whole !== undefined) {
    const rest = value.slice(whole.length);
    return { option: whole, flags: '', attached: rest === '' ? undefined : rest.replace(/^=/, '') };
  }
  const [, name, given] = /^(--[a-z][\w-]*)(?:=([\s\S]*))?$/.exec(value) ?? [];
  if (name !== undefined) {
    // GNU programs accept the beginning of a long option.
    const begun = valued.find((option) => option.startsWith(name));
    return begun === undefined ? undefined : { option: begun, flags: '', attached: given };
  }
  // Digits and signs are options, too: `curl -4#o file`.
  const [, letters = ''] = /^-([A-Za-z\d#]+)/.exec(value) ?? [];
  const at = Array.from(letters).findIndex((letter) => valued.includes(`-${letter}`));
  if (at < 0) return undefined;
  return {
    option: `-${letters[at]}`,
    flags: letters.slice(0, at),
    attached: value.slice(at + 2) || undefined,
  };
}

/** Reads options exactly, as a program with these options does. Returns undefined for options without a value. */
function tableReader({
  valued,
  letters,
  long,
}: OptionTable): (value: string) => Taker | 'unknown' | undefined {
  const longReader = (value: string): Taker | 'unknown' | undefined => {
    const end = value.indexOf('=');
    const name = end < 0 ? value : value.slice(0, end);
    // A program may accept the beginning of a long option. Then it also depends on options that are not in the table.
    if (long.includes(name)) return undefined;
    if (!valued.includes(name)) return 'unknown';
    return { option: name, flags: '', attached: end < 0 ? undefined : value.slice(end + 1) };
  };
  return (value) => {
    if (value.startsWith('--')) return longReader(value);
    const cluster = Array.from(value.slice(1));
    for (const [at, letter] of cluster.entries()) {
      if (valued.includes(`-${letter}`)) {
        const flags = cluster.slice(0, at).join('');
        return { option: `-${letter}`, flags, attached: cluster.slice(at + 1).join('') || undefined };
      }
      if (!letters.includes(letter)) return 'unknown';
    }
    return undefined;
  };
}

function takes(value: string, option: string): boolean {
  if (option.startsWith('--')) return value === option || value.startsWith(`${option}=`);
  return value.startsWith(option) && !value.startsWith('--');
}

/**
 * Returns whether one of these letters is among the short options, or one of these long options, or its beginning, is
 * present.
 */
export function hasOption({ options }: ParsedOperands, letters: string, ...long: readonly string[]): boolean {
  return options.some(
    (option) =>
      (/^--./.test(option) && long.some((name) => name.startsWith(option.split('=', 1)[0] ?? ''))) ||
      (/^-[^-]/.test(option) && Array.from(letters).some((letter) => option.includes(letter))),
  );
}
