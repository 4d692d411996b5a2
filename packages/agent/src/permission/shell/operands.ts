/** A program's arguments, told apart. */
import type { ShellWord } from '@heddle/tools/shell';

export interface Arguments {
  readonly options: readonly string[];
  /** The values that options took, by option. */
  readonly valueOf: (...options: readonly string[]) => ShellWord | undefined;
  readonly operands: readonly ShellWord[];
}

/** `valued`: options that take the next word, or what is attached to them. */
export function argumentsOf(args: readonly ShellWord[], valued: readonly string[] = []): Arguments {
  const options: string[] = [];
  const values = new Map<string, ShellWord>();
  const operands: ShellWord[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    const { value } = word;
    if (value === '--') {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!value.startsWith('-') || value === '-') {
      if (value !== '-' && value !== '') operands.push(word);
      continue;
    }
    const taker = valued.find((option) => takes(value, option));
    if (taker === undefined) {
      options.push(value);
      continue;
    }
    options.push(taker);
    const attached = value.slice(taker.length).replace(/^=/, '');
    if (attached !== '') values.set(taker, { ...word, value: attached, text: attached, prefix: attached });
    else {
      const next = args[++at];
      if (next) values.set(taker, next);
    }
  }
  const valueOf = (...names: readonly string[]) =>
    names.map((name) => values.get(name)).find((value) => value !== undefined);
  return { options, valueOf, operands };
}

function takes(value: string, option: string): boolean {
  if (option.startsWith('--')) return value === option || value.startsWith(`${option}=`);
  return value.startsWith(option) && !value.startsWith('--');
}

/** One of these letters among the short options, or one of these long ones. */
export function hasOption({ options }: Arguments, letters: string, ...long: readonly string[]): boolean {
  return options.some(
    (option) =>
      long.includes(option.split('=', 1)[0] ?? '') ||
      (/^-[^-]/.test(option) && Array.from(letters).some((letter) => option.includes(letter))),
  );
}
