/**
 * Finds scripts in the arguments, the input and the variables of a command. A script that cannot be parsed, or that is
 * not in the command, is reported as unknown: a deny or ask rule may concern its commands.
 */
import {
  type ReadCommand,
  readCommand,
  type ShellAssignment,
  type ShellRedirection,
  type ShellWord,
  type SimpleCommand,
} from '@heddle/tools/shell';
import { CODE_VARIABLES, isHarmlessOption } from './code-variables.ts';
import { partOfWord } from './files/touch.ts';
import { findSyntaxDoubt } from './doubts.ts';
import { isFedIn } from './interpreters.ts';
import { isMake } from './make-words.ts';
import {
  baseName,
  hasManyValues,
  isManager,
  isRunner,
  likelyTails,
  commandTails,
  commandWords,
} from './runners.ts';
import { setsVariablesElsewhere } from './shell-state.ts';

/** A script that can be parsed. */
export interface Script {
  readonly text: string;
  readonly read: Extract<ReadCommand, { ok: true }>;
  /** No shell expands the text before it runs, and nothing outside of it sets variables that are not mentioned there. */
  readonly isSeparate: boolean;
  /** A shell runs it. Other texts among the words may be scripts, or not. */
  readonly isRun: boolean;
}

export interface Embedded {
  readonly scripts: readonly Script[];
  /** A script could not be parsed. */
  readonly isUnknown: boolean;
  /** Scripts that a shell certainly runs, and that are not understood completely. */
  readonly unclear: readonly Unclear[];
}

export interface Unclear {
  readonly text: string;
  readonly reason: string;
  /** Nothing in it was looked at. */
  readonly isUnread?: boolean;
}

/** Programs besides the runners that take a script as an option. */
const SCRIPTED = /^(find|fd|fdfind|at|batch|alias|tar|rsync|expect|split)$/;
/** Git commands that take a script. For other commands, a longer text is a message. */
const GIT_SCRIPTED =
  /^(rebase|submodule|bisect|filter-branch|config|difftool|mergetool|clone|fetch|pull|push|ls-remote|archive)$/;
/** Their names may end with a version: `bash5`, `ksh93`, `zsh-5.9`. */
const SHELLS =
  /^(bash|sh|zsh|dash|ksh|mksh|oksh|lksh|pdksh|ash|yash|posh|rbash|rzsh|rksh)(-static)?(-?\d[\d.]*)?$/;
/** Without a command, they start a shell, which runs its input. */
const STARTS_SHELL = /^(unshare|nsenter|su|sudo|doas|runuser|chroot|newgrp|sg|script)$/;
/** They run a script from their input at a later time. */
const SCHEDULERS = /^(at|batch)$/;
/** Variables whose value programs run. */
const RUN_VARIABLES =
  /(PAGER|EDITOR|VISUAL|BROWSER|COMMAND|SSH|ASKPASS|LESSOPEN|LESSCLOSE|SHELL|EXTERNAL_DIFF|PS[0-4]|WRAPPER|RUSTC|RUSTDOC|^CC|^CXX|^CPP|^LD|^AR|^MAKE)$/;

const DEEPEST = 3;
/** The number of commands in all scripts of one command. More take too long to decide. */
const MOST_COMMANDS = 200;

/** `bash -c '…'`, `eval …`, `bash <<< '…'`, `PAGER='…' git log`. */
export function findEmbeddedScripts(command: SimpleCommand, words = commandWords(command)): Embedded {
  const known = embedded.get(words)?.get(command) ?? scriptsIn(command, words, 0);
  embedded.set(words, (embedded.get(words) ?? new WeakMap<SimpleCommand, Embedded>()).set(command, known));
  return known;
}

/** Cached, because one decision asks for the same scripts several times. */
const embedded = new WeakMap<readonly ShellWord[], WeakMap<SimpleCommand, Embedded>>();

