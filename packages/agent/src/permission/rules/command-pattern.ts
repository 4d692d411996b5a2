/**
 * The specifier of a `Bash` rule. A command has two spellings: as written, and canonical, with one space between words
 * and only necessary quotes. A pattern has the same two spellings and is matched against both. So quotes and spaces
 * make no difference.
 */
import type { ShellAssignment, ShellWord } from '@heddle/tools/shell';
import type { RuleList } from './rule.ts';
import { hasOneName, samePrograms } from './same-programs.ts';
import { type FirstWords, skippingMatcher } from './skipped-options.ts';
import { objectingToolRule } from './make-rules.ts';
import { leavesFolder } from './starred-paths.ts';
import {
  countStars,
  type Matcher,
  mayMatchBoth,
  type StarText,
  wildcardMatcher,
  type WildcardOptions,
} from './wildcard.ts';

export interface Spelling {
  readonly canonical: string;
  readonly written: string;
  /** The words, if the spelling is a command that may run. They may be made when they are read. */
  readonly words?: readonly ShellWord[];
}

export type CommandPattern = (spelling: Spelling) => boolean;

/** A deny or ask rule matches each reading of its pattern, and an allow rule only the narrowest one. */
export function commandPattern(specifier: string, list: RuleList, root?: string): CommandPattern {
  if (list === 'allow') return spelledPattern(specifier, compileAllowing);
  const plain = spelledPattern(specifier.replace(/([: ])\*+$/, '$1*'), compileObjecting);
  const toolRule = objectingToolRule(toolWordsOf(specifier), root);
  if (toolRule === undefined) return plain;
  return (spelling) =>
    plain(spelling) || (spelling.words !== undefined && toolRule(spelling.words, 'certain'));
}

/** A star behind a word continues it. Behind a space, it represents further words. */
function toolWordsOf(specifier: string): Parameters<typeof objectingToolRule>[0] {
  const { end, words } = readPattern(specifier);
  const last = words.at(-1) ?? '';
  const isCut = last.endsWith('*');
  return {
    words: isCut ? [...words.slice(0, -1), last.replace(/\*+$/, '')] : words,
    isCut,
    isWhole: end === '' && !isCut,
  };
}

/** The pattern of a name, such as that of a skill. */
export function namePattern(specifier: string): CommandPattern {
  return spelledPattern(specifier, (pattern) => compile(pattern));
}

function spelledPattern(specifier: string, read: (pattern: string) => Matcher): CommandPattern {
  const written = read(specifier);
  const canonical = canonicalPattern(specifier);
  const same = canonical === undefined || canonical === specifier;
  const plain = same ? written : read(canonical);
  return (spelling) =>
    plain(spelling.canonical) ||
    ((!same || spelling.written !== spelling.canonical) && written(spelling.written));
}

function compile(specifier: string, options: WildcardOptions = {}): Matcher {
  const prefix = prefixOf(specifier);
  if (prefix !== undefined) {
    const begin = `${prefix} `;
    return (text) => text === prefix || text.startsWith(begin);
  }
  if (!specifier.includes('*')) return (text) => text === specifier;
  return matcherOfAny(withoutLastWord(specifier).map((pattern) => wildcardMatcher(pattern, options)));
}

/** A trailing ` *` also matches no further word. */
function withoutLastWord(specifier: string): readonly string[] {
  const isOpen = specifier.endsWith(' *') && !specifier.endsWith('\\ *');
  return isOpen ? [specifier.slice(0, -2), specifier] : [specifier];
}

function matcherOfAny(matchers: readonly Matcher[]): Matcher {
  return (text) => matchers.some((matches) => matches(text));
}

/** Returns `feature/*` for `feature/*:*`. */
function starredBeforeColon(specifier: string): string | undefined {
  return /^([^*]*\*[^]*):\*$/.exec(specifier)?.[1];
}

/** `rm *:*` means `rm *` with any further words, and also its text with a colon. */
function compileObjecting(specifier: string): Matcher {
  const options = { mayLackWords: true };
  const starred = starredBeforeColon(specifier);
  if (starred === undefined) return compile(specifier, options);
  return matcherOfAny([
    compile(starred, options),
    ...[`${starred} *`, specifier].map((pattern) => wildcardMatcher(pattern, options)),
  ]);
}

