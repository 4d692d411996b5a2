/**
 * Decides about a command with the values that its variables and globs have. The program gets these values, so an option or the
 * name of a command among them counts like one that is written.
 */
import type { SimpleCommand } from '@heddle/tools/shell';
import type { FilePart, Part } from '../part.ts';
import { type Beginning, canonicalText } from '../rules/command-pattern.ts';
import type { Around } from './command-part.ts';
import type { PlacedCommand } from './earlier-effects.ts';
import { commandsByValue } from './expanded-words.ts';
import { commandWords } from './runners.ts';

type PartsOfWords = (command: SimpleCommand, around: Around) => Part[];

/** Adds the parts of the command with each known value of its words. Its own text decides which rules allow it. */
export function withValues(command: SimpleCommand, around: Around, partsOf: PartsOfWords): Part[] {
  const parts = partsOf(command, around);
  const [own] = parts;
  if (own?.kind !== 'command' || own.readOnly !== 'no') return parts;
  const { commands, isCut } = commandsByValue(commandWords(command), around);
  const seen = new Set(parts.flatMap(accessesOf));
  const more = commands.flatMap(([name, ...args]) => {
    const made = partsOf({ ...command, name, args }, around);
    const [first] = made;
    return first?.kind === 'command' ? made.with(0, { ...first, shown: own.shown, cover: own.cover }) : made;
  });
  const known = isCut ? parts.with(0, { ...own, exactOnly: TOO_MANY_VALUES, isNamedBy: undefined }) : parts;
  return known.concat(
    more.filter((part) => !isFileAccess(part) || !accessesOf(part).every((access) => seen.has(access))),
  );
}

const TOO_MANY_VALUES = 'Its words have too many possible values.';

function isFileAccess(part: Part): part is FilePart {
  return part.kind === 'read' || part.kind === 'write' || part.kind === 'remove';
}

/** One text for each file that a part accesses. */
function accessesOf(part: Part): readonly string[] {
  if (!isFileAccess(part)) return [];
  const { kind, deep, knowledge, places, shown } = part;
  const files = places?.map(({ path }) => path) ?? [`unknown ${shown}`];
  return files.map((file) => `${kind} ${deep} ${knowledge ?? ''} ${file}`);
}

/**
 * Returns the beginnings of commands with a glob, if another command of the script may make files that it finds later:
 * `touch push; git p?sh`.
 */
export function globsAfterChanges(
  placed: readonly PlacedCommand[],
  own: readonly (readonly Part[])[],
): readonly Beginning[] {
  const isChange = (part: Part): boolean =>
    part.kind === 'write' || part.kind === 'remove' || (part.kind === 'command' && part.readOnly === 'no');
  const changing = own.map((parts) => parts.some(isChange));
  return placed.flatMap(({ command }, index) => {
    if (!changing.some((changes, at) => changes && at !== index)) return [];
    const words = commandWords(command);
    const at = words.findIndex(({ kind }, place) => kind === 'pattern' && place > 0);
    const [known = ''] = words[at]?.value.match(/^[^*?[]*/) ?? [];
    return at < 0 ? [] : [{ text: `${canonicalText(words.slice(0, at))} ${known}`, quoted: false }];
  });
}
