/**
 * The permissive reader: programs that run what their arguments say. Their own rule covers them; but what is denied stays
 * denied behind them, so every command that may hide in their arguments is held against deny and ask rules.
 */
import type { ShellWord, SimpleCommand } from '@heddle/tools/shell';

const RUNNERS: ReadonlySet<string> = new Set(
  (
    'env sudo doas su runuser pkexec gosu su-exec setpriv capsh setsid ionice chrt taskset numactl prlimit choom uclampset ' +
    'setarch linux32 linux64 chroot unshare nsenter firejail bwrap proot fakeroot cgexec strace ltrace gdb valgrind perf ' +
    'catchsegv watch xargs parallel busybox toybox exec eval trap bash sh zsh dash ksh ash fish rbash pwsh script ssh mosh ' +
    'pssh flock entr caffeinate chronic unbuffer rlwrap faketime systemd-run start-stop-daemon ssh-agent xvfb-run ' +
    'dbus-run-session dumb-init tini screen tmux hyperfine timeout gtimeout time nice nohup stdbuf command builtin noglob npx ' +
    'bunx pnpx uvx pipx dotenv op'
  ).split(' '),
);

/** They run a command behind one of their own words. */
const MANAGERS =
  /^(npm|pnpm|yarn|bun|uv|poetry|pipenv|rye|hatch|pdm|conda|mise|asdf|direnv|opam|bundle|rbenv|pyenv|lerna|nx|docker|podman|kubectl|nix|nix-shell|git)$/;
const RUN_WORD = /^(exec|x|dlx|run|--|-c|--command)$/;
const GIT_RUN_WORD = /^(foreach|run)$/;
/** Their `run` takes the name of a script in the project. */
const SCRIPT_RUNNERS = /^(npm|pnpm|yarn|bun)$/;

/** What runs behind them sees other files than these: those of a container. */
const ELSEWHERE = /^(docker|podman|kubectl)$/;

/** Every tail of a runner's words may be a command. */
export function tails(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const [name] = words;
  if (name === undefined) return [];
  const base = baseName(name.value);
  const runs = isRunner(base);
  if (!runs && !isManager(base)) return [];
  const isRunWord = ({ value }: ShellWord) =>
    base === 'git'
      ? GIT_RUN_WORD.test(value)
      : RUN_WORD.test(value) && !(value === 'run' && SCRIPT_RUNNERS.test(base));
  const from = runs ? 1 : words.findIndex(isRunWord) + 1;
  if (from === 0) return [];
  return words.slice(from).flatMap((word, index) => (mayBeName(word) ? [words.slice(from + index)] : []));
}

export function isRunner(base: string): boolean {
  return RUNNERS.has(base) || /^ld(-linux.*)?\.so/.test(base);
}

export function isManager(base: string): boolean {
  return MANAGERS.test(base);
}

export function runsElsewhere([name]: readonly ShellWord[]): boolean {
  return name !== undefined && ELSEWHERE.test(baseName(name.value));
}

/** What `find` runs on each file. Unlike a runner it is not known for that: its own rule does not cover them. */
export function executed(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const [name] = words;
  if (name === undefined || !/^(find|fd|fdfind)$/.test(baseName(name.value))) return [];
  const commands: (readonly ShellWord[])[] = [];
  words.forEach((word, index) => {
    if (!/^(-exec(dir)?|-ok(dir)?|-x|-X|--exec(-batch)?)$/.test(word.value)) return;
    const rest = words.slice(index + 1);
    const end = rest.findIndex(({ value }) => value === ';' || value === '+');
    commands.push(end < 0 ? rest : rest.slice(0, end));
  });
  return commands;
}

export function wordsOf({ name, args }: SimpleCommand): readonly ShellWord[] {
  return name ? [name, ...args] : [];
}

export function baseName(value: string): string {
  return value.slice(value.lastIndexOf('/') + 1);
}

function mayBeName({ value }: ShellWord): boolean {
  return !value.startsWith('-') && value !== '';
}
