/** Creates the part for one simple command: its spellings for rules, and the facts about it. */
import {
  areReadOnlyWords,
  hasPlainValue,
  isHarmlessPrefix,
  isHarmlessProgram,
  isOwn,
  isSafe,
  isSafeSetting,
  runsOnlyGit,
  type ShellWord,
  type SimpleCommand,
} from '@heddle/tools/shell';
import type { CommandPart } from '../part.ts';
import { isInside, placesOf } from '../paths/places.ts';
import { mayRunProjectProgram } from '../paths/program-places.ts';
import {
  assignmentText,
  type Beginning,
  canonicalText,
  type Spelling,
  writtenText,
} from '../rules/command-pattern.ts';
import type { PermissionWorld } from '../world.ts';
import { isChoiceProtected, isManaged, mayRunChosen, runsProjectPrograms } from './chosen-programs.ts';
import { classifyConfinement } from './confined.ts';
import { findContradiction } from './contradictions.ts';
import { isEditCommand } from './files/edits.ts';
import { changesFiles } from './files/files-of.ts';
import { gitDoubt } from './files/git.ts';
import { commandsWithSameWork, gitArguments, mayRunOtherCommand } from './files/git-arguments.ts';
import { everyProofOptions } from './git-folders.ts';
import { findRepositoryProgram, trustsRepository } from './repository-programs.ts';
import { findLoadedCode, mayLoadCode } from './loaded-code.ts';
import { assignedCommands, possibleCommands } from './possible-commands.ts';
import { plainCommands } from './plain-commands.ts';
import { findProgramOption } from './program-options.ts';
import {
  baseName,
  commandTails,
  commandWords,
  fedCommands,
  hidesCommand,
  isFeeder,
  likelyTails,
  moduleOfPython,
  runsElsewhere,
  unwrap,
  type Unwrapped,
  withPiped,
} from './runners.ts';
import { findEmbeddedScripts } from './scripts.ts';
import { type Folders, type Mentions, type Variables, variablesWithin } from './shell-state.ts';
import { concernAboutProcesses } from './shown-processes.ts';
import { searchedNames } from './started-programs.ts';
import { copiedPrograms, runsUnknownCode } from './unknown-code.ts';
import { mayReadUnknownFiles } from './unknown-reads.ts';
import { hostFacts } from './unknown-hosts.ts';
import { doubtAboutWords } from './unknown-words.ts';
import { findWiderWord } from './wider-options.ts';
import { runsOnlyItself } from './words-without-trust.ts';

export interface Around {
  readonly folders: Folders;
  /** `plain`: only lists and pipelines. `functions`: a name may call a function of the script instead of a program. */
  readonly shape: 'plain' | 'compound' | 'functions';
  readonly world: PermissionWorld;
  /** The variables of the script. */
  readonly variables: Variables;
  /** The names in the whole script. */
  readonly mentions: Mentions;
  /** Another command may have changed how the shell finds or runs programs. */
  readonly isShellChanged?: boolean;
  /** The script may be another text, such as a message, which begins with any word. */
  readonly mayBeText?: boolean;
}

/** Steps of the comparisons of a command and its words with the tables of programs and options. */
const STEPS_OF_COMMAND = 80;
const STEPS_OF_WORD = 5;
/** After a runner such as `xargs`, every later word may begin a command. */
const WORDS_OF_TAILS_PER_STEP = 16;

