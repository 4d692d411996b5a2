/**
 * Decides about a command with the values that its variables and globs have. The program gets these values, so an option or the
 * name of a command among them counts like one that is written.
 */
import type { ShellWord, SimpleCommand } from '@heddle/tools/shell';
import type { CommandPart, Concern, FilePart, FoundSpellings, Part } from '../part.ts';
import { type Beginning, canonicalText } from '../rules/command-pattern.ts';
import { globWord } from '../rules/glob-words.ts';
import { hasSameCommands } from '../rules/same-commands.ts';
import { type Around, namedBeginnings, suspectedSpellings } from './command-part.ts';
import type { PlacedCommand } from './earlier-effects.ts';
import { commandsByValue } from './expanded-words.ts';
import { gitArguments } from './files/git-arguments.ts';
import { literalWord } from './files/touch.ts';
import { expandedTexts } from './possible-values.ts';
import { plainCommands } from './plain-commands.ts';
import { baseName, commandTails, commandWords, unwrap } from './runners.ts';
import { hasUnknownProgram } from './unknown-programs.ts';

type PartsOfWords = (command: SimpleCommand, around: Around) => Part[];

/** Adds the parts of the command with each known value of its words. Its own text decides which rules allow it. */
export function withValues(command: SimpleCommand, around: Around, partsOf: PartsOfWords): Part[] {
  const parts = partsOf(command, around);
  const [written] = parts;
  if (written?.kind !== 'command') return parts;
  if (written.readOnly !== 'no') return [withFound(written, command, around), ...parts.slice(1)];
  const isUnknown = (glob: ShellWord): boolean => expandedTexts(glob, around) === undefined;
  const beginnings = [...beginningsBeforeGlobs(command, isUnknown), ...globbedCommands(command)];
  const own = { ...written, beginnings: written.beginnings.concat(beginnings) };
  const { commands, isCut } = commandsByValue(commandWords(command), around);
  const seen = new Set(parts.flatMap(accessesOf));
  const more = commands.flatMap(([name, ...args]) => {
    const made = partsOf({ ...command, name, args }, around);
    const [first] = made;
    return first?.kind === 'command' ? made.with(0, { ...first, shown: own.shown, cover: own.cover }) : made;
  });
  const possible = commands.length > 0 ? commands : [commandWords(command)];
  const isOpen = around.mayBeText !== true && possible.some(hasUnknownProgram);
  const concerned = isOpen ? { ...own, concern: own.concern ?? UNKNOWN_PROGRAM } : own;
  const first = isCut ? { ...concerned, exactOnly: TOO_MANY_VALUES, isNamedBy: undefined } : concerned;
  return parts
    .with(0, first)
    .concat(
      more.filter((part) => !isFileAccess(part) || !accessesOf(part).every((access) => seen.has(access))),
    );
}

/** The number of files that a rule with stars is compared with. */
const MOST_FOUND = 1_000;

/**
 * Adds the spellings of a proven command with the files that its globs find: all of them at their places, and each one alone. With
 * more files than are compared, the globs may find any name.
 */
function withFound(part: CommandPart, command: SimpleCommand, around: Around): CommandPart {
  const words = commandWords(command);
  if (words.every(({ kind }) => kind !== 'pattern')) return part;
  let known: FoundSpellings | undefined;
  const found = (): FoundSpellings => {
    const texts = words.map((word) => (word.kind === 'pattern' ? expandedTexts(word, around) : []));
    if (texts.some((names) => names === undefined || names.length > MOST_FOUND))
      return {
        spellings: [],
        patterns: suspectedSpellings(words.map(withStars)).map(({ canonical }) => canonical),
      };
    const files = texts.map((names) => (names ?? []).map(literalWord));
    around.world.spend?.(files.flat().length);
    const all = words.flatMap((word, at) => (files[at]?.length ? files[at] : [word]));
    const single = files.flatMap((names, at) => names.map((name) => words.with(at, name)));
    return { spellings: [all, ...single].flatMap(suspectedSpellings), patterns: [] };
  };
  return { ...part, found: () => (known ??= found()) };
}

function withStars(word: ShellWord): ShellWord {
  const { stars } = globWord(word) ?? {};
  return stars === undefined ? word : { ...word, text: stars, value: stars };
}

/** A command whose program is unknown may change or remove any file. */
const UNKNOWN_PROGRAM: Concern = {
  level: 'unless bypassed',
  reason: 'The program is known only when it runs, and so are the files that it changes.',
};

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
  return placed.flatMap(({ command }, index) =>
    changing.some((changes, at) => changes && at !== index) ? beginningsBeforeGlobs(command) : [],
  );
}

/**
 * Returns the programs whose command is a glob: `git p?sh`. It may become an alias, or another command that does the work of the one
 * that a rule names.
 */
function globbedCommands(command: SimpleCommand): readonly Beginning[] {
  const words = commandWords(command);
  if (!words.some(({ kind }) => kind === 'pattern')) return [];
  return unwrap(words)
    .flatMap((stage) => commandTails(stage.words).concat([stage.words]))
    .flatMap(([name, ...args]) => {
      const program = baseName(name?.value ?? '');
      if (!hasSameCommands(program)) return [];
      const first =
        program === 'git'
          ? args.at(-1 - gitArguments(args).rest.length)
          : args.find(({ value }) => !value.startsWith('-'));
      return first?.kind === 'pattern' ? [{ text: `${program} `, quoted: false }] : [];
    });
}

/** Returns the words before the first glob, also those after runners: `git p` for `env git p?sh`. */
export function beginningsBeforeGlobs(
  command: SimpleCommand,
  isUnknown: (glob: ShellWord) => boolean = () => true,
): readonly Beginning[] {
  const words = commandWords(command);
  if (!words.some((word) => word.kind === 'pattern' && isUnknown(word))) return [];
  const runs = unwrap(words).flatMap((stage) => commandTails(stage.words).concat([stage.words]));
  return runs
    .flatMap((run) => plainCommands(run).concat([run]))
    .flatMap((run) => {
      const at = run.findIndex((word, place) => word.kind === 'pattern' && place > 0 && isUnknown(word));
      const [known = ''] = run[at]?.value.match(/^[^*?[]*/) ?? [];
      return at < 0 ? [] : namedBeginnings(`${canonicalText(run.slice(0, at))} ${known}`);
    });
}
