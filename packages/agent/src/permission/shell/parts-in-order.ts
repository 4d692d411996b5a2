/**
 * The order of a script's commands: which may run before which, and in which folder. An earlier command may change the
 * working directory, or make links. In a loop, a later command is also an earlier one.
 */
import type { Construct, ShellRedirection, SimpleCommand } from '@heddle/tools/shell';
import type { FilePart, Part } from '../part.ts';
import { isAtOrBelow, once } from '../paths/places.ts';
import type { PermissionWorld } from '../world.ts';
import { type Around, changesLaterCommands } from './command-part.ts';
import {
  type ChangedPaths,
  isBehindLink,
  joinLinks,
  linksMadeBy,
  type MadeLinks,
  NO_LINKS,
  partsBehindChanges,
  partsBehindLinks,
  pathsChangedBy,
  type PlacedCommand,
  runsProjectCode,
} from './earlier-effects.ts';
import { redirectionParts } from './files/redirections.ts';
import { gitWorldAfter } from './made-repositories.ts';
import { baseName, commandWords, unwrap } from './runners.ts';
import { type Unpacked, unpackedBy, worldAfterUnpacking } from './unpacked-files.ts';
import { changesFolder, type Folders, foldersAfter } from './shell-state.ts';

interface Ordered {
  readonly parts: Part[];
  readonly placed: readonly PlacedCommand[];
  /** The possible working directories at the end. */
  readonly folders: Folders;
  /** Links that the commands may have made. */
  readonly links: MadeLinks;
  /** The paths that the commands change. */
  readonly changed: () => ChangedPaths;
  /** For each command, its parts. */
  readonly own: readonly (readonly Part[])[];
}

type PartsOf = (command: SimpleCommand, around: Around) => readonly Part[];

/** Inside these constructs, a command may run before one that is written earlier. */
const REORDERS: ReadonlySet<Construct> = new Set<Construct>([
  'loop',
  'function',
  'coproc',
  'background',
  'pipeline',
  'substitution',
  'process_substitution',
]);

/**
 * Returns the parts of commands that run in sequence. Each may change the working directory, or make links that affect
 * later ones. `redirections` are those of compound commands.
 */
export function partsInOrder(
  commands: readonly SimpleCommand[],
  { world: before, ...rest }: Around,
  partsOf: PartsOf,
  redirections: readonly ShellRedirection[] = [],
): Ordered {
  const isAlone = commands.length === 1 && commands.every(({ inside }) => inside.length === 0);
  const around: Around = { ...rest, world: isAlone ? before : { ...before, foldersMayChange: true } };
  const isOrdered = commands.every(({ inside }) => !inside.some((construct) => REORDERS.has(construct)));
  const first = walk(commands, around, partsOf, { isOrdered, fromLastRound: NO_FOLDERS });
  const isMoved = commands.some(movesNextRound);
  const beside = redirections.flatMap((each) => redirectionParts(each, around.folders, around.world));
  const world = gitWorldAfter([...first.own, beside], first.made, around.world);
  const changes = isAlone ? NO_CHANGES : changesOf([...first.own, beside], commands, first.made);
  const { placed, made, own, folders } =
    isMoved || world !== around.world || changes !== NO_CHANGES
      ? walk(commands, { ...around, world }, partsOf, {
          isOrdered,
          fromLastRound: isMoved ? first.afterRepeated : NO_FOLDERS,
          changes,
          visits: first.visits,
        })
      : first;
  const isChanging =
    !isAlone &&
    [...own, beside].some((each) => each.some(({ kind }) => kind === 'write' || kind === 'remove'));
  const changedBy = once(() => [...own, beside].map((each) => pathsChangedBy(each, world)));
  const changed = (isCounted: (at: number) => boolean = () => true): (() => ChangedPaths) =>
    once(() => joinLinks(changedBy().filter((_, at) => isCounted(at))));
  const parts = own.flatMap((each, index) => {
    const isBefore = (at: number): boolean =>
      isOrdered ? at < index : at !== index || repeats(commands[at]);
    const before = made.filter((_, at) => isBefore(at));
    const { command, folders: there } = placed[index] ?? {};
    const words = command ? (unwrap(commandWords(command)).at(-1)?.words ?? []) : [];
    const isFree = runsProjectCode(words, { ...around, folders: there });
    const links = joinLinks(before);
    around.world.spend?.(links === 'anywhere' ? 0 : links.length);
    const behind = partsBehindLinks(each, links, isFree);
    if (!isChanging) return behind;
    return partsBehindChanges(
      behind,
      changed((at) => at === own.length || isBefore(at)),
      world,
    );
  });
  return { parts, placed, folders, links: joinLinks(made), changed: changed(), own };
}

