/**
 * Builtins that set variables by name, or look them up. A name with a subscript in it runs what the subscript contains, and an
 * attribute of a variable changes what a later assignment means. So only plain forms with plain names are understood.
 */
import type { ShellWord } from '../command.ts';
import type { Refusal } from './word-syntax.ts';

const NAME = /^[A-Za-z_]\w*$/;
/** Attributes that do not change the value of a variable. With `-a`, quoted text in brackets is evaluated as an array. */
const ATTRIBUTES = /^-[rxg]+$/;

const CHECKED: ReadonlySet<string> = new Set(
  'command builtin let mapfile readarray declare typeset local readonly export unset getopts wait read printf test [ set shopt'.split(
    ' ',
  ),
);

/** Returns true for the builtins that `refuseBuiltin` checks. */
export function isCheckedBuiltin(name: string): boolean {
  return CHECKED.has(name);
}

/** Returns the reason why this builtin may do more than its words show, or undefined. */
export function refuseBuiltin(words: readonly ShellWord[]): Refusal {
  const [name, ...args] = words;
  if (name?.kind !== 'literal') return undefined;
  switch (name.value) {
    case 'command':
    case 'builtin':
      return refuseBuiltin(args[0]?.value === '-p' ? args.slice(1) : args);
    case 'let':
    case 'mapfile':
    case 'readarray':
      return `the builtin ${name.value}`;
    case 'declare':
    case 'typeset':
    case 'local':
    case 'readonly':
    case 'export':
      return args.every(isDeclared) ? undefined : `an unusual ${name.value}`;
    case 'unset':
    case 'getopts':
      return args.every((word) => isPlain(word) && !/[[\]]/.test(word.value))
        ? undefined
        : `an unusual ${name.value}`;
    case 'wait':
      return args.some(({ value, kind }) => kind === 'literal' && value.startsWith('-'))
        ? 'an unusual wait'
        : undefined;
    case 'read':
      return refuseRead(args);
    case 'printf':
      return mayBeOption(args[0]) || mayCount(args) ? 'a printf that may set a variable' : undefined;
    case 'test':
      return refuseTest(args);
    case '[':
      return args.at(-1)?.value === ']' ? refuseTest(args.slice(0, -1)) : 'a test without an end';
    case 'set':
      return refuseSet(args);
    case 'shopt':
      return args.every(isHarmlessShopt) ? undefined : 'an option of the shell that is not known';
    default:
      return undefined;
  }
}

/** Options that do not change how the shell reads words. With `-k`, each word with an equals sign is an assignment. */
const SET_LETTERS = /^[-+][abefhmnuvxCET]*o?$/;
const SET_NAMES =
  /^(?:allexport|errexit|errtrace|functrace|monitor|noclobber|noexec|noglob|notify|nounset|pipefail|verbose|xtrace)$/;
const SHOPT_NAMES =
  /^(?:checkhash|checkjobs|checkwinsize|dotglob|extglob|failglob|globasciiranges|globskipdots|globstar|huponexit|inherit_errexit|lastpipe|nocaseglob|nocasematch|nullglob|xpg_echo)$/;

function refuseSet(args: readonly ShellWord[]): Refusal {
  for (let at = 0; at < args.length; at++) {
    const { kind, value, begins } = args[at] ?? unknownArgument;
    // The words behind these are arguments of the script.
    if (kind === 'literal' ? /^(?:--?$|[^-+]|$)/.test(value) : /^[^-+]/.test(begins)) return undefined;
    const isNamed = kind === 'literal' && value.endsWith('o') && at + 1 < args.length;
    const named = args[at + 1];
    const isKnown =
      kind === 'literal' &&
      SET_LETTERS.test(value) &&
      (!isNamed || (named?.kind === 'literal' && SET_NAMES.test(named.value)));
    if (!isKnown) return 'an option of the shell that is not known';
    if (isNamed) at++;
  }
  return undefined;
}

const unknownArgument = { kind: 'dynamic', value: '', begins: '' } as const;

function isHarmlessShopt({ kind, value }: ShellWord): boolean {
  return kind === 'literal' && (/^-[supq]+$/.test(value) || SHOPT_NAMES.test(value));
}

