/** Parses the words of `find`: its options, its start folders, and the tests that limit what its actions change. */
import { endOfFindRun, type ShellWord } from '@heddle/tools/shell';
import { namesMeet, type Token, tokensOfName } from '../../paths/segments.ts';
import { HERE, unknownWord } from './touch.ts';

interface FindWords {
  readonly options: readonly ShellWord[];
  /** Folders that an option names: `find -f src -delete` of BSD. */
  readonly named: readonly ShellWord[];
  /** The start folders and the expression. */
  readonly rest: readonly ShellWord[];
}

/** Splits the words of `find` after its first options. BSD joins letters, and GNU has one option with a value. */
function findWords(args: readonly ShellWord[]): FindWords {
  const named: ShellWord[] = [];
  let at = 0;
  for (let word = args[at]; word && /^(-[EHLPXdsxDOf]+\d*|-D.*)$/.test(word.value); word = args[at]) {
    const value = args[at + 1];
    if (/^-[EHLPXdsx]*f$/.test(word.value) && value) named.push(value);
    at += /^-(D|[EHLPXdsx]*f)$/.test(word.value) ? 2 : 1;
  }
  const end = args[at]?.value === '--' ? at + 1 : at;
  return { options: args.slice(0, at), named, rest: args.slice(end) };
}

function isExpression({ value }: ShellWord): boolean {
  return /^(-.|[(!),]$)/s.test(value);
}

/** Returns the start folders of `find`: the words before its expression. A list of folders is not read. */
export function startFoldersOf(args: readonly ShellWord[]): readonly ShellWord[] {
  if (args.some(({ value }) => value === '-files0-from')) return [unknownWord('the folders of a list')];
  const { named, rest } = findWords(args);
  const at = rest.findIndex(isExpression);
  const folders = [...named, ...(at < 0 ? rest : rest.slice(0, at))];
  return folders.length > 0 ? folders : [HERE];
}

/** The first words of `find` are options. The expression can contain `-follow` anywhere, except as a value. */
export function followsLinks(args: readonly ShellWord[]): boolean {
  const isNamed = (index: number): boolean =>
    /^-(i?name|i?path|i?regex|i?lname|i?wholename)$/.test(args[index]?.value ?? '');
  return (
    findWords(args).options.some(({ kind, value }) => kind === 'dynamic' || /^-[EHLPXdsx]*L/.test(value)) ||
    args.some(({ value }, index) => value === '-follow' && !isNamed(index - 1))
  );
}

/** Tests that select some of the files, so that not everything is changed. */
const PICKING =
  /^-(i?name|i?path|i?regex|i?lname|i?wholename|type|size|empty|[acm](time|min)|newer.*|user|group|perm)$/;
const WITHOUT_VALUE =
  /^-(delete|print0?|ls|prune|quit|depth|d|daystart|follow|noleaf|mount|xdev|x|(no)?ignore_readdir_race|(no)?warn|empty|executable|readable|writable|nouser|nogroup|true|false)$/;
const WITH_VALUE =
  /^-(i?name|i?path|i?regex|i?lname|i?wholename|x?type|size|[acm](time|min)|newer.*|anewer|cnewer|user|group|uid|gid|perm|links|inum|samefile|used|fstype|context|regextype|maxdepth|mindepth|printf|fprint0?|fls|files0-from)$/;
const RUNS = /^-(exec|execdir|ok|okdir)$/;
const PRINTS = /^-(print0?|printf|ls|fprint0?|fprintf|fls)$/;

type Term =
  | { readonly kind: 'test'; readonly name: string; readonly value: ShellWord | undefined }
  | { readonly kind: 'action'; readonly name: string }
  | { readonly kind: 'sign'; readonly name: '(' | ')' | '!' | 'or' | 'comma' };

