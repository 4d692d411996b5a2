/** Rules for commands by their first word: of five hundred, most speak of programs that a command has nothing to do with. */
import type { Spelling } from './command-pattern.ts';

export interface CommandIndex<T> {
  readonly all: readonly T[];
  /** Those that may match one of these spellings, in the order of `all`. */
  among(spellings: readonly Spelling[]): readonly T[];
}

export function commandIndex<T>(
  rules: readonly T[],
  specifierOf: (rule: T) => string | undefined,
): CommandIndex<T> {
  const byWord = new Map<string, number[]>();
  const others: number[] = [];
  rules.forEach((rule, index) => {
    const word = firstWord(specifierOf(rule));
    if (word === undefined) others.push(index);
    else byWord.set(word, [...(byWord.get(word) ?? []), index]);
  });
  return {
    all: rules,
    among(spellings) {
      const found = new Set(others);
      for (const { canonical, written } of spellings) {
        for (const text of canonical === written ? [written] : [canonical, written]) {
          const end = text.indexOf(' ');
          for (const index of byWord.get(end < 0 ? text : text.slice(0, end)) ?? []) found.add(index);
        }
      }
      return [...found].sort((left, right) => left - right).flatMap((index) => rules[index] ?? []);
    },
  };
}

/** Undefined where a star or a quote leaves it open, and for a rule about every command. */
function firstWord(specifier: string | undefined): string | undefined {
  return specifier === undefined ? undefined : /^([^\s*'"\\]+)(?=\s|:\*$|$)/.exec(specifier)?.[1];
}
