/** Finds the first words of a command that define its purpose. A rule with them and a wildcard is offered. */
import { isHarmlessProgram, type ShellWord } from '@heddle/tools/shell';
import { mayNameAgent } from '../shell/agents.ts';
import { baseName, isRunner } from '../shell/runners.ts';
import {
  CHECKERS,
  INTERPRETERS,
  MODULES,
  NESTED,
  OTHER_SCRIPT,
  PLAIN_WORD,
  PROJECT_SCRIPT,
  RUNS,
  SCRIPT_RUNNERS,
  SCRIPTS,
  SUBCOMMANDS,
  WIDE,
} from './programs.ts';

/** With one of these words, a program does less. A rule for the words before it would permit more than the user saw. */
const LIMITS = /^--?(?:ignore-scripts|check|check-only|dry-run|dryrun|simulate|diff|list-different)(?:=|$)/;
/** Short forms of the same, by program. */
const SHORT_LIMITS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:gofmt|goimports|gofumpt|shfmt|rustfmt)$/, /^--?[dl](?:=|$)/],
  [/^prettier$/, /^-[cl]+$/],
  [/^(?:buf|nixfmt)$/, /^-[cd]$/],
  [/^rubocop$/, /^-[ln]$/],
  [/^isort$/, /^-[abd-z]*c[a-z]*$/],
];

function isLimited(program: string, rest: readonly ShellWord[]): boolean {
  const short = SHORT_LIMITS.find(([programs]) => programs.test(program))?.[1];
  return rest.some(({ value }) => LIMITS.test(value) || short?.test(value) === true);
}

/** Returns the number of words that define the purpose. Undefined if all words are needed, as for an unknown program. */
export function prefixLength(words: readonly ShellWord[]): number | undefined {
  const length = purposeLength(words);
  const [name] = words;
  return length !== undefined && isLimited(baseName(name?.value ?? ''), words.slice(length))
    ? undefined
    : length;
}

function purposeLength(words: readonly ShellWord[]): number | undefined {
  const [name = '', second = '', third = ''] = words.map(({ kind, value }) =>
    kind === 'literal' && PLAIN_WORD.test(value) ? value : '',
  );
  if (name === '' || name.startsWith('-') || words.length === 1) return undefined;
  if (isHarmlessProgram(name)) return 1;
  // Some of them run a program if there is no script with its name.
  if (SCRIPT_RUNNERS.test(name) && second === 'run')
    return /^[^-]/.test(third) && !mayNameAgent(third) ? 3 : undefined;
  if (SCRIPT_RUNNERS.test(name) && SCRIPTS.test(second)) return 2;
  if (RUNS.get(name) === second) return after(2, words);
  if (/^python[\d.]*$/.test(name) && second === '-m' && MODULES.has(third))
    return SUBCOMMANDS.has(third) ? after(2, words) : 3;
  const nested = NESTED.get(`${name} ${second}`);
  if (nested) return nested.has(third) ? 3 : undefined;
  if (SUBCOMMANDS.get(name)?.has(second)) return 2;
  const base = baseName(name);
  if (CHECKERS.has(base)) return 1;
  // They create empty files and folders. For other effects, the path itself asks.
  if (name === 'mkdir' || name === 'touch')
    return /^-(?!p$)/.test(second) ? undefined : second === '-p' ? 2 : 1;
  return isProjectScript(name) && !runsOthers(base, second) ? 1 : undefined;
}

/** Returns the length of the prefix of the program behind some words. */
function after(count: number, words: readonly ShellWord[]): number | undefined {
  const inner = prefixLength(words.slice(count));
  return inner && inner + count;
}

/** A program follows a runner. A program with an interpreter as next word is a runner, too. */
function runsOthers(base: string, second: string): boolean {
  return (
    WIDE.test(base) || isRunner(base) || isRunner(second) || INTERPRETERS.test(second) || mayNameAgent(base)
  );
}

/** Returns whether the name is a path to a script of the project, which has one purpose. */
function isProjectScript(name: string): boolean {
  return PROJECT_SCRIPT.test(name) && !OTHER_SCRIPT.test(name);
}
