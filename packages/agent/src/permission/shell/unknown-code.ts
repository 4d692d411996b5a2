/**
 * Finds commands that can run any program in a way that is not understood. If a deny or ask rule concerns commands,
 * they ask in every mode. Only code in the command itself counts: on its command line, on its input, in its variables,
 * or made by another part of the script. Files of the project and build tools are not checked.
 */
import { isHarmlessProgram, type ShellWord, type SimpleCommand } from '@heddle/tools/shell';
import { gitArguments } from './files/git-arguments.ts';
import { runsInNamespace } from './files/host-words.ts';
import { runsInlineCode } from './inline-code.ts';
import { isFedIn, takesCode } from './interpreters.ts';
import { findProgramOption, hasProgramOption } from './program-options.ts';
import {
  baseName,
  commandsOfFind,
  fedCommands,
  findersIn,
  hasManyTails,
  hasManyValues,
  isManager,
  isRunner,
  likelyTails,
  mayLackCommand,
  runsElsewhere,
  type Unwrapped,
} from './runners.ts';
import { hasUnknownVariable } from './script-texts.ts';
import { findEmbeddedScripts } from './scripts.ts';
import { isShell } from './shell-options.ts';
import { optionPattern } from './short-options.ts';

export function runsUnknownCode(
  command: SimpleCommand,
  stages: readonly Unwrapped[],
  isProven: (words: readonly ShellWord[]) => boolean,
): boolean {
  if (hasUnknownVariable(command.assignments)) return true;
  return stages.some(({ words, more }) => {
    if (runsInlineCode(command, words, isProven)) return true;
    if (!canRunCode(words[0]) || isProven(words)) return false;
    if (startsShell(words) || hasManyTails(words)) return true;
    if (findEmbeddedScripts(command, words).isUnknown || isFed(words, more)) return true;
    if (
      findersIn(words)
        .flatMap(commandsOfFind)
        .some(([name]) => name === undefined || isFedIn(name) || name.value.includes('{}'))
    )
      return true;
    return [words, ...likelyTails(words)].some((run) => {
      if (isProven(run)) return false;
      const [name, ...args] = run;
      if (name === undefined || (run !== words && isFedIn(name) && !runsElsewhere(words))) return true;
      return (
        takesCode(name.value)?.(args, command.redirections) === true ||
        (baseName(name.value) === 'zip' && findProgramOption('zip', args, []) !== undefined) ||
        isUnknownSetting(baseName(name.value), args)
      );
    });
  });
}

/** A fast filter: most programs cannot run code. */
function canRunCode(name: ShellWord | undefined): boolean {
  if (name === undefined) return false;
  const base = baseName(name.value);
  return (
    isRunner(base) ||
    isManager(base) ||
    isShell(base) ||
    COMMANDS_ON_INPUT.test(base) ||
    takesCode(base) !== undefined ||
    hasProgramOption(base) ||
    /^(fd|fdfind|find|alias|rsync|zip|export|declare|typeset|readonly|local)$/.test(base)
  );
}

/** They read commands from their input, some of which run programs of this machine. */
const COMMANDS_ON_INPUT =
  /^(gdb|lldb|rr|jdb|cgdb|sftp|ftp|lftp|ncftp|telnet|virsh|ed|ex|vim?|nvim|view|gvim)$/;

/** Without a command, these runners do nothing, or only print. All others may start a shell, which runs its input. */
const IDLE_ALONE =
  /^(g?env|g?nice|g?time|nohup|command|builtin|noglob|exec|eval|trap|hash|xargs|parallel|g?timeout|g?stdbuf|watch|setsid|ionice|chrt|taskset|numactl|prlimit|choom|uclampset|strace|ltrace|valgrind|perf|catchsegv|busybox|toybox|flock|entr|caffeinate|chronic|unbuffer|systemd-inhibit|systemd-cat|start-stop-daemon|ssh-agent|dumb-init|tini|hyperfine|npx|bunx|pnpx|uvx|pipx|dotenv|op|cross-env(-shell)?|env-cmd|dotenvx|concurrently|npm-run-all|run-[ps]|nodemon|watchexec|chpst|setuidgid|softlimit|envdir|envuidgid|daemonize|ssh|mosh|pssh|sem|run-one|cpulimit|tmux|screen|honcho|foreman|pexec|s6-setuidgid|machinectl|shx|slogin|rsh|remsh|autossh|sshpass|dbclient|pdsh|dsh|clush|parallel-ssh|viddy|hwatch|adb|wsl|heroku)$/;
/** Their words are users, groups or files. A command is the value of an option. */
const NAMES_FIRST = /^(su|runuser|newgrp|sg|script|capsh)$/;
const COMMAND_OPTION = /^(-[a-zA-Z]*c.*|--(command|session-command)(=.*)?|-u.*|--user(=.*)?)$/s;
/** Words with which a program starts a shell. */
const SHELL_WORDS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(sudo|doas)$/, optionPattern({ letters: 'si', valued: 'ugpCDrtTUR', long: '(?:shell|login)$' })],
  [/^(poetry|pipenv|hatch|pdm|conda|nix|machinectl|devbox|flox|pixi)$/, /^(shell|develop)$/],
  [/^tmux$/, /^-C+$/],
];

