/**
 * Suggests a rule that covers a command next time: a prefix if the first words define its purpose, otherwise the exact
 * command.
 */
import { isHarmlessProgram, readCommand, type ShellWord } from '@heddle/tools/shell';
import type { CommandPart } from '../part.ts';
import { assignmentText, canonicalText, type Spelling } from '../rules/command-pattern.ts';
import { parseRule } from '../rules/rule.ts';
import { mayNameAgent } from '../shell/agents.ts';
import { baseName, isManager, isRunner } from '../shell/runners.ts';
import {
  CHECKERS,
  DIALOGS,
  INCOMING,
  INTERPRETERS,
  MODULES,
  NESTED,
  OTHER_SCRIPT,
  PLAIN_WORD,
  PROJECT_SCRIPT,
  RUNS,
  SCRIPT_RUNNERS,
  SCRIPTS,
  STEERING,
  SUBCOMMANDS,
  WIDE,
} from './programs.ts';

/** Undefined if the effect of a rule is unknown. `isExact`: suggests a rule for exactly this command. */
export function commandRule(part: CommandPart, isExact = false): string | undefined {
  const spelling = spellingOf(part);
  const read = spelling && part.opaque === undefined ? readCommand(spelling.written) : undefined;
  const [command] = read?.ok ? read.commands : [];
  if (command?.name === undefined) return undefined;
  const { name, args, assignments } = command;
  // A variable with an unknown value could be anything.
  if (assignments.some(({ value }) => value === undefined || value.kind === 'dynamic')) return undefined;
  const words = [name, ...args];
  // With this variable, every later command may be another one.
  if (DECLARES.test(name.value) && args.some(({ value }) => STEERING.test(value.split('=', 1)[0] ?? '')))
    return undefined;
  const isSteered = assignments.some((assignment) => STEERING.test(assignment.name));
  const mustBeExact = isSteered || isExact || part.exactOnly !== undefined;
  const length = mustBeExact ? undefined : prefixLength(words);
  // The value of a variable or substitution is not part of an exact rule.
  if (length === undefined && words.some(({ kind }) => kind === 'dynamic')) return undefined;
  if (length === undefined && takesOrders(words.map(({ value }) => value))) return undefined;
  const before = assignments.map((assignment) => `${assignmentText(assignment)} `).join('');
  // A star in the command must not become a wildcard of the rule.
  const text = (before + canonicalText(length === undefined ? words : words.slice(0, length))).replaceAll(
    '*',
    '\\*',
  );
  if (text.length > LONGEST || text.includes('\n') || !parseRule(`Bash(${text})`, 'allow').ok)
    return undefined;
  return length === undefined ? text : `${text} *`;
}

const DECLARES = /^(export|declare|typeset|readonly|local)$/;

/** A number of characters. A user does not understand a longer exact rule. */
const LONGEST = 200;

/**
 * Returns whether the command gets its program through a pipe. Then even the exact command does not define the effect.
 */
function takesOrders(words: readonly string[]): boolean {
  const [name = '', second = ''] = words;
  if (words.some((word) => INCOMING.test(word))) return true;
  const operands = (from: number) => words.slice(from).filter((word) => !word.startsWith('-')).length;
  if (name === 'at') return !words.includes('-f');
  if (name === 'crontab') return words.length === 1;
  if (name === 'tar') return !words.some((word) => /^(-?[a-zA-Z]*f|--file)/.test(word));
  // A line of the input becomes a part of the program.
  if (FEEDERS.test(name) && words.slice(1).some((word) => runsAnything(baseName(word)))) return true;
  const at = words.findLastIndex((word) => INTERPRETERS.test(baseName(word)));
  if (at === 0 || (at > 0 && (isRunner(baseName(name)) || isManager(baseName(name))))) {
    const rest = words.slice(at + 1);
    return (
      rest.some((word) => /^-[a-z]*s$/.test(word)) || (operands(at + 1) === 0 && !rest.includes('--test'))
    );
  }
  if (DIALOGS.test(name))
    return operands(1) < 2 && !words.some((word) => /^-(c|e|f|-command|-execute|-eval|-file)/.test(word));
  return name === 'patch' || (name === 'git' && /^(apply|am)$/.test(second))
    ? operands(name === 'git' ? 2 : 1) === 0
    : false;
}

const FEEDERS = /^(xargs|parallel)$/;

function runsAnything(program: string): boolean {
  return INTERPRETERS.test(program) || isRunner(program);
}

/** Returns the command without wrappers. The effect of `xargs` on a command must stay visible. */
function spellingOf({ cover }: CommandPart): Spelling | undefined {
  return cover.find(({ written }) => /^(\S*\/)?xargs\s/.test(written)) ?? cover.at(-1);
}

/** Returns the number of words that define the purpose. Undefined if all words are needed, as for an unknown program. */
function prefixLength(words: readonly ShellWord[]): number | undefined {
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
  return WIDE.test(base) || isRunner(base) || runsAnything(second) || mayNameAgent(base);
}

/** Returns whether the name is a path to a script of the project, which has one purpose. */
function isProjectScript(name: string): boolean {
  return PROJECT_SCRIPT.test(name) && !OTHER_SCRIPT.test(name);
}
