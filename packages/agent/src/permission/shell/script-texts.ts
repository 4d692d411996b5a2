/** Finds the texts of a command that are scripts, or may be: in its words, on its input and in its variables. */
import type { ShellAssignment, ShellRedirection, ShellWord, SimpleCommand } from '@heddle/tools/shell';
import { CODE_VARIABLES, isHarmlessOption } from './code-variables.ts';
import { runsInNamespace } from './files/host-words.ts';
import { partOfWord } from './files/touch.ts';
import { isFedIn } from './interpreters.ts';
import { hasUnreadInput, joinedScripts, startsRemoteShell } from './joined-words.ts';
import { isMake } from './make-words.ts';
import { baseName, commandTails, hasManyValues, isManager, isRunner, likelyTails } from './runners.ts';
import { isShell, readShellUse, type ShellUse } from './shell-options.ts';
import { inputsOf, shellTexts } from './shell-texts.ts';

/** A shell runs the text. Or the text may also be something else, such as a message. */
export type ScriptUse = 'run' | 'possible';

export interface ScriptTexts {
  readonly texts: ReadonlyMap<string, ScriptUse>;
  /** A shell runs code that is not in the command. */
  readonly isUnknown: boolean;
  /** The words of shells that run something, and that are not understood. */
  readonly strange: readonly string[];
}

/** Programs besides the runners that take a script as an option, or give words to a shell. */
const SCRIPTED = /^(find|fd|fdfind|at|batch|alias|tar|rsync|expect|split|just|task|ninja|rake)$/;
/** Git commands that take a script. For other commands, a longer text is a message. */
const GIT_SCRIPTED =
  /^(rebase|submodule|bisect|filter-branch|config|difftool|mergetool|clone|fetch|pull|push|ls-remote|archive)$/;
/** Without a command, they start a shell, which runs its input. */
const STARTS_SHELL =
  /^(unshare|nsenter|su|sudo|doas|runuser|chroot|newgrp|sg|script|run0|rootlesskit|pasta)$/;
/** They may run a script from their input. */
const READS_SCRIPT = /^(at|batch|\.|source)$/;
/** They run it at a later time. */
const SCHEDULERS = /^(at|batch)$/;
/** Variables whose value programs run. */
const RUN_VARIABLES =
  /(PAGER|EDITOR|VISUAL|BROWSER|COMMAND|SSH|ASKPASS|LESSOPEN|LESSCLOSE|SHELL|EXTERNAL_DIFF|PS[0-4]|WRAPPER|RUSTC|RUSTDOC|^CC|^CXX|^CPP|^LD|^AR|^MAKE)$/;

export function findScriptTexts(command: SimpleCommand, words: readonly ShellWord[]): ScriptTexts {
  const { redirections } = command;
  const texts = new Map<string, ScriptUse>();
  const add = (text: string, use: ScriptUse): void => {
    if (use === 'run' || !texts.has(text)) texts.set(text, use);
  };
  const strange: string[] = [];
  let isUnknown = hasUnknownVariable(command.assignments);
  for (const { run, use, isCertain } of shellsIn(words)) {
    const found = scriptsOfUse(use, redirections);
    for (const text of found.texts) add(text, isCertain ? 'run' : 'possible');
    if (!isCertain) continue;
    isUnknown ||= found.isUnknown;
    if (use.kind === 'not understood') strange.push(run.map(({ text }) => text).join(' '));
  }
  const [name, ...args] = words;
  const program = baseName(name?.value ?? '');
  if (program === 'eval') add(args.map(({ value }) => value).join(' '), 'run');
  for (const text of shellTexts(words, inputsOf(command)).texts) add(text, 'run');
  for (const text of joinedScripts(words)) add(text, 'possible');
  if (startsRemoteShell(words)) {
    const found = inputScripts(redirections);
    for (const text of found.texts) add(text, 'possible');
    isUnknown ||= found.texts.length > 0 ? found.isUnknown : hasUnreadInput(command);
  }
  for (const text of variableScripts(command)) add(text, 'possible');
  for (const text of argumentScripts(words, (value) => texts.get(value) === 'run')) add(text, 'possible');
  if (STARTS_SHELL.test(program) || runsInNamespace(program, args))
    for (const text of inputTexts(redirections)) add(text, 'possible');
  return { texts, isUnknown, strange };
}

interface ShellRun {
  readonly run: readonly ShellWord[];
  readonly use: ShellUse;
  /** It is at the position of a command. */
  readonly isCertain: boolean;
}

/** Behind a program that is not known, a script is looked for in so many words after a shell. */
const NEAR_WORDS = 200;

function shellsIn(words: readonly ShellWord[]): readonly ShellRun[] {
  const positionsOf = (runs: readonly (readonly ShellWord[])[]): ReadonlySet<number> =>
    new Set(runs.map((run) => words.length - run.length)).add(0);
  const tails = positionsOf(commandTails(words));
  const certain = hasManyValues(baseName(words[0]?.value ?? '')) ? tails : positionsOf(likelyTails(words));
  return words.flatMap(({ value }, at): readonly ShellRun[] => {
    const base = baseName(value);
    if (!isShell(base) && !READS_SCRIPT.test(base)) return [];
    const run = words.slice(at, tails.has(at) ? undefined : at + NEAR_WORDS);
    const use = isShell(base) ? readShellUse(base, run.slice(1)) : otherUse(base, run.slice(1));
    // A program that is not known may run it.
    const mayRun = tails.has(at) || (at > 0 && use.kind === 'code');
    return mayRun ? [{ run, use, isCertain: certain.has(at) }] : [];
  });
}