const NO_FOLDERS: Folders = [];

interface Walk {
  readonly placed: readonly PlacedCommand[];
  /** For each command, the links that it may have made. */
  readonly made: readonly MadeLinks[];
  /** For each command, its parts. */
  readonly own: readonly (readonly Part[])[];
  /** The possible working directories at the end. */
  readonly folders: Folders;
  /** The possible working directories after the last command that repeats. */
  readonly afterRepeated: Folders;
  readonly visits: readonly Visit[];
}

/** A look at one command, before the effects of all commands are known. */
interface Visit {
  readonly folders: Folders;
  readonly parts: readonly Part[];
  /** Returns whether the parts depend on facts that the effects of other commands decide. */
  readonly isOpen: () => boolean;
  /** Sets these facts, for parts that use them later. */
  readonly settle: (facts: LateFacts) => void;
}

type LateFacts = Required<Pick<PermissionWorld, 'gitIn' | 'changedPaths'>> &
  Pick<PermissionWorld, 'repositoryPrograms' | 'repositoriesAt'>;

/** Returns the parts of a command. Most of them do not depend on the late facts, so they need not be made twice. */
function visit(command: SimpleCommand, { folders, world, ...around }: Around, partsOf: PartsOf): Visit {
  let facts: LateFacts = { ...world, changedPaths: world.changedPaths ?? [] };
  let isUsed = false;
  const used = (): LateFacts => {
    isUsed = true;
    return facts;
  };
  const observed: PermissionWorld = {
    ...world,
    gitIn: (folder) => used().gitIn(folder),
    repositoryPrograms: (folder) => used().repositoryPrograms?.(folder) ?? { named: [] },
    repositoriesAt: (place) => used().repositoriesAt?.(place) ?? [],
    get changedPaths() {
      return used().changedPaths;
    },
  };
  const parts = partsOf(command, { ...around, folders, world: observed });
  return { folders, parts, isOpen: () => isUsed, settle: (late) => void (facts = late) };
}

function areSame(some: Folders, others: Folders): boolean {
  if (some === undefined || others === undefined) return some === others;
  return some.length === others.length && some.every((folder, at) => folder === others[at]);
}

/** The known changes by the commands of a script. */
interface Changes {
  /** For each command, the paths that it writes. */
  readonly written: readonly (readonly string[])[];
  /** Files, folders and globs that `mv` takes away. */
  readonly taken: readonly FilePart[];
  /** For each command, the files with unknown names that it writes. */
  readonly unpacked: readonly (readonly Unpacked[])[];
}

const NO_CHANGES: Changes = { written: [], taken: [], unpacked: [] };

function changesOf(
  parts: readonly (readonly Part[])[],
  commands: readonly SimpleCommand[],
  made: readonly MadeLinks[],
): Changes {
  const written = parts.map((each) => each.filter(({ kind }) => kind === 'write').flatMap(pathsIn));
  const unpacked = commands.map((command, at) => unpackedBy(command, parts[at] ?? [], made[at]));
  if ([...written, ...unpacked].every((each) => each.length === 0)) return NO_CHANGES;
  const taken = parts.flatMap((each, at) => {
    const command = commands[at];
    return command && isMove(command) ? each.filter(isRemoval) : [];
  });
  return { written, taken, unpacked };
}

function isRemoval(part: Part): part is FilePart {
  return part.kind === 'remove';
}

/** A glob matches names in its folder, and not the folder itself. */
function takesAway(part: FilePart, folder: string): boolean {
  return pathsIn(part).some(
    (path) => isAtOrBelow(folder, path) && (part.glob === undefined || folder !== path),
  );
}

function pathsIn(part: Part): readonly string[] {
  if (part.kind !== 'write' && part.kind !== 'remove') return [];
  return (part.places ?? []).flatMap(({ path, real }) => (path === real ? [path] : [path, real]));
}

