/**
 * Commands that only edit the files in their arguments. acceptEdits allows them, and each file is checked separately.
 */
import { isPlainSedScript, type ShellWord } from '@heddle/tools/shell';
import { namesFoundBy, possibleValues, type WordScope } from '../possible-values.ts';
import { argumentsOf, expandBraces, sedWords } from './operands.ts';

const EDITS: ReadonlyMap<string, RegExp> = new Map([
  ['mkdir', /^(-[pv]*m?|-p?m\d+|--parents|--verbose|--mode=\d+)$/],
  ['touch', /^(-[acm]*[dt]?|--no-create)$/],
  ['rm', /^(-[rRfdviI]+|--recursive|--force|--dir|--verbose)$/],
  ['rmdir', /^(-[pv]+|--parents|--verbose)$/],
  ['mv', /^(-[fnvT]+|--force|--no-clobber|--verbose)$/],
  ['cp', /^(-[rRfnvpaLPH]+|--recursive|--force|--no-clobber|--verbose|--preserve|--archive)$/],
]);

/** Options whose value is the next word. */
const VALUED: ReadonlyMap<string, RegExp> = new Map([
  ['mkdir', /^-[pv]*m$/],
  ['touch', /^-[acm]*[dt]$/],
  ['sed', /^(-[a-zA-Z]*e|--expression)$/],
]);

/**
 * Decides on the words that the shell makes of the written ones. Each must be known: a text, braces around texts, or a glob
 * among the operands that matches no option.
 */
export function isEditCommand(words: readonly ShellWord[], scope: WordScope): boolean {
  const [name, ...args] = words.flatMap(expandBraces);
  if (name?.kind !== 'literal' || !isPlainCommand(name.value, args)) return false;
  const takesValue = VALUED.get(name.value);
  const isValue = (at: number): boolean => takesValue?.test(args[at - 1]?.value ?? '') === true;
  // `touch -d 'TZ="/a/b" now'` opens the file of the time zone.
  if (args.some(({ value }, at) => isValue(at) && value.includes('TZ='))) return false;
  const end = args.findIndex(({ value }, at) => value === '--' && !isValue(at));
  return args.every((word, at) => {
    if (word.kind === 'literal' || (word.kind === 'tilde' && /^~(\/|$)/.test(word.value))) return true;
    // A glob may become several words, and only the first of them would be the value.
    if (word.kind !== 'pattern' || isValue(at)) return false;
    const isOperand = (end >= 0 && end < at) || /^[^-]/.test(word.prefix) || word.text.startsWith('~/');
    return isOperand || !mayMatchOption(word, scope);
  });
}

function mayMatchOption(word: ShellWord, scope: WordScope): boolean {
  const names = possibleValues(word, scope)?.map(({ text }) => namesFoundBy(text, scope));
  return names?.every((found) => found?.every((name) => !name.startsWith('-')) === true) !== true;
}

function isPlainCommand(program: string, args: readonly ShellWord[]): boolean {
  if (program === 'sed') return isPlainSed(args);
  // A glob as the target may match several files. Then the last of them is the target, and the others are sources.
  if (/^(cp|mv)$/.test(program) && argumentsOf(args).operands.at(-1)?.kind === 'pattern') return false;
  const options = EDITS.get(program);
  return (
    options !== undefined &&
    args.every(({ value }) => !value.startsWith('-') || options.test(value) || value === '--')
  );
}

function isPlainSed(args: readonly ShellWord[]): boolean {
  // `-i ''` tells another version of sed to keep no copy. GNU sed takes it as the script, which empties files with `-n`.
  if (
    args.some(({ value }) => value === '') &&
    args.some(({ value }) => /^(-[a-zA-Z]*n|--q|--s)/.test(value))
  )
    return false;
  const given = argumentsOf(sedWords(args.filter(({ value }) => value !== '')), ['-e', '--expression']);
  const scripts = given.valuesOf('-e', '--expression');
  const [first, ...others] = given.operands;
  const isGiven = scripts.length > 0 || first === undefined;
  const files = isGiven ? given.operands : others;
  return (
    given.options.every((option) =>
      /^(-[nErsz]+|-e|--expression|--in-place(=\.\w+)?|--regexp-extended|--quiet|--silent)$/.test(option),
    ) &&
    files.length > 0 &&
    (isGiven ? scripts : [first]).every(({ kind, value }) => kind === 'literal' && isPlainSedScript(value))
  );
}
