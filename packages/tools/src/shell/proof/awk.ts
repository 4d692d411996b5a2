/** Proves that an awk program only prints. A program that may write, run or open files is not proven. */
import { type Arg, isName } from './options.ts';

export function isReadOnlyAwk(args: readonly Arg[]): boolean {
  let at = 0;
  for (; args[at]?.exact && args[at]?.value.startsWith('-'); at++) {
    const option = args[at]?.value ?? '';
    if (option === '-F' || option === '-v') {
      at++;
      const value = args[at];
      if (!value?.exact && !(option === '-v' && /^\w+=/.test(value?.value ?? ''))) return false;
    } else if (!/^(-F.+|-v\w+=[\s\S]*)$/.test(option)) return false;
  }
  const program = args[at];
  if (!program?.exact || !isPrinting(program.value)) return false;
  return args.slice(at + 1).every((file) => isFile(file) || (file.exact && file.value === '-'));
}

/** Some versions open a network connection for a name below /inet. */
function isFile(file: Arg): boolean {
  return isName(file) && !file.value.startsWith('/inet');
}

/** Parts that run commands, read other input, call a function by a computed or split name, or add files to the input. */
const POWERS = /system|getline|@|ARG[CV]|SYMTAB|\\\n/;

/**
 * Rejects pipes and redirections. Only `print` and `printf` redirect, so a `>` before the first of them is a comparison.
 * After it, a `|` or `>` is rejected even inside a string.
 */
function isPrinting(program: string): boolean {
  if (POWERS.test(program)) return false;
  const bare = program.replace(/\|\||>=/g, '  ');
  const print = bare.indexOf('print');
  return !bare.includes('|') && !(print < 0 ? '' : bare.slice(print)).includes('>');
}
