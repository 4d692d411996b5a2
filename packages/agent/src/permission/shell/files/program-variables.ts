/**
 * Variables that a program replaces in its arguments itself: pytest in `--junitxml='$HOME/x'`, npm in `--cache='${HOME?}/x'`.
 */
import type { ShellWord } from '@heddle/tools/shell';
import type { PermissionWorld } from '../../world.ts';
import { literalWord, unknownWord } from './touch.ts';

/** A text with such a variable. Between braces, npm accepts any name. */
export const PROGRAM_VARIABLE = /\$(?:[A-Za-z_]|\{[^${}]+\})/;
const VARIABLES = /\$(?:([A-Za-z_]\w*)|\{([^${}?]+)(\?)?\})/g;

interface Variable {
  readonly name: string;
  readonly written: string;
  /** `${X?}` is empty if the variable is not set. */
  readonly isOptional: boolean;
}

/** The number of optional variables in a word. The texts for more of them are too many. */
const MOST_OPTIONAL = 4;
/** The name of a variable can contain another one, which is replaced first: `${A${B?}}`. */
const MOST_ROUNDS = 3;

/**
 * Returns the words that the program may read. Each variable is its value, what the script sets, or nothing. Undefined if there
 * are too many of them.
 */
export function expandedByProgram(value: string, world: PermissionWorld): readonly ShellWord[] | undefined {
  const { environment, home } = world;
  const valueOf = (name: string): string | undefined => (name === 'HOME' ? home : environment[name]);
  const optional = [
    ...new Set(variablesIn(value).flatMap(({ name, isOptional }) => (isOptional ? name : []))),
  ];
  if (optional.length > MOST_OPTIONAL) return undefined;
  const set = subsetsOf(optional).flatMap((empty) =>
    [/^\//, /^/].map((expands) =>
      replaced(value, ({ name, written }) => {
        const known = valueOf(name);
        if (known !== undefined && expands.test(known)) return known;
        return empty.has(name) ? '' : ofShell(name, written);
      }),
    ),
  );
  let plain: readonly string[] = [value];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const known = plain.map((text) => replaced(text, ({ name }) => valueOf(name) ?? ''));
    const empty = plain.map((text) =>
      replaced(text, ({ name, isOptional }) => (isOptional ? '' : (valueOf(name) ?? ''))),
    );
    plain = [...new Set([...known, ...empty])];
  }
  return [
    ...[...new Set(set)].map((text) => unknownWord(`"${quoted(text)}"`)),
    ...plain.map((text) => literalWord(text)),
  ];
}

function variablesIn(value: string): readonly Variable[] {
  return Array.from(value.matchAll(VARIABLES), ([written, bare, braced, mark]) => ({
    name: bare ?? braced ?? '',
    written,
    isOptional: mark !== undefined,
  }));
}

function replaced(value: string, replacement: (variable: Variable) => string): string {
  return value.replace(VARIABLES, (written) => variablesIn(written).map(replacement).join(''));
}

/** The script may set the variable. Only such names can be variables of the shell. */
function ofShell(name: string, written: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `\${${name}}` : written;
}

/** Returns the text between double quotes, with its variables. */
function quoted(text: string): string {
  return text.replace(/["\\`]|\$(?!\{?[A-Za-z_])/g, String.raw`\$&`);
}

function subsetsOf(names: readonly string[]): readonly ReadonlySet<string>[] {
  const subsets: ReadonlySet<string>[] = [new Set()];
  for (const name of names) subsets.push(...subsets.map((subset) => new Set(subset).add(name)));
  return subsets;
}
