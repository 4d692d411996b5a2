/**
 * Programs that run commands from their arguments. The rule for such a program covers it. But a denied command stays
 * denied after it. So every command that its arguments may contain is matched against deny and ask rules.
 */
import type { ShellWord, SimpleCommand } from '@heddle/tools/shell';
import { commandsInFd } from './files/fd.ts';
import { commandsInFind } from './files/find.ts';
import { mayRunElsewhere, runsElsewhere as isElsewhere, runsInNamespace } from './files/host-words.ts';
import { unknownWord } from './files/touch.ts';
import { commandOfManager, isPackageManager, type ManagerCommand } from './package-managers.ts';
import { shortOption } from './short-options.ts';

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
    'dbus-launch primusrun optirun honcho foreman pexec i386 x86_64 s6-setuidgid gtime gnice gtimeout gstdbuf genv scl ' +
    'shx gxargs env_parallel run0 sudo-rs dzdo pfexec rootlesskit nsjail minijail0 pasta annotate-output lckdo setlock ' +
    's6-setsid s6-softlimit s6-applyuidgid s6-envdir catatonit rsh slogin remsh autossh sshpass dbclient pdsh dsh clush parallel-ssh ' +
    'viddy hwatch adb wsl heroku'
  ).split(' '),
);

/** They run a command after one of their own words. */
const MANAGERS =
  /^(uv|poetry|pipenv|rye|hatch|pdm|conda|mise|asdf|direnv|opam|rbenv|pyenv|lerna|nx|docker|podman|docker-compose|podman-compose|buildah|nerdctl|kubectl|nix|nix-shell|git)$/;
const RUN_WORD = /^(exec|x|dlx|run|--|-c|--command)$/;
/** The words of programs with other ones. */
const OTHER_RUN_WORDS: readonly (readonly [RegExp, RegExp])[] = [
  [/^git$/, /^(foreach|run)$/],
  [/^(podman|buildah)$/, /^(exec|run|unshare|ssh|--|-c|--command)$/],
  [/^asdf$/, /^(exec|env)$/],
];

/** Commands after these see the files of a container instead. */
const ELSEWHERE = /^((docker|podman)(-compose)?|buildah|nerdctl|kubectl)$/;

/** They add words from their input to the command that they run. */
const FEEDERS = /^(g?xargs|parallel|env_parallel)$/;
const FINDERS = /^(find|fd|fdfind)$/;

/** The number of tails per command that are checked. With more, the command is unknown. */
const MOST_TAILS = 64;

/** The number of runners among the words of a command that are checked. Each may run all words after it. */
const MOST_RUNNERS = 16;
/** After these, `find` runs a command. */
const RUN_OPTION = /^-(?:exec|ok)(?:dir)?$/;

export function hasTooManyRunners(words: readonly ShellWord[]): boolean {
  if (words.length <= MOST_RUNNERS) return false;
  const isOver = (isCounted: (word: string) => boolean): boolean =>
    words.filter(({ value }) => isCounted(value)).length > MOST_RUNNERS;
  if (isOver((word) => RUN_OPTION.test(word))) return true;
  return (
    firstTail(words) !== undefined && isOver((word) => isRunner(baseName(word)) || isManager(baseName(word)))
  );
}

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

export interface Tails {
  readonly tails: readonly (readonly ShellWord[])[];
  /** There are more than are checked. */
  readonly isCut: boolean;
}

export const NO_TAILS: Tails = { tails: [], isCut: false };

/** Every tail of a runner's words may be a command. Those at the expected position are always among the result. */
export const commandTails = remembered((words: readonly ShellWord[]): readonly (readonly ShellWord[])[] => {
  const { tails } = tailsNamed(words, () => true);
  const shortest = tails.at(-1)?.length ?? 0;
  return tails.length < MOST_TAILS
    ? tails
    : tails.concat(likelyTails(words).filter((tail) => tail.length < shortest));
});

/** Returns whether a runner has more words that may be its command than are checked. */
export function hasManyTails(words: readonly ShellWord[]): boolean {
  return tailsNamed(words, () => true).isCut;
}

/** Returns the tails that begin with such a name. */
export function tailsNamed(words: readonly ShellWord[], isWanted: (name: string) => boolean): Tails {
  const from = firstTail(words);
  if (from === undefined) return NO_TAILS;
  const starts = words.flatMap((word, at) =>
    at >= from && mayBeName(word) && isWanted(word.value) ? [at] : [],
  );
  return {
    tails: starts.slice(0, MOST_TAILS).map((at) => words.slice(at)),
    isCut: starts.length > MOST_TAILS,
  };
}