function isPlain({ kind }: ShellWord): boolean {
  return kind === 'literal';
}

/** `NAME` or `NAME=value`. The value was already checked as a word. */
function isDeclared({ kind, value, prefix, text }: ShellWord): boolean {
  const [, name] = /^([^=+]*)(?:\+?=|$)/.exec(kind === 'literal' ? value : prefix) ?? [];
  return (
    ATTRIBUTES.test(value) ||
    (name !== undefined &&
      NAME.test(name) &&
      (kind === 'literal' || prefix.includes('=')) &&
      (name !== 'IFS' || separatesNoNumbers({ kind, value })) &&
      // Old shells evaluate such a value if the variable is an array.
      !(kind === 'literal' ? /^[^=]*=\(/.test(value) : /^[^=]*=["'\\]+\(/.test(text)))
  );
}

/** Checks a value of IFS. With a digit in it, the shell splits `$?` and `$((1+2))` into words. */
export function separatesNoNumbers({ kind, value }: Pick<ShellWord, 'kind' | 'value'>): boolean {
  return kind === 'literal' && !/[\d-]/.test(value);
}

const READ_VALUED = /^-[rs]*[dntpu]$/;

function refuseRead(args: readonly ShellWord[]): Refusal {
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    if (word.kind !== 'literal') return 'a read into a variable that is not known';
    if (READ_VALUED.test(word.value)) at++;
    else if (!/^-[rsa]+$/.test(word.value) && !NAME.test(word.value)) return 'an unusual read';
  }
  return undefined;
}

/** `printf -v` accepts its variable also in the same word. */
function mayBeOption(word: ShellWord | undefined): boolean {
  if (word === undefined) return false;
  const begins = word.kind === 'literal' ? word.value : word.prefix;
  return begins === '' ? word.kind !== 'literal' : begins.startsWith('-') && begins !== '--';
}

/** A directive of a format: flags, width, precision and size, then its letter. */
const DIRECTIVE = /%[-#' +0-9.*hjlLtz]*(.)/gs;

/** The directive `%n` stores a number in the variable that an argument names. */
function mayCount(args: readonly ShellWord[]): boolean {
  const [format, ...values] = args[0]?.value === '--' && args[0].kind === 'literal' ? args.slice(1) : args;
  if (format === undefined) return false;
  if (format.kind !== 'literal') return values.length > 0 || !format.single;
  return Array.from(format.value.matchAll(DIRECTIVE)).some(([, letter]) => letter === 'n');
}

const OF_ONE = /^-[a-uw-zGLNOS]$/;
const OF_TWO = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/** Two operators read variables by name, so no word may become one of them. */
function refuseTest(args: readonly ShellWord[]): Refusal {
  if (args.some(({ kind, value }) => kind === 'literal' && /^-[vR]$/.test(value)))
    return 'a test of a variable by its name';
  // If all words are literal, no word can become an operator.
  if (args.every(isPlain)) return undefined;
  if (!args.every(({ single }) => single)) return 'a test of words that are not known';
  const groups = splitTest(args);
  return groups.every(isComparison) ? undefined : 'a test of words that are not known';
}

/** `-a` and `-o` join comparisons. The number of words between them determines the meaning of each group. */
function splitTest(args: readonly ShellWord[]): (readonly ShellWord[])[] {
  const groups: ShellWord[][] = [[]];
  for (const word of args) {
    if (word.kind === 'literal' && /^-[ao]$/.test(word.value) && (groups.at(-1)?.length ?? 0) > 0)
      groups.push([]);
    else groups.at(-1)?.push(word);
  }
  return groups;
}

function isComparison(group: readonly ShellWord[]): boolean {
  const [first, second, third, ...more] =
    group[0]?.value === '!' && group[0].kind === 'literal' ? group.slice(1) : group;
  if (first === undefined || more.length > 0) return false;
  if (third !== undefined) return second?.kind === 'literal' && OF_TWO.test(second.value);
  return second === undefined || (first.kind === 'literal' && OF_ONE.test(first.value));
}
