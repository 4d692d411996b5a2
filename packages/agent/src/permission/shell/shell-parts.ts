/**
 * A shell command taken apart. Two readers with opposite bias: the strict one sees to it that every command, substitution
 * and redirection becomes a part that must be covered; the permissive one adds what may hide in arguments, for deny and ask
 * rules only. What neither understands is a concern.
 */
import {
  type Construct,
  type ReadCommand,
  readCommand,
  type ShellRedirection,
  type ShellWord,
  type SimpleCommand,
} from '@heddle/tools/shell';
import type { CommandPart, FilePart, Part } from '../part.ts';
import { GLOB_OPTIONS } from '../paths/glob.ts';
import type { PermissionWorld } from '../world.ts';
import { type Around, commandPart } from './command-part.ts';
import { doubtAbout } from './doubts.ts';
import { redirectionParts, touchPart } from './files/file-parts.ts';
import { doubtfulOperands, filesOf, touchesFiles } from './files/files-of.ts';
import { type NamedPlace, namedPlaces } from './files/named-places.ts';
import { literalWord, unknownWord } from './files/touch.ts';
import { picks, startsOf } from './files/special.ts';
import { type Folders, foldersAfter, knownVariables, NO_VARIABLES } from './shell-state.ts';
import {
  isBehindLink,
  joinLinks,
  linksMadeBy,
  type MadeLinks,
  NO_LINKS,
  partsBehindLinks,
  type PlacedCommand,
  runsMadeFile,
  runsProjectCode,
  withoutHome,
} from './earlier-effects.ts';
import { commandWords, executed, runsElsewhere, tails, unwrap } from './runners.ts';
import { embedded } from './scripts.ts';

export type ShellParts =
  /** `empty`: there is nothing in it but blanks and comments. */
  | { readonly ok: true; readonly parts: readonly Part[]; readonly empty: boolean }
  | { readonly ok: false; readonly reason: string };

const PLAIN: ReadonlySet<Construct> = new Set<Construct>(['list', 'pipeline', 'negation', 'time']);

export function shellParts(text: string, world: PermissionWorld): ShellParts {
  const written = readCommand(text);
  if (!written.ok) return written;
  const read = withoutHome(text, written);
  const doubt = doubtAbout(text);
  if (doubt?.blind) return { ok: false, reason: `there is ${doubt.reason}` };
  const variables = knownVariables(text, read.commands, world.environment);
  const around: Around = { folders: [world.cwd], shape: shapeOf(read.constructs), world, variables };
  const { parts, placed, folders, links } = partsInOrder(read.commands, around, partsOfCommand);
  // Of compound commands: nobody says where among the others they stand, so a `cd` before or after them counts.
  parts.push(
    ...partsBehindLinks(
      read.redirections.flatMap((redirection) => redirectionParts(redirection, folders, world)),
      links,
    ),
  );
  parts.push(...runsMadeFile(placed, read.redirections, world).map(({ text: shown }) => unknownPart(shown)));
  const unseen = read.strange ?? reopensOutput(read);
  const reason = unseen ?? doubt?.reason;
  const settled = withGlobs(parts, text);
  const empty = read.commands.length === 0 && read.constructs.size === 0;
  if (reason === undefined) return { ok: true, parts: settled, empty };
  // What it runs unseen may be what a deny or ask rule speaks of, in every mode.
  const { beginnings } = unknownPart(text);
  const concern = concerned(text, reason);
  return {
    ok: true,
    parts: [unseen === undefined ? concern : { ...concern, beginnings }, ...settled],
    empty,
  };
}

interface Ordered {
  readonly parts: Part[];
  readonly placed: readonly PlacedCommand[];
  /** The folders that the shell may stand in at the end. */
  readonly folders: Folders;
  /** Links that the commands may have made. */
  readonly links: MadeLinks;
}

/** Inside one of these, a command may run before one that is written earlier. */
const REORDERS: ReadonlySet<Construct> = new Set<Construct>([
  'loop',
  'function',
  'coproc',
  'background',
  'pipeline',
  'substitution',
  'process_substitution',
]);