function firstTail(words: readonly ShellWord[]): number | undefined {
  const [name] = words;
  if (name === undefined) return undefined;
  const base = baseName(name.value);
  // `cmake -E rm x`, `cmake -E env rm x`.
  if (base === 'cmake') return words[1]?.value === '-E' ? 2 : undefined;
  if (isRunner(base)) return 1;
  if (!isManager(base)) return undefined;
  const ofManager = commandOf(words);
  if (isPackageManager(base)) return ofManager?.from;
  const runWord = OTHER_RUN_WORDS.find(([programs]) => programs.test(base))?.[1] ?? RUN_WORD;
  return words.findIndex(({ value }) => runWord.test(value)) + 1 || undefined;
}

/** Returns the position of the command that a package manager runs. */
const commandOf = remembered((words: readonly ShellWord[]): ManagerCommand | undefined =>
  commandOfManager(
    baseName(words[0]?.value ?? ''),
    words.map(({ value }) => value),
  ),
);

/** They take a host, a file, a folder, a number or a word of their own before the command. */
const OPERAND_FIRST =
  /^(ssh|slogin|rsh|remsh|autossh|dbclient|mosh|flock|chroot|gosu|su-exec|faketime|datefudge|setarch|taskset|chrt|timeout|gtimeout|docker|podman|docker-compose|podman-compose|buildah|nerdctl|kubectl|setlock|lckdo|s6-envdir|envdir|envuidgid|setuidgid|s6-setuidgid|runcon|sg|machinectl|op|perf|honcho|foreman|pipx|direnv|distrobox-enter|tmux)$/;
function operandsOf(base: string, args: readonly ShellWord[]): 0 | 1 {
  return OPERAND_FIRST.test(base) && !runsInNamespace(base, args) ? 1 : 0;
}

/** They may have a word of their own before the command. */
const MAY_HAVE_OPERAND = /^(dotenvx?)$/;
/** The next word may be the value of such an option. Other options and digits can be before it: `-0n 1`. */
const MAY_TAKE_VALUE = /^(-[A-Za-z0-9]*[A-Za-z]|--[\w-]+)$/;
/** Options without a value. */
const TAKES_NO_VALUE: readonly (readonly [RegExp, RegExp])[] = [
  [/^(npx|pnpx|bunx)$/, /^(-y|--yes)$/],
  [/^(ssh|slogin|autossh)$/, /^-[46AaCfGgKkMNnqsTtVvXxYy]+$/],
];
/** Options whose value is always the next word, so that it is not an operand. */
const TAKES_VALUE: readonly (readonly [RegExp, RegExp])[] = [
  [/^(ssh|slogin|autossh)$/, /^-\w*[BbcDEeFIiJLlmOopQRSWw]$/],
];

/**
 * Returns the tails at the expected position of a runner's command: after its options, their values, and assignments.
 */
export function likelyTails(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  return expectedTails(words).tails;
}

/** Returns whether so many words may be values of options, or runners, that the command of a runner is unknown. */
export function hidesCommand(words: readonly ShellWord[]): boolean {
  return expectedTails(words).isCut;
}

/** Returns whether all words of a runner may be its own, so that further words may begin with its command. */
export function mayLackCommand(words: readonly ShellWord[]): boolean {
  return expectedTails(words).mayLackCommand;
}

interface ExpectedTails extends Tails {
  readonly mayLackCommand: boolean;
}

const expectedTails = remembered((words: readonly ShellWord[]): ExpectedTails => {
  const from = firstTail(words);
  if (from === undefined) return { ...NO_TAILS, mayLackCommand: false };
  const found: (readonly ShellWord[])[] = [];
  let runner = baseName(words[0]?.value ?? '');
  // A word after an option may be its value or an operand. So the number of operands that follow has two limits.
  let least: number = operandsOf(runner, words.slice(1)) || (commandOf(words)?.names ?? 0);
  // Names of tools can be before the command: `mise exec node@20 -- make`.
  let most = MAY_HAVE_OPERAND.test(runner) ? 1 : runner === 'mise' ? words.length : least;
  for (let at = from; at < words.length; at++) {
    const { value = '', text = '' } = words[at] ?? {};
    if (!text.startsWith('$') && (value.startsWith('-') || value === '')) continue;
    if (/^\w+=/.test(value)) continue;
    const before = at > from ? (words[at - 1]?.value ?? '') : '';
    const isAfter = (options: typeof TAKES_VALUE): boolean =>
      options.some(([programs, option]) => programs.test(runner) && option.test(before));
    const mayBeValue = MAY_TAKE_VALUE.test(before) && !isAfter(TAKES_NO_VALUE);
    const isValue = isAfter(TAKES_VALUE);
    if (mayBeValue && !isValue) least = Math.max(0, least - 1);
    if (!mayBeValue && least > 0) {
      least--;
      most--;
      continue;
    }
    if (found.length >= MOST_TAILS) return { tails: found, isCut: true, mayLackCommand: true };
    const tail = words.slice(at);
    found.push(tail);
    const base = baseName(value);
    if (isRunner(base)) {
      runner = base;
      least += OPERAND_FIRST.test(base) ? 1 : 0;
      most += OPERAND_FIRST.test(base) || MAY_HAVE_OPERAND.test(base) ? 1 : 0;
    } else if (!mayBeValue && most > 0) most--;
    else if (!mayBeValue) {
      if (runsElsewhere(tail)) return { tails: found, isCut: false, mayLackCommand: false };
      const inner = expectedTails(tail);
      const tails = found.concat(inner.tails);
      return { ...inner, tails: tails.slice(0, MOST_TAILS), isCut: inner.isCut || tails.length > MOST_TAILS };
    }
  }
  return { tails: found, isCut: false, mayLackCommand: true };
});

