/** Which commands run outside of the sandbox, after the usual questions. */
import { type CommandPattern, commandPattern } from '../permission/rules/command-pattern.ts';
import type { CommandPart, Part } from '../permission/part.ts';
import { shellParts } from '../permission/shell/shell-parts.ts';
import type { PermissionWorld } from '../permission/world.ts';

/** It makes what no command inside may make: a repository with its hooks and settings. */
const MAKES_REPOSITORY = namedBy('git init');

/** What cannot be read stays inside. */
export function isExcluded(command: string, excluded: readonly string[], world: PermissionWorld): boolean {
  const read = shellParts(command, world);
  if (!read.ok) return false;
  const commands = read.parts.filter(isOuterCommand);
  const patterns = excluded.map(namedBy);
  const alone = commands.length > 0 && commands.every((part) => speaks(MAKES_REPOSITORY, part));
  return alone || commands.some((part) => patterns.some((pattern) => speaks(pattern, part)));
}

/** `docker` is docker with whatever follows. */
function namedBy(text: string): CommandPattern {
  const patterns = [text, `${text} *`].map((one) => commandPattern(one));
  return (spelling) => patterns.some((pattern) => pattern(spelling));
}

function speaks(pattern: CommandPattern, { cover }: CommandPart): boolean {
  return cover.some(pattern);
}

function isOuterCommand(part: Part): part is CommandPart {
  return part.kind === 'command' && !part.inner;
}
