/**
 * Compares the first words of a deny or ask rule with a command that has options between them: `kubectl -n prod delete` for
 * `kubectl delete`. The options of most programs are unknown, so the word after an option may be its value. A match is
 * uncertain for this reason.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { type GlobWord, globWord, scriptsByPattern } from './glob-words.ts';
import { plainPush, pushesOf } from './pushed-refs.ts';
import { sameCommands, type WordNames, wordsOfPackages } from './same-commands.ts';
import { takesPackages, withoutVersion } from './same-programs.ts';
import { longOptions } from './same-options.ts';
import type { Matcher } from './wildcard.ts';

export interface FirstWords {
  /** The words before the first star. The first one is the program. */
  readonly words: readonly string[];
  /**
   * The rest of the rule.
   * - `none`: the command ends with these words.
   * - `any`: any words follow.
   * - `word`: the last word may continue.
   * - a test: the words of the rule with those that follow in the command match it.
   */
  readonly rest: 'none' | 'any' | 'word' | Matcher;
  /** The last operand after the first star. */
  readonly named?: string | undefined;
}

/** The most words of a rule that are compared. One bit represents each. */
const MOST_WORDS = 24;

/** Returns a test for the words of a command. `spell` returns a word as rules spell it. */
export function skippingMatcher(
  { words, rest, named }: FirstWords,
  spell: (word: ShellWord) => string,
): ((command: readonly ShellWord[]) => boolean) | undefined {
  const [program = ''] = words;
  if (words.length < 2 || words.length > MOST_WORDS) return undefined;
  const orders = sameCommands(words).map((names) => orderOf(names.slice(1)));
  const start = words.join(' ');
  const lengthen = longOptions(words);
  const isPush = program === 'git' && words[1] === 'push';
  const long = lengthen?.(words) ?? words;
  const ruled = isPush ? plainPush(long) : long;
  const longOrders = (lengthen && ruled.length <= MOST_WORDS ? sameCommands(ruled) : []).map((names) =>
    orderOf(names.slice(1)),
  );
  const hasPackages = takesPackages(program);
  const manager = program.replace(/^.*\//s, '');
  const isAboutHooks = ruled.includes('--no-verify');
  const isFound = (order: Order, command: readonly CommandText[], isLong: boolean): boolean => {
    const found = findInOrder(order, command, rest === 'word');
    if (found === undefined) return false;
    if (rest === 'none' && isLong && words.length > 2)
      return command.slice(found.operand + 1).every(({ value }) => isOption(value));
    if (rest === 'none') return found.end === command.length - 1;
    if (typeof rest === 'string') return true;
    return rest([start, ...command.slice(found.operand + 1).map(({ spelled }) => spelled)].join(' '));
  };
  const mayMean = (given: readonly ShellWord[]): boolean => {
    // Git itself has no such separator: `nix run nixpkgs#git -- push`.
    const isBehind = program === 'git' && given[1]?.value === '--';
    const command = isBehind ? given.slice(0, 1).concat(given.slice(2)) : given;
    const [name, next] = command;
    if (name === undefined || spell(name).replace(/^.*\//s, '') !== manager) return false;
    let texts = command.map(
      (word, at): CommandText => ({
        spelled: spell(word),
        value: word.value,
        glob: scriptsByPattern(manager, word, command[at - 1]) ?? globWord(word),
      }),
    );
    const globs = new Map(texts.flatMap(({ spelled, glob }) => (glob ? [[spelled, glob] as const] : [])));
    if (hasPackages) texts = texts.map((text) => ({ ...text, plain: withoutVersion(text.value) }));
    // The options of git itself are known. Its command without them is compared, too.
    if (program === 'git' && next?.value.startsWith('-')) {
      const at = command.findIndex(({ value }) => value === words[1]);
      if (!isAboutHooks || at < 0 || !command.some(({ value }) => HOOKS.test(value))) return false;
      texts = [textOf('git'), ...texts.slice(at), textOf('--no-verify')];
    }
    if (orders.some((order) => isFound(order, texts, false))) return true;
    if (lengthen === undefined) return false;
    const written = lengthen(texts.map(({ spelled }) => spelled));
    const forms = isPush && written[1] === 'push' ? pushesOf(written, ruled, named) : [written];
    return forms.some((form) => {
      const formed = form.map((text): CommandText => ({ ...textOf(text), glob: globs.get(text) }));
      return longOrders.some((order) => isFound(order, formed, true));
    });
  };
  return (given) => mayMean(given) || otherForms(program, given).some(mayMean);
}

/** Returns a command of a package manager without the words that choose packages. `yarn` alone is `yarn install`. */
function otherForms(program: string, given: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const values = given.map(({ value }) => value);
  const passed = wordsOfPackages(program, values);
  if (passed.length > 0) return [given.filter((_, at) => !passed.includes(at))];
  const [name] = given;
  const options = values.slice(1);
  const isBare =
    program === 'yarn' && options.every((option) => option.startsWith('-')) && !options.some(onlyTells);
  return isBare && name ? [[name, { ...name, value: 'install', text: 'install' }, ...given.slice(1)]] : [];
}

function onlyTells(option: string): boolean {
  return /^(?:-v|-h|--version|--help)$/.test(option);
}

/** A setting of the command line that replaces the hooks of git. */
const HOOKS = /^(?:-c|--config-env=)?core\.hookspath(?:=|$)/i;

/** A word of a command: as rules spell it, its value, and a package without its version. */
interface CommandText {
  readonly spelled: string;
  readonly value: string;
  readonly plain?: string;
  readonly glob?: GlobWord | undefined;
}

function textOf(text: string): CommandText {
  return { spelled: text, value: text };
}

/** The words of a rule after the program. */
interface Order {
  readonly operands: readonly {
    readonly names: WordNames;
    /** An option is before it in the rule. Options may stand anywhere, so any words may be between. */
    readonly isFree: boolean;
    readonly isLast: boolean;
  }[];
  readonly options: readonly {
    readonly text: string;
    /** The number of operands before it in the rule. */
    readonly after: number;
    readonly isLast: boolean;
  }[];
}

function orderOf(names: readonly WordNames[]): Order {
  const operands: Order['operands'][number][] = [];
  const options: Order['options'][number][] = [];
  let isFree = false;
  for (const [index, word] of names.entries()) {
    const isLast = index === names.length - 1;
    const text = writtenName(word);
    if (isOption(text) && text !== '--') {
      options.push({ text, after: operands.length, isLast });
      isFree = true;
    } else {
      operands.push({ names: word, isFree, isLast });
      isFree = false;
    }
  }
  return { operands, options };
}

function isOption(text: string): boolean {
  return text.startsWith('-') && text !== '-';
}

/** Returns the positions of the last operand and of the last word of the rule. The first possible positions count. */
function findInOrder(
  { operands, options }: Order,
  command: readonly CommandText[],
  mayContinue: boolean,
): { readonly operand: number; readonly end: number } | undefined {
  const reached = [0];
  // Bit n: the first n operands are found, and all other words so far may be skipped.
  let states = 1;
  let mayBeValue = false;
  for (let at = 1; at < command.length && reached.length <= operands.length; at++) {
    const word = command[at];
    if (word === undefined || states === 0) return undefined;
    const text = word.spelled;
    const isSkipped = isOption(text) || mayBeValue;
    let next = 0;
    for (const [count, { names, isFree, isLast }] of operands.entries()) {
      // A glob may become several words.
      if (((word.glob ? states | next : states) & (1 << count)) === 0) continue;
      if (isSkipped || isFree) next |= 1 << count;
      const isNamed =
        names.has(text) ||
        (word.plain !== undefined && names.has(word.plain)) ||
        (word.glob !== undefined && [...names].some((name) => word.glob?.mayBe(name)));
      const begins = (name: string): boolean => text.startsWith(name) || word.glob?.mayBegin(name) === true;
      if (!isNamed && !(mayContinue && isLast && begins(writtenName(names)))) continue;
      next |= 1 << (count + 1);
      reached[count + 1] ??= at;
    }
    states = next;
    mayBeValue = isOption(text) && text !== '--' && !text.includes('=');
  }
  const operand = reached[operands.length];
  if (operand === undefined) return undefined;
  let end = operand;
  for (const { text, after, isLast } of options) {
    const found = findOption(text, command, reached[after] ?? 0, mayContinue && isLast);
    if (found === undefined) return undefined;
    end = Math.max(end, found);
  }
  return { operand, end };
}

function writtenName([name = '']: Iterable<string>): string {
  return name;
}

/** Letters with the same meaning in most programs that have them, and their long names. */
const LONG_NAMES: Readonly<Record<string, string>> = { f: 'force', r: 'recursive', R: 'recursive' };
/** A longer word with one dash is a name, and not a set of letters: `-delete`. */
const MOST_LETTERS = 4;

/** Returns the position from which on an option is given. Its letters may be in several words. */
function findOption(
  option: string,
  command: readonly CommandText[],
  after: number,
  mayContinue: boolean,
): number | undefined {
  const [, letters = ''] = new RegExp(`^-([A-Za-z0-9]{1,${MOST_LETTERS}})$`).exec(option) ?? [];
  const missing = new Set(Array.from(letters, meaningOf));
  const name = option.replace(/^-+/, '');
  for (let at = after + 1; at < command.length; at++) {
    const { value: text = '', glob } = command[at] ?? {};
    if (glob && mayBeOption(glob, text, option, mayContinue)) return at;
    if (!isOption(text) || text === '--') continue;
    const [, given = ''] = /^-([A-Za-z0-9]+)/.exec(text) ?? [];
    const [, long = ''] = /^--?([^=]+)/.exec(text.replace(/^--/, '-')) ?? [];
    if (text === option || long === name || (mayContinue && text.startsWith(option))) return at;
    // Most parsers accept the beginning of a long name.
    const isLong = option.startsWith('--');
    if (isLong && text.startsWith('--') && name.startsWith(long)) return at;
    if (isLong && Array.from(given).some((letter) => LONG_NAMES[letter] === name)) return at;
    for (const letter of given) missing.delete(meaningOf(letter));
    missing.delete(long);
    if (letters !== '' && missing.size === 0) return at;
  }
  return undefined;
}

/** An option may be shortened, and letters may be in any order. */
function mayBeOption(glob: GlobWord, text: string, option: string, mayContinue: boolean): boolean {
  if (glob.mayBe(option)) return true;
  if (!option.startsWith('--')) return /^-(?!-)/.test(text);
  const names = Array.from(option, (_, index) => option.slice(0, index + 1)).slice(2);
  return isOption(text) && ((mayContinue && glob.mayBegin(option)) || names.some((name) => glob.mayBe(name)));
}

function meaningOf(letter: string): string {
  return LONG_NAMES[letter] ?? letter;
}