/** The parts of commands that run one after the other: each may move the shell, or make links that change what follows. */
function partsInOrder(
  commands: readonly SimpleCommand[],
  around: Around,
  partsOf: (command: SimpleCommand, around: Around) => readonly Part[],
): Ordered {
  const isOrdered = commands.every(({ inside }) => !inside.some((construct) => REORDERS.has(construct)));
  const placed: PlacedCommand[] = [];
  const made: MadeLinks[] = [];
  const own: (readonly Part[])[] = [];
  let { folders } = around;
  for (const command of commands) {
    const here = { ...around, folders };
    const parts = partsOf(command, here);
    own.push(parts);
    placed.push({ command, folders });
    made.push(
      commands.length > 1 || command.inside.length > 0 ? linksMadeBy(command, parts, here) : NO_LINKS,
    );
    folders = withoutLinks(foldersAfter(folders, command, around.world), folders, joinLinks(made));
  }
  const parts = own.flatMap((each, index) => {
    const before = made.filter((_, at) => (isOrdered ? at < index : at !== index || repeats(commands[at])));
    const { command, folders: there } = placed[index] ?? {};
    const words = command ? (unwrap(commandWords(command)).at(-1)?.words ?? []) : [];
    const isFree = runsProjectCode(words, { ...around, folders: there });
    return partsBehindLinks(each, joinLinks(before), isFree);
  });
  return { parts, placed, folders, links: joinLinks(made) };
}

function repeats(command: SimpleCommand | undefined): boolean {
  return command?.inside.some((construct) => construct === 'loop' || construct === 'function') === true;
}

/** A folder that was entered behind a new link may be any. */
function withoutLinks(after: Folders, before: Folders, links: MadeLinks): Folders {
  const isNew = (folder: string): boolean => before?.includes(folder) !== true;
  return after?.some((folder) => isNew(folder) && isBehindLink(folder, links)) ? undefined : after;
}

/** What the whole script says about its globs: whether anything in it changes files, or which files they find. */
function withGlobs(parts: readonly Part[], text: string): readonly Part[] {
  if (!parts.some((part) => 'glob' in part && part.glob)) return parts;
  const lasting = parts.every((part) =>
    part.kind === 'command' ? part.readOnly === 'yes' : part.kind === 'read',
  );
  return parts.map((part) => {
    if (!('glob' in part) || !part.glob) return part;
    const optioned = part.glob.optioned || GLOB_OPTIONS.test(text);
    return { ...part, glob: { ...part.glob, lasting, optioned } };
  });
}

function shapeOf(constructs: ReadonlySet<Construct>): Around['shape'] {
  if (constructs.has('function') || constructs.has('coproc')) return 'functions';
  return [...constructs].every((construct) => PLAIN.has(construct)) ? 'plain' : 'compound';
}

function partsOfCommand(command: SimpleCommand, around: Around): Part[] {
  const { folders, world } = around;
  const words = commandWords(command);
  const own = commandPart(command, around);
  const stages = unwrap(words);
  const last = stages.at(-1) ?? { words, more: false };
  return [
    own,
    ...command.redirections.flatMap((redirection) => redirectionParts(redirection, folders, world)),
    ...fileParts(last.words, own, around).map((part) => (own.readOnly === 'no' ? part : asRead(part))),
    ...(last.more ? [last.words] : fed(last.words)).flatMap((run) => unseen(run, around)),
    // What `find -exec` runs must be covered like any other command.
    ...executed(last.words).flatMap((run) =>
      partsOfCommand(simple(run, command), around).concat(foundFiles(last.words, run, around)),
    ),
    ...stages.flatMap((stage) => {
      const parts = embedded(command, stage.words).scripts.flatMap((script) => scriptParts(script, around));
      return runsElsewhere(stage.words) ? parts.filter(({ kind }) => kind === 'command') : parts;
    }),
  ];
}

/** A proven command writes nothing: what looks like the name of an output is something else. */
function asRead(part: FilePart): FilePart {
  return part.kind === 'read' ? part : { ...part, kind: 'read', concern: undefined };
}

/** `{}` is whatever `find` comes upon. */
function foundFiles(
  [, ...args]: readonly ShellWord[],
  run: readonly ShellWord[],
  { folders, world }: Around,
): FilePart[] {
  return startsOf(args).flatMap((start) => {
    // `{}/x` lies below it, too, unless it climbs.
    const unknown = unknownWord('what it comes upon');
    const found = (value: string) => (value.includes('..') ? unknown : start);
    const words = run.map((word) => (word.value.includes('{}') ? found(word.value) : word));
    return [words, ...tails(words)]
      .flatMap(filesOf)
      .flatMap((touch) =>
        touch.word === start || touch.word === unknown
          ? touchPart(
              { ...touch, deep: 'all', staysInTree: false, picks: picks(args) },
              'command',
              folders,
              world,
            )
          : [],
      );
  });
}

/** A script of the permissive reader's stands where the command stands that runs it, until it goes elsewhere. */
function scriptParts(script: readonly SimpleCommand[], around: Around): Part[] {
  return partsInOrder(script, { ...around, variables: NO_VARIABLES }, innerParts).parts;
}