function scriptsIn(command: SimpleCommand, words: readonly ShellWord[], depth: number): Embedded {
  const tails = hasManyValues(baseName(words[0]?.value ?? '')) ? commandTails(words) : likelyTails(words);
  const likely = new Set(tails.map((tail) => tail.length));
  const shells = shellsIn(words).map((shell) => {
    const { texts, isUnknown } = shellCode(shell, command.redirections);
    const isLikely = shell === words || likely.has(shell.length);
    return { texts, isUnknown: isUnknown && isLikely, isLikely };
  });
  const certain = [...shells.flatMap(({ texts }) => texts), ...variableScripts(command)];
  const likelyTexts = shells.flatMap(({ texts, isLikely }) => (isLikely ? texts : []));
  const onInput = STARTS_SHELL.test(baseName(words[0]?.value ?? ''))
    ? inputCode(command.redirections).texts
    : [];
  const possible = [...argumentScripts(words, likelyTexts), ...onInput];
  const scripts: Script[] = [];
  const unclear: Unclear[] = [];
  let isUnknown = shells.some((shell) => shell.isUnknown) || hasUnknownVariable(command.assignments);
  let count = 0;
  const isSeparate = words.every(({ kind }) => kind === 'literal') && !expandsInput(command.redirections);
  const isEval = words[0]?.value === 'eval';
  const runs = new Set([...likelyTexts, ...(isEval ? possible : [])]);
  if (depth >= DEEPEST) {
    const reason = 'too many scripts inside each other';
    const deep = Array.from(runs, (text) => ({ text, reason, isUnread: true }));
    return {
      scripts: [],
      isUnknown: runs.size > 0 || shells.length > 0 || certain.length > 0,
      unclear: deep,
    };
  }
  for (const text of new Set([...certain, ...possible])) {
    const read = readCommand(text);
    const reason = read.ok ? (read.strange ?? findSyntaxDoubt(text)?.reason) : read.reason;
    if (reason !== undefined && isSeparate && runs.has(text)) unclear.push({ text, reason });
    count += read.ok ? read.commands.length : 0;
    if (!read.ok || count > MOST_COMMANDS) {
      isUnknown = true;
      continue;
    }
    isUnknown ||= reason !== undefined;
    if (read.commands.length === 0 && read.redirections.length === 0) continue;
    scripts.push({ text, read, isSeparate, isRun: runs.has(text) });
    const isClosed = isSeparate && !read.commands.some(setsVariablesElsewhere);
    for (const inner of read.commands) {
      const deeper = scriptsIn(inner, commandWords(inner), depth + 1);
      scripts.push(...deeper.scripts.map((script) => (isClosed ? script : { ...script, isSeparate: false })));
      unclear.push(...deeper.unclear);
      isUnknown ||= deeper.isUnknown;
    }
  }
  return { scripts, isUnknown, unclear };
}

/** `certain` are the words that a shell runs as they are. */
function argumentScripts([name, ...args]: readonly ShellWord[], certain: readonly string[]): string[] {
  if (name === undefined) return [];
  const base = baseName(name.value);
  if (base === 'eval') return [args.map(({ value }) => value).join(' ')];
  const given = base === 'git' ? gitScripts(args) : decodedByEnv([name, ...args]).slice(1);
  if (!isRunner(base) && !isManager(base) && !SCRIPTED.test(base) && !isMake(base)) return [];
  const hasMake = [name, ...args].some(({ value }) => isMake(baseName(value)));
  return given
    .filter(({ value }) => base === 'alias' || base === 'git' || /[\s;&|<>]/.test(value))
    .filter(({ value }) => !certain.includes(value))
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
    if (START_FILES.test(name)) return value === undefined || isFedIn(value);
    return RUN_VARIABLES.test(name) && value?.kind !== 'literal';
  });
}

interface ShellCode {
  readonly texts: readonly string[];
  readonly isUnknown: boolean;
}

const FROM_FILE: ShellCode = { texts: [], isUnknown: false };

