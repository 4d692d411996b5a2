/**
 * Finds scripts in the arguments, the input and the variables of a command. A script that cannot be parsed, or that is
 * not in the command, is reported as unknown: a deny or ask rule may concern its commands.
 */
import {
  readCommand,
  type ShellAssignment,
  type ShellRedirection,
  type ShellWord,
  type SimpleCommand,
} from '@heddle/tools/shell';
import { CODE_VARIABLES, isHarmlessOption } from './code-variables.ts';
import { partOfWord } from './files/touch.ts';
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

type Script = readonly SimpleCommand[];

export interface Embedded {
  readonly scripts: readonly Script[];
  /** A script could not be parsed. */
  readonly isUnknown: boolean;
}

/** Programs besides the runners that take a script as an option. */
const SCRIPTED = /^(find|fd|fdfind|at|batch|alias|tar|rsync|expect)$/;
/** Git commands that take a script. For other commands, a longer text is a message. */
const GIT_SCRIPTED =
  /^(rebase|submodule|bisect|filter-branch|config|difftool|mergetool|clone|fetch|pull|push|ls-remote|archive)$/;
/** Their names may end with a version: `bash5`, `ksh93`, `zsh-5.9`. */
const SHELLS = /^(bash|sh|zsh|dash|ksh|mksh|oksh|lksh|pdksh|ash|yash|posh|rbash|rzsh|rksh)(-?\d[\d.]*)?$/;
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
    return { texts, isUnknown: isUnknown && (shell === words || likely.has(shell.length)) };
  });
  const certain = [...shells.flatMap(({ texts }) => texts), ...variableScripts(command)];
  const possible = argumentScripts(words);
  if (depth >= DEEPEST) return { scripts: [], isUnknown: certain.length > 0 || shells.length > 0 };
  const scripts: Script[] = [];
  let isUnknown = shells.some((shell) => shell.isUnknown) || hasUnknownVariable(command.assignments);
  let count = 0;
  for (const text of new Set([...certain, ...possible])) {
    const read = readCommand(text);
    count += read.ok ? read.commands.length : 0;
    if (!read.ok || count > MOST_COMMANDS) {
      isUnknown = true;
      continue;
    }
    isUnknown ||= read.strange !== undefined;
    if (read.commands.length === 0) continue;
    scripts.push(read.commands);
    for (const inner of read.commands) {
      const deeper = scriptsIn(inner, commandWords(inner), depth + 1);
      scripts.push(...deeper.scripts);
      isUnknown ||= deeper.isUnknown;
    }
  }
  return { scripts, isUnknown };
}

function argumentScripts([name, ...args]: readonly ShellWord[]): string[] {
  if (name === undefined) return [];
  const base = baseName(name.value);
  if (base === 'eval') return [args.map(({ value }) => value).join(' ')];
  const given = base === 'git' ? gitScripts(args) : decodedByEnv([name, ...args]).slice(1);
  if (!isRunner(base) && !isManager(base) && !SCRIPTED.test(base) && !isMake(base)) return [];
  const hasMake = [name, ...args].some(({ value }) => isMake(baseName(value)));
  return given
    .filter(({ value }) => base === 'alias' || base === 'git' || /[\s;&|<>]/.test(value))
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
    if (/^([-+][oO]|--rcfile|--init-file)$/.test(value)) at++;
    else if (/^[-+][A-Za-z]+$/.test(value)) {
      isCode ||= /^-.*c/.test(value);
      isInput ||= /^-.*s/.test(value);
    } else if (!value.startsWith('--') || value === '--') break;
  }
  if (/^--?$/.test(args[at]?.value ?? '')) at++;
  if (args.slice(0, at + 1).some(({ kind }) => kind === 'dynamic' || kind === 'pattern'))
    return { texts: [], isUnknown: true };
  const operand = args[at];
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
  // The value of a variable in a here-document is code as well.
  const isExpanded = redirections.some(
    (redirection) => redirection.kind === 'here_doc' && redirection.expands,
  );
  return { texts, isUnknown: texts.length === 0 || isExpanded };
}

/** Returns the commands of a text, if it can be parsed as a script. */
export function parseScriptText(text: string): Script | undefined {
  const read = readCommand(text);
  return read.ok && read.commands.length > 0 && read.commands.length <= MOST_COMMANDS
    ? read.commands
    : undefined;
}

export function isShell(base: string): boolean {
  return SHELLS.test(base);
}

function shellsIn(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  return [words, ...commandTails(words)].filter(([name]) => {
    const base = baseName(name?.value ?? '');
    return isShell(base) || SCHEDULERS.test(base);
  });
}
