/** Random names of files with characters that a shell or a program reads in a special way, and ways to write them in a script. */
import type { Choose } from '../choices.ts';

const PIECES = [
  ...'ab19 \t\'"()[]{}%:@,=;&|!*?#~+^$\\-.\n<>`'.split(''),
  'a',
  'my',
  'link',
  'x',
  'é',
  'e\u0301',
  'ß',
  '%20',
  '%2e',
  '%2F',
  '%61',
  '$x',
  '${x}',
  'HEAD',
  '..',
  '::',
  ' -',
  '--',
];

/** Names that look like something else. */
const WHOLE = [
  'my link',
  "it's",
  'c(d)',
  '(auth)',
  '[id]',
  '{a,b}',
  'a,b',
  'a=b',
  'a;b',
  'a@b',
  'a@b:c',
  'a:b',
  'x:',
  ':x',
  ':(top)',
  ':!x',
  'file:',
  'http:',
  'host::m',
  '-o',
  '-rf',
  '-C',
  '--help',
  '--output=x',
  '--work-tree=x',
  '+x',
  '@x',
  '@',
  '~',
  '~root',
  '$HOME',
  '$(id)',
  '`id`',
  '%2e%2e',
  'a%20b',
  '%x',
  'x.',
  '...',
  'x..y',
  '12',
  '1a2b3c4d',
  'HEAD',
  'FETCH_HEAD',
  'refs',
  'origin',
  'x-gabcd',
  'x~1',
  'x^',
  '!x',
  '#x',
  'a b c',
  'a\nb',
  'a\tb',
  '\\',
  'a\\b',
  'a"b',
  '{}',
  '*',
  '?',
  'é',
  'e\u0301',
  's3:',
  'type=bind',
  'src=x',
  'x.git',
  'w x',
  'dev',
  'const',
];

/** Returns a name that is not in `taken`, and that neither git nor Heddle reserves. */
export function randomName(choose: Choose, taken: ReadonlySet<string>): string {
  while (true) {
    const count = choose([2, 2, 3, 3, 4, 6]);
    const name = choose([true, false, false])
      ? choose(WHOLE)
      : Array.from({ length: count }, () => choose(PIECES)).join('');
    const isReserved = /^\.{0,2}$|^\.(git|[a-z])|^git/i.test(name);
    if (!isReserved && !taken.has(name.normalize())) return name;
  }
}

export interface WrittenWord {
  /** Assignments that have to stand before the command. */
  readonly before: string;
  readonly text: string;
}

/** Writes a path that starts in the working folder. */
export function quotedHere(text: string, choose: Choose): string {
  return choose([
    inDouble(text).replace('"', '"$PWD/'),
    `"$PWD"/${inSingle(text)}`,
    `$PWD/${withBackslashes(text)}`,
  ]);
}

const STYLES = ['single', 'single', 'double', 'backslash', 'ansi', 'mixed', 'variable', 'glob'] as const;

/** Writes a text as one word of the shell, in one of many ways. */
export function quoted(text: string, choose: Choose, variable: string): WrittenWord {
  switch (choose(STYLES)) {
    case 'single':
      return { before: '', text: inSingle(text) };
    case 'double':
      return { before: '', text: inDouble(text) };
    case 'backslash':
      return { before: '', text: withBackslashes(text) };
    case 'ansi':
      return { before: '', text: inAnsi(text, choose) };
    case 'mixed': {
      const at = choose([1, 2, 3, 4]);
      return { before: '', text: `${inSingle(text.slice(0, at))}${inDouble(text.slice(at))}` };
    }
    case 'variable': {
      const at = text.lastIndexOf('/');
      const rest = at > 0 && choose([true, false]) ? text.slice(at) : '';
      const value = text.slice(0, text.length - rest.length);
      return { before: `${variable}=${inSingle(value)}; `, text: `"$${variable}"${withBackslashes(rest)}` };
    }
    case 'glob':
      return { before: '', text: asGlob(text, choose) };
  }
}

function inSingle(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function inDouble(text: string): string {
  return `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
}

function withBackslashes(text: string): string {
  return text.replaceAll(/[^\w./%:@,+-]/g, (one) => (one === '\n' ? "$'\\n'" : `\\${one}`));
}

function inAnsi(text: string, choose: Choose): string {
  const bytes = (one: string): string =>
    Array.from(Buffer.from(one), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  const parts = Array.from(text, (one) => {
    if (/['\\\n\t]/.test(one)) return bytes(one);
    return choose([true, false, false]) ? bytes(one) : one;
  });
  return `$'${parts.join('')}'`;
}

/** The name with one character replaced by a wildcard. The rest is quoted. */
function asGlob(text: string, choose: Choose): string {
  const letters = Array.from(text);
  const names = letters.flatMap((one, at) => (one === '/' || one === '.' ? [] : [at]));
  if (names.length === 0) return inSingle(text);
  const at = choose(names);
  const parts = [letters.slice(0, at).join(''), letters.slice(at + 1).join('')];
  return parts.map((part) => (part === '' ? '' : inSingle(part))).join(choose(['?', '*', '[!x]']));
}
