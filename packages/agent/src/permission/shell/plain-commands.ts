/** Writes commands without the words that only choose where or with which version a program runs. */
import type { ShellWord } from '@heddle/tools/shell';
import { gitArguments } from './files/git-arguments.ts';
import { baseName } from './runners.ts';

/** The first argument of these programs may choose a version of them: `cargo +nightly publish`. */
const TOOLCHAINS =
  /^(cargo(-.+)?|rust(c|doc|fmt|up|-analyzer|-gdb|-lldb)|clippy-driver|lake|lean|leanc|leanmake|julia)$/;

/** Some disks ignore the case of names. */
function programOf(value: string): string {
  return baseName(value)
    .toLowerCase()
    .replace(/\.exe$/, '');
}

export function mayHavePlainForm(value: string): boolean {
  const program = programOf(value);
  return TOOLCHAINS.test(program) || /^git(-.+)?$/.test(program);
}

/**
 * A deny rule for `git push` also matches `git -C folder push` and `git-push`, and one for `cargo publish` also matches
 * `cargo +nightly publish`. Returns an empty list if the words have no such form.
 */
export function plainCommands([name, ...args]: readonly ShellWord[]): (readonly ShellWord[])[] {
  if (name === undefined) return [];
  const base = programOf(name.value);
  if (TOOLCHAINS.test(base) && args[0]?.value.startsWith('+') === true)
    return [[{ ...name, value: base, text: base }, ...args.slice(1)]];
  const git = { ...name, value: 'git', text: 'git' };
  const [, command] = /^git-(.+)$/.exec(base) ?? [];
  if (command !== undefined) return [[git, { ...name, value: command, text: command }, ...args]];
  if (base !== 'git' || !args[0]?.value.startsWith('-')) return [];
  const { rest } = gitArguments(args);
  return [[git, ...args.slice(-1 - rest.length)]];
}
