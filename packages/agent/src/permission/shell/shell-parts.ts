/**
 * Splits a shell command into parts, with two parsers. The strict one makes every command, substitution and redirection
 * a part that needs permission. The permissive one adds commands that arguments may contain, for deny and ask rules
 * only. Text that neither understands becomes a concern.
 */
import {
  type Construct,
  type ReadCommand,
  readCommand,
  type ShellRedirection,
  type ShellWord,
  type SimpleCommand,
} from '@heddle/tools/shell';
import type { CommandPart, FilePart, Part, ReachTest } from '../part.ts';
import { mayRemoveFiles } from '../paths/destructive-removal.ts';
import { GLOB_OPTIONS } from '../paths/glob.ts';
import { withProcessConcern } from '../paths/process-files.ts';
import type { PermissionWorld } from '../world.ts';
import { changedSettingsParts } from './agent-commands.ts';
import { type Around, commandPart } from './command-part.ts';
import { findSyntaxDoubt } from './doubts.ts';
import { expandedWords } from './expanded-words.ts';
import { foundFiles, searchedFolders } from './found-files.ts';
import { emptiedFolders } from './files/emptied-folders.ts';
import { touchPart } from './files/file-parts.ts';
import { openedParts } from './files/opened-files.ts';
import { redirectionParts } from './files/redirections.ts';
import { certainWords } from './files/certain-words.ts';
import { filesOf, touchesFiles } from './files/files-of.ts';
import { startFileTouches } from './files/start-files.ts';
import { settingsFiles } from './files/git-reads.ts';
import { type NamedPlace, namedPlaces } from './files/named-places.ts';
import { beginningsBeforeGlobs, globsAfterChanges, withValues } from './known-values.ts';
import { fedTails, tailsWithFiles, unknownRemoval } from './tails-with-files.ts';
import { textsForCode } from './texts-for-code.ts';
import { programInputs } from './unknown-words.ts';
import { literalWord, type Touch, touch, unknownWord } from './files/touch.ts';
import { knownVariables, mentionsIn, variablesWithin } from './shell-state.ts';
import {
  mayChangeHome,
  partsBehindChanges,
  partsBehindLinks,
  type PlacedCommand,
  runsMadeFile,
  withoutHome,
} from './earlier-effects.ts';
import { definesNames, runsAfterWrites } from './made-programs.ts';
import { runsInPackage } from './package-managers.ts';
import { partsInOrder } from './parts-in-order.ts';
import { showsHost } from './shown-processes.ts';
import { readsListedNames } from './listed-names.ts';
import { reachedFiles } from './reached-files.ts';
import { waitsOf } from './git-folders.ts';
import { mayCreateFiles } from './globbed-options.ts';
import { isPlainEditScript } from './plain-edits.ts';
import {
  askAboutUnknownReads,
  concernAboutFound,
  concernedBy,
  opensFiles,
  withSpecialFiles,
  withUnclearFiles,
} from './special-reads.ts';
import {
  baseName,
  commandTails,
  commandWords,
  findersIn,
  hasTooManyRunners,
  NO_TAILS,
  PIPED,
  runsElsewhere,
  runsOfFind,
  unwrap,
} from './runners.ts';
import { unknownSqlTouches } from './sql-code.ts';
import { namesInLoops, valuesIn, withScriptFacts } from './script-facts.ts';
import { findEmbeddedScripts, type Script, type Unclear } from './scripts.ts';
import { inputsOf, unknownShellTexts } from './shell-texts.ts';

export type ShellParts =
  /** `empty`: the text contains only blanks and comments. */
  | {
      readonly ok: true;
      readonly parts: readonly Part[];
      readonly empty: boolean;
      /** The mode acceptEdits may allow the edits of the script. */
      readonly isPlainEdit: boolean;
      /** A command shows the processes of the machine. */
      readonly showsHost: boolean;
      /** It reads files whose names come from a text. */
      readonly readsListed: boolean;
      readonly reaches: ReachTest;
    }
  | { readonly ok: false; readonly reason: string };

const PLAIN: ReadonlySet<Construct> = new Set<Construct>(['list', 'pipeline', 'negation', 'time']);