/** Returns what `. file` and `at` run. */
function otherUse(base: string, args: readonly ShellWord[]): ShellUse {
  if (SCHEDULERS.test(base))
    return { kind: args.some(({ value }) => /^-[fldrcV]/.test(value)) ? 'nothing' : 'input' };
  const file = args.find(({ value }) => !value.startsWith('-'));
  if (file === undefined || !isFedIn(file)) return { kind: 'nothing' };
  return { kind: file.kind === 'literal' ? 'input' : 'unknown' };
}

interface FoundTexts {
  readonly texts: readonly string[];
  readonly isUnknown: boolean;
}

function scriptsOfUse(use: ShellUse, redirections: readonly ShellRedirection[]): FoundTexts {
  switch (use.kind) {
    case 'code':
      return {
        texts: [use.word.value],
        isUnknown: use.word.kind === 'dynamic' || use.word.kind === 'pattern',
      };
    case 'input':
      return inputScripts(redirections);
    // A script file is not read.
    case 'file':
    case 'nothing':
      return { texts: [], isUnknown: false };
    case 'unknown':
    case 'not understood':
      return { texts: [], isUnknown: true };
  }
}

function inputTexts(redirections: readonly ShellRedirection[]): readonly string[] {
  return redirections.flatMap((redirection) => {
    if (redirection.kind === 'here_doc') return [redirection.body];
    return redirection.kind === 'here_string' && redirection.target.kind === 'literal'
      ? [redirection.target.value]
      : [];
  });
}

/** Input in the command itself is parsed. Input from a pipe or a file is unknown. */
function inputScripts(redirections: readonly ShellRedirection[]): FoundTexts {
  const texts = inputTexts(redirections);
  // The shell uses the last one of several inputs.
  const hasOther = redirections.some(
    (redirection) =>
      (redirection.kind === 'here_string' && redirection.target.kind !== 'literal') ||
      ('operator' in redirection && /^<[>&]?$/.test(redirection.operator)),
  );
  // The value of a variable in a here-document is code as well.
  return { texts, isUnknown: texts.length === 0 || hasOther || expandsInput(redirections) };
}

export function expandsInput(redirections: readonly ShellRedirection[]): boolean {
  return redirections.some((redirection) => redirection.kind === 'here_doc' && redirection.expands);
}

/** Returns the texts among the words that may be scripts. `isCode` tests the words that a shell runs as they are. */
function argumentScripts(
  [name, ...args]: readonly ShellWord[],
  isCode: (text: string) => boolean,
): readonly string[] {
  if (name === undefined) return [];
  const base = baseName(name.value);
  const given = base === 'git' ? gitScripts(args) : decodedByEnv([name, ...args]).slice(1);
  if (!isRunner(base) && !isManager(base) && !SCRIPTED.test(base) && !isMake(base)) return [];
  const hasMake = [name, ...args].some(({ value }) => isMake(baseName(value)));
  return given
    .filter(({ value }) => base === 'alias' || base === 'git' || /[\s;&|<>]/.test(value))
    .filter(({ value }) => !isCode(value))
    .flatMap(({ value }) => {
      // The script begins after `--to-command=…`, `-S…`, `alias.x=!…`, `exec=…`.
      const bare = value.replace(/^(?:--?[\w.-]+=|-[A-Za-z]|[\w.-]+=)?(?:exec=)?!?/, '');
      // The name of a variable of make can contain any character.
      const assigned = hasMake && value.includes('=') ? [value.slice(value.indexOf('=') + 1)] : [];
      // Other letters can be before the option: `-qc…`.
      const [, letters = ''] = /^-[A-Za-z]([A-Za-z]{1,8})/.exec(value) ?? [];
      const rests = Array.from(letters, (_, index) => value.slice(index + 3)).filter(
        (rest) => rest.trim() !== '',
      );
      return bare === value ? [value].concat(assigned) : [value, bare].concat(rests, assigned);
    });
}

/** `env -S` has its own codes: `\_` is a blank, and `\c` ends the text. */
function decodedByEnv(words: readonly ShellWord[]): readonly ShellWord[] {
  if (!words.some(({ value }) => /^g?env$/.test(baseName(value)))) return words;
  return words.map((word) =>
    /\\[_c]/.test(word.value)
      ? partOfWord(word, word.value.replace(/\\c.*$/s, '').replaceAll('\\_', ' '))
      : word,
  );
}

function gitScripts(args: readonly ShellWord[]): readonly ShellWord[] {
  const isScripted = args.some(({ value }) => GIT_SCRIPTED.test(value));
  return args.filter(
    ({ value }, index) => args[index - 1]?.value === '-c' || (isScripted && /[\s;&|<>]/.test(value)),
  );
}

function variableScripts({ assignments }: SimpleCommand): string[] {
  return assignments.flatMap(({ name, value }) => (value && RUN_VARIABLES.test(name) ? [value.value] : []));
}

/** Variables that name a start-up script. */
const START_FILES =
  /^(BASH_ENV|ENV|PYTHONSTARTUP|ZDOTDIR|RPROFILE.*|LD_PRELOAD|DYLD_INSERT_LIBRARIES|MAKEFILES)$/;
/** Returns whether a variable makes a program run code that is not in the command, or in another language. */
export function hasUnknownVariable(assignments: readonly ShellAssignment[]): boolean {
  return assignments.some(({ name, value }) => {
    if (CODE_VARIABLES.test(name))
      return !isHarmlessOption(value?.kind === 'literal' ? value.value : undefined);
    // A shell expands the value again, also substitutions in it.
    if (START_FILES.test(name)) return value === undefined || isFedIn(value) || /[$`]/.test(value.value);
    return RUN_VARIABLES.test(name) && value?.kind !== 'literal';
  });
}