/**
 * A star at the start of a longer pattern matches one plain word, the name of a program. The stars before `:*` match no colon: the user
 * of `git push origin feature/*:*` did not mean `feature/x:main`. A star within a path matches no parent folder.
 */
function compileAllowing(specifier: string): Matcher {
  const starred = starredBeforeColon(specifier);
  const isProgram = /^\*+[^*]/.test(specifier);
  const own = starred === undefined ? 0 : countStars(starred);
  const accepts = (given: StarText): boolean => {
    const { matched, star } = given;
    if (star === 0 && isProgram && !PROGRAM.test(matched)) return false;
    return (star >= own || !matched.includes(':')) && !leavesFolder(given);
  };
  if (starred === undefined && !isProgram) return compile(specifier, { accepts });
  const patterns =
    starred === undefined ? withoutLastWord(specifier) : [...withoutLastWord(starred), `${starred} *`];
  return matcherOfAny(patterns.map((pattern) => wildcardMatcher(pattern, { accepts })));
}

/** The name of a program, or a beginning of one. */
const PROGRAM = /^(?:[\p{L}\p{N}_][\p{L}\p{N}_.+-]*)?$/u;

/** The words before `npm run *` and `npm run:*`, which match with any continuation. */
function prefixOf(specifier: string): string | undefined {
  const [, prefix] = /^([^*]+)(?::\*| \*)$/.exec(specifier) ?? [];
  return prefix?.trimEnd();
}

/**
 * Makes quotes and spaces of a pattern canonical, and keeps its stars. Undefined for unbalanced quotes: then only the
 * written spelling is matched.
 */
function canonicalPattern(specifier: string): string | undefined {
  const end = /(?::\*| \*)$/.exec(specifier)?.[0] ?? '';
  const words = splitWords(specifier.slice(0, specifier.length - end.length));
  return words && words.join(' ') + end;
}

