/** Commands that do nothing but edit the files they name: acceptEdits lets them pass, each file being asked about itself. */
import type { ShellWord } from '@heddle/tools/shell';

const EDITS: ReadonlyMap<string, RegExp> = new Map([
  ['mkdir', /^(-[pv]+|--parents|--verbose)$/],
  ['touch', /^(-[acm]+|--no-create)$/],
  ['rm', /^(-[rRfdvI]+|--recursive|--force|--dir|--verbose)$/],
  ['rmdir', /^(-[pv]+|--parents|--verbose)$/],
  ['mv', /^(-[fnvT]+|--force|--no-clobber|--verbose)$/],
  ['cp', /^(-[rRfnvpaTLPH]+|--recursive|--force|--no-clobber|--verbose|--preserve|--archive)$/],
]);

/** Substitute, delete and print: other commands of sed write files of their own or run programs. */
const SED_SCRIPT =
  /^((\d+|\$)(,(\d+|\$))?)?([dp]|s([/|#,:])(?:(?!\6)[^\\\n]|\\.)*\6(?:(?!\6)[^\\\n]|\\.)*\6[gIip\d]*)$/;

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
  const options = args.filter(({ value }) => value.startsWith('-'));
  const [script, ...files] = args.filter(({ value }) => !value.startsWith('-') && value !== '');
  return (
    options.every(({ value }) =>
      /^(-[nErsz]*i?[nErsz]*|-i\.\w+|--in-place|--regexp-extended|--quiet|--silent)$/.test(value),
    ) &&
    script?.kind === 'literal' &&
    SED_SCRIPT.test(script.value) &&
    files.length > 0
  );
}