export function isRunner(base: string): boolean {
  return RUNNERS.has(base) || /^ld(-linux.*)?\.so/.test(base);
}

/** Options of these programs take several words, so that the position of the command is uncertain. */
export function hasManyValues(base: string): boolean {
  return /^(bwrap|proot|firejail|systemd-nspawn|systemd-run|scl)$/.test(base);
}

export function isManager(base: string): boolean {
  return MANAGERS.test(base) || isPackageManager(base);
}

export function runsElsewhere(words: readonly ShellWord[]): boolean {
  const base = baseName(words[0]?.value ?? '');
  return ELSEWHERE.test(base) && !runsInNamespace(base, words.slice(1));
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

/** Returns the words of `find` and `fd`, also behind runners: `env find . -exec …`. On another machine, it finds no files of this one. */
export function findersIn(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const finders = runsOf(words, FINDERS);
  if (finders.length === 0) return finders;
  const elsewhere = runElsewhere(words);
  return finders.filter((finder) => finder.length > (elsewhere?.length ?? 0));
}

/** Returns the likely tails that run on this machine, also the program that starts a command elsewhere. */
export function localTails(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const elsewhere = runElsewhere(words);
  return likelyTails(words).filter((tail) => tail.length >= (elsewhere?.length ?? 0));
}

/** Returns the run of a program whose command is on another machine or in a container. */
function runElsewhere(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  return [words, ...likelyTails(words)].find((run) => {
    const base = baseName(run[0]?.value ?? '');
    // Most programs do not, so their other words are not copied.
    return mayRunElsewhere(base) && isElsewhere(base, run.slice(1));
  });
}

/** Returns the runs of such programs at the positions of commands. If these are uncertain, any position counts. */
function runsOf(words: readonly ShellWord[], programs: RegExp): readonly (readonly ShellWord[])[] {
  const isWanted = (name: string): boolean => programs.test(baseName(name));
  return hasUncertainCommand(words)
    ? tailsNamed(words, isWanted).tails
    : [words, ...likelyTails(words)].filter(([name]) => name !== undefined && isWanted(name.value));
}

/** Returns whether the position of a runner's command is uncertain. */
export function hasUncertainCommand(words: readonly ShellWord[]): boolean {
  const { tails, isCut } = expectedTails(words);
  return isCut || [words, ...tails].some(([name]) => hasManyValues(baseName(name?.value ?? '')));
}

export function runsOfFind(words: readonly ShellWord[]): readonly FindRun[] {
  const [name, ...args] = words;
  const base = baseName(name?.value ?? '');
  if (base === 'find')
    return commandsInFind(args).map(({ start, end }) => ({
      command: args.slice(start, end),
      own: [...args.slice(0, start), ...args.slice(end + 1)],
      isInFolders: args[start - 1]?.value.endsWith('dir') === true,
    }));
  return FINDERS.test(base) ? runsOfFd(args) : [];
}

/** Without a placeholder, `fd` adds the file at the end. */
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

/** Returns the program with its words in `python3 -m pylint x`, `-mpylint x` and `-Im pylint x`. */
export function moduleOfPython([name, ...args]: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  if (!/^(python|pypy)[\d.]*$/.test(baseName(name?.value ?? ''))) return [];
  const at = args.findIndex(({ value }) => /^-[A-Za-z]*m/.test(value));
  const option = args[at];
  if (option === undefined) return [];
  const value = option.value.slice(option.value.indexOf('m') + 1);
  return [[...(value === '' ? [] : [{ ...option, value, text: value }]), ...args.slice(at + 1)]];
}

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

export function isFeeder(base: string): boolean {
  return FEEDERS.test(base);
}

/** Returns the runs of `xargs` and `parallel`, also behind other runners: `env xargs git`. */
export function feedersIn(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  return runsOf(words, FEEDERS);
}

/** Returns the commands that `xargs` and `parallel` run, also with options, and behind other runners. */
export function fedCommands(words: readonly ShellWord[]): readonly Unwrapped[] {
  return feedersIn(words).flatMap(fedBy);
}

/** An option with a text that represents a line of the input. Its name can be abbreviated. */
const REPLACED = new RegExp(`^(?:${shortOption('IiJ', 'adEeLlnPs')}|--r[a-z]*=)(.*)$`, 's');
/** Options of which the next word is the value. */
const FEEDER_VALUE = /^-[0rtxpo]*[nLPsIdEajJRS]$/;

/** Returns the texts that options of `xargs` choose for a line of the input. */
export function inputPlaceholders(words: readonly ShellWord[]): readonly string[] {
  return words.flatMap(({ value }, index) => {
    const [, attached = ''] = REPLACED.exec(value) ?? [];
    // The value of `-i` is in the same word.
    const next = /^-.*[IJ]$/s.test(value) ? words[index + 1]?.value : undefined;
    return attached || next || [];
  });
}

/** A word that contains the text for a line of the input is unknown: `xargs -I{} git {}`. */
function fedBy(words: readonly ShellWord[]): readonly Unwrapped[] {
  const isValue = (run: readonly ShellWord[]): boolean =>
    FEEDER_VALUE.test(words[words.length - run.length - 1]?.value ?? '');
  const runs = likelyTails(words).filter((run) => !isValue(run));
  const options = words.slice(0, words.length - (runs.at(-1)?.length ?? 0));
  const placeholders = inputPlaceholders(options).concat('{');
  // Without a command, `parallel` runs the lines themselves.
  if (runs.length === 0 && words[0]?.value.endsWith('xargs') !== true)
    return words.some(({ value }) => /^--(version|help)$/.test(value))
      ? []
      : [{ words: [PIPED], more: true }];
  return runs.map((run) => ({
    words: run.map((word) => {
      const at = placeholders.map((text) => word.value.indexOf(text)).filter((index) => index >= 0);
      return at.length === 0
        ? word
        : { ...unknownWord(word.text), prefix: word.value.slice(0, Math.min(...at)) };
    }),
    more: true,
  }));
}

type Strip = (words: readonly ShellWord[], from: number) => number | undefined;

/** Returns the position of the command after the words of a wrapper, which begin at `from`. Undefined for an unknown usage. */
const WRAPPERS: ReadonlyMap<string, Strip> = new Map<string, Strip>([
  [
    'timeout',
    (words, from) =>
      after(
        words,
        from,
        /^(-v|--verbose|--foreground|--preserve-status|--(kill-after|signal)=\w+|-[ks]\w+)$/,
        /^(-k|-s)$/,
        /^[\d.]+[smhd]?$/,
      ),
  ],
  ['nice', (words, from) => after(words, from, /^(-\d+|--\d+|-n-?\d+|--adjustment=-?\d+)$/, /^-n$/)],
  // The grammar reads the keyword. In the middle of a pipeline, it is a program.
  ['time', (words, from) => after(words, from, /^-p$/)],
  ['nohup', (words, from) => after(words, from)],
  [
    'stdbuf',
    (words, from) => after(words, from, /^(-[ioe][L\d]\w*|--(input|output|error)=\w+)$/, /^-[ioe]$/),
  ],
  ['command', (words, from) => after(words, from, /^-p$/)],
  ['builtin', (words, from) => after(words, from)],
  ['noglob', (words, from) => after(words, from)],
  ['xargs', (words, from) => after(words, from)],
]);

/** The number of wrappers whose rests are results. Of more, only the last rest is one. */
const MOST_STAGES = 10;

/** Returns the command itself, then the rest after each wrapper. */
export const unwrap = remembered((words: readonly ShellWord[]): readonly Unwrapped[] => {
  const stages: Unwrapped[] = [];
  let [start, more] = [0, false];
  while (true) {
    const name = words[start];
    const next = name?.kind === 'literal' ? WRAPPERS.get(name.value)?.(words, start + 1) : undefined;
    if (stages.length < MOST_STAGES || next === undefined)
      stages.push({ words: start === 0 ? words : words.slice(start), more });
    if (next === undefined) return stages;
    more ||= name?.value === 'xargs';
    start = next;
  }
});

/** Skips plain options, options with a value, then one operand. Undefined unless a command follows. */
function after(
  words: readonly ShellWord[],
  from: number,
  alone?: RegExp,
  valued?: RegExp,
  operand?: RegExp,
): number | undefined {
  let at = from;
  while (true) {
    const word = words[at];
    if (word?.kind !== 'literal') return undefined;
    if (valued?.test(word.value)) {
      if (words[at + 1]?.kind !== 'literal') return undefined;
      at += 2;
    } else if (alone?.test(word.value)) at += 1;
    else break;
  }
  if (operand) {
    const word = words[at];
    if (word?.kind !== 'literal' || !operand.test(word.value)) return undefined;
    at += 1;
  }
  const command = words[at];
  return command === undefined || command.value.startsWith('-') ? undefined : at;
}
