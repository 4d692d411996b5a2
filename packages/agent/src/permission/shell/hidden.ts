/** Ways in which the shell runs or changes what its grammar does not show. A script that may use one is asked about. */
import type { ReadCommand } from '@heddle/tools/shell';
import { isOwn } from './assignments.ts';

type Read = Extract<ReadCommand, { ok: true }>;

const SETS_VARIABLES =
  /^(read|mapfile|readarray|printf|declare|typeset|local|export|readonly|let|getopts|wait)$/;

export function hidden(text: string, read: Read): string | undefined {
  const { constructs, commands } = read;
  if (read.unseen) return 'it expands what stands in quotes, or sets a variable in passing';
  if (/\$\{[^}]*@[PEAKak]\}/.test(text)) return 'it expands a variable as if it were typed';
  // In a substitution bash forgets how it read one, and runs a command of the name COPROC.
  if (constructs.has('coproc')) return 'it is a coprocess';
  // Loops and defaults assign, too; a variable like PATH changes which programs run.
  for (const [, name = ''] of text.matchAll(/\b(?:for|select)\s+(\w+)/g)) {
    if (constructs.has('loop') && !isOwn(name)) return `it sets the variable ${name}`;
  }
  for (const [, name = ''] of text.matchAll(/\$\{(\w+):?=/g))
    if (!isOwn(name)) return `it sets the variable ${name}`;
  const reckons = constructs.has('arithmetic') || /\$\{[!#]?\w+\[/.test(text);
  if (reckons && /\b[A-Z_][A-Z0-9_]*\s*(([-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(\+\+|--)[A-Z_]/.test(text))
    return 'it sets a variable by arithmetic';
  const compares = constructs.has('test') && /\s-(eq|ne|lt|le|gt|ge|v)\s/.test(text);
  const assigns =
    commands.some(
      ({ assignments, name }) => assignments.length > 0 || SETS_VARIABLES.test(name?.value ?? ''),
    ) ||
    constructs.has('substitution') ||
    constructs.has('process_substitution');
  // Arithmetic runs substitutions that stand in the value of a variable.
  if (
    (reckons || compares || text.includes('${!')) &&
    (assigns || (constructs.has('loop') && /\[.*[$`]/s.test(text)))
  ) {
    return 'it reckons with variables that it sets itself, whose values can hide a command';
  }
  return undefined;
}
