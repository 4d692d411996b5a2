/**
 * Finds options that undo an option of a rule: `npm ci --ignore-scripts --no-ignore-scripts`, `curl -X GET -X DELETE`. Programs take
 * the last of them, and a rule with a wildcard is meant for the one in its own text.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { canonicalText } from '../rules/command-pattern.ts';
import { lettersIn } from './option-letters.ts';
import { baseName, isRunner } from './runners.ts';

/** The words of a rule behind the name of the program. */
export interface LimitingWords {
  readonly words: readonly string[];
  /** The last word continues with a star: `--dry-run*`. */
  readonly isCut: boolean;
  /** A star is between the words: `git * --dry-run`. */
  readonly isSplit: boolean;
}

interface OptionName {
  readonly name: string;
  readonly isNegated: boolean;
  /** A beginning of the name is another option. */
  readonly isWhole: boolean;
}

interface Option {
  readonly names: readonly OptionName[];
  /** The value in the same word. */
  readonly attached: string | undefined;
  readonly next: string | undefined;
  /** The next word cannot be its value. */
  readonly isAlone: boolean;
}

/** A word of a rule that limits the command. */
interface Limit {
  readonly text: string;
  readonly names: readonly OptionName[];
  readonly value: string | undefined;
  readonly takesNext: boolean;
  /** The word of the rule continues with a star. */
  readonly isOpen: boolean;
}

/** Other names of the same option, by program. */
const ALIASES: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
  [/^curl$/, { X: 'request', I: 'head', G: 'get', o: 'output' }],
  [/^wget$/, { O: 'output-document', nc: 'no-clobber' }],
  [/^gh$/, { X: 'method', R: 'repo' }],
  [/^(kubectl|oc|helm)$/, { n: 'namespace' }],
  [/^(pip[\d.]*|uv)$/, { i: 'index-url', 'pypi-url': 'index-url' }],
  [/^(git|rsync)$/, { n: 'dry-run' }],
  [/^git$/, { l: 'list' }],
  [
    /^apt(-get|itude)?$/,
    {
      s: 'simulate',
      'just-print': 'simulate',
      'dry-run': 'simulate',
      recon: 'simulate',
      'no-act': 'simulate',
      act: 'simulate',
    },
  ],
  [/^node$/, { c: 'check' }],
  [/^(docker|podman|nerdctl)$/, { u: 'user', w: 'workdir', net: 'network' }],
  [/^sudo$/, { u: 'user', g: 'group' }],
  [/^dart$/, { o: 'output' }],
];

/** Options that add to an earlier one, in most programs. */
const ADDS =
  /^([efmiHIDLAW]|env(-file)?|volume|mount|publish|label|filter|file(name)?|(include|exclude|ignore|allow|disallow)(-.*)?|header|define|tag|build-arg|build-context|secret|add-host|cap-(add|drop)|device|dns|expose|tmpfs|ulimit|security-opt|set(-string|-file)?|values|var(-file)?|target|plugins?|rules?|features?|packages?|workspace|project|message|glob|iglob|ext|reporter|tests?|spec|grep|author|committer|require|import|option|config|form(-string)?|data(-.*)?|(raw-)?field|assignee|reviewer|trailer|refspec|server-option|push-option|cov|cov-report|deselect|name|path|or|and)$/;
const ALSO_ADDS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(docker|podman|nerdctl|docker-compose)$/, /^[vpltca]$/],
  [/^curl$/, /^[dFHbe]$/],
  [/^(gh|glab)$/, /^[Flar]$/],
  [/^(cargo|go|dotnet|pytest|nx|turbo|mvnw?|gradlew?|java)$/, /^[pFtPx]$/],
  [/^(npm|pnpm|yarn|bun)$/, /^[wF]$/],
  [/^(pip[\d.]*|uv|python[\d.]*)$/, /^([rc]|requirements?|constraints?)$/],
  [/^ssh$/, /^[oLRDJ]$/],
  [/^git$/, /^[cSGo]$/],
  [/^([\w-]+-)?(cc|gcc|g\+\+|c\+\+|clang|clang\+\+|ld)$/, /^[lUXW].*/],
];