function mayEndRun({ kind, value, single, begins }: ShellWord): boolean {
  if (kind === 'literal' || kind === 'tilde') return value === '+';
  return !single || begins === '' || /^[;+{]/.test(begins);
}

/** A command that `find` runs, between the words at these positions. */
export interface FindCommandAt {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns every command that `find` may run. Each word that may start one counts, also inside another command or as a value. Some
 * versions end a command at any plus sign, so it may have two ends.
 */
export function commandsInFind(args: readonly ShellWord[]): readonly FindCommandAt[] {
  const starts = args.flatMap(({ value }, index) => (RUNS.test(value) ? [index + 1] : []));
  const signs = args.flatMap(({ value }, index) => (value === '+' ? [index] : []));
  let end = -1;
  let sign = 0;
  return starts.flatMap((start) => {
    // A command inside another one has the same end, unless that is before it.
    if (end < start || args[end]?.value === '+') end = endOfFindRun(args, start);
    if (end < 0) end = args.length;
    while (sign < signs.length && (signs[sign] ?? 0) <= start) sign++;
    const at = signs[sign] ?? args.length;
    return at < end
      ? [
          { start, end },
          { start, end: at },
        ]
      : [{ start, end }];
  });
}

/** Returns whether `find` deletes files itself. In an expression that is not understood, any such word counts. */
export function deletesFiles(args: readonly ShellWord[]): boolean {
  if (!args.some(({ value }) => value === '-delete')) return false;
  const terms = termsOf(expressionOf(args));
  return terms?.some((term) => term.kind === 'action' && term.name === '-delete') ?? true;
}

function expressionOf(args: readonly ShellWord[]): readonly ShellWord[] {
  const { rest } = findWords(args);
  const at = rest.findIndex(isExpression);
  return at < 0 ? [] : rest.slice(at);
}

/** Splits an expression into its terms, with their values. Undefined if a word is not known. */
function termsOf(words: readonly ShellWord[]): readonly Term[] | undefined {
  const terms: Term[] = [];
  for (let at = 0; at < words.length; at++) {
    const { value: name } = words[at] ?? HERE;
    if (name === '(' || name === ')') terms.push({ kind: 'sign', name });
    else if (/^(!|-not)$/.test(name)) terms.push({ kind: 'sign', name: '!' });
    else if (/^-(o|or)$/.test(name)) terms.push({ kind: 'sign', name: 'or' });
    else if (name === ',') terms.push({ kind: 'sign', name: 'comma' });
    else if (/^-(a|and)$/.test(name)) continue;
    else if (RUNS.test(name)) {
      const end = endOfFindRun(words, at + 1);
      // An unknown word may be the end. Some versions end the command at any plus sign.
      if (end < 0 || words.slice(at + 1, end).some(mayEndRun)) return undefined;
      terms.push({ kind: 'action', name });
      at = end;
    } else if (name === '-fprintf') {
      terms.push({ kind: 'action', name });
      at += 2;
    } else if (WITHOUT_VALUE.test(name) || WITH_VALUE.test(name)) {
      const value = WITH_VALUE.test(name) ? words[++at] : undefined;
      const isAction = name === '-delete' || PRINTS.test(name);
      terms.push(isAction ? { kind: 'action', name } : { kind: 'test', name, value });
    } else return undefined;
  }
  return terms;
}

interface Limits {
  /** Only some of the files are selected. */
  readonly picks: boolean;
  /** Patterns that every selected name matches. */
  readonly names: readonly (readonly Token[])[];
  /** Only regular files and folders are selected. */
  readonly isPlain: boolean;
}

const NO_LIMITS: Limits = { picks: false, names: [], isPlain: false };

function bothOf(one: Limits, other: Limits): Limits {
  return {
    picks: one.picks || other.picks,
    names: [...one.names, ...other.names],
    isPlain: one.isPlain || other.isPlain,
  };
}

function limitsOfTest({ name, value }: Extract<Term, { kind: 'test' }>): Limits {
  const isName = value?.kind === 'literal' && /^-i?name$/.test(name);
  const pattern = isName ? tokensOfName(value.value) : undefined;
  return {
    picks: PICKING.test(name),
    names: pattern === undefined ? [] : [pattern],
    isPlain: name === '-type' && /^[fd]$/.test(value?.value ?? ''),
  };
}

/** Evaluates the terms from left to right. A test limits only the actions after it, in the same sequence. */
class FindExpression {
  readonly #terms: readonly Term[];
  #at = 0;
  /** The limits of each action. */
  readonly actions: { readonly name: string; readonly limits: Limits }[] = [];

  constructor(terms: readonly Term[]) {
    this.#terms = terms;
  }

  /** Returns whether no term is left: a `)` without its `(` ends the evaluation. */
  isComplete(): boolean {
    return this.#at >= this.#terms.length;
  }

  /** Returns the limits of files for which the sequences up to the next `)` are true. `around` already hold. */
  evaluate(around: Limits): Limits {
    let before: Limits | undefined;
    let current = NO_LIMITS;
    for (let term = this.#terms[this.#at]; term !== undefined; term = this.#terms[this.#at]) {
      if (term.kind === 'sign' && term.name === ')') break;
      if (term.kind === 'sign' && (term.name === 'or' || term.name === 'comma')) {
        // One of the alternatives is enough. Of a list, the last expression counts.
        before = term.name === 'comma' ? undefined : eitherOf(before, current);
        current = NO_LIMITS;
        this.#at++;
      } else current = bothOf(current, this.#operand(bothOf(around, current)));
    }
    return eitherOf(before, current);
  }

  #operand(around: Limits): Limits {
    const term = this.#terms[this.#at++];
    if (term === undefined) return NO_LIMITS;
    if (term.kind === 'test') return limitsOfTest(term);
    if (term.kind === 'action') {
      this.actions.push({ name: term.name, limits: around });
      return NO_LIMITS;
    }
    if (term.name === '!') return { ...NO_LIMITS, picks: this.#operand(around).picks };
    if (term.name !== '(') return NO_LIMITS;
    const inner = this.evaluate(around);
    this.#at++;
    return inner;
  }
}

function eitherOf(one: Limits | undefined, other: Limits): Limits {
  if (one === undefined) return other;
  return { picks: one.picks && other.picks, names: [], isPlain: one.isPlain && other.isPlain };
}

export interface FindLimits extends Pick<Limits, 'picks' | 'isPlain'> {
  /** Returns whether the action may concern a file with this name. Only tests of the name count. */
  readonly mayMatch: (name: string) => boolean;
  /** The same for a name with unknown parts. */
  readonly mayMatchSome: (name: readonly Token[]) => boolean;
}

const ANYTHING: FindLimits = {
  picks: false,
  isPlain: false,
  mayMatch: () => true,
  mayMatchSome: () => true,
};

/** Returns the limits of the actions that count. Without any action, `find` prints what it selects. */
export function limitsOfFind(args: readonly ShellWord[], counts: (action: string) => boolean): FindLimits {
  const terms = termsOf(expressionOf(args));
  if (terms === undefined) return ANYTHING;
  const expression = new FindExpression(terms);
  const all = expression.evaluate(NO_LIMITS);
  if (!expression.isComplete()) return ANYTHING;
  const counting = expression.actions.filter(({ name }) => counts(name)).map(({ limits }) => limits);
  const limits = counting.length > 0 ? counting : [all];
  const mayMatchSome = (name: readonly Token[]): boolean =>
    limits.some(({ names }) => names.every((pattern) => namesMeet(pattern, name, true)));
  return {
    picks: limits.every(({ picks }) => picks),
    isPlain: limits.every(({ isPlain }) => isPlain),
    mayMatch: (name) => mayMatchSome(Array.from(name.toLowerCase())),
    mayMatchSome,
  };
}