export function shellParts(text: string, outside: PermissionWorld): ShellParts {
  const written = readCommand(text);
  if (!written.ok) return written;
  // Comparing each word with all others would take longer than a decision may, and ends at the limit of work anyway.
  if (hasTooManyWords(written)) outside.spend?.(Number.POSITIVE_INFINITY);
  const observed = mayChangeHome(text, written) ? { ...outside, changesHome: true } : outside;
  const read = withoutHome(written, observed);
  // A quoted name is not in the text: `sh\opt -s dot\glob`.
  const hasGlobOptions = [text, ...valuesIn(read)].some((value) => GLOB_OPTIONS.test(value));
  const world: PermissionWorld = {
    ...observed,
    ...(hasGlobOptions && { hasGlobOptions }),
    ...waitsOf(read, observed),
    ...(mayCreateFiles(read) && { createsFiles: true }),
  };
  const doubt = findSyntaxDoubt(text);
  if (doubt?.blind) return { ok: false, reason: `there is ${doubt.reason}` };
  const around: Around = {
    folders: [world.cwd],
    shape: shapeOf(read.constructs),
    world,
    variables: knownVariables(text, read.commands, world),
    mentions: mentionsIn(text, read.commands),
  };
  const { parts: settled, placed } = partsOfScript({ text, read }, around, partsOfCommand);
  const unseen = read.strange ?? reopensOutput(read);
  const reason = unseen ?? doubt?.reason;
  const empty = read.commands.length === 0 && read.constructs.size === 0;
  const isPlainEdit = reason === undefined && isPlainEditScript(read, world);
  const facts = {
    ok: true,
    empty,
    isPlainEdit,
    showsHost: showsHost(read, 'read-only'),
    readsListed: readsListedNames(text, read, settled, placed, around),
    reaches: (files) => reachedFiles(files, { script: read, parts: settled, placed, around }),
  } satisfies Partial<ShellParts>;
  if (reason === undefined) return { ...facts, parts: settled };
  // An unseen command may match a deny or ask rule, in every mode.
  const { beginnings } = unknownPart(text);
  const concern = concerned(text, reason);
  return { ...facts, parts: [unseen === undefined ? concern : { ...concern, beginnings }, ...settled] };
}