/** Its files count, its own cover does not. */
function innerParts(command: SimpleCommand, around: Around): Part[] {
  const part: CommandPart = { ...commandPart(command, around), inner: true };
  return [
    part,
    ...command.redirections.flatMap((redirection) =>
      redirectionParts(redirection, around.folders, around.world),
    ),
    ...fileParts(unwrap(commandWords(command)).at(-1)?.words ?? [], part, around),
  ];
}

/** Words behind a runner that may be a program of their own: the first ones tell which files are touched. */
const MOST_TAILS = 8;

function fileParts(words: readonly ShellWord[], command: CommandPart, around: Around): FilePart[] {
  const { folders, world } = around;
  // `sudo rm /`, `env cp a b`: a runner's command touches its files like any other.
  const behind = runsElsewhere(words) ? [] : tails(words);
  const run = behind.filter(([name]) => name !== undefined && touchesFiles(name.value)).slice(0, MOST_TAILS);
  const moved = words.some(({ value }) => /^(-C|-D|--chdir)/.test(value)) ? undefined : folders;
  const own = filesOf(words);
  const doubtful = doubtfulOperands(words);
  const known = new Set(
    own.flatMap(({ knowledge, word: { text } }) =>
      knowledge === undefined && !doubtful.has(text) ? [text] : [],
    ),
  );
  const named = command.readOnly === 'no' ? namedPlaces(words, known, around) : [];
  return [
    ...own.flatMap((touch) => touchPart(touch, 'command', folders, world)),
    ...run.flatMap(filesOf).flatMap((touch) => touchPart(touch, 'command', moved, world)),
    ...named.map((place) => namedPart(place, command)),
  ];
}

function namedPart({ written, places, concern }: NamedPlace, { cover }: CommandPart): FilePart {
  return {
    kind: 'read',
    shown: written,
    tool: 'Bash',
    places,
    deep: 'no',
    knowledge: 'named',
    by: 'command',
    glob: undefined,
    namedBy: cover,
    concern,
  };
}

/** `xargs -0 cat`: with options of its own it is no mere wrapper, but what it runs gets files all the same. */
function fed(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  if (words[0]?.value !== 'xargs') return [];
  return tails(words).filter(([name]) => name !== undefined && touchesFiles(name.value));
}

/** More arguments come through the pipe: files that nobody sees. */
function unseen(words: readonly ShellWord[], { world }: Around): FilePart[] {
  const word = unknownWord('what the pipe brings');
  const kinds = new Set(filesOf([...words, PROBE, PROBE]).map(({ kind }) => kind));
  return [...kinds].flatMap((kind) => touchPart({ kind, word }, 'command', undefined, world));
}

const PROBE: ShellWord = literalWord('x');

function simple([name, ...args]: readonly ShellWord[], { inside }: SimpleCommand): SimpleCommand {
  const text = [name, ...args].map((word) => word?.text ?? '').join(' ');
  return { name, args, assignments: [], redirections: [], inside, text };
}

/** It may run anything: only deny and ask rules are held against it. */
function unknownPart(shown: string): CommandPart {
  return { ...concerned(shown, ''), beginnings: [{ text: '', quoted: false }], concern: undefined };
}

/** `1< file > /dev/stdout` opens the file again, for writing: only the usual redirections may stand beside such a name. */
function reopensOutput({ commands, redirections }: Extract<ReadCommand, { ok: true }>): string | undefined {
  const all = [...commands.flatMap((command) => command.redirections), ...redirections];
  if (all.every(isUsual)) return undefined;
  const targets = all.flatMap((redirection) => ('target' in redirection ? [redirection.target] : []));
  const values = [...targets, ...commands.flatMap(commandWords)].flatMap(
    ({ value, becomes }) => becomes?.map(({ begins }) => begins) ?? [value],
  );
  return values.some((value) => /std(?:out|err)/.test(value))
    ? 'a descriptor that is opened again'
    : undefined;
}

function isUsual(redirection: ShellRedirection): boolean {
  const { kind, descriptor } = redirection;
  const isInput = descriptor === undefined || descriptor === 0;
  const isOutput = descriptor === undefined || descriptor === 1 || descriptor === 2;
  if (kind === 'here_doc' || kind === 'here_string') return isInput;
  if (kind === 'duplicate')
    return redirection.operator === '>&' && isOutput && /^(?:[12]|-)$/.test(redirection.target.value);
  return redirection.operator === '<' ? isInput : isOutput && redirection.operator !== '<>';
}

function concerned(text: string, reason: string): CommandPart {
  return {
    kind: 'command',
    shown: text,
    cover: [],
    suspect: [],
    beginnings: [],
    possible: [],
    readOnly: 'no',
    confinable: 'no',
    edits: false,
    opaque: undefined,
    exactOnly: undefined,
    inner: true,
    concern: {
      level: 'unless bypassed',
      reason: `The command is not understood completely: it has ${reason}.`,
    },
  };
}
