/** A script that sets HOME: what `~` means in it, and where a bare `cd` leads, nobody can tell any more. */
import type { ReadCommand, ShellRedirection, ShellWord, SimpleCommand } from '@heddle/tools/shell';
import { unknownWord } from './files/touch.ts';

type Read = Extract<ReadCommand, { ok: true }>;

export function withoutHome(text: string, read: Read): Read {
  if (!/\bHOME\b/.test(text.replace(/\$\{?HOME\b/g, ''))) return read;
  return {
    ...read,
    commands: read.commands.map(homeless),
    redirections: read.redirections.map(redirected),
  };
}

function homeless(command: SimpleCommand): SimpleCommand {
  const { name, args, redirections } = command;
  const isBare = args.length === 0 && name?.value === 'cd';
  return {
    ...command,
    name: name && unknownTilde(name),
    args: isBare ? [unknownWord('~')] : args.map(unknownTilde),
    redirections: redirections.map(redirected),
  };
}

function redirected(redirection: ShellRedirection): ShellRedirection {
  if (redirection.kind === 'here_doc') return redirection;
  return { ...redirection, target: unknownTilde(redirection.target) };
}

function unknownTilde(word: ShellWord): ShellWord {
  return word.kind !== 'literal' && word.text.startsWith('~') ? unknownWord(word.text) : word;
}
