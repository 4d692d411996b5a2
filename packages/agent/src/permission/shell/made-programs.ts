/** Commands that may run what an earlier command of the script made: a file, or another name for a program. */
import { isHarmlessPrefix, type SimpleCommand, type ShellWord } from '@heddle/tools/shell';
import type { FilePart, Part } from '../part.ts';
import type { PlacedCommand } from './earlier-effects.ts';
import { isProjectRunner, touchesFiles } from './files/files-of.ts';
import { isTalker } from './files/named-places.ts';
import {
  baseName,
  commandWords,
  isManager,
  isRunner,
  likelyTails,
  runsElsewhere,
  unwrap,
} from './runners.ts';
import { optionPattern } from './short-options.ts';

/** They write no content of the script's choice. */
const WITHOUT_CONTENT =
  /^(mkdir|touch|rm|rmdir|unlink|shred|chmod|chown|chgrp|chattr|setfacl|mkfifo|mknod|truncate|git)$/;
/** They make files of other files of the project. */
const COMPILERS =
  /^(gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|javac|tsc|ld|go|swiftc|kotlinc|esbuild|protoc)$/;
/** Texts that no program runs unless a word names them. */
const DATA = /\.(txt|log|md|csv|tsv|out|err)$/;
/** They write files that are not parts of the call. */
const UNPACKERS =
  /^(bsdtar|gtar|patch|7z|7za|7zr|7zz|cpio|pax|unrar|unar|jar|ar|cabextract|dpkg-deb|unsquashfs)$/;

/**
 * Returns the commands that may run a file, after another command that writes one. Which file they run is often unknown: `make`,
 * `sh r/x` after `mv q r`. `parts` are those of each command.
 */
export function runsAfterWrites(
  commands: readonly PlacedCommand[],
  parts: readonly (readonly Part[])[],
): SimpleCommand[] {
  const writes = commands.map(({ command }, at) => contentOf(command, parts[at] ?? []));
  if (writes.every((made) => made === 'nothing')) return [];
  return commands.flatMap(({ command }, at) => {
    const before = new Set(writes.filter((_, index) => index < at || (index !== at && isRepeated(command))));
    const isData = isProjectRunner(baseName(lastWords(command)[0]?.value ?? ''));
    const counts = before.has('any') || (before.has('data') && !isData);
    return counts && mayRunFile(command, parts[at]?.[0]) ? [command] : [];
  });
}

function isRepeated({ inside }: SimpleCommand): boolean {
  return inside.some((construct) => /^(loop|function|background|coproc)$/.test(construct));
}

function lastWords(command: SimpleCommand): readonly ShellWord[] {
  return unwrap(commandWords(command)).at(-1)?.words ?? [];
}

type Content = 'nothing' | 'data' | 'any';

function contentOf(command: SimpleCommand, parts: readonly Part[]): Content {
  const base = baseName(lastWords(command)[0]?.value ?? '');
  const [own] = parts;
  const isProven = own?.kind === 'command' && own.readOnly !== 'no';
  if (UNPACKERS.test(base) || (/^[gmn]?awk$/.test(base) && !isProven)) return 'any';
  const isPlain = WITHOUT_CONTENT.test(base) || COMPILERS.test(base);
  const written = parts.filter(isWrite).filter(({ by }) => !isPlain || by !== 'command');
  if (written.length === 0) return 'nothing';
  return written.every(({ places, glob }) => !glob && places?.every(({ path }) => DATA.test(path)))
    ? 'data'
    : 'any';
}

function isWrite(part: Part): part is FilePart {
  return part.kind === 'write';
}

/** Variables that name files or folders with code. */
const NAMES_CODE = /(PATH|ENV|PRELOAD|LIBRARY|OPT|OPTS|OPTIONS|FLAGS|RC|SHELL)$/;
/** Options that name a file with code: `sed -f x`, `awk -fx`, `sed --file=x`. */
const CODE_FILE = optionPattern({ letters: 'fEiL', valued: 'Fv', long: 'fi|from-f|ex|in|lo' });
/** They run no file of the machine, except hooks and settings, which are protected. */
const RUNS_NO_FILE =
  /^(git|gh|curl|wget|tr|test|\[|local|read|wait|break|continue|pwd|id|uname|date|ps|pgrep|kill|pkill|tar|gtar|zip|unzip|export|declare|typeset|readonly|find|xargs|shopt|umask|ulimit|alias|unalias|hash)$/;

function mayRunFile(command: SimpleCommand, own: Part | undefined): boolean {
  const { assignments } = command;
  const words = lastWords(command);
  const isSet = (text: string): boolean => NAMES_CODE.test(/^(\w+)\+?=/.exec(text)?.[1] ?? '');
  if (assignments.some(({ name }) => NAMES_CODE.test(name)) && !assignments.every(isHarmlessPrefix))
    return true;
  if (words.some(({ value }) => isSet(value))) return true;
  if (words.length === 0 || (own?.kind === 'command' && own.readOnly !== 'no')) return false;
  const tails = likelyTails(words);
  return (tails.length > 0 ? tails : [words]).some(runsFile);
}

function runsFile(words: readonly ShellWord[]): boolean {
  const [name, ...args] = words;
  const base = baseName(name?.value ?? '');
  if (name?.kind !== 'literal' || /^[^/].*\/|^\/(?!usr\/|bin\/|sbin\/)/.test(name.value)) return true;
  if (isRunner(base) && likelyTails(words).length === 0) return !/^(xargs|env|time)$/.test(base);
  if (isTalker(base) || RUNS_NO_FILE.test(base) || runsElsewhere(words)) return false;
  if (/^([gmn]?awk|g?sed|jq|yq)$/.test(base)) return args.some(({ value }) => CODE_FILE.test(value));
  return isManager(base) || !touchesFiles(base) || /^(source|\.)$/.test(base);
}

/** Returns whether a command gives a program another name, so that a later name may mean any program. */
export function definesNames(command: SimpleCommand): boolean {
  const [name, ...args] = lastWords(command);
  if (name?.value === 'alias')
    return args.some(({ kind, value }) => kind !== 'literal' || value.includes('='));
  if (name?.value === 'hash')
    return args.some(({ kind, value }) => kind !== 'literal' || optionPattern({ letters: 'p' }).test(value));
  return command.assignments.some((assignment) => /^BASH_(ALIASES|CMDS)$/.test(assignment.name));
}
