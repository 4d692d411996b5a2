/**
 * Programs that run commands from their arguments. The rule for such a program covers it. But a denied command stays
 * denied after it. So every command that its arguments may contain is matched against deny and ask rules.
 */
import type { ShellWord, SimpleCommand } from '@heddle/tools/shell';
import { commandsInFd } from './files/fd.ts';
import { commandsInFind } from './files/find.ts';
import { unknownWord } from './files/touch.ts';

const RUNNERS: ReadonlySet<string> = new Set(
  (
    'env sudo doas su runuser pkexec gosu su-exec setpriv capsh setsid ionice chrt taskset numactl prlimit choom uclampset ' +
    'setarch linux32 linux64 chroot unshare nsenter firejail bwrap proot fakeroot cgexec strace ltrace gdb valgrind perf ' +
    'catchsegv watch xargs parallel busybox toybox exec eval trap bash sh zsh dash ksh ash fish rbash pwsh script ssh mosh ' +
    'pssh flock entr caffeinate chronic unbuffer rlwrap faketime systemd-run start-stop-daemon ssh-agent xvfb-run ' +
    'dbus-run-session dumb-init tini screen tmux hyperfine timeout gtimeout time nice nohup stdbuf command builtin noglob npx ' +
    'bunx pnpx uvx pipx dotenv op hash cross-env cross-env-shell env-cmd dotenvx concurrently npm-run-all run-p run-s nodemon ' +
    'watchexec chpst setuidgid softlimit envdir envuidgid daemonize torsocks torify proxychains proxychains4 sem run-one cpulimit ' +
    'trickle eatmydata fakechroot datefudge runcon sg newgrp systemd-nspawn systemd-inhibit systemd-cat machinectl ' +
    'lxc-execute lxc-attach distrobox-enter flatpak-spawn xterm konsole kitty alacritty gnome-terminal abduco dtach ' +
    'dbus-launch primusrun optirun honcho foreman pexec i386 x86_64 s6-setuidgid gtime gnice gtimeout gstdbuf genv scl shx'
  ).split(' '),
);

/** They run a command after one of their own words. */
const MANAGERS =
  /^(npm|pnpm|yarn|bun|uv|poetry|pipenv|rye|hatch|pdm|conda|mise|asdf|direnv|opam|bundle|rbenv|pyenv|lerna|nx|docker|podman|kubectl|nix|nix-shell|git)$/;
const RUN_WORD = /^(exec|x|dlx|run|--|-c|--command)$/;
const GIT_RUN_WORD = /^(foreach|run)$/;
/** Their `run` takes the name of a project script. */
const SCRIPT_RUNNERS = /^(npm|pnpm|yarn|bun)$/;

/** Runners from a package, which package managers start by their name: `yarn shx rm x`. */
const PACKAGED_RUNNERS = /^(shx|cross-env(-shell)?|dotenvx?|env-cmd)$/;

/** Commands after these see the files of a container instead. */
const ELSEWHERE = /^(docker|podman|kubectl)$/;

/** The number of tails per command that are checked. More are unknown. */
export const MOST_TAILS = 64;

/** Caches results, because one decision asks for the same words many times. */
function remembered<Key extends object, Answer>(ask: (key: Key) => Answer): (key: Key) => Answer {
  const answers = new WeakMap<Key, { readonly answer: Answer }>();
  return (key) => {
    const known = answers.get(key);
    if (known) return known.answer;
    const answer = ask(key);
    answers.set(key, { answer });
    return answer;
  };
}

/** Every tail of a runner's words may be a command. */
export const commandTails = remembered((words: readonly ShellWord[]): readonly (readonly ShellWord[])[] => {
  const from = firstTail(words);
  if (from === undefined) return [];
  return words
    .slice(from, from + MOST_TAILS)
    .flatMap((word, index) => (mayBeName(word) ? [words.slice(from + index)] : []));
});

function firstTail(words: readonly ShellWord[]): number | undefined {
  const [name] = words;
  if (name === undefined) return undefined;
  const base = baseName(name.value);
  // `cmake -E rm x`, `cmake -E env rm x`.
  if (base === 'cmake') return words[1]?.value === '-E' ? 2 : undefined;
  const runs = isRunner(base);
  if (!runs && !isManager(base)) return undefined;
  const isRunWord = ({ value }: ShellWord) =>
    base === 'git'
      ? GIT_RUN_WORD.test(value)
      : RUN_WORD.test(value) && !(value === 'run' && SCRIPT_RUNNERS.test(base));
  const from = runs ? 1 : words.findIndex(isRunWord) + 1;
  if (from > 0) return from;
  const at = words.findIndex((word, index) => index > 0 && mayBeName(word));
  return SCRIPT_RUNNERS.test(base) && PACKAGED_RUNNERS.test(words[at]?.value ?? '') ? at : undefined;
}