/** Returns the code that a shell runs: from `-c`, or from its input. A script file is not read. */
function shellCode(
  [name, ...args]: readonly ShellWord[],
  redirections: readonly ShellRedirection[],
): ShellCode {
  if (name !== undefined && SCHEDULERS.test(baseName(name.value))) {
    return args.some(({ value }) => /^-[fldrcV]/.test(value)) ? FROM_FILE : inputCode(redirections);
  }
  let isCode = false;
  let isInput = false;
  let at = 0;
  for (; at < args.length; at++) {
    const { value = '' } = args[at] ?? {};
    if (/^--(rcfile|init-file|emulate)$/.test(value)) at++;
    else if (/^[-+][A-Za-z]+$/.test(value)) {
      isCode ||= /^-.*c/.test(value);
      isInput ||= /^-.*s/.test(value);
      // The name of an option is in the next word: `-euo pipefail`.
      at += value.match(/o/gi)?.length ?? 0;
    } else if (!value.startsWith('--') || value === '--') break;
  }
  if (/^--?$/.test(args[at]?.value ?? '')) at++;
  const operand = args[at];
  if (args.slice(0, at + 1).some(({ kind }) => kind === 'dynamic' || kind === 'pattern'))
    return { texts: isCode && operand ? [operand.value] : [], isUnknown: true };
  if (/^[-+]./.test(operand?.value ?? '')) return { texts: [], isUnknown: true };
  if (isCode) return operand ? { texts: [operand.value], isUnknown: false } : { texts: [], isUnknown: true };
  if (operand === undefined && /^--(version|help)$/.test(args[0]?.value ?? '')) return FROM_FILE;
  return operand === undefined || isInput || isFedIn(operand) ? inputCode(redirections) : FROM_FILE;
}

/** Input in the command itself is parsed. Input from a pipe or a file is unknown. */
function inputCode(redirections: readonly ShellRedirection[]): ShellCode {
  const texts = redirections.flatMap((redirection) => {
    if (redirection.kind === 'here_doc') return [redirection.body];
    return redirection.kind === 'here_string' && redirection.target.kind === 'literal'
      ? [redirection.target.value]
      : [];
  });
  // The shell uses the last one of several inputs.
  const hasOther = redirections.some(
    (redirection) =>
      (redirection.kind === 'here_string' && redirection.target.kind !== 'literal') ||
      ('operator' in redirection && /^<[>&]?$/.test(redirection.operator)),
  );
  // The value of a variable in a here-document is code as well.
  return { texts, isUnknown: texts.length === 0 || hasOther || expandsInput(redirections) };
}

function expandsInput(redirections: readonly ShellRedirection[]): boolean {
  return redirections.some((redirection) => redirection.kind === 'here_doc' && redirection.expands);
}

export function commandsIn(scripts: readonly Script[]): readonly SimpleCommand[] {
  return scripts.flatMap(({ read }) => read.commands);
}

/** Returns the commands of a text, if it can be parsed as a script. */
export function parseScriptText(text: string): readonly SimpleCommand[] | undefined {
  const read = readCommand(text);
  return read.ok && read.commands.length > 0 && read.commands.length <= MOST_COMMANDS
    ? read.commands
    : undefined;
}

export function isShell(base: string): boolean {
  return SHELLS.test(base);
}

function shellsIn(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const [name, ...args] = words;
  // `. /dev/stdin`
  const reads = /^(\.|source)$/.test(name?.value ?? '') && args.some(isFedIn) ? [words] : [];
  const starts = [words, ...commandTails(words)].filter(([first]) => {
    const base = baseName(first?.value ?? '');
    return isShell(base) || SCHEDULERS.test(base);
  });
  // A program that is not known may run it.
  const behind = words.flatMap((word, at) =>
    at > 0 && isShell(baseName(word.value)) && /^-[a-z]*c/.test(words[at + 1]?.value ?? '')
      ? [words.slice(at)]
      : [],
  );
  const known = new Set(starts.map((start) => start.length));
  return [...starts, ...behind.filter((start) => !known.has(start.length)), ...reads];
}
