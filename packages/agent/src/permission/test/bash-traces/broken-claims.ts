/** Compares what the reader claims about a script with what bash did. */
import type { ReadCommand, ShellAssignment, ShellRedirection, ShellWord } from '@heddle/tools/shell';
import { namesFoundBy, possibleValues, type WordScope } from '../../shell/possible-values.ts';
import { expandBraces } from '../../shell/files/operands.ts';
import { SOME_NUMBER } from '../../shell/shell-state.ts';
import type { BashRun } from './run-in-bash.ts';

type Understood = Extract<ReadCommand, { ok: true }>;

/** Returns the differences. Bash may do less than the reader claims, because it skips branches. */
export function brokenClaims(read: Understood, run: BashRun, scope: WordScope): readonly string[] {
  const commands = read.commands.map(({ name, args }) => (name ? [name, ...args] : []));
  const assignments = read.commands.flatMap((command) => command.assignments);
  const redirections = [...read.redirections, ...read.commands.flatMap((command) => command.redirections)];
  const isKnown = (words: readonly string[]): boolean =>
    isOfConstruct(words, read) ||
    commands.some((claimed) => canBecome(claimed, words, scope, run)) ||
    /^\w+\+?=\(/.test(words[0] ?? '') ||
    (words.length === 1 && isKnownAssignment(words[0] ?? ''));
  // `export` and similar builtins are printed with an additional line for each assignment.
  const isKnownAssignment = (word: string): boolean =>
    assignments.some((claimed) => isAssigned(claimed, word, scope, run)) ||
    commands.some(([, ...args]) => args.some((claimed) => mayBecome(claimed, [word], scope, run)));
  const isOpened = (name: string): boolean =>
    redirections.some((claimed) => mayOpen(claimed, name, scope, run));
  const isProgram = (name: string): boolean =>
    / /.test(name) ||
    commands.some(([program, ...args]) =>
      [program, ...args].some(
        (claimed) => claimed && (claimed.kind === 'dynamic' || mayBecome(claimed, [name], scope, run)),
      ),
    );
  return [
    ...run.commands.filter((words) => !isKnown(words)).map((words) => `runs ${JSON.stringify(words)}`),
    ...run.made.filter((name) => !isOpened(name)).map((name) => `makes ${JSON.stringify(name)}`),
    ...run.missing
      .filter((name) => !isOpened(name) && !isProgram(name))
      .map((name) => `opens ${JSON.stringify(name)}`),
    ...run.inputs
      .filter((text) => text !== '' && !redirections.some((claimed) => mayGive(claimed, text)))
      .map((text) => `gives ${JSON.stringify(text)}`),
  ];
}

/** `set -x` also prints the heads of loops and similar constructs. */
function isOfConstruct([first = '']: readonly string[], { constructs }: Understood): boolean {
  if (first === 'for') return constructs.has('loop');
  if (first === 'case') return constructs.has('case');
  return (
    (first === '[[' && constructs.has('test')) ||
    (first.startsWith('((') && (constructs.has('arithmetic') || constructs.has('loop')))
  );
}

function canBecome(
  claimed: readonly ShellWord[],
  words: readonly string[],
  scope: WordScope,
  run: BashRun,
): boolean {
  const [first, ...rest] = claimed;
  if (first === undefined) return words.length === 0;
  const { least, most } = countOf(first);
  for (let count = least; count <= Math.min(most, words.length); count++) {
    if (
      mayBecome(first, words.slice(0, count), scope, run) &&
      canBecome(rest, words.slice(count), scope, run)
    )
      return true;
  }
  return false;
}

/** An option of the shell removes a pattern without a match. */
function countOf({ kind, single }: ShellWord): { readonly least: number; readonly most: number } {
  if (kind === 'literal' || kind === 'tilde' || single) return { least: 1, most: 1 };
  return { least: 0, most: Number.POSITIVE_INFINITY };
}

function mayBecome(word: ShellWord, words: readonly string[], scope: WordScope, run: BashRun): boolean {
  if (word.kind === 'literal') return words[0] === word.value.toWellFormed();
  if (word.kind === 'tilde') {
    const { home } = scope.world;
    return /^~(?:\/|$)/.test(word.text) ? words[0] === home + word.value.slice(1) : true;
  }
  const { begins, becomes } = word;
  // A zero represents any digit of a number.
  const number = /\$/.test(word.text) && begins.endsWith('0') ? begins.slice(0, -1) : begins;
  // A tilde is a home folder, or stays as it is if there is no such user.
  const isHome = begins === '~' && word.text.startsWith('~');
  if (!words.every((one) => (isHome ? /^[~/]/.test(one) : one.startsWith(number)))) return false;
  if (
    becomes &&
    !words.every((one) =>
      becomes.some((outcome) => (outcome.exact ? outcome.begins === one : one.startsWith(outcome.begins))),
    )
  )
    return false;
  const braces = expandBraces(word);
  if (braces[0] !== word && braces.map(({ value }) => value).join('\0') !== words.join('\0')) return false;
  return hasValue(word, words, scope, run);
}

/** If all values of a word are known, the words are one of them, or the names that a glob matches. */
function hasValue(word: ShellWord, words: readonly string[], scope: WordScope, run: BashRun): boolean {
  const values = possibleValues(word, scope);
  return (
    values === undefined ||
    // Without quotes, the shell removes an empty value.
    (words.length === 0 && !word.single) ||
    words.every((one) =>
      values.some(({ text, isGlob }) => {
        // A file that the script made may match as well.
        if (isGlob && (run.made.includes(one) || (namesFoundBy(text, scope)?.includes(one) ?? true)))
          return true;
        return withNumbers(text).test(one);
      }),
    )
  );
}

function withNumbers(text: string): RegExp {
  const parts = text.split(SOME_NUMBER).map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`^${parts.join('-?\\d*')}$`, 'u');
}

function isAssigned(
  { name, value, append }: ShellAssignment,
  word: string,
  scope: WordScope,
  run: BashRun,
): boolean {
  // Before a command, an addition is printed with its result.
  const start = word.startsWith(`${name}+=`) ? `${name}+=` : `${name}=`;
  if (!word.startsWith(start)) return false;
  const given = word.slice(start.length);
  if (append) return true;
  if (value === undefined || value.kind === 'pattern') return true;
  if (value.kind === 'literal') return value.value.toWellFormed() === given;
  if (value.kind === 'tilde') return mayBecome(value, [given], scope, run);
  return true;
}

function mayOpen(claimed: ShellRedirection, name: string, scope: WordScope, run: BashRun): boolean {
  if (claimed.kind !== 'file' && claimed.kind !== 'duplicate') return false;
  const { target } = claimed;
  // A `cd` may have changed the folder.
  if (target.kind === 'literal')
    return (
      target.value === name || name === `d/${target.value}` || name === `${scope.world.home}/${target.value}`
    );
  return target.text === name || mayBecome(target, [name], scope, run);
}

function mayGive(claimed: ShellRedirection, text: string): boolean {
  if (claimed.kind === 'here_doc') return claimed.expands || claimed.body === text;
  if (claimed.kind === 'here_string')
    return claimed.target.kind !== 'literal' ? true : `${claimed.target.value}\n` === text;
  // A file or another descriptor. All files are empty.
  return false;
}
