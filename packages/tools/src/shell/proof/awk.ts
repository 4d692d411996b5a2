/** Programs of awk that only print. Whatever could write, run or open a file of its own choice is not proven. */
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

/** Below /inet some open network connections. */
function isFile(file: Arg): boolean {
  return isName(file) && !file.value.startsWith('/inet');
}

/** They run commands, read what they are told to, call by a name that is made up or broken in two, or add files to the input. */
const POWERS = /system|getline|@|ARG[CV]|SYMTAB|\\\n/;

/**
 * Without pipes and redirections. Only `print` and `printf` redirect, so a `>` before the first of them compares. Behind it a
 * `|` or `>` is refused even where it stands in a text.
 */
function isPrinting(program: string): boolean {
  if (POWERS.test(program)) return false;
  const bare = program.replace(/\|\||>=/g, '  ');
  const print = bare.indexOf('print');
  return !bare.includes('|') && !(print < 0 ? '' : bare.slice(print)).includes('>');
}