function isMove(command: SimpleCommand): boolean {
  const [name] = unwrap(commandWords(command)).at(-1)?.words ?? [];
  return name !== undefined && baseName(name.value) === 'mv';
}

interface WalkOptions {
  /** Each command runs after those before it. */
  readonly isOrdered: boolean;
  /** The folders in which a loop or a function may start again. */
  readonly fromLastRound: Folders;
  readonly changes?: Changes;
  /** The looks of an earlier walk. */
  readonly visits?: readonly Visit[];
}

/** The number of changed paths that are listed in one step. */
const PATHS_PER_STEP = 4;

function walk(
  commands: readonly SimpleCommand[],
  around: Around,
  partsOf: PartsOf,
  { isOrdered, fromLastRound, changes = NO_CHANGES, visits = [] }: WalkOptions,
): Walk {
  const placed: PlacedCommand[] = [];
  const made: MadeLinks[] = [];
  const own: (readonly Part[])[] = [];
  const visited: Visit[] = [];
  const changers = commands.flatMap((command, at) => (changesLaterCommands(command) ? [at] : []));
  let { folders } = around;
  let afterRepeated = NO_FOLDERS;
  for (const [index, command] of commands.entries()) {
    if (repeats(command)) folders = joinFolders(folders, fromLastRound);
    const changedPaths = changes.written.filter((_, at) => at !== index || repeats(command)).flat();
    const isShellChanged =
      around.isShellChanged === true || changers.some((at) => (isOrdered ? at < index : at !== index));
    const unpacked = changes.unpacked.filter((_, at) =>
      isOrdered ? at < index : at !== index || repeats(command),
    );
    const world = { ...worldAfterUnpacking(around.world, unpacked.flat()), changedPaths };
    const here = { ...around, folders, isShellChanged, world };
    around.world.spend?.(1 + Math.ceil(changedPaths.length / PATHS_PER_STEP));
    const before = visits[index];
    before?.settle(world);
    const isKnown = before !== undefined && !before.isOpen() && areSame(before.folders, folders);
    const now = isKnown ? before : visit(command, here, partsOf);
    const { parts } = now;
    visited.push(now);
    own.push(parts);
    placed.push({ command, folders });
    const links = isOrdered ? joinLinks(made) : 'anywhere';
    made.push(
      commands.length > 1 || command.inside.length > 0 ? linksMadeBy(command, parts, here, links) : NO_LINKS,
    );
    folders = withoutLinks(foldersAfter(folders, command, around.world), folders, joinLinks(made));
    // `..` leads elsewhere from a folder that is moved while the shell is in it.
    if (folders?.some((folder) => changes.taken.some((part) => takesAway(part, folder)))) folders = undefined;
    if (repeats(command)) afterRepeated = folders;
  }
  return { placed, made, own, folders, afterRepeated, visits: visited };
}

function joinFolders(some: Folders, others: Folders): Folders {
  if (some === undefined || others === undefined) return undefined;
  return [...new Set([...some, ...others])];
}

const REPEATED: ReadonlySet<Construct> = new Set<Construct>(['loop', 'function']);

function repeats(command: SimpleCommand | undefined): boolean {
  return command?.inside.some((construct) => REPEATED.has(construct)) === true;
}

/** A shell of its own runs these. Its working directory ends with it. A pipeline is not listed, because of `lastpipe`. */
const OWN_SHELL: ReadonlySet<Construct> = new Set<Construct>([
  'subshell',
  'substitution',
  'process_substitution',
  'background',
  'coproc',
]);

/** The command may change the folder in which the next round of its loop, or the next call of its function, starts. */
function movesNextRound(command: SimpleCommand): boolean {
  const round = command.inside.findLastIndex((construct) => REPEATED.has(construct));
  if (round < 0 || !changesFolder(command)) return false;
  return !command.inside.slice(round + 1).some((construct) => OWN_SHELL.has(construct));
}

/** A folder that was entered through a new link is unknown. */
function withoutLinks(after: Folders, before: Folders, links: MadeLinks): Folders {
  const isNew = (folder: string): boolean => before?.includes(folder) !== true;
  return after?.some((folder) => isNew(folder) && isBehindLink(folder, links)) ? undefined : after;
}