export function commandPart(command: SimpleCommand, around: Around): CommandPart {
  const { assignments } = command;
  const words = commandWords(command);
  around.world.spend?.(STEPS_OF_COMMAND + STEPS_OF_WORD * (words.length + assignments.length));
  around.world.spend?.(Math.floor((commandTails(words).length * words.length) / WORDS_OF_TAILS_PER_STEP));
  const stages = unwrap(words);
  const last = stages.at(-1) ?? { words, more: false };
  const full = spelled(words, assignments.map(assignmentText));
  const bare = stages.filter(({ words }) => words.length > 0).map((stage) => spelled(withPiped(stage)));
  // The words between two wrappers are a tail of the first one.
  const ends = stages.length > 1 ? [...stages.slice(0, 1), last] : stages;
  const isFree = assignments.every(isSafe);
  const readOnly = proof(command, last, around);
  const possible = readOnly === 'no' ? ends.map((stage) => possibleCommands(stage.words)) : [];
  const unseen = possible.some(({ isCut }) => isCut) ? [{ text: '', quoted: false }] : [];
  return {
    kind: 'command',
    shown: full.canonical,
    cover: distinct(isFree && words.length > 0 ? [full, ...bare] : [full]),
    suspect: distinct([full, ...ends.flatMap(({ words: stage }) => suspectSpellings(stage))]),
    beginnings: [
      ...beginningsOf(command, stages, ends, around),
      ...(readOnly === 'no' ? ends.flatMap(sameWork) : []),
      ...unseen,
    ],
    possible: distinct([...possible.flatMap(({ spellings }) => spellings), ...assignedCommands(assignments)]),
    readOnly,
    confinable:
      around.shape === 'functions' || readOnly === 'yes' || !mayRunInView(command, last, around)
        ? 'no'
        : classifyConfinement(last.words, assignments),
    isEdit: assignments.length === 0 && !last.more && isEditCommand(last.words, around),
    opaque:
      opacity(words, stages, around) ??
      (readOnly === 'no' ? findRepositoryProgram(last.words, around) : undefined),
    ...(readOnly === 'no' ? doubtAboutArguments(command, last, around) : NO_DOUBT),
    undoneBy: (specifier) =>
      readOnly === 'no' ? findContradiction(specifier, [words, ...runsOf(last)]) : undefined,
    mayReadMore: () => mayReadUnknownFiles(command, { readOnly }, around),
    mayRunProject: stages
      .flatMap((stage) => searchedNames(stage, around.world))
      .some((name) => mayRunProjectProgram(name, around.world)),
    ...hostFacts(command, last, readOnly, around),
    hasInput: command.hasInput,
    inner: false,
    concern: readOnly === 'no' ? concernAboutProcesses(last, assignments, around) : undefined,
  };
}

/**
 * Every spelling is matched against every rule, so duplicates are removed. Most spellings of a long command are tails of
 * one text with different lengths, and comparing lengths first saves a hash of each one.
 */
function distinct(spellings: readonly Spelling[]): readonly Spelling[] {
  if (spellings.length < 2) return spellings;
  const byLength = Map.groupBy(spellings, ({ written }) => written.length);
  if (byLength.size === spellings.length) return spellings;
  return [...new Map(spellings.map((spelling) => [spelling.written, spelling])).values()];
}

/** Returns every spelling of a command that a deny or ask rule may match. */
export function suspectedSpellings(words: readonly ShellWord[]): readonly Spelling[] {
  return distinct([spelled(words), ...unwrap(words).flatMap(({ words: stage }) => suspectSpellings(stage))]);
}

function spelled(words: readonly ShellWord[], before: readonly string[] = []): Spelling {
  return {
    canonical: [...before, ...(words.length > 0 ? [canonicalText(words)] : [])].join(' '),
    written: [...before, ...(words.length > 0 ? [writtenText(words)] : [])].join(' '),
    ...(before.length === 0 ? { words } : {}),
  };
}

/**
 * Returns the words themselves, and every tail that may be a command. A tail is a slice of one text, because joining
 * each one is slow.
 */
function suspectSpellings(words: readonly ShellWord[]): Spelling[] {
  if (words.length === 0) return [];
  const whole = spelled(words);
  const [name] = words;
  const runs = commandTails(words);
  const reduced = [words, ...runs].flatMap((run) => plainCommands(run).map((one) => spelled(one)));
  if (name !== undefined && runs.length === 0) return [whole, ...withBaseName(name, whole), ...reduced];
  const starts: { readonly canonical: number; readonly written: number }[] = [];
  let [canonical, written] = [0, 0];
  for (const word of words) {
    starts.push({ canonical, written });
    canonical += canonicalText([word]).length + 1;
    written += writtenText([word]).length + 1;
  }
  const spellings = [words, ...runs].flatMap((tail) => {
    const [name] = tail;
    const start = starts[words.length - tail.length];
    if (name === undefined || start === undefined) return [];
    const spelling: Spelling = {
      canonical: whole.canonical.slice(start.canonical),
      written: whole.written.slice(start.written),
      words: tail,
    };
    return [spelling].concat(withBaseName(name, spelling));
  });
  return spellings.concat(reduced);
}

/** A deny rule for `rm` also matches `/bin/rm`. */
function withBaseName(name: ShellWord, { canonical, written }: Spelling): Spelling[] {
  if (!name.value.includes('/')) return [];
  const value = baseName(name.value);
  return [
    {
      canonical: value + canonical.slice(canonicalText([name]).length),
      written: value + written.slice(writtenText([name]).length),
    },
  ];
}

