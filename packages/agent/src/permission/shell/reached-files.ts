/**
 * Finds scripts that may read some given files, although the names of the files that they read are known only when they run:
 * `cat "$HOME/.heddle/x"`, `for f in ~/.heddle/*; do cat "$f"; done`. The words of the script are checked as the paths that
 * they may become. An unknown part of a word gets its text from another word, from a command that lists names, or from a text.
 */
import path from 'node:path';
import type { ReadCommand, ShellWord, SimpleCommand } from '@heddle/tools/shell';
import type { FilePart, Part, ReachTest } from '../part.ts';
import { isAtOrBelow, isSink, placesOf, tildeExpanded } from '../paths/places.ts';
import {
  literalSegments,
  lowerCaseSegments,
  type Segment,
  segmentsMeet,
  segmentsOf,
} from '../paths/segments.ts';
import { hasOtherHome, type PermissionWorld } from '../world.ts';
import {
  placeholdersIn,
  redirected,
  setsUnseen,
  textsIn,
  UNKNOWN,
  withoutValues,
  wordsOf,
} from './built-names.ts';
import type { PlacedCommand } from './earlier-effects.ts';
import { listersIn, takesNamesFromText } from './listed-names.ts';
import { possibleValues, type WordScope } from './possible-values.ts';
import { commandWords } from './runners.ts';
import { changesFolder, type Folders, SOME_NUMBER } from './shell-state.ts';

type Script = Extract<ReadCommand, { ok: true }>;

export const reachesNothing: ReachTest = () => 'no';

interface Reading {
  readonly script: Script;
  readonly parts: readonly Part[];
  readonly placed: readonly PlacedCommand[];
  readonly around: Omit<WordScope, 'folders'>;
}

/** A word as a path, in the folders where it may be used. */
interface Text {
  readonly text: string;
  readonly folders: Folders;
  /** It has an expansion that changes a value: `${x,,}`. */
  readonly isChanged: boolean;
}

export function reachedFiles(files: readonly string[], reading: Reading): ReturnType<ReachTest> {
  const { script, parts, around } = reading;
  const unknown = parts.filter(isUnknownRead);
  if (unknown.length === 0) return 'no';
  const texts = textsOf(reading);
  const isDeep = unknown.some(({ deep, below }) => deep !== 'no' || below !== undefined);
  const isFound = files.some((file) => mayFind(file, texts, { isDeep, world: around.world }));
  if (isFound || files.some((file) => isListed(file, reading))) return 'some';
  const isBuilt = texts.some(({ isChanged }) => isChanged) || script.commands.some(setsUnseen);
  return isBuilt || takesNamesFromText(script, unknown) ? 'any' : 'no';
}

/** Returns whether a part opens a file whose name is known only when the script runs. */
export function isUnknownRead(part: Part): part is FilePart {
  if (part.kind !== 'read' || part.stored || part.opensNothing) return false;
  return part.places === undefined || part.isUnsettled === true;
}

function textsOf({ script, placed, around }: Reading): readonly Text[] {
  const { world } = around;
  const all = placed.some(({ folders }) => folders === undefined)
    ? undefined
    : [...new Set([world.cwd, ...placed.flatMap(({ folders }) => folders ?? [])])];
  const own = placed.flatMap(({ command, folders }) =>
    wordsOf(command).flatMap((word) =>
      // The values of other words may be used in any folder.
      textsOfWord(word, placeholdersIn(command), {
        ...around,
        folders: changesFolder(command) ? folders : all,
      }),
    ),
  );
  const others = [...redirected(script), ...script.loopWords];
  return own.concat(others.flatMap((word) => textsOfWord(word, [], { ...around, folders: all })));
}

