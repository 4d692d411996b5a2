/**
 * Rules for build tools name targets, folders and makefiles. A deny or ask rule for `make deploy` concerns every command that builds this
 * target, and an allow rule for `make test *` covers no other target, folder or makefile.
 */
import path from 'node:path';
import type { ShellWord } from '@heddle/tools/shell';
import { globWord } from './glob-words.ts';
import { choosesFolder, choosesRules, readToolWords, type ToolWords } from './make-options.ts';
import { samePrograms } from './same-programs.ts';
import { type Matcher, mayMatchBoth, wildcardMatcher } from './wildcard.ts';

interface RuleWords {
  /** All words, without a star at the end of the rule. */
  readonly words: readonly string[];
  /** The last word continues with a star. */
  readonly isCut: boolean;
  /** No further words follow. */
  readonly isWhole: boolean;
}

/**
 * Returns whether a rule concerns a command. With `possible`, words with unknown values count as the words of the rule that are
 * missing.
 */
export type ToolRule = (command: readonly ShellWord[], which: 'certain' | 'possible') => boolean;

/** In a word with an unknown part, the known beginning counts. */
function knownText({ kind, value, prefix }: ShellWord): string {
  return kind === 'dynamic' ? prefix : value;
}

/** Returns the name with which the table contains a program: `make` for `/usr/bin/make-4.3`. */
function buildTool(word: string): string {
  const name = word.replace(/^.*\//s, '');
  if (readToolWords(name, []) !== undefined) return name;
  const names = samePrograms([{ value: word }]).flatMap(({ program: [first = ''] }) => first);
  return names.find((one) => readToolWords(one, []) !== undefined) ?? name;
}

function withStar(words: readonly string[], isCut: boolean): readonly string[] {
  return words.map((word, index) => (isCut && index === words.length - 1 ? `${word}*` : word));
}

/** `./all` and `all` are the same target. */
function plainTarget(target: string): string {
  return target.replace(/^(?:\.\/+)+(?=.)/, '');
}

/** Returns the test of a deny or ask rule, or undefined if it names neither a target nor an option of a known tool. */
export function objectingToolRule(
  { words, isCut, isWhole }: RuleWords,
  root: string | undefined,
): ToolRule | undefined {
  const [name = '', ...rest] = words;
  const program = buildTool(name);
  const rule = readToolWords(program, withStar(rest, isCut));
  if (rule === undefined || name.includes('*')) return undefined;
  const targets = rule.targets.filter(({ value }) => !/^\*+$/.test(value));
  const { definitions, options } = rule;
  if (targets.length + definitions.length + options.length === 0) return undefined;
  if (options.some((option) => option.name.includes('*'))) return undefined;
  const matchers = targets.map(({ value }) => wildcardMatcher(plainTarget(value)));
  const settings = definitions.map((definition) => wildcardMatcher(definition));
  const folder = folderOf(program, rule);
  const folderTest = folder === undefined ? undefined : folderMatcher(folder, root);
  const others = options.filter((option) => !choosesFolder(program, option.name));
  return ([called, ...args], which) => {
    if (called === undefined || buildTool(called.value) !== program) return false;
    const given = readToolWords(program, args.map(knownText));
    if (given === undefined) return false;
    const isUnknown = (at: number): boolean => which === 'possible' && args[at]?.kind === 'dynamic';
    if (given.targets.some(({ value, at }) => value === '' && isUnknown(at))) return true;
    if (isWhole && given.definitions.length > definitions.length) return false;
    const isBuilt = (matches: Matcher, rulesTarget: string): boolean =>
      given.targets.some(
        ({ value, at }) =>
          matches(plainTarget(value)) ||
          (isUnknown(at) && mayMatchBoth(rulesTarget, `${plainTarget(value)}*`)) ||
          (args[at] && globWord(args[at])?.mayBe(rulesTarget)) === true,
      );
    if (!matchers.every((matches, index) => isBuilt(matches, targets[index]?.value ?? ''))) return false;
    if (!settings.every((matches) => given.definitions.some(matches))) return false;
    const place = folderOf(program, given);
    const isHidden = given.options.some(({ at }) => isUnknown(at) || isUnknown(at + 1));
    if (folderTest && (place === undefined || (!folderTest(place) && !isHidden))) return false;
    return others.every((option) =>
      given.options.some(
        (each) =>
          each.name === option.name &&
          (option.value === undefined ||
            isUnknown(each.at) ||
            wildcardMatcher(option.value)(each.value ?? '')),
      ),
    );
  };
}

/** Each option continues in the folder of the one before. */
function folderOf(program: string, { options }: ToolWords): string | undefined {
  const folders = options.filter(({ name }) => choosesFolder(program, name));
  if (folders.length === 0) return undefined;
  return folders
    .map(({ value = '' }) => value)
    .reduce((before, folder) => (folder.startsWith('/') ? folder : path.posix.join(before, folder)));
}

function folderMatcher(folder: string, root: string | undefined): Matcher {
  const spellings = (text: string): readonly string[] => {
    const plain = path.posix.join(text, '.').replace(/(?<=.)\/+$/, '');
    return root === undefined ? [plain] : [plain, path.posix.resolve(root, plain)];
  };
  const matchers = spellings(folder).map((text) => wildcardMatcher(text));
  return (given) => spellings(given).some((text) => matchers.some((matches) => matches(text)));
}

/** Returns the word of a command that an allow rule with further words does not cover. */
export function findUnnamedTarget(
  called: string,
  { words, isCut }: Pick<RuleWords, 'words' | 'isCut'>,
  args: readonly ShellWord[],
): ShellWord | undefined {
  const program = buildTool(called);
  const rule = readToolWords(program, withStar(words, isCut));
  const given = readToolWords(program, args.map(knownText));
  if (rule === undefined || given === undefined) return undefined;
  const choosing = rule.options.filter(({ name }) => choosesRules(program, name));
  const isOpen = rule.targets.some(({ value }) => /^\*+$/.test(value));
  if (rule.targets.length === 0 && choosing.length === 0) return undefined;
  const chosen = given.options.find(
    ({ name, value = '' }) =>
      choosesRules(program, name) &&
      !choosing.some((one) => one.name === name && wildcardMatcher(one.value ?? '')(value)),
  );
  if (chosen !== undefined) return args[chosen.at];
  if (rule.targets.length === 0 || isOpen) return undefined;
  const matchers = rule.targets.map(({ value }) => wildcardMatcher(value));
  const other = given.targets.find(({ value }) => !matchers.some((matches) => matches(value)));
  return other && args[other.at];
}