/**
 * Returns the known beginnings of a command with an unknown end: of its own words, of the words after a wrapper, and of
 * commands that it runs.
 */
function beginningsOf(
  command: SimpleCommand,
  stages: readonly Unwrapped[],
  ends: readonly Unwrapped[],
  around: Around,
): Beginning[] {
  const words = stages[0]?.words ?? [];
  const copied = words.length === 0 ? [] : copiedPrograms(words);
  const tails = commandTails(words)
    .filter(([name]) => name?.kind === 'literal')
    .map((tail) => ({ words: tail, more: false }));
  const beginnings = [
    ...[...stages, ...tails, ...fedCommands(words)].flatMap((stage) =>
      [stage.words, ...plainCommands(stage.words)].flatMap((run) => beginningOf(run, stage.more)),
    ),
    ...copied.map((text) => ({ text, quoted: false })),
  ];
  const isProven = (run: readonly ShellWord[]) => {
    const [name] = run;
    return (
      name !== undefined && everyProofOptions(name, around).every((options) => areReadOnlyWords(run, options))
    );
  };
  const isUnknown = runsUnknownCode(command, ends, isProven);
  return isUnknown ? [...beginnings, { text: '', quoted: false }] : beginnings;
}

/** A rule about `git push` also concerns `git send-pack`. Its options have other names, so the rest of the command is unknown. */
function sameWork({ words }: Unwrapped): readonly Beginning[] {
  return [words, ...commandTails(words)].flatMap((run) =>
    [run, ...plainCommands(run)].flatMap(([name, ...args]) =>
      baseName(name?.value ?? '') === 'git'
        ? commandsWithSameWork(args).map((command) => ({ text: `git ${command} `, quoted: false }))
        : [],
    ),
  );
}

function beginningOf(words: readonly ShellWord[], more: boolean): readonly Beginning[] {
  const at = words.findIndex(({ kind }, index) => kind === 'dynamic' || (kind === 'pattern' && index === 0));
  const word = words[at];
  const [name, ...args] = words;
  const isOpen = more && gitArguments(args).command === '';
  if (baseName(name?.value ?? '') === 'git' && (isOpen || mayRunOtherCommand(args)))
    return [{ text: 'git ', quoted: false }];
  // Words through a pipe follow.
  if (word === undefined) return more ? namedBeginnings(`${canonicalText(words)} `) : [];
  const text = at === 0 ? nameBeginning(word) : `${canonicalText(words.slice(0, at))} ${word.prefix}`;
  return namedBeginnings(text, word.text.startsWith('"$('));
}

