/** One simple command as a part: how it may be spelled for rules, and what is known about it. */
import { isReadOnlyCommand, type ShellWord, type SimpleCommand } from '@heddle/tools/shell';
import type { CommandPart } from '../part.ts';
import { isInside, placesOf } from '../paths/places.ts';
import type { Spelling } from '../rules/command-pattern.ts';
import type { World } from '../world.ts';
import { isOwn, isSafe } from './assignments.ts';
import { assignmentText, canonicalText, writtenText } from './canonical.ts';
import { changesFiles } from './files.ts';
import type { Folders } from './folders.ts';
import { baseName, tails, wordsOf } from './runners.ts';
import { isPlainEdit } from './edits.ts';
import { unwrap } from './wrappers.ts';

export interface Around {
  readonly folders: Folders;
  /** Nothing but lists and pipelines around it: only there names are known to mean what they say. */
  readonly plain: boolean;
  readonly world: World;
}

export function commandPart(command: SimpleCommand, around: Around): CommandPart {
  const { assignments } = command;
  const words = wordsOf(command);
  const stages = unwrap(words);
  const last = stages.at(-1) ?? { words, more: false };
  const full = spelled(words, assignments.map(assignmentText));
  const bare = stages.filter(({ words }) => words.length > 0).map(({ words }) => spelled(words));
  const isFree = assignments.every(isSafe);
  const suspects = stages.flatMap(({ words }) => [words, ...tails(words)]).filter(({ length }) => length > 0);
  return {
    kind: 'command',
    shown: full.canonical,
    cover: distinct(isFree && words.length > 0 ? [full, ...bare] : [full]),
    suspect: distinct([full, ...suspects.flatMap((tail) => [spelled(tail)].concat(withBaseName(tail)))]),
    readOnly: isReadOnly(command, last.words, last.more, around),
    edits: assignments.length === 0 && !last.more && isPlainEdit(last.words),
    opaque: opacity(words, stages, around),
    inner: false,
    concern: undefined,
  };
}

/** Every spelling is held against every rule: none twice. */
function distinct(spellings: readonly Spelling[]): Spelling[] {
  return [...new Map(spellings.map((spelling) => [spelling.written, spelling])).values()];
}

function spelled(words: readonly ShellWord[], before: readonly string[] = []): Spelling {
  return {
    canonical: [...before, ...(words.length > 0 ? [canonicalText(words)] : [])].join(' '),
    written: [...before, ...(words.length > 0 ? [writtenText(words)] : [])].join(' '),
  };
}

/** `/bin/rm` is `rm` to whoever denies it. */
function withBaseName(words: readonly ShellWord[]): Spelling[] {
  const [name, ...args] = words;
  if (!name?.value.includes('/')) return [];
  const value = baseName(name.value);
  return [spelled([{ ...name, value, text: value }, ...args])];
}

function isReadOnly(
  { name, assignments }: SimpleCommand,
  words: readonly ShellWord[],
  more: boolean,
  around: Around,
): boolean {
  if (name === undefined) return assignments.every((assignment) => isOwn(assignment.name));
  if (!around.plain || more || assignments.length > 0 || !words.every(({ plain }) => plain)) return false;
  if (words[0] === undefined || changesFiles(words[0].value)) return false;
  const { world, folders } = around;
  const moved = folders === undefined || folders.length > 1;
  return isReadOnlyCommand(canonicalText(words), {
    git: moved ? undefined : world.git,
    environment: world.environment,
  });
}

function opacity(
  words: readonly ShellWord[],
  stages: readonly { readonly words: readonly ShellWord[] }[],
  around: Around,
): string | undefined {
  if (words.length === 0) return undefined;
  const name = stages.at(-1)?.words[0];
  if (name === undefined || name.kind === 'dynamic' || name.kind === 'pattern') {
    return 'Nobody can tell which command runs.';
  }
  const { folders, world } = around;
  if (folders === undefined) return 'Nobody can tell in which folder it runs.';
  const outside = folders.find(
    (folder) =>
      folder !== world.cwd && placesOf(folder, ['/'], world).some((place) => !isInside(place, world)),
  );
  return outside === undefined ? undefined : `It runs in ${outside}, outside the working directories.`;
}
