/**
 * The permissive reader: programs that run what their arguments say. Their own rule covers them; but what is denied stays
 * denied behind them, so every command that may hide in their arguments is held against deny and ask rules.
 */
import { readCommand, type ShellWord, type SimpleCommand } from '@heddle/tools/shell';

const RUNNERS: ReadonlySet<string> = new Set(
  (
    'env sudo doas su runuser setsid ionice chrt taskset numactl chroot unshare nsenter firejail bwrap strace ltrace gdb ' +
    'watch xargs parallel busybox toybox exec eval trap bash sh zsh dash ksh ash fish rbash script ssh flock entr ' +
    'caffeinate chronic unbuffer rlwrap faketime fakeroot proot systemd-run timeout time nice nohup stdbuf command builtin ' +
    'noglob npx bunx pnpx uvx pipx dotenv op'
  ).split(' '),
);

/** They run a command behind one of their own words. */
const MANAGERS =
  /^(npm|pnpm|yarn|bun|uv|poetry|pipenv|rye|hatch|pdm|conda|mise|asdf|direnv|docker|podman|kubectl|nix|nix-shell)$/;
const RUN_WORD = /^(exec|x|dlx|run|--|-c|--command)$/;
/** Their `run` takes the name of a script in the project. */
const SCRIPT_RUNNERS = /^(npm|pnpm|yarn|bun)$/;

/** Besides the runners, those that take a script among their settings. */
const SCRIPTED = /^(git|make|find|fd|fdfind|at|tmux|screen)$/;

const DEEPEST = 3;

/** Every tail of a runner's words may be a command. */
export function tails(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const [name] = words;
  if (name === undefined) return [];
  const base = baseName(name.value);
  const runs = RUNNERS.has(base);
  if (!runs && !MANAGERS.test(base)) return [];
  const isRunWord = ({ value }: ShellWord) =>
    RUN_WORD.test(value) && !(value === 'run' && SCRIPT_RUNNERS.test(base));
  const from = runs ? 1 : words.findIndex(isRunWord) + 1;
  if (from === 0) return [];
  return words.slice(from).flatMap((word, index) => (mayBeName(word) ? [words.slice(from + index)] : []));
}

/** Scripts in a runner's arguments: `bash -c '…'`, `eval …`, `find -exec sh -c '…'`. */
export function embedded(words: readonly ShellWord[], depth = 0): SimpleCommand[] {
  const [name, ...args] = words;
  if (name === undefined || depth >= DEEPEST) return [];
  const base = baseName(name.value);
  if (!RUNNERS.has(base) && !MANAGERS.test(base) && !SCRIPTED.test(base)) return [];
  const texts = args.filter(({ value }) => /[\s;&|<>]/.test(value)).map(({ value }) => value);
  if (name.value === 'eval') texts.push(args.map(({ value }) => value).join(' '));
  return texts.flatMap((text) => {
    // An alias of git begins with its name and a !.
    const read = readCommand(text.replace(/^([\w.]+=)?!/, ''));
    if (!read.ok) return [];
    return read.commands.flatMap((command) => [command].concat(embedded(wordsOf(command), depth + 1)));
  });
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