/** They take a host, a file, a folder or a number before the command. */
const OPERAND_FIRST =
  /^(ssh|mosh|flock|chroot|gosu|su-exec|faketime|setarch|taskset|chrt|timeout|gtimeout|docker|podman|kubectl|envdir|setuidgid|machinectl|op)$/;

/**
 * Returns the tails at the expected position of a runner's command: after its options, their values, and assignments.
 */
export const likelyTails = remembered((words: readonly ShellWord[]): readonly (readonly ShellWord[])[] => {
  const from = firstTail(words);
  if (from === undefined) return [];
  const found: (readonly ShellWord[])[] = [];
  let operands = OPERAND_FIRST.test(baseName(words[0]?.value ?? '')) ? 1 : 0;
  for (let at = from; at < Math.min(words.length, from + MOST_TAILS); at++) {
    const { value = '', text = '' } = words[at] ?? {};
    if (!text.startsWith('$') && (value.startsWith('-') || value === '')) continue;
    if (/^\w+=/.test(text)) continue;
    const mayBeValue = at > from && /^(-[A-Za-z]+|--[\w-]+)$/.test(words[at - 1]?.value ?? '');
    if (!mayBeValue && operands > 0) {
      operands--;
      continue;
    }
    found.push(words.slice(at));
    const base = baseName(value);
    if (isRunner(base)) operands += OPERAND_FIRST.test(base) ? 1 : 0;
    else if (!mayBeValue) break;
  }
  return found;
});

export function isRunner(base: string): boolean {
  return RUNNERS.has(base) || /^ld(-linux.*)?\.so/.test(base);
}

/** Options of these programs take several words, so that the position of the command is uncertain. */
export function hasManyValues(base: string): boolean {
  return /^(bwrap|proot|firejail|systemd-nspawn|systemd-run|scl)$/.test(base);
}

export function isManager(base: string): boolean {
  return MANAGERS.test(base);
}

export function runsElsewhere([name]: readonly ShellWord[]): boolean {
  return name !== undefined && ELSEWHERE.test(baseName(name.value));
}

/** A command that `find` or `fd` runs for the files that it finds. */
export interface FindRun {
  readonly command: readonly ShellWord[];
  /** The words of `find` or `fd` itself. */
  readonly own: readonly ShellWord[];
  /** It runs in the folder of each file. */
  readonly isInFolders: boolean;
}

/** The found file, or a part of its name. */
export const FOUND = /\{(?:\/\/?|\/?\.)?\}/;

export function runsOfFind(words: readonly ShellWord[]): readonly FindRun[] {
  const [name, ...args] = words;
  const base = baseName(name?.value ?? '');
  if (base === 'find')
    return commandsInFind(args).map(({ start, end }) => ({
      command: args.slice(start, end),
      own: [...args.slice(0, start), ...args.slice(end + 1)],
      isInFolders: args[start - 1]?.value.endsWith('dir') === true,
    }));
  return /^(fd|fdfind)$/.test(base) ? runsOfFd(args) : [];
}

/** Without a sign for it, `fd` adds the file at the end. */
function runsOfFd(args: readonly ShellWord[]): readonly FindRun[] {
  const { commands, own } = commandsInFd(args);
  return commands.map((command) => {
    const isAdded = !command.some(({ value }) => FOUND.test(value));
    return { command: isAdded ? [...command, FOUND_FILE] : command, own, isInFolders: false };
  });
}

const FOUND_FILE: ShellWord = {
  text: '{}',
  kind: 'literal',
  value: '{}',
  prefix: '{}',
  plain: true,
  single: true,
  begins: '{}',
};

/**
 * Returns the commands that `find` runs for each file. `find` is not a typical runner, so its own rule does not cover
 * them.
 */
export function commandsOfFind(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  return runsOfFind(words).map(({ command }) => command);
}

export const commandWords = remembered(({ name, args }: SimpleCommand): readonly ShellWord[] =>
  name ? [name, ...args] : [],
);

export function baseName(value: string): string {
  return value.slice(value.lastIndexOf('/') + 1);
}

function mayBeName({ value }: ShellWord): boolean {
  return !value.startsWith('-') && value !== '';
}

