/** Decides which commands run outside of the sandbox, after the usual permission checks. */
import { type CommandPattern, commandPattern } from '../permission/rules/command-pattern.ts';
import type { CommandPart, Part } from '../permission/part.ts';
import { shellParts } from '../permission/shell/shell-parts.ts';
import type { PermissionWorld } from '../permission/world.ts';

/** It creates a repository with hooks and settings, which no sandboxed command may do. */
const MAKES_REPOSITORY = namedBy('git init');

/** A command that cannot be parsed stays in the sandbox. */
export function isExcluded(command: string, excluded: readonly string[], world: PermissionWorld): boolean {
  const read = shellParts(command, world);
  if (!read.ok) return false;
  const commands = read.parts.filter(isOuterCommand);
  const patterns = excluded.map(namedBy);
  const alone = commands.length > 0 && commands.every((part) => speaks(MAKES_REPOSITORY, part));
  return alone || commands.some((part) => patterns.some((pattern) => speaks(pattern, part)));
}

/** `docker` matches docker with any arguments. */
function namedBy(text: string): CommandPattern {
  const patterns = [text, `${text} *`].map((one) => commandPattern(one, 'allow'));
  return (spelling) => patterns.some((pattern) => pattern(spelling));
}

function speaks(pattern: CommandPattern, { cover }: CommandPart): boolean {
  return cover.some(pattern);
}

function isOuterCommand(part: Part): part is CommandPart {
  return part.kind === 'command' && !part.inner;
}