function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  const token = /\s+|'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y;
  let value = '';
  let open = false;
  let bare = true;
  const close = () => {
    if (open) words.push(bare ? value : canonicalWord(value));
    [value, open, bare] = ['', false, true];
  };
  while (token.lastIndex < text.length) {
    const found = token.exec(text);
    if (found === null) return undefined;
    const [whole, single, double, escaped, plain] = found;
    if (/^\s/.test(whole)) {
      close();
      continue;
    }
    open = true;
    // A quoted star would lose its quotes and become a wildcard. Such a pattern is matched only against the written
    // spelling.
    const quoted = single ?? double?.replace(/\\([\\"$`])/g, '$1') ?? escaped;
    if (quoted !== undefined) {
      if (quoted.includes('*')) return undefined;
      bare = false;
    }
    // A partly quoted word with a star has no canonical spelling.
    if (plain?.includes('*') && !bare) return undefined;
    value += quoted ?? plain ?? '';
    if (!bare && value.includes('*')) return undefined;
  }
  close();
  return words;
}

/** Quotes a word only if the shell would otherwise read it differently. */
function canonicalWord(value: string): string {
  // Most words are ASCII, and a test without Unicode properties is faster.
  if (/^[\w\-.,/:=@%+^]+$/.test(value) || /^[\p{L}\p{N}_\-.,/:=@%+^]+$/u.test(value)) return value;
  return `'${value.replaceAll("'", "'\\''")}'`;
}

/** A word with an unknown value stays as written. */
export function canonicalText(words: readonly ShellWord[]): string {
  return words.map(spelledWord).join(' ');
}

function spelledWord({ kind, value, text }: ShellWord): string {
  return kind === 'literal' ? canonicalWord(value) : text;
}

export function writtenText(words: readonly ShellWord[]): string {
  return words.map(({ text }) => text).join(' ');
}

export function assignmentText({ name, append, value }: ShellAssignment): string {
  const sign = append ? '+=' : '=';
  if (value === undefined) return `${name}${sign}(…)`;
  return `${name}${sign}${value.kind === 'literal' ? canonicalWord(value.value) : value.text}`;
}

/** The known beginning of a command. */
export interface Beginning {
  readonly text: string;
  /** The rest is one quoted text from a substitution. It is a message, and rarely an option. */
  readonly quoted: boolean;
}

export interface CommandDoubt {
  mayGoOn(beginning: Beginning): boolean;
  /** Returns whether a command with stars may become one that the rule matches. */
  mayBecome(pattern: string): boolean;
  /** Returns whether the rule may mean one of these commands, with options between its words, or another name. */
  mayMean(command: {
    readonly suspect: readonly Spelling[];
    readonly possible: readonly Spelling[];
  }): boolean;
}

export function commandDoubt(specifier: string): CommandDoubt {
  const readings = readingsOf(specifier);
  const mayMeanSpelling = (spelling: Spelling): boolean => {
    const { canonical } = spelling;
    const first = firstOf(canonical);
    const isAlone = hasOneName(first);
    const base = first.slice(first.lastIndexOf('/') + 1);
    const near = readings.filter(({ name }) => name === undefined || name === base || !isAlone);
    if (!('words' in spelling) || near.length === 0) return false;
    if (isAlone && near.every(({ isOther, skipping }) => !isOther && skipping === undefined)) return false;
    const { words = [] } = spelling;
    return near.some(({ name, isOther, matches, skipping }) => {
      if ((isOther && matches(canonical)) || skipping?.(words) === true) return true;
      return samePrograms(words).some(
        ({ program, skipped }) =>
          (name === undefined || name === program[0]) &&
          (matches(program.join(' ') + restOf(spelling, words, skipped)) ||
            skipping?.([...program.map(literal), ...words.slice(skipped)]) === true),
      );
    });
  };
  return {
    mayMean: ({ suspect, possible }) => suspect.some(mayMeanSpelling) || possible.some(mayMeanSpelling),
    mayBecome: (pattern) =>
      readings.some(({ fixed, open }) => {
        const text = `${fixed}${open.replace(/:\*+$/, ' *')}`.replaceAll('\\*', '*');
        // A star between words may match no word.
        const short = text.replace(/(?<= )\*+ (?=\S)/g, '*');
        return [text, text.replace(/ \*+$/, ''), short].some((one) => mayMatchBoth(one, pattern));
      }),
    mayGoOn({ text, quoted }) {
      const texts = [text, ...textsWithOtherPrograms(text)];
      return readings.some(({ fixed, open }) =>
        texts.some((one) => fixed.startsWith(one) || (open !== '' && !quoted && one.startsWith(fixed))),
      );
    },
  };
}

/** A meaning of a rule: its own text, or that with another name of its program. */
interface Reading {
  /** The name of the program. Undefined if a star hides it. */
  readonly name: string | undefined;
  /** The name is another one than in the rule. */
  readonly isOther: boolean;
  /** The text before the first star, and the rest. */
  readonly fixed: string;
  readonly open: string;
  readonly matches: Matcher;
  readonly skipping: ((words: readonly ShellWord[]) => boolean) | undefined;
}

function readingsOf(specifier: string): readonly Reading[] {
  const pattern = canonicalPattern(specifier) ?? specifier;
  const [fixed, open] = splitAtStar(pattern);
  return [pattern, ...textsWithOtherPrograms(fixed).map((text) => text + open)].map((text, index) => {
    const [known, rest] = splitAtStar(text);
    return {
      name: firstWord(text)?.replace(/^.*\//s, ''),
      isOther: index > 0,
      fixed: known,
      open: rest,
      matches: compileObjecting(text),
      skipping: skippingOf(index === 0 ? specifier : text),
    };
  });
}

/** The options of a build tool are known, so that only words with unknown values make a doubt. */
function skippingOf(specifier: string): Reading['skipping'] {
  const toolRule = objectingToolRule(toolWordsOf(specifier), undefined);
  if (toolRule) return (words) => toolRule(words, 'possible');
  return skippingMatcher(firstWordsOf(specifier), spelledWord);
}

function firstOf(text: string): string {
  const end = text.indexOf(' ');
  return end < 0 ? text : text.slice(0, end);
}

function splitAtStar(pattern: string): readonly [string, string] {
  const [, fixed = '', open = ''] = /^([^*]*?)((?::\*| \*|\*)[\s\S]*)?$/.exec(pattern) ?? [];
  return [fixed, open];
}

function textsWithOtherPrograms(text: string): readonly string[] {
  const words = text.split(' ');
  return samePrograms(words.map((value) => ({ value }))).map(({ program, skipped }) =>
    [...program, ...words.slice(skipped)].join(' '),
  );
}

function literal(value: string): ShellWord {
  return { text: value, kind: 'literal', value, prefix: value, plain: true, single: true, begins: value };
}

/** Returns the text of a command without its first words. A slice is faster than joining the other words. */
function restOf({ canonical }: Spelling, words: readonly ShellWord[], skipped: number): string {
  const start = canonicalText(words.slice(0, skipped));
  if (canonical.startsWith(start)) return canonical.slice(start.length);
  const rest = words.slice(skipped);
  return rest.length === 0 ? '' : ` ${canonicalText(rest)}`;
}

/** Returns the words of a pattern without its open end. A pattern without a canonical spelling has none. */
function readPattern(specifier: string) {
  const pattern = canonicalPattern(specifier.replace(/([: ])\*+$/, '$1*')) ?? '';
  const end = /(?::\*| \*)$/.exec(pattern)?.[0] ?? '';
  const body = pattern.slice(0, pattern.length - end.length);
  const words: readonly string[] = body.match(/(?:'[^']*'|\\[\s\S]|[^\s'\\])+/g) ?? [];
  return { pattern, end, words };
}

/** Returns the words that a rule for commands contains, without the stars at their ends: `sed -n:*` and `sed -n*` contain `-n`. */
export function wordsOfRule(specifier: string): readonly string[] {
  return readPattern(specifier).words.flatMap((word) => word.replace(/(?<!\*)\*+$/, '') || []);
}

/** Returns the same words, with the stars between them. */
export function wordsWithStars(specifier: string): readonly string[] {
  const { words } = readPattern(specifier);
  return words.flatMap((word, at) => (at < words.length - 1 ? word : word.replace(/(?<!\*)\*+$/, '') || []));
}

/** Returns the words before the first star of a pattern. */
function firstWordsOf(specifier: string): FirstWords {
  const { pattern, end, words } = readPattern(specifier);
  const at = words.findIndex((word) => word.includes('*'));
  if (at < 0) return { words, rest: end === '' ? 'none' : 'any' };
  const [, begin] = /^([^*]+)\*+$/.exec(words[at] ?? '') ?? [];
  if (begin !== undefined && at === words.length - 1 && end === '')
    return { words: [...words.slice(0, at), begin], rest: 'word' };
  const last = words.at(-1)?.replaceAll('*', '') ?? '';
  const named = last === '' || last.startsWith('-') ? undefined : last;
  return { words: words.slice(0, at), rest: compileObjecting(pattern), named };
}

/** Rules for commands, indexed by first word. Most of five hundred rules concern other programs. */
export interface CommandIndex<T> {
  readonly all: readonly T[];
  /** Returns the rules that may match one of these spellings, in the order of `all`. */
  among(spellings: readonly Spelling[]): readonly T[];
}

export function commandIndex<T>(
  rules: readonly T[],
  specifierOf: (rule: T) => string | undefined,
): CommandIndex<T> {
  const byWord = new Map<string, number[]>();
  const others: number[] = [];
  rules.forEach((rule, index) => {
    const names = firstNames(specifierOf(rule));
    if (names.length === 0) others.push(index);
    for (const name of names) byWord.set(name, [...(byWord.get(name) ?? []), index]);
  });
  return {
    all: rules,
    among(spellings) {
      const found = new Set(others);
      for (const spelling of spellings) {
        const { canonical, written } = spelling;
        const same = hasOneName(firstOf(canonical)) ? [] : samePrograms(spelling.words ?? []);
        for (const { program } of same)
          for (const index of byWord.get(program[0] ?? '') ?? []) found.add(index);
        for (const text of canonical === written ? [written] : [canonical, written]) {
          const end = text.indexOf(' ');
          for (const index of byWord.get(end < 0 ? text : text.slice(0, end)) ?? []) found.add(index);
        }
      }
      if (found.size === 0) return [];
      return [...found].sort((left, right) => left - right).flatMap((index) => rules[index] ?? []);
    },
  };
}

/** Returns the names of the program of a rule. Empty if they are unknown. */
function firstNames(specifier: string | undefined): readonly string[] {
  const name = firstWord(specifier);
  if (specifier === undefined || name === undefined) return [];
  const words = splitAtStar(canonicalPattern(specifier) ?? specifier)[0].split(' ');
  const others = samePrograms(words.map((value) => ({ value }))).map(({ program }) => program[0] ?? '');
  return [...new Set([name, ...others])];
}

/** Undefined if a star or a quote hides the first word, and for a rule about every command. */
function firstWord(specifier: string | undefined): string | undefined {
  return specifier === undefined ? undefined : /^([^\s*'"\\]+)(?=\s|:\*+$|$)/.exec(specifier)?.[1];
}