/** A rule for `git push` also concerns `/usr/bin/git push` and `git-push`. */
export function namedBeginnings(text: string, quoted = false): readonly Beginning[] {
  const named = text.replace(/^[^\s'"]*\//, '');
  return [...new Set([text, named, named.replace(/^git-/, 'git ')])].map((each) => ({ text: each, quoted }));
}

/**
 * `/bin/build-?` begins with `build-`, `/b?n/rm` with `rm`. After a few letters, the name may be that of a program that runs others:
 * `eva?`, `ev$x`.
 */
function nameBeginning({ kind, value, prefix }: ShellWord): string {
  const known =
    kind === 'pattern' ? (/^[^*?[\]()!+@\\]*/.exec(baseName(value))?.[0] ?? '') : baseName(prefix);
  const isWhole = kind === 'pattern' && known === baseName(value);
  return /^\w{0,8}$/.test(known) && !isWhole ? '' : known;
}

function proof(command: SimpleCommand, { words, more }: Unwrapped, around: Around): CommandPart['readOnly'] {
  const { name, assignments } = command;
  if (name === undefined) return assignments.every((assignment) => isOwn(assignment.name)) ? 'yes' : 'no';
  const [program] = words;
  if (around.shape === 'functions' || around.isShellChanged) return 'no';
  const proven = mayOutlastCall(command) ? 'beside a rule' : 'yes';
  if (readsLine(command)) return proven;
  if (!assignments.every(isHarmlessPrefix) || program === undefined || changesFiles(program.value))
    return 'no';
  if (mayRunOther(words, around) || mayRunOther(commandWords(command), around)) return 'no';
  // The program is harmless with any arguments. Commands in its arguments are separate parts.
  const isHarmless = program.kind === 'literal' && isHarmlessProgram(program.value);
  if (isHarmless || (!more && changesOwnShellOnly(words))) return proven;
  if (more) return 'no';
  return everyProofOptions(program, around).every((options) => areReadOnlyWords(words, options))
    ? proven
    : 'no';
}

/**
 * The shell does not wait for commands in the background or in a process substitution. The first may have any length. The others end
 * with the group of the shell, except if `timeout` gives them a group of their own.
 */
function mayOutlastCall({ inside, name, args }: SimpleCommand): boolean {
  if (inside.includes('background')) return true;
  return inside.includes('process_substitution') && [name, ...args].some(leavesGroup);
}

function leavesGroup(word: ShellWord | undefined): boolean {
  return word !== undefined && LEAVES_GROUP.test(word.value);
}

const LEAVES_GROUP = /(^|\/)g?timeout$/;

/** Returns whether a version manager may run a program that a file of the project names, and that the user did not trust. */
function mayRunOther(words: readonly ShellWord[], { folders, world }: Around): boolean {
  if (!isManaged(words, world)) return false;
  const isTrusted = folders?.every((folder) => world.isTrusted?.(folder) === true) === true;
  return !isTrusted || !isChoiceProtected(words, world);
}

/** Programs that a project names run only if the user trusts the folder. The view contains them, but they still run. */
function mayRunInView(command: SimpleCommand, last: Unwrapped, around: Around): boolean {
  const { words, more } = last;
  const { folders, world } = around;
  const [name, ...args] = words;
  if (name === undefined) return true;
  const isGit = baseName(name.value) === 'git';
  const isTrusted = (folder: string): boolean =>
    isGit
      ? trustsRepository(folder, world) && world.repository(folder) !== 'unknown'
      : world.isTrusted?.(folder) === true;
  const isElsewhere = (isGit || runsProjectPrograms(name.value)) && namesFolder(args);
  if (folders?.every(isTrusted) === true && !isElsewhere) return true;
  if (around.isShellChanged) return false;
  if (isManaged(commandWords(command), world)) return false;
  if (mayRunChosen(words, world) || mayRunArgument(command, words)) return false;
  if (!isGit) return runsOnlyItself(last, around);
  if (more || folders === undefined || gitDoubt(args) !== undefined) return false;
  const given = args.map(({ kind, value }) => ({ value, exact: kind === 'literal' }));
  return everyProofOptions(name, { folders, world }).every((options) => runsOnlyGit(given, options));
}

/** Returns whether an option or a program text may run a file of the project: `rg --pre ./x`, `awk 'BEGIN { system("./x") }'`. */
function mayRunArgument(command: SimpleCommand, words: readonly ShellWord[]): boolean {
  const [name, ...args] = words;
  const program = baseName(name?.value ?? '');
  return (
    mayLoadCode(program, args) ||
    findProgramOption(program, args, command.redirections) !== undefined ||
    (!/^(git|sqlite3|[gmn]?awk|bc|dc)$/.test(program) &&
      runsUnknownCode(command, [{ words, more: false }], () => false))
  );
}

/** Returns whether git or make may run in a folder that its options name. */
function namesFolder(args: readonly ShellWord[]): boolean {
  return args.some(({ value }) => /^(-C|--(git-dir|work-tree|dir|makefile|file)|-f)/.test(value));
}

type Doubt = Pick<CommandPart, 'exactOnly' | 'isNamedBy'>;

const NO_DOUBT: Doubt = { exactOnly: undefined };

function doubtAboutArguments(command: SimpleCommand, last: Unwrapped, around: Around): Doubt {
  const runs = runsOf(last);
  const doubts = runs.map(([name, ...args]) => {
    const program = baseName(name?.value ?? '');
    return program === 'git' ? gitDoubt(args) : findProgramOption(program, args, command.redirections);
  });
  const exactOnly =
    doubts.find((doubt) => doubt !== undefined) ??
    doubtAboutWords(command, last, around) ??
    doubtWithin(command, last, around);
  if (exactOnly !== undefined) return { exactOnly };
  for (const run of runs) {
    const found = findLoadedCode(run, around) ?? findWiderWord(run);
    if (found) return { exactOnly: found.reason, isNamedBy: found.isNamedBy };
  }
  return NO_DOUBT;
}

/** Returns the command and those that its words run. A rule for `sudo tar` is meant for what tar itself does, as one for `tar` is. */
function runsOf(last: Unwrapped): readonly (readonly ShellWord[])[] {
  const words = withPiped(last);
  const fed = fedCommands(words).map(withPiped);
  const tails = isFeeder(baseName(words[0]?.value ?? '')) ? fed : [...fed, ...likelyTails(words)];
  return [words, ...(runsElsewhere(words) ? [] : [...tails, ...moduleOfPython(words)])];
}

/** Checks scripts among the arguments: `bash -c 'make -C $x'`. */
function doubtWithin(command: SimpleCommand, { words }: Unwrapped, around: Around): string | undefined {
  if (runsElsewhere(words)) return undefined;
  for (const script of findEmbeddedScripts(command, words).scripts) {
    const inner = { ...around, variables: variablesWithin(script, around) };
    for (const run of script.read.commands) {
      const last = unwrap(commandWords(run)).at(-1);
      const doubt = last && proof(run, last, inner) === 'no' ? doubtAboutWords(run, last, inner) : undefined;
      if (doubt !== undefined) return doubt;
    }
  }
  return undefined;
}

function opacity(
  words: readonly ShellWord[],
  stages: readonly Unwrapped[],
  around: Around,
): string | undefined {
  if (words.length === 0) return undefined;
  const last = stages.at(-1)?.words ?? [];
  const [name] = last;
  const isUnknown = name === undefined || name.kind === 'dynamic' || name.kind === 'pattern';
  if (isUnknown || hidesCommand(last)) return 'The command that runs is unknown.';
  const { folders, world } = around;
  if (folders === undefined) return 'The folder in which it runs is unknown.';
  const outside = folders.find((folder) =>
    placesOf(folder, ['/'], world).some((place) => !isInside(place, world)),
  );
  return outside === undefined ? undefined : `It runs in ${outside}, outside the working directories.`;
}

/** Builtins that change only the shell of the script, in forms that cannot change how its commands behave. */
function changesOwnShellOnly([name, ...args]: readonly ShellWord[]): boolean {
  if (name?.kind !== 'literal') return false;
  // The allow-list of syntax rejects tests that evaluate variables.
  if (name.value === '[' || name.value === 'test') return true;
  if (args.some(({ kind }) => kind !== 'literal')) return false;
  const given = args.map(({ value }) => value);
  switch (name.value) {
    case 'set':
      return /^(?:[-+](?:[eux]+|[eux]*o pipefail)(?: |$))+$/.test(given.join(' '));
    case 'wait':
      return given.length === 0;
    case 'exit':
    case 'return':
    case 'break':
    case 'continue':
      return given.every((text) => /^\d+$/.test(text));
    case 'export':
      return given.length > 0 && given.every(exportsSafely);
    default:
      return false;
  }
}

const CHANGE_SHELL =
  /^(?:export|declare|typeset|readonly|local|unset|alias|unalias|hash|read|mapfile|readarray|getopts|set|enable)$/;

/**
 * Returns whether later commands of the shell may behave differently, even if a rule allows this one: `export PATH=.; ls`.
 * A rule for `source` or `eval` allows everything in their text, so these do not count.
 */
export function changesLaterCommands(command: SimpleCommand): boolean {
  const written = commandWords(command);
  // `command -p export` and `builtin export` do the same.
  const at = written.findIndex(({ value }) => !/^(?:command|builtin|-.*)$/.test(value));
  const words = written.slice(Math.max(at, 0));
  const [name, ...args] = words;
  if (name === undefined || !CHANGE_SHELL.test(name.value)) return false;
  if (changesOwnShellOnly(words) || readsLine(command)) return false;
  if (/^(?:alias|unalias|hash|set|enable)$/.test(name.value)) return args.length > 0;
  return !args.every(({ kind, value, prefix }) => {
    const known = kind === 'literal' ? value : prefix;
    const [, variable = ''] = /^(\w+)(?:\+?=|$)/.exec(known) ?? [];
    return isOwn(variable) && (kind === 'literal' || known.includes('='));
  });
}

function exportsSafely(text: string): boolean {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  return isSafeSetting(name, value) && hasPlainValue(value);
}

/** Returns whether `while IFS= read -r line` reads into a variable of the script. */
function readsLine({ name, args, assignments }: SimpleCommand): boolean {
  if (name?.kind !== 'literal' || name.value !== 'read') return false;
  if (!assignments.every(({ name: variable, value }) => variable === 'IFS' && value?.kind === 'literal'))
    return false;
  if (!args.every(({ kind }) => kind === 'literal')) return false;
  let at = 0;
  for (; args[at]?.value.startsWith('-'); at++) {
    const { value = '' } = args[at] ?? {};
    if (/^-r?[dnt]$/.test(value)) at++;
    else if (value !== '-r') return false;
  }
  return args.slice(at).every(({ value }) => isOwn(value));
}
