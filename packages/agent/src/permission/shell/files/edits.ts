/**
 * Commands that only edit the files in their arguments. acceptEdits allows them, and each file is checked separately.
 */
import { isPlainSedScript, type ShellWord } from '@heddle/tools/shell';
import { argumentsOf } from './operands.ts';

const EDITS: ReadonlyMap<string, RegExp> = new Map([
  ['mkdir', /^(-[pv]*m?|-p?m\d+|--parents|--verbose|--mode=\d+)$/],
  ['touch', /^(-[acm]*[dt]?|--no-create)$/],
  ['rm', /^(-[rRfdviI]+|--recursive|--force|--dir|--verbose)$/],
  ['rmdir', /^(-[pv]+|--parents|--verbose)$/],
  ['mv', /^(-[fnvT]+|--force|--no-clobber|--verbose)$/],
  ['cp', /^(-[rRfnvpaLPH]+|--recursive|--force|--no-clobber|--verbose|--preserve|--archive)$/],
]);

export function isPlainEdit(words: readonly ShellWord[]): boolean {
  const [name, ...args] = words;
  if (name?.kind !== 'literal') return false;
  if (name.value === 'sed') return isPlainSed(args);
  const options = EDITS.get(name.value);
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
  const given = argumentsOf(
    args.filter(({ value }) => value !== ''),
    ['-e', '--expression'],
  );
  const scripts = given.valuesOf('-e', '--expression');
  const [first, ...others] = given.operands;
  const isGiven = scripts.length > 0 || first === undefined;
  const files = isGiven ? given.operands : others;
  return (
    given.options.every((option) =>
      /^(-[nErsz]*i?[nErsz]*|-i\.\w+|-e|--expression|--in-place|--regexp-extended|--quiet|--silent)$/.test(
        option,
      ),
    ) &&
    files.length > 0 &&
    (isGiven ? scripts : [first]).every(({ kind, value }) => kind === 'literal' && isPlainSedScript(value))
  );
}
