/** Finds the files that `find` and `fd` give to the commands that they run, and the folders in which a script looks for names. */
import path from 'node:path';
import { omitUndefined } from '@heddle/core';
import type { ShellWord } from '@heddle/tools/shell';
import type { FilePart } from '../part.ts';
import { placesOf, tildeExpanded } from '../paths/places.ts';
import { foldCase } from '../paths/protected.ts';
import { namesMeet, type Token, tokensOfName } from '../paths/segments.ts';
import type { Selection } from '../paths/walk-tree.ts';
import type { Around } from './command-part.ts';
import type { PlacedCommand } from './earlier-effects.ts';
import { touchPart } from './files/file-parts.ts';
import { filesOf } from './files/files-of.ts';
import { searchOfFd } from './files/fd.ts';
import { followsLinks, limitsOfFind, startFoldersOf } from './files/find.ts';
import { type Touch, touch, unknownWord } from './files/touch.ts';
import {
  baseName,
  commandTails,
  commandWords,
  type FindRun,
  FOUND,
  runsElsewhere,
  unwrap,
} from './runners.ts';
import { builtTouches, foundWrites, isOfFound, touchesOfFound } from './found-writes.ts';
import { foundWords } from './found-words.ts';
import { commandsIn, findEmbeddedScripts } from './scripts.ts';

/** The files that may be found. */
interface Search {
  readonly starts: readonly ShellWord[];
  /** How a command accesses them. */
  readonly access: Pick<Touch, 'deep' | 'endings' | 'picks'>;
  readonly selects: Omit<Selection, 'withContents'>;
  /** The command runs in folders below the starts. Its relative paths begin there. */
  readonly isInFolders: boolean;
  /** Only regular files and folders are found, and no links. */
  readonly isPlain: boolean;
}

/** `{}` is each file that is found. `isProven`: the command changes nothing. */
export function foundFiles(
  [name, ...args]: readonly ShellWord[],
  run: FindRun,
  around: Around,
  isProven: boolean,
): FilePart[] {
  const { folders, world } = around;
  const isFind = baseName(name?.value ?? '') === 'find';
  const { starts, access, selects, isInFolders, isPlain } = isFind ? filesOfFind(args, run) : filesOfFd(run);
  const unknown = unknownWord('what it comes upon');
  const relative = isInFolders && !runsElsewhere(run.command) ? run.command.slice(1).filter(isRelative) : [];
  // A name counts in every folder.
  const mayMatch = (file: string): boolean =>
    selects.mayMatch(file) ||
    relative.some(({ kind, value }) => kind === 'pattern' || path.posix.basename(value) === file);
  const given = scriptTouches(run.command, unknown);
  const marked = touchesOfFound(run.command);
  const changes = marked.filter(({ kind }) => kind !== 'read');
  return starts.flatMap((start) => {
    // `{}/x` is also below it, unless it contains `..`.
    const words = run.command.map((word) => {
      if (!FOUND.test(word.value) && !relative.includes(word)) return word;
      return word.value.includes('..') ? unknown : start;
    });
    const runs = [words, ...commandTails(words)];
    world.spend?.(runs.length * words.length);
    const climbs = isInFolders && words.some(({ value }) => /^-.*\.\./s.test(value));
    // The found file can be the value of an option: `dd of={}`.
    const itself = changes.filter(isOfFound).flatMap((one): Touch[] => [{ ...one, word: start }]);
    const touches = [
      ...runs.flatMap(filesOf),
      ...itself,
      ...given,
      ...(climbs ? [touch('read', unknown)] : []),
    ];
    const found = { start, selects: { ...selects, mayMatch }, isInFolders, isPlain };
    const others = [
      ...changes.flatMap((one) => foundWrites(one, found, folders, world)),
      ...marked
        .flatMap((one) => builtTouches(one, found, isFind && !isInFolders))
        .flatMap((one) => touchPart(one, 'command', folders, world)),
      ...(isProven ? [] : foundWords(run, { start, selects, isInFolders, isPlain }, around)),
    ];
    return touches
      .flatMap((one) =>
        one.word === start || one.word === unknown
          ? touchPart(
              {
                ...one,
                ...access,
                picks: access.picks === true || relative.length > 0,
                staysInTree: false,
                fills: one.kind === 'write' && relative.length > 0,
                selects: { ...selects, mayMatch, withContents: one.deep === 'all' },
                ...besideFound(one, { ...selects, mayMatch }),
              },
              'command',
              folders,
              world,
            )
          : [],
      )
      .concat(others);
  });
}

/** Files beside each found one are written. */
function besideFound({ replacedEnds }: Touch, selects: Search['selects']): Pick<Touch, 'replacedEnds'> {
  return replacedEnds ? { replacedEnds: { ...replacedEnds, isDeep: true, selects } } : {};
}