function textsOfWord(word: ShellWord, placeholders: readonly string[], scope: WordScope): readonly Text[] {
  const { folders, world } = scope;
  const hasPlaceholder = placeholders.some((one) => word.value.includes(one));
  const values = hasPlaceholder ? undefined : possibleValues(word, scope, 'any star');
  const known = values?.map(({ text }) => text) ?? [
    placeholders.reduce(
      (text, one) => text.replaceAll(one, UNKNOWN),
      hasPlaceholder ? word.value : word.text,
    ),
  ];
  const isKnown = values !== undefined;
  return known.flatMap((value) => {
    // A text with blanks may be a script, which has folders of its own.
    const isCode = isKnown && textsIn(value).length > 1;
    const bare = isKnown && !isCode ? value : withoutValues(withHome(value, world));
    const pieces = isCode ? bare.split(/[\s;()|&<>]+/) : textsIn(bare);
    return pieces.flatMap(withoutOption).map((text) => ({
      text,
      folders: isCode ? undefined : folders,
      isChanged: !isKnown && /[$`]/.test(text),
    }));
  });
}

/** The value of an option is a word of its own: `--file=x`, `-fx`. */
function withoutOption(text: string): readonly string[] {
  const [, long] = /^-[^=/]*=(.+)$/s.exec(text) ?? [];
  const [, short] = /^-\w([~/.$"].*)$/s.exec(text) ?? [];
  return [text, ...[long, short].filter((value) => value !== undefined)];
}

function withHome(text: string, world: PermissionWorld): string {
  if (hasOtherHome(world)) return text;
  return text.replace(/\$HOME(?!\w)|\$\{HOME\}/g, () => world.home);
}

/** Returns whether a text, or one text in the folder that another one names, may be the path of the file. */
function mayFind(
  file: string,
  texts: readonly Text[],
  { isDeep, world }: { readonly isDeep: boolean; readonly world: PermissionWorld },
): boolean {
  const fold = (segments: readonly Segment[]): readonly Segment[] =>
    world.foldsCase ? lowerCaseSegments(segments) : segments;
  const names = fold(literalSegments(file));
  const deep: readonly Segment[] = isDeep ? ['**'] : [];
  const shapes = texts.map((text) => shapesOf(text, world));
  const isNamed = shapes.some(({ whole }) =>
    whole.some((shape) => segmentsMeet(fold([...shape, ...deep]), [...names, '**'], true)),
  );
  if (isNamed) return true;
  const isEntered = shapes.some(
    ({ whole, climbs }) =>
      climbs ||
      whole.some((shape) => names.some((_, at) => segmentsMeet(fold(shape), names.slice(0, at), true))),
  );
  return (
    isEntered &&
    shapes.some(({ ends }) =>
      ends.some((end) =>
        names.some((_, at) => segmentsMeet(fold([...end, ...deep]), [...names.slice(at), '**'], true)),
      ),
    )
  );
}

interface Shapes {
  /** The paths that the text may be. */
  readonly whole: readonly (readonly Segment[])[];
  /** The ends of paths that begin in an unknown folder. */
  readonly ends: readonly (readonly Segment[])[];
  /** It leads to a folder that is not known. */
  readonly climbs: boolean;
}

const NOTHING: Shapes = { whole: [], ends: [], climbs: false };

/** The home folder of another user, or another folder of the shell. */
const OTHER_TILDE = /^~[^/]+/;

function shapesOf({ text, folders, isChanged }: Text, world: PermissionWorld): Shapes {
  const isOther = OTHER_TILDE.test(text);
  const written = tildeExpanded(text.replace(OTHER_TILDE, UNKNOWN), world.home)
    .replaceAll(SOME_NUMBER, '*')
    .replace(/\{[^{}]*\}/g, UNKNOWN);
  if (written === '' || isSink(written, 'read')) return NOTHING;
  if (isChanged) return { ...NOTHING, ends: [['**']] };
  if (written.startsWith(UNKNOWN))
    return { whole: [], ends: patternsOf(written.slice(UNKNOWN.length), 'after a text'), climbs: isOther };
  const up = written.lastIndexOf('../');
  const climbs = up >= 0 || written.endsWith('..');
  const rest = climbs ? patternsOf(up < 0 ? '' : written.slice(up + 3)) : [];
  const isRelative = !path.posix.isAbsolute(written);
  if (isRelative && folders === undefined)
    return { whole: [], ends: [...patternsOf(written), ...rest], climbs };
  const at = written.search(WILD);
  const end = at < 0 ? written.length : written.lastIndexOf('/', at) + 1;
  const places = placesOf(written.slice(0, end) || '.', folders ?? ['/'], world);
  const starts = new Set(places.flatMap((place) => [place.path, place.real]));
  const whole = Array.from(starts).flatMap((start) =>
    patternsOf(written.slice(end)).map((pattern) => literalSegments(start).concat(pattern)),
  );
  return { whole, ends: rest, climbs };
}

const WILD = /[*?[(+@!\uffff]/;

/** An unknown part of a text is a part of one name, or several names. */
function patternsOf(text: string, position?: 'after a text'): readonly (readonly Segment[])[] {
  if (text === '') return position === undefined ? [[]] : [];
  const begun = position === undefined || text.startsWith('/') ? text : `*${text}`;
  if (!begun.includes(UNKNOWN)) return [segmentsOf(begun)];
  return ['*', '*/**/*'].map((unknown) => segmentsOf(begun.replaceAll(UNKNOWN, unknown)));
}

/** Returns whether a command may list the name of the file: in its own folder, or in one that its words name. */
function isListed(file: string, { script, placed, around }: Reading): boolean {
  const listers = new Set<SimpleCommand>(listersIn(script));
  return placed.some(({ command, folders }) => {
    if (!listers.has(command)) return false;
    const starts = folders === undefined ? undefined : startsOf(command, { ...around, folders });
    if (starts === undefined) return false;
    const [name, ...args] = commandWords(command);
    const isFlat = name?.value === 'ls' && !args.some(({ value }) => /^-\w*R|^--rec/.test(value));
    return starts.some((start) =>
      isFlat
        ? path.posix.dirname(file) === start || isAtOrBelow(start, file)
        : isAtOrBelow(file, start) || isAtOrBelow(start, file),
    );
  });
}

/** Returns the folders in which a command looks for names. */
function startsOf(command: SimpleCommand, scope: WordScope): readonly string[] {
  const { folders, world } = scope;
  const [, ...args] = commandWords(command);
  const named = args
    .filter(({ value }) => !value.startsWith('-'))
    .flatMap((word) => possibleValues(word, scope, 'any star') ?? [])
    .map(({ text }) => tildeExpanded(text, world.home));
  const from = folders ?? [world.cwd];
  return [
    ...new Set([
      ...from,
      ...named.flatMap((text) => placesOf(text, from, world).flatMap((place) => [place.path, place.real])),
    ]),
  ];
}
