/** The permissive reader again: scripts inside a command's arguments, its input and its variables. */
import { readCommand, type ShellWord, type SimpleCommand } from '@heddle/tools/shell';
import { baseName, isManager, isRunner, tails, wordsOf } from './runners.ts';

type Script = readonly SimpleCommand[];

/** Besides the runners, those that take a script among their settings. */
const SCRIPTED = /^(make|find|fd|fdfind|at|batch|alias|tar|rsync|expect)$/;
/** The commands of git that take one: elsewhere a longer text is a message. */
const GIT_SCRIPTED =
  /^(rebase|submodule|bisect|filter-branch|config|difftool|mergetool|clone|fetch|pull|push|ls-remote|archive)$/;
const SHELLS = /^(bash|sh|zsh|dash|ksh|ash|fish|rbash|pwsh|at|batch)$/;
/** Variables whose value programs run. */
const RUN_VARIABLES =
  /(PAGER|EDITOR|VISUAL|BROWSER|COMMAND|SSH|ASKPASS|LESSOPEN|LESSCLOSE|SHELL|EXTERNAL_DIFF|PS4)$/;
/** Their programs, on the command line, can run others. */
const INTERPRETERS =
  /^(python[\d.]*|pypy\d?|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|tclsh|osascript|Rscript|awk|gawk|mawk|nawk|vi|vim|nvim|emacs|gdb|expect)$/;

const DEEPEST = 3;

/** `bash -c '…'`, `eval …`, `bash <<< '…'`, `PAGER='…' git log`. */
export function embedded(command: SimpleCommand, words = wordsOf(command), depth = 0): Script[] {
  if (depth >= DEEPEST) return [];
  const texts = [...argumentScripts(words), ...variableScripts(command), ...inputScripts(command, words)];
  return texts.flatMap((text) => {
    const read = readCommand(text);
    if (!read.ok || read.commands.length === 0) return [];
    const deeper = read.commands.flatMap((inner) => embedded(inner, wordsOf(inner), depth + 1));
    return [read.commands].concat(deeper);
  });
}

function argumentScripts([name, ...args]: readonly ShellWord[]): string[] {
  if (name === undefined) return [];
  const base = baseName(name.value);
  if (base === 'eval') return [args.map(({ value }) => value).join(' ')];
  const given = base === 'git' ? gitScripts(args) : args;
  if (!isRunner(base) && !isManager(base) && !SCRIPTED.test(base)) return [];
  return given
    .filter(({ value }) => base === 'alias' || /[\s;&|<>]/.test(value))
    .flatMap(({ value }) => {
      // `--to-command=…`, `-S…`, `alias.x=!…`, `exec=…`: the script begins behind them.
      const bare = value.replace(/^(?:--?[\w.-]+=|-[A-Za-z]|[\w.-]+=)?(?:exec=)?!?/, '');
      return bare === value ? [value] : [value, bare];
    });
}

function gitScripts(args: readonly ShellWord[]): readonly ShellWord[] {
  if (args.some(({ value }) => GIT_SCRIPTED.test(value))) return args;
  return args.filter((_, index) => args[index - 1]?.value === '-c');
}

function variableScripts({ assignments }: SimpleCommand): string[] {
  return assignments.flatMap(({ name, value }) => (value && RUN_VARIABLES.test(name) ? [value.value] : []));
}

function inputScripts({ redirections }: SimpleCommand, words: readonly ShellWord[]): string[] {
  if (shellsIn(words).length === 0) return [];
  return redirections.flatMap((redirection) => {
    if (redirection.kind === 'here_doc') return [redirection.body];
    return redirection.kind === 'here_string' ? [redirection.target.value] : [];
  });
}

/** It runs what comes through a pipe or out of a file: nobody sees that here. */
export function runsInput({ redirections }: SimpleCommand, words: readonly ShellWord[]): boolean {
  if (redirections.some(({ kind }) => kind === 'here_doc' || kind === 'here_string')) return false;
  return shellsIn(words).some(
    ([, ...args]) =>
      args.every(({ value }) => /^(-[^c-]*|--\w+|\/dev\/stdin)$/.test(value)) ||
      args.some(({ value }) => /^-[a-z]*s$/.test(value)),
  );
}

function shellsIn(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  return [words, ...tails(words)].filter(([name]) => name !== undefined && SHELLS.test(baseName(name.value)));
}

/** Programs in another language, which may run commands. */
export function codeIn(words: readonly ShellWord[]): string[] {
  return [words, ...tails(words)].flatMap(([name, ...args]) =>
    name && INTERPRETERS.test(baseName(name.value))
      ? args.filter(({ value }) => /[\s'"(`]/.test(value)).map(({ value }) => value)
      : [],
  );
}
