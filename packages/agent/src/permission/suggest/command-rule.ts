/**
 * Suggests a rule that covers a command next time: a prefix if the first words define its purpose, otherwise the exact
 * command.
 */
import { readCommand } from '@heddle/tools/shell';
import type { CommandPart } from '../part.ts';
import { assignmentText, canonicalText, type Spelling } from '../rules/command-pattern.ts';
import { parseRule } from '../rules/rule.ts';
import { isDefinedElsewhere } from './defined-elsewhere.ts';
import { prefixLength } from './prefix-length.ts';
import { STEERING } from './programs.ts';

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
  if (isDefinedElsewhere(command, length, part)) return undefined;
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

/** Returns the command without wrappers. The effect of `xargs` on a command must stay visible. */
function spellingOf({ cover }: CommandPart): Spelling | undefined {
  return cover.find(({ written }) => /^(\S*\/)?xargs\s/.test(written)) ?? cover.at(-1);
}