/** They are expressions, in which each word has its own meaning. */
const EXPRESSIONS = /^(g?find|test|\[|expr|ffmpeg|convert|magick|jq)$/;
const INTERPRETERS = /^(python|pypy|node|deno|bun|tsx|ts-node|bash|sh|zsh|dash|ksh|perl|ruby|php|lua)[\d.]*$/;
/** The words after the first operand are those of the program that it names. */
const LAUNCHERS = /^(java|scala|kotlin|groovy|adb)$/;
const CONTAINERS = /^(docker|podman|nerdctl)(-compose)?$/;

/** Returns the word of a command that undoes an option of a rule. */
export function findUndoingOption(
  rule: LimitingWords,
  [name, ...args]: readonly ShellWord[],
): ShellWord | undefined {
  const program = baseName(name?.value ?? '');
  const limits = limitsOf(rule, program);
  if (limits.length === 0) return undefined;
  const texts = args.map((word) => (word.kind === 'literal' ? canonicalText([word]) : word.text));
  for (const limit of limits) {
    const isLast = rule.isCut && limit.text === rule.words.at(-1);
    const own = texts.findIndex((text) => (isLast ? text.startsWith(limit.text) : text === limit.text));
    const at = args.findIndex((_, index) => {
      if (index < own && !rule.isSplit) return false;
      if (index > own && endsBetween(program, args, { own, limit, index, rule })) return false;
      // The word of the rule itself can only be switched off by the next one.
      const isOwn = index === own && !isLast && !rule.isSplit;
      if (isOwn && limit.value !== undefined) return false;
      return optionsAt(program, texts, index).some(
        (option) =>
          !(isOwn && option.attached !== undefined) &&
          undoes(option, limit, { program, rule, text: texts[index] ?? '' }),
      );
    });
    if (at >= 0) return args[at];
  }
  return undefined;
}

function limitsOf({ words, isCut }: LimitingWords, program: string): readonly Limit[] {
  return words.flatMap((text, index): readonly Limit[] => {
    if (text === '--' || text.includes('*')) return [];
    const next = words[index + 1];
    // The value of a word with a star is not known.
    const isOpen = isCut && index === words.length - 1;
    const [, key, given] = /^([A-Za-z_][\w.-]*)=(.*)$/s.exec(text) ?? [];
    if (key !== undefined)
      return isOpen
        ? []
        : [{ text, names: [named(`${key}=`, true)], value: given, takesNext: false, isOpen }];
    const isValue =
      next !== undefined && !/^-./.test(next) && !next.includes('*') && !EXPRESSIONS.test(program);
    return optionsOf(program, text, 'rule').map(({ names, attached, isAlone }) => {
      const takesNext = attached === undefined && isValue && !isAlone;
      const isCutNext = isCut && index === words.length - 2;
      const value =
        isOpen || (takesNext && isCutNext) ? undefined : (attached ?? (takesNext ? next : undefined));
      return { text, names, value, takesNext, isOpen };
    });
  });
}

interface Between {
  readonly own: number;
  readonly index: number;
  readonly limit: Limit;
  readonly rule: LimitingWords;
}

/** Returns whether the options of the program end between two words: with `--`, or with the name of a command or a script. */
function endsBetween(
  program: string,
  args: readonly ShellWord[],
  { own, index, limit, rule }: Between,
): boolean {
  const values = args.map(({ value }) => value);
  const mayTakeNext = (at: number): boolean => {
    const value = values[at] ?? '';
    return value.startsWith('-') && !value.includes('=') && value !== '--';
  };
  const start = own + (limit.takesNext ? 2 : 1);
  const isInner =
    isRunner(program) ||
    INTERPRETERS.test(program) ||
    LAUNCHERS.test(program) ||
    (CONTAINERS.test(program) && values.some((value) => /^(run|exec|create)$/.test(value)));
  for (let at = start; at < index; at++) {
    // After another option, it may be a value.
    if (values[at] === '--' && (!mayTakeNext(at - 1) || rule.words.includes('--'))) return true;
    if (isInner && values[at]?.startsWith('-') !== true && !mayTakeNext(at - 1)) return true;
  }
  return false;
}

function optionsAt(program: string, texts: readonly string[], index: number): readonly Option[] {
  const text = texts[index] ?? '';
  const [, key, given] = /^([A-Za-z_][\w.-]*)=(.*)$/s.exec(text) ?? [];
  if (key !== undefined)
    return [{ names: [named(`${key}=`, true)], attached: given, next: undefined, isAlone: true }];
  return optionsOf(program, text, 'command').map(({ names, attached, isAlone }) => ({
    names,
    attached,
    isAlone,
    next: isAlone ? undefined : texts[index + 1],
  }));
}

/** With their parser, a name may have any number of dashes. */
const ANY_DASHES = /^(c?npm|pnpm|yarn|npx|pnpx|node-gyp)$/;

/** Returns the options that a word may be. With one dash, it may be a long name or several letters. */
function optionsOf(program: string, word: string, from: 'rule' | 'command'): readonly Omit<Option, 'next'>[] {
  const hasAnyDashes = ANY_DASHES.test(program);
  const text = hasAnyDashes ? word.replace(/^-{2,}/, '--') : word;
  const [, dashes = '', given = '', attached] = /^(--?)([A-Za-z?][\w.:-]*)(?:=(.*))?$/s.exec(text) ?? [];
  const isLong = dashes === '--' || given.length > 1;
  // Only parsers that do not count the dashes know beginnings of names with one dash.
  const isWhole = dashes === '-' && !hasAnyDashes;
  const long = isLong ? [{ names: longNames(program, given, isWhole), attached, isAlone: false }] : [];
  if (dashes === '--' || !/^-\w/.test(text)) return long;
  const letters = lettersIn(program, text, from).map(({ letter, attached: value, isAlone }) => ({
    names: withAliases(program, letter).map((name) => named(name, name === letter)),
    attached: value,
    isAlone,
  }));
  return [...long, ...letters];
}

function named(name: string, isWhole: boolean): OptionName {
  return { name, isNegated: false, isWhole };
}

function withAliases(program: string, name: string): readonly string[] {
  const other = ALIASES.flatMap(([programs, names]) => (programs.test(program) ? (names[name] ?? []) : []));
  return [name, ...other];
}

/** Returns the meanings of a long name: `no-verify` is the negation of `verify`, and `noEmit` may be one of `emit`. */
function longNames(program: string, given: string, isWhole: boolean): readonly OptionName[] {
  const name = given.toLowerCase();
  const [, no = '', bare = ''] =
    /^((?:no[-_]|disable[-_]|without[-_]|config\.)+|(?:enable[-_]|with[-_])+)?(.*)$/s.exec(name) ?? [];
  const [, joined] = /^no(?![-_])(\w.*)$/s.exec(name) ?? [];
  const isNegated = /no[-_]|dis|out/.test(no);
  return [
    ...withAliases(program, name).map((each) => named(each, isWhole)),
    ...(no === '' ? [] : withAliases(program, bare).map((each) => ({ name: each, isNegated, isWhole }))),
    ...(joined === undefined ? [] : [{ name: joined, isNegated: true, isWhole: true }]),
  ];
}

interface Undoing {
  readonly program: string;
  readonly rule: LimitingWords;
  readonly text: string;
}

function undoes(option: Option, limit: Limit, { program, rule, text }: Undoing): boolean {
  const pairs = limit.names.flatMap((left) =>
    option.names
      .filter((right) => isSameName(left, right))
      // A longer name is another option, unless the rule has only its beginning: `--cov`, `--cov-report`.
      .filter((right) => mayBeBeginning(program, left, limit) || !isLonger(right.name, left.name))
      .map((right) => [left, right] as const),
  );
  if (pairs.length === 0) return false;
  const { attached, next } = option;
  const isNamed = rule.words.some(
    (word, index) => word === text && (attached !== undefined || rule.words[index + 1] === next),
  );
  if (pairs.some(([left, right]) => left.isNegated !== right.isNegated)) return !rule.words.includes(text);
  if (limit.value === undefined) {
    if (attached !== undefined) return isOff(attached) && !isNamed;
    return next !== undefined && /^(false|null|undefined)$/i.test(next) && !isNamed;
  }
  const value = attached ?? (next?.startsWith('-') && next !== '-' ? undefined : next);
  if (value === undefined) return isOff(limit.value) && !isNamed;
  if (value === limit.value || isNamed) return false;
  return (
    pairs.some(([left, right]) => !isLonger(left.name, right.name) && !isLonger(right.name, left.name)) &&
    !limit.names.some(({ name }) => addsToEarlier(program, name))
  );
}

/** Returns whether the name in a rule may be only the beginning of one. */
function mayBeBeginning(program: string, { isNegated }: OptionName, { isOpen }: Limit): boolean {
  return isOpen || (!isNegated && /^(npm|pnpm|git|rsync)$/.test(program));
}

/** Programs accept the beginning of a long name, and many accept it with underscores or capital letters instead of dashes. */
function isSameName(left: OptionName, right: OptionName): boolean {
  const [one, other] = [left, right].map(({ name }) => name.replace(/[-_]/g, ''));
  if (one === undefined || other === undefined) return false;
  if (one === other) return true;
  if (left.isWhole || right.isWhole || one === '' || other === '') return false;
  return one.startsWith(other) || other.startsWith(one);
}

/** Returns whether one name is the other with more words. */
function isLonger(long: string, short: string): boolean {
  return long.startsWith(short) && /^[-_.:]/.test(long.slice(short.length));
}

function addsToEarlier(program: string, name: string): boolean {
  return ADDS.test(name) || ALSO_ADDS.some(([programs, names]) => programs.test(program) && names.test(name));
}

/** Returns whether a value switches an option off. Programs read zero in all its spellings. */
function isOff(value: string): boolean {
  return Number(value) === 0 || /^(f|false|n|no|none|off|null|undefined|disabled?)$/i.test(value);
}
