/** Builtins that change nothing but the shell that runs the script, in the forms that cannot change what its commands do. */
import { isOwn, isSafeName, type ShellWord, type SimpleCommand } from '@heddle/tools/shell';

export function changesOwnShellOnly([name, ...args]: readonly ShellWord[]): boolean {
  if (name?.kind !== 'literal') return false;
  // The allow-list of syntax refuses the tests that look into variables.
  if (name.value === '[' || name.value === 'test') return true;
  if (args.some(({ kind }) => kind !== 'literal')) return false;
  const given = args.map(({ value }) => value);
  switch (name.value) {
    case 'set':
      return /^(?:[-+](?:[eux]+|[eux]*o pipefail)(?: |$))+$/.test(given.join(' '));
    case 'wait':
      return given.length === 0;
    case 'exit':
    case 'return':
    case 'break':
    case 'continue':
      return given.every((text) => /^\d+$/.test(text));
    case 'export':
      return (
        given.length > 0 && given.every((text) => isSafeName(/^(\w+)=[\w.,:@%+/ -]*$/.exec(text)?.[1] ?? ''))
      );
    default:
      return false;
  }
}

/** `while IFS= read -r line`: into a variable of the script's own. */
export function readsLine({ name, args, assignments }: SimpleCommand): boolean {
  if (name?.kind !== 'literal' || name.value !== 'read') return false;
  if (!assignments.every(({ name: variable, value }) => variable === 'IFS' && value?.kind === 'literal'))
    return false;
  if (!args.every(({ kind }) => kind === 'literal')) return false;
  let at = 0;
  for (; args[at]?.value.startsWith('-'); at++) {
    const { value = '' } = args[at] ?? {};
    if (/^-r?[dnt]$/.test(value)) at++;
    else if (value !== '-r') return false;
  }
  return args.slice(at).every(({ value }) => isOwn(value));
}