/** Returns whether a program may start a shell, or a similar program, that runs the commands on its input. */
export function startsShell(words: readonly ShellWord[]): boolean {
  const [name, ...args] = words;
  const base = baseName(name?.value ?? '');
  if (args.some(({ value }) => /^(--?(version|help)|-[Vh])$/.test(value))) return false;
  if (COMMANDS_ON_INPUT.test(base)) return true;
  if (NAMES_FIRST.test(base)) return !args.some(({ value }) => COMMAND_OPTION.test(value));
  const shellWord = SHELL_WORDS.find(([programs]) => programs.test(base))?.[1];
  if (shellWord && args.some(({ value }) => shellWord.test(value))) return true;
  if (runsInNamespace(base, args)) return isWithoutCommand(words);
  if (base === 'nix-shell') return !args.some(({ value }) => /^--(run|command)(=|$)/.test(value));
  return isRunner(base) && !isShell(base) && !IDLE_ALONE.test(base) && isWithoutCommand(words);
}

/** A number after an option is a value: `choom -n 1`. */
function isWithoutCommand(words: readonly ShellWord[]): boolean {
  return likelyTails(words).every(([first]) => /^[-+]?[\d.]+$/.test(first?.value ?? ''));
}

/** They change only files, with any words. */
const CHANGES_ONLY_FILES =
  /^(cp|mv|ln|mkdir|touch|rm|rmdir|unlink|chmod|chown|chgrp|truncate|tee|shred|trash|kill|echo|printf)$/;
/** They take only paths, revisions or messages. */
const GIT_PATHS =
  /^(add|stage|rm|mv|checkout|restore|reset|switch|update-index|check-ignore|ls-files|status)$/;

/** Returns whether lines of the input may become a program, or make the program of `xargs` run another one. */
export function isFed(words: readonly ShellWord[], more: boolean): boolean {
  const runs = more ? [{ words, more }, ...fedCommands(words)] : fedCommands(words);
  return runs.some((run) => !isSafeWithAny(run.words));
}

function isSafeWithAny(words: readonly ShellWord[]): boolean {
  const [name, ...args] = words;
  if (name?.kind !== 'literal') return false;
  const base = baseName(name.value);
  if (hasManyValues(base)) return false;
  if (isRunner(base)) {
    const run = likelyTails(words).at(-1);
    // A word after an option may be its value. Then the command comes through the pipe.
    return run !== undefined && !mayLackCommand(words) && isSafeWithAny(run);
  }
  if (base === 'git') return GIT_PATHS.test(gitArguments(args).command);
  return isHarmlessProgram(base) || CHANGES_ONLY_FILES.test(base) || !canRunCode(name);
}

/** Variables and settings among the arguments: `env PERL5OPT=…`, `git -c "$X"`. */
function isUnknownSetting(base: string, args: readonly ShellWord[]): boolean {
  if (base === 'git')
    return args.some(
      (word, index) =>
        /(^|=)ext::|^--(exec-path|config-env)/.test(word.value) ||
        (args[index - 1]?.value === '-c' && word.kind !== 'literal' && !HARMLESS_KEYS.test(word.prefix)) ||
        (args[index - 1]?.value === '-c' && /^include/i.test(word.value)),
    );
  if (!/^(env|genv|export|declare|typeset|readonly|local|sudo|doas)$/.test(base)) return false;
  return hasUnknownVariable(
    args.flatMap((word) => {
      const [, name, value = ''] = /^(\w+)=([\s\S]*)$/.exec(word.value) ?? [];
      return name === undefined ? [] : [{ name, append: false, value: { ...word, value, text: value } }];
    }),
  );
}

const HARMLESS_KEYS =
  /^(user|color|advice|commit|init|author|committer|push|pull|fetch|safe|http\.extraheader)\.[\w.-]+=/i;

/** Programs that copy other programs under a new name. */
const COPIES = /^(cp|mv|ln|install|dd|cat|tee|rsync|link)$/;

/** Returns the names of programs that get another name: `cp /bin/rm x`, `cp $(which rm) x`. */
export function copiedPrograms([name, ...args]: readonly ShellWord[]): string[] {
  if (name === undefined || !COPIES.test(baseName(name.value))) return [];
  return args.flatMap(({ kind, text, value }) => {
    // The first word is the program that prints a name: `cat $(git ls-files)`.
    if (kind === 'dynamic' && /\$\(|`/.test(text))
      return text.replace(/^"?\$\(\s*[\w.+-]+(?=\s)/, '').match(/[\w.+-]+/g) ?? [];
    const [, program] = /(?:^|[/=])(?:s?bin|libexec|core)\/([^/]+)$/.exec(value) ?? [];
    if (program === undefined) return [];
    return takesCode(program) || isRunner(program) ? [''] : [program];
  });
}