/** `sh -c 'cat {}'`: the name of the file becomes a part of the script. */
function scriptTouches(words: readonly ShellWord[], unknown: ShellWord): readonly Touch[] {
  const [name, ...args] = words;
  if (name === undefined || !args.some(({ value }) => FOUND.test(value) && /\s/.test(value))) return [];
  const command = { name, args, assignments: [], redirections: [], inside: [], hasInput: false, text: '' };
  return commandsIn(findEmbeddedScripts(command, words).scripts).flatMap((one) =>
    filesOf(commandWords(one).map((word) => (FOUND.test(word.value) ? unknown : word))).filter(
      ({ word }) => word === unknown,
    ),
  );
}

/** Returns whether the word may be a path that begins in the working folder. */
function isRelative({ kind, value }: ShellWord): boolean {
  return (kind === 'literal' || kind === 'pattern') && !/^(?:[-/]|$)/.test(value);
}

function filesOfFind(args: readonly ShellWord[], { isInFolders }: FindRun): Search {
  // It may also print names for another command.
  const { picks, isPlain, mayMatch, mayMatchSome } = limitsOfFind(args, (action) => action !== '-delete');
  return {
    starts: startFoldersOf(args),
    access: { deep: 'all', picks },
    selects: { mayMatch, mayMatchSome, followsLinks: followsLinks(args) },
    isInFolders,
    isPlain: isPlain && !followsLinks(args),
  };
}

/** Without an option for it, `fd` skips hidden files. A pattern or an option selects some of the others. */
function filesOfFd({ own }: FindRun): Search {
  const { starts, isElsewhere, isHidden, followsLinks: follows, endings } = searchOfFd(own);
  const ends = endings?.map((ending) => tokensOfName(`*${ending}`));
  const mayMatchSome = (name: readonly Token[]): boolean =>
    ends?.some((end) => end === undefined || namesMeet(end, name, true)) ?? true;
  return {
    starts,
    access: { deep: isHidden ? 'all' : 'visible', picks: true, ...omitUndefined({ endings }) },
    selects: {
      mayMatch: (name) => mayMatchSome(Array.from(foldCase(name))),
      mayMatchSome,
      skipsHidden: !isHidden,
      followsLinks: follows,
    },
    isInFolders: isElsewhere,
    isPlain: false,
  };
}

/** They print no names that they find in a folder. Most of them take `/` as a text: `tr / _`, `cut -d/ -f1`. */
const LIST_NOTHING =
  /^(echo|printf|true|false|:|test|\[|cd|read|tr|cut|sort|uniq|comm|join|paste|column|fold|fmt|nl|rev|tac|cat|head|tail|wc|sed|[gmn]?awk|grep|[ef]grep|jq|yq|expr|seq|date|dirname|basename|realpath|readlink|df|mountpoint|sleep|base64|od|xxd|\w+sum)$/;

/** `for f in a / b` */
const LOOP_WORDS = /\bfor\s+\w+\s+in\s+([^;\n]*)/g;
/** A word that is a variable, with or without a slash after it. */
const VARIABLE = /^"?\$\{?(\w+)\}?"?([./]*)"?$/;
/** A path, or the value of an option: `fd --search-path=/`, `fd -C/`. Only such a path can lead above the project. */
const CLIMBING = /^(?:-\w|--[\w-]+=)?([./]+|.*\.\..*)$/s;

/**
 * Returns the folders above a script's own in which its commands may look for names, and those in which they run. They are
 * words of the commands, values of variables, or words of loops.
 */
export function searchedFolders(
  text: string,
  commands: readonly PlacedCommand[],
  { world, variables }: Around,
): readonly string[] {
  const valuesOf = ({ kind, text: written, value }: ShellWord): readonly string[] => {
    const [, name, end = ''] = VARIABLE.exec(written) ?? [];
    if (name !== undefined) return variables(name)?.map((known) => known.text + end) ?? [];
    return [kind === 'tilde' ? tildeExpanded(value, world.home) : value];
  };
  const resolved = (values: readonly string[], folders: readonly string[]): readonly string[] =>
    values
      .flatMap((value) => CLIMBING.exec(value)?.[1] ?? [])
      .flatMap((value) => placesOf(value, folders, world).flatMap((place) => [place.path, place.real]));
  const looped = Array.from(text.matchAll(LOOP_WORDS), ([, words = '']) => words.split(/[\s"']+/)).flat();
  const found = commands.flatMap(({ command, folders = [world.cwd] }) => {
    const stage = unwrap(commandWords(command)).at(-1)?.words ?? [];
    const lists = !LIST_NOTHING.test(baseName(stage[0]?.value ?? ''));
    const assigned = command.assignments.flatMap(({ name, value }) => (name === 'IFS' ? [] : (value ?? [])));
    const values = [...assigned, ...(lists ? stage : [])].flatMap(valuesOf);
    return [...folders, ...resolved(values, folders)];
  });
  return found.concat(resolved(looped, [world.cwd]));
}
