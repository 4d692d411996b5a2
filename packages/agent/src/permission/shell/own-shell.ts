/** Builtins that change nothing but the shell that runs the script, in the forms that cannot change what its commands do. */
import { isOwn, isSafeName, type ShellWord, type SimpleCommand } from '@heddle/tools/shell';

export function changesOwnShellOnly([name, ...args]: readonly ShellWord[]): boolean {
  if (name?.kind !== 'literal') return false;
  if (name.value === '[' || name.value === 'test')
    return compares(name.value === '[' ? args.slice(0, -1) : args);
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
      return given.length > 0 && given.every((text) => isSafeName(/^(\w+)=/.exec(text)?.[1] ?? ''));
    default:
      return false;
  }
}

/** `while IFS= read -r line`: into a variable of the script's own. */
export function readsLine({ name, args, assignments }: SimpleCommand): boolean {
  if (name?.kind !== 'literal' || name.value !== 'read') return false;
  if (!assignments.every(({ name: variable, value }) => variable === 'IFS' && value?.kind === 'literal'))
    return false;
  return args.every(({ kind, value }) => kind === 'literal' && (value === '-r' || isOwn(value)));
}

const OF_ONE = /^-[a-uw-zGLNOS]$/;
const OF_TWO = /^(==?|!=|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/** One comparison. Two of its operators look into variables, so no word may become one of them. */
function compares(args: readonly ShellWord[]): boolean {
  const [first, second, third, ...more] = args[0]?.value === '!' ? args.slice(1) : args;
  if (first === undefined || more.length > 0 || !args.every(({ single }) => single)) return false;
  if (third !== undefined) return second?.kind === 'literal' && OF_TWO.test(second.value);
  return second === undefined || (first.kind === 'literal' && OF_ONE.test(first.value));
}
