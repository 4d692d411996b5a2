/** Commands that only run another one, without changing what it does. A rule for the other one covers both. */
import type { ShellWord } from '@heddle/tools/shell';
import { remembered } from './runners.ts';

export interface Unwrapped {
  readonly words: readonly ShellWord[];
  /** More arguments come through a pipe: nobody can tell which. */
  readonly more: boolean;
}

type Strip = (args: readonly ShellWord[]) => number | undefined;

/** How many words a wrapper takes for itself, its name not counted. Undefined: it is used in a way not known here. */
const WRAPPERS: ReadonlyMap<string, Strip> = new Map<string, Strip>([
  [
    'timeout',
    (args) =>
      after(
        args,
        /^(-v|--verbose|--foreground|--preserve-status|--(kill-after|signal)=\w+|-[ks]\w+)$/,
        /^(-k|-s)$/,
        /^[\d.]+[smhd]?$/,
      ),
  ],
  ['nice', (args) => after(args, /^(-\d+|--\d+|-n-?\d+|--adjustment=-?\d+)$/, /^-n$/)],
  // The keyword is read by the grammar; in the middle of a pipeline it is a program.
  ['time', (args) => after(args, /^-p$/)],
  ['nohup', (args) => after(args)],
  ['stdbuf', (args) => after(args, /^(-[ioe][L\d]\w*|--(input|output|error)=\w+)$/, /^-[ioe]$/)],
  ['command', (args) => after(args, /^-p$/)],
  ['builtin', (args) => after(args)],
  ['noglob', (args) => after(args)],
  ['xargs', (args) => after(args)],
]);

const DEEPEST = 10;

/** The command itself, then what is left after each wrapper. */
export const unwrap = remembered((words: readonly ShellWord[]): readonly Unwrapped[] => {
  const stages: Unwrapped[] = [{ words, more: false }];
  let current: Unwrapped = { words, more: false };
  for (let depth = 0; depth < DEEPEST; depth++) {
    const [name, ...args] = current.words;
    const taken = name?.kind === 'literal' ? WRAPPERS.get(name.value)?.(args) : undefined;
    if (taken === undefined) return stages;
    current = { words: args.slice(taken), more: current.more || name?.value === 'xargs' };
    stages.push(current);
  }
  return stages;
});

/** Skips options alone, options with a value, then one operand; undefined unless a command follows. */
function after(
  args: readonly ShellWord[],
  alone?: RegExp,
  valued?: RegExp,
  operand?: RegExp,
): number | undefined {
  let at = 0;
  while (true) {
    const word = args[at];
    if (word?.kind !== 'literal') return undefined;
    if (valued?.test(word.value)) {
      if (args[at + 1]?.kind !== 'literal') return undefined;
      at += 2;
    } else if (alone?.test(word.value)) at += 1;
    else break;
  }
  if (operand) {
    const word = args[at];
    if (word?.kind !== 'literal' || !operand.test(word.value)) return undefined;
    at += 1;
  }
  const command = args[at];
  return command === undefined || command.value.startsWith('-') ? undefined : at;
}