const MOST_WORDS = 2_000;
const MOST_PARTS_OF_WORD = 1_000;
/** The number of words that may be patterns, or that a shell would read again. Each has many readings. */
const MOST_PATTERNS = 200;
const IS_PATTERN = /[*?[{"'\\]/;
/** Any letter of such an option may be followed by a value. */
const LONG_OPTION = /^-[A-Za-z\d]{200}/;

function hasTooManyWords({ commands }: Extract<ReadCommand, { ok: true }>): boolean {
  return commands.some(
    ({ args }) =>
      args.length > MOST_WORDS ||
      args.filter(({ value }) => IS_PATTERN.test(value)).length > MOST_PATTERNS ||
      args.some(
        ({ value }) =>
          LONG_OPTION.test(value) ||
          (value.length > MOST_PARTS_OF_WORD && value.split(/[,:=@/]/).length > MOST_PARTS_OF_WORD),
      ),
  );
}

/** The parts of a script, whether it is the whole command or among the words of one. */
function partsOfScript(
  { text, read }: Pick<Script, 'text' | 'read'>,
  around: Around,
  partsOf: typeof partsOfCommand,
): { readonly parts: readonly Part[]; readonly placed: readonly PlacedCommand[] } {
  const { world } = around;
  const { parts, placed, folders, links, changed, own } = partsInOrder(
    read.commands,
    around,
    partsOf,
    read.redirections,
  );
  // Redirections of compound commands. Their position among the other commands is unknown, so every `cd` counts.
  const redirected = read.redirections.flatMap((redirection) =>
    redirectionParts(redirection, folders, world),
  );
  parts.push(...partsBehindChanges(partsBehindLinks(redirected, links), changed, world));
  parts.push(...textsForCode(read.commands, around));
  parts.push(...unknownRuns(placed, own, read.redirections, world));
  const later = globsAfterChanges(placed, own);
  if (later.length > 0) parts.push({ ...unknownPart(text), beginnings: later });
  const piped = askAboutUnknownReads(withScriptFacts(parts, text, read), text, read, { ...around, folders });
  const texts = {
    values: () => [
      ...valuesIn(read),
      ...placed.flatMap((command) => command.folders ?? []),
      ...(read.constructs.has('loop') ? namesInLoops(read) : []),
    ],
    searched: () => searchedFolders(text, placed, around),
  };
  return { parts: withProcessConcern(piped, text, texts, world), placed };
}

function shapeOf(constructs: ReadonlySet<Construct>): Around['shape'] {
  if (constructs.has('function') || constructs.has('coproc')) return 'functions';
  return [...constructs].every((construct) => PLAIN.has(construct)) ? 'plain' : 'compound';
}

/** Steps of parsing a script among the words of a command. */
const STEPS_OF_SCRIPT = 100;
/** Steps of examining a command that `find` runs, without the looks at its files. */
const STEPS_OF_RUN = 300;

function partsOfCommand(command: SimpleCommand, around: Around): Part[] {
  return withValues(command, around, partsOfWords);
}

/** With too many runners among its words, a command is not examined: written, and in a script among the words of another. */
function spendOnRunners(command: SimpleCommand, world: PermissionWorld): void {
  if (hasTooManyRunners(commandWords(command))) world.spend?.(Number.POSITIVE_INFINITY);
}

function partsOfWords(command: SimpleCommand, around: Around): Part[] {
  const { world } = around;
  spendOnRunners(command, world);
  const embedded = unwrap(commandWords(command)).flatMap((stage) => {
    const { scripts, unclear } = findEmbeddedScripts(command, stage.words);
    world.spend?.(STEPS_OF_SCRIPT * scripts.length);
    const parts = scripts.flatMap((script) => scriptParts(script, around));
    if (runsElsewhere(stage.words)) return parts.filter(({ kind }) => kind === 'command');
    return parts.concat(unclear.map(unclearPart));
  });
  return partsWithoutScripts(command, commandPart(command, around), around).concat(embedded);
}

function partsWithoutScripts(command: SimpleCommand, own: CommandPart, around: Around): Part[] {
  const { folders, world } = around;
  const words = commandWords(command);
  const last = unwrap(expandedWords(words, around)).at(-1) ?? { words, more: false };
  const files = fileParts(last.words, own, around, programInputs(last.words, inputsOf(command))).map(
    (part) => (own.readOnly === 'no' ? part : asRead(part)),
  );
  return [
    withSpecialFiles(own, last.words, files, around),
    ...command.redirections.flatMap((redirection) => redirectionParts(redirection, folders, world)),
    ...withUnclearFiles(files, last, around),
    ...changedSettingsParts(last, own, around),
    ...settingsParts(last.words, around),
    ...hiddenTouches(command, last.words, around).flatMap((one) => touchPart(one, 'command', folders, world)),
    ...[...(last.more ? [last.words] : []), ...fedTails(last.words)].flatMap((run) =>
      withUnclearFiles(unseen(run, around), { words: run, more: true }, around).map((part) =>
        own.readOnly === 'no' ? part : asRead(part),
      ),
    ),
    // Commands of `find -exec` need permission like any other command.
    ...findersIn(last.words).flatMap((finder) =>
      runsOfFind(finder).flatMap((run) => {
        world.spend?.(STEPS_OF_RUN);
        const there = runsGitElsewhere(finder, run.command) ? { ...around, folders: undefined } : around;
        const runs = partsOfCommand(simple(run.command, command), there);
        const isProven = runs.every((part) => part.kind !== 'command' || part.readOnly !== 'no');
        const found = foundFiles(finder, run, around, isProven);
        const special = concernAboutFound(run.command, finder, found, world);
        return runs.concat(found, special ? [concernedBy(own, special)] : []);
      }),
    ),
  ];
}

/** Files of variables, and those that code in the words may access. */
function hiddenTouches(
  command: SimpleCommand,
  words: readonly ShellWord[],
  around: Around,
): readonly Touch[] {
  const inputs = inputsOf(command);
  return [
    ...startFileTouches(command, around),
    ...unknownShellTexts(words, inputs),
    ...unknownSqlTouches(words, inputs),
  ];
}

/** Returns whether git runs in a folder that `find` finds. Such a folder may be a repository of its own. */
function runsGitElsewhere(words: readonly ShellWord[], run: readonly ShellWord[]): boolean {
  if (!run.some(({ value }) => baseName(value) === 'git')) return false;
  return (
    words.some(({ value }) => /^-(exec|ok)dir$/.test(value)) ||
    run.some(({ value }, index) => {
      const before = run[index - 1]?.value ?? '';
      return value.includes('{}') && (value.startsWith('-') || /^-(C|c|-git-dir|-work-tree)$/.test(before));
    })
  );
}

/** The settings that git prints are in files of the repository, the user and the machine, and in files that these include. */
function settingsParts([name, ...args]: readonly ShellWord[], around: Around): FilePart[] {
  if (baseName(name?.value ?? '') !== 'git') return [];
  const files = settingsFiles(args, around)?.map((file) => literalWord(file));
  return (files ?? [unknownWord('the settings of git')]).flatMap((word) =>
    touchPart({ kind: 'read', word }, 'command', around.folders, around.world),
  );
}

function asListed(part: FilePart): FilePart {
  return { ...part, opensNothing: true };
}

/** A proven command writes nothing. A word that looks like an output file is something else. */
function asRead(part: FilePart): FilePart {
  return part.kind === 'read' ? part : { ...part, kind: 'read', concern: undefined };
}

/** An embedded script starts in the folders of the command that runs it. */
function scriptParts(script: Script, around: Around): readonly Part[] {
  const { text, read } = script;
  const shape = around.shape === 'functions' ? around.shape : shapeOf(read.constructs);
  const mayBeText = around.mayBeText === true || script.use === 'possible';
  const inner = { ...around, shape, mayBeText, variables: variablesWithin(script, around) };
  const unseen = reopensOutput(read);
  const { parts } = partsOfScript(script, inner, innerParts);
  return unseen === undefined ? parts : [...parts, concerned(text, unseen)];
}

/** Commands that run a file of the same script, or under a name that the script defines. Only deny and ask rules concern them. */
function unknownRuns(
  placed: readonly PlacedCommand[],
  own: readonly (readonly Part[])[],
  redirections: readonly ShellRedirection[],
  world: PermissionWorld,
): readonly Part[] {
  const named = placed.filter(({ command }) => definesNames(command)).map(({ command }) => command);
  return [...runsMadeFile(placed, redirections, world), ...runsAfterWrites(placed, own), ...named].map(
    ({ text }) => unknownPart(text),
  );
}

/** Its files count as parts, but its rule does not cover other parts. */
function innerParts(command: SimpleCommand, around: Around): Part[] {
  return withValues(command, around, innerPartsOfWords);
}

function innerPartsOfWords(command: SimpleCommand, around: Around): Part[] {
  spendOnRunners(command, around.world);
  const own = commandPart(command, around);
  // A command before it may make files that its globs find.
  const beginnings = own.beginnings.concat(beginningsBeforeGlobs(command));
  return partsWithoutScripts(command, { ...own, beginnings }, around).map(asInner);
}

function asInner(part: Part): Part {
  return part.kind === 'command' ? { ...part, inner: true } : part;
}

/** For some programs, each word is looked at together with those after it. */
const PAIRS_PER_STEP = 300;

/** `words` are those that the shell makes. `inputs` are files of redirections that the command may run. */
function fileParts(
  words: readonly ShellWord[],
  command: CommandPart,
  around: Around,
  inputs: readonly ShellWord[],
): FilePart[] {
  const { folders, world } = around;
  // The command of a runner accesses its files like any other: `sudo rm /`, `env cp a b`.
  const { tails: run, isCut } = runsElsewhere(words) ? NO_TAILS : tailsWithFiles(words);
  const pairs = run.reduce((sum, tail) => sum + tail.length ** 2, 0);
  world.spend?.(Math.floor(pairs / PAIRS_PER_STEP));
  const moved = words.some(({ value }) => /^(-C|-D|--chdir|chdir$)/.test(value)) ? undefined : folders;
  // In the folder of a package, the files of a program are unknown. Those of other programs are only guessed.
  const isInPackage = runsInPackage(
    baseName(words[0]?.value ?? ''),
    words.slice(1).map(({ value }) => value),
  );
  const behind = runsElsewhere(words) ? [] : commandTails(words);
  const emptied = behind.flatMap(emptiedFolders);
  const own = filesOf(words);
  const isPlain = around.isShellChanged !== true && !/POSIX/.test(command.shown);
  const known = certainWords(words, isPlain ? own : own.filter(({ kind }) => kind !== 'read'), world);
  const [name] = words;
  const named =
    command.readOnly === 'no' && name
      ? [...namedPlaces(words, known, around), ...namedPlaces([name, ...inputs], new Set(), around)]
      : [];
  const opensNothing = name !== undefined && !opensFiles(baseName(name.value), words.slice(1));
  const touched = [...own, ...laterWords(words, world)].flatMap((one) =>
    touchPart(one, 'command', folders, world),
  );
  const read = opensNothing ? touched.map(asListed) : touched;
  return [
    ...read,
    ...[words, ...run].flatMap((tail) => openedParts(tail, read, folders, world)),
    ...run.flatMap((tail) => {
      const there = isInPackage && touchesFiles(tail[0]?.value ?? '') ? undefined : moved;
      return filesOf(tail).flatMap((touch) => touchPart(touch, 'command', there, world));
    }),
    ...emptied.flatMap((touch) => touchPart(touch, 'command', moved, world)),
    ...(isCut ? [unknownRemoval(command.shown)] : []),
    ...named.map((place) => namedPart(place, command)),
  ];
}

/** With this variable, programs read every word after their first operand as a file: `grep x a -e secrets/key`. */
function laterWords([name, ...args]: readonly ShellWord[], { environment }: PermissionWorld): Touch[] {
  if (environment['POSIXLY_CORRECT'] === undefined || !touchesFiles(name?.value ?? '')) return [];
  return args
    .filter(({ value }) => !value.startsWith('-'))
    .map((word) => touch('read', word, undefined, { knowledge: 'named', deepIfFolder: true }));
}

function namedPart({ written, places, concern }: NamedPlace, { cover }: CommandPart): FilePart {
  return {
    kind: 'read',
    shown: written,
    tool: 'Bash',
    places,
    deep: 'no',
    by: 'command',
    glob: undefined,
    ...(concern ? { knowledge: 'named', namedBy: cover } : { knowledge: 'mentioned' }),
    concern,
  };
}

/** More arguments come through the pipe. These files are unknown. */
function unseen(words: readonly ShellWord[], { world }: Around): FilePart[] {
  const touches = [...filesOf([...words, PROBE, PROBE]), ...filesOf([...words, PIPED])];
  const kinds = new Set(touches.map(({ kind }) => kind));
  return [...kinds].flatMap((kind) => touchPart({ kind, word: PIPED }, 'command', undefined, world));
}

const PROBE: ShellWord = literalWord('x');

function simple([name, ...args]: readonly ShellWord[], { inside, hasInput }: SimpleCommand): SimpleCommand {
  const text = [name, ...args].map((word) => word?.text ?? '').join(' ');
  return { name, args, assignments: [], redirections: [], inside, hasInput, text };
}

/** The command is unknown. Only deny and ask rules are matched against it. */
function unknownPart(shown: string): CommandPart {
  return { ...concerned(shown, ''), beginnings: [{ text: '', quoted: false }], concern: undefined };
}

/**
 * `1< file > /dev/stdout` opens the file again for writing. Only common redirections are accepted together with such a
 * name.
 */
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

/** A shell runs the lines before the one that it cannot parse. */
function unclearPart({ text, reason, isUnread = false }: Unclear): CommandPart {
  const part = concerned(text, reason);
  const isAlways = isUnread || mayRemoveFiles(text);
  return isAlways && part.concern ? { ...part, concern: { ...part.concern, level: 'always' } } : part;
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
    isEdit: false,
    opaque: undefined,
    exactOnly: undefined,
    mayReadMore: () => true,
    mayRunProject: false,
    hasInput: false,
    inner: true,
    concern: {
      level: 'unless bypassed',
      reason: `The command is not understood completely: it has ${reason}.`,
    },
  };
}
