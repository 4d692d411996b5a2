/** The rule that would cover a command the next time: a prefix where the words say one kind of thing, else the whole of it. */
import { isHarmlessProgram, readCommand, type ShellWord } from '@heddle/tools/shell';
import type { CommandPart } from '../part.ts';
import { assignmentText, canonicalText, type Spelling } from '../rules/command-pattern.ts';
import { parseRule } from '../rules/rule.ts';
import { baseName, isManager, isRunner } from '../shell/runners.ts';
import {
  CHECKERS,
  DIALOGS,
  EXACT_WORDS,
  INCOMING,
  INTERPRETERS,
  MODULES,
  NESTED,
  PLAIN_WORD,
  RUNS,
  SCRIPT_RUNNERS,
  SCRIPTS,
  STEERING,
  SUBCOMMANDS,
  WIDE,
} from './programs.ts';

/** Undefined where it cannot be known what a rule would cover. `isExact`: for this very command only. */
export function commandRule(part: CommandPart, isExact = false): string | undefined {
  const spelling = spellingOf(part);
  const read = spelling && part.opaque === undefined ? readCommand(spelling.written) : undefined;
  const [command] = read?.ok ? read.commands : [];
  if (command?.name === undefined) return undefined;
  const { name, args, assignments } = command;
  // A variable whose value is not known could be anything.
  if (assignments.some(({ value }) => value === undefined || value.kind === 'dynamic')) return undefined;
  const words = [name, ...args];
  // With it every command that follows may be another.
  if (DECLARES.test(name.value) && args.some(({ value }) => STEERING.test(value.split('=', 1)[0] ?? '')))
    return undefined;
  const isSteered = assignments.some((assignment) => STEERING.test(assignment.name));
  const length = isSteered || isExact ? undefined : prefixLength(words);
  // What a variable or a substitution brings is not part of an exact rule.
  if (length === undefined && words.some(({ kind }) => kind === 'dynamic')) return undefined;
  if (length === undefined && takesOrders(words.map(({ value }) => value))) return undefined;
  const before = assignments.map((assignment) => `${assignmentText(assignment)} `).join('');
  // A star of the command's own must not become a wildcard of the rule.
  const text = (before + canonicalText(length === undefined ? words : words.slice(0, length))).replaceAll(
    '*',
    '\\*',
  );
  if (text.length > LONGEST || text.includes('\n') || !parseRule(`Bash(${text})`, 'allow').ok)
    return undefined;
  return length === undefined ? text : `${text} *`;
}

const DECLARES = /^(export|declare|typeset|readonly|local)$/;

/** Characters: an exact rule that is longer says nothing to whoever is asked. */
const LONGEST = 200;

/** What it does comes through a pipe: even the whole command says nothing about it. */
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

/** Without what is wrapped around it; but what `xargs` adds to a command must not be hidden. */
function spellingOf({ cover }: CommandPart): Spelling | undefined {
  return cover.find(({ written }) => /^(\S*\/)?xargs\s/.test(written)) ?? cover.at(-1);
}

/** How many words say what kind of thing is done; undefined where only all of them do. */
function prefixLength(words: readonly ShellWord[]): number | undefined {
  const [name = '', second = '', third = ''] = words.map(({ kind, value }) =>
    kind === 'literal' && PLAIN_WORD.test(value) ? value : '',
  );
  if (name === '' || name.startsWith('-')) return undefined;
  if (isHarmlessProgram(name)) return 1;
  if (SCRIPT_RUNNERS.test(name) && second === 'run') return /^[^-]/.test(third) ? 3 : undefined;
  if (SCRIPT_RUNNERS.test(name) && SCRIPTS.test(second)) return 2;
  if (RUNS.get(name) === second) {
    const inner = prefixLength(words.slice(2));
    return inner && inner + 2;
  }
  if (/^python[\d.]*$/.test(name) && second === '-m' && MODULES.test(third)) return 3;
  const nested = NESTED.get(`${name} ${second}`);
  if (nested) return nested.test(third) ? 3 : undefined;
  if (SUBCOMMANDS.get(name)?.test(second)) return 2;
  const base = baseName(name);
  if (CHECKERS.test(base)) return 1;
  // What follows a runner is a program of its own, and whoever names an interpreter next is a runner.
  if (WIDE.test(base) || isRunner(base) || runsAnything(second)) return undefined;
  // They make what is empty; where it may not be, the path itself asks.
  if (name === 'mkdir' || name === 'touch')
    return /^-(?!p$)/.test(second) ? undefined : second === '-p' ? 2 : 1;
  if (/^(\.\/)?(gradlew|mvnw)$/.test(name)) return /^[:\w]/.test(second) ? 2 : undefined;
  if (isProjectScript(name)) return 1;
  return /^[a-z][\w:-]*$/.test(second) && !EXACT_WORDS.test(second) ? 2 : undefined;
}

/** By its path, and not one of the programs that an environment keeps in a `bin` of its own. */
function isProjectScript(name: string): boolean {
  return /^[^/]+\//.test(name) && !/(^|\/)\.?bin\//.test(name);
}