/** A command without the programs that only run it. A rule for the inner command covers both. */
export interface Unwrapped {
  readonly words: readonly ShellWord[];
  /** More arguments come through a pipe, and they are unknown. */
  readonly more: boolean;
}

/** Represents the words that `xargs` adds. A rule without a wildcard does not match them, and each may be an option. */
export const PIPED = unknownWord('what the pipe brings');

/** Returns the words of a command with those that come through a pipe. */
export function withPiped({ words, more }: Unwrapped): readonly ShellWord[] {
  return more ? [...words, PIPED] : words;
}

/**
 * Returns the commands that `xargs` and `parallel` run, also with options. A word that contains a sign for a line of the input
 * is unknown: `xargs -I{} git {}`.
 */
export function fedCommands(words: readonly ShellWord[]): readonly Unwrapped[] {
  if (!/^(xargs|parallel)$/.test(baseName(words[0]?.value ?? ''))) return [];
  const signs = words.flatMap(({ value }, index) => {
    const [, attached] = /^(?:-I|-i|--replace=)(.+)$/s.exec(value) ?? [];
    return attached ?? (words[index - 1]?.value === '-I' ? [value] : []);
  });
  signs.push('{');
  const isValue = (run: readonly ShellWord[]): boolean =>
    /^-[0rtx]*[nLPsIdEaj]$/.test(words[words.length - run.length - 1]?.value ?? '');
  const runs = likelyTails(words).filter((run) => !isValue(run));
  return runs.map((run) => ({
    words: run.map((word) => {
      const at = signs.map((sign) => word.value.indexOf(sign)).filter((index) => index >= 0);
      return at.length === 0
        ? word
        : { ...unknownWord(word.text), prefix: word.value.slice(0, Math.min(...at)) };
    }),
    more: true,
  }));
}

type Strip = (args: readonly ShellWord[]) => number | undefined;

/** Returns the number of words that belong to a wrapper, without its name. Undefined for an unknown usage. */
const WRAPPERS: ReadonlyMap<string, Strip> = new Map<string, Strip>([
  [
    'timeout',
    (args) =>
      after(
        args,
        /^(-v|--verbose|--foreground|--preserve-status|--(kill-after|signal)=\w+|-[ks]\w+)$/,
        /^(-k|-s)$/,
        /^[\d.]+[smhd]?$/,
      ),
  ],
  ['nice', (args) => after(args, /^(-\d+|--\d+|-n-?\d+|--adjustment=-?\d+)$/, /^-n$/)],
  // The grammar reads the keyword. In the middle of a pipeline, it is a program.
  ['time', (args) => after(args, /^-p$/)],
  ['nohup', (args) => after(args)],
  ['stdbuf', (args) => after(args, /^(-[ioe][L\d]\w*|--(input|output|error)=\w+)$/, /^-[ioe]$/)],
  ['command', (args) => after(args, /^-p$/)],
  ['builtin', (args) => after(args)],
  ['noglob', (args) => after(args)],
  ['xargs', (args) => after(args)],
]);

const DEEPEST = 10;

/** Returns the command itself, then the rest after each wrapper. */
export const unwrap = remembered((words: readonly ShellWord[]): readonly Unwrapped[] => {
  const stages: Unwrapped[] = [{ words, more: false }];
  let current: Unwrapped = { words, more: false };
  for (let depth = 0; depth < DEEPEST; depth++) {
    const [name, ...args] = current.words;
    const taken = name?.kind === 'literal' ? WRAPPERS.get(name.value)?.(args) : undefined;
    if (taken === undefined) return stages;
    current = { words: args.slice(taken), more: current.more || name?.value === 'xargs' };
    stages.push(current);
  }
  return stages;
});

/** Skips plain options, options with a value, then one operand. Undefined unless a command follows. */
function after(
  args: readonly ShellWord[],
  alone?: RegExp,
  valued?: RegExp,
  operand?: RegExp,
): number | undefined {
  let at = 0;
  while (true) {
    const word = args[at];
    if (word?.kind !== 'literal') return undefined;
    if (valued?.test(word.value)) {
      if (args[at + 1]?.kind !== 'literal') return undefined;
      at += 2;
    } else if (alone?.test(word.value)) at += 1;
    else break;
  }
  if (operand) {
    const word = args[at];
    if (word?.kind !== 'literal' || !operand.test(word.value)) return undefined;
    at += 1;
  }
  const command = args[at];
  return command === undefined || command.value.startsWith('-') ? undefined : at;
}
