/** Builtins that change nothing but the shell that runs the script, in the forms that cannot change what its commands do. */
import type { ShellWord } from '@heddle/tools/shell';
import { isSafeName } from './assignments.ts';

export function changesOwnShellOnly([name, ...args]: readonly ShellWord[]): boolean {
  if (name?.kind !== 'literal' || args.some(({ kind }) => kind !== 'literal')) return false;
  const given = args.map(({ value }) => value);
  switch (name.value) {
    case 'set':
      return /^(?:[-+](?:[eux]+|[eux]*o pipefail)(?: |$))+$/.test(given.join(' '));
    case 'wait':
      return given.length === 0;
    case 'export':
      return given.length > 0 && given.every((text) => isSafeName(/^(\w+)=/.exec(text)?.[1] ?? ''));
    default:
      return false;
  }
}
