/** Texts that a script gives to a program that runs its input: `echo 'cat x' | sh`. */
import type { ShellWord, SimpleCommand } from '@heddle/tools/shell';
import type { FilePart } from '../part.ts';
import type { Around } from './command-part.ts';
import { mentions } from './files/files-of.ts';
import { touchPart } from './files/file-parts.ts';
import { literalWord, touch, unknownWord } from './files/touch.ts';
import { isFedIn } from './interpreters.ts';
import { baseName, commandWords, unwrap } from './runners.ts';
import { findEmbeddedScripts } from './scripts.ts';
import { isFed, startsShell } from './unknown-code.ts';
import { codeOnInput } from './unknown-words.ts';
import { shortOption } from './short-options.ts';

/** The places in these texts count. If a text is changed or put together before it runs, its files are unknown. */
export function textsForCode(commands: readonly SimpleCommand[], { folders, world }: Around): FilePart[] {
  if (!commands.some(runsInput)) return [];
  const texts = commands.flatMap(({ args, redirections }) => [
    ...args,
    ...redirections.flatMap((one) => (one.kind === 'here_doc' ? [literalWord(one.body)] : [])),
    ...redirections.flatMap((one) => (one.kind === 'here_string' ? [one.target] : [])),
  ]);
  const isOpen = commands.some(
    (command) => feeds(command) && !runsInput(command) && !passesKnownText(command),
  );
  const unknown = touch('read', unknownWord('the files of a script on its input'), undefined, {
    knowledge: 'named',
  });
  return [...texts.flatMap(mentions), ...(isOpen ? [unknown] : [])].flatMap((one) =>
    touchPart(one, 'command', folders, world),
  );
}

function runsInput(command: SimpleCommand): boolean {
  const written = commandWords(command);
  if (findEmbeddedScripts(command, written).isUnknown || startsShell(written)) return true;
  const { words, more } = unwrap(written).at(-1) ?? { words: [], more: false };
  const [name, ...args] = words;
  const program = baseName(name?.value ?? '');
  const isGiven = command.redirections.some(({ kind }) => kind === 'here_doc' || kind === 'here_string');
  const isPiped = isGiven || command.inside.includes('pipeline');
  if (isFed(words, more)) return true;
  if (isPiped && codeOnInput(program, args, isPiped) !== undefined) return true;
  return /^([gmn]?awk|g?sed)$/.test(program) && args.some((word, at) => isProgramOnInput(word, args[at - 1]));
}

const FILE_OPTION = new RegExp(`^(?:${shortOption('f')}|--file(?:=|$))(.*)$`, 's');

/** `awk -f -`, `sed -f/dev/stdin`. */
function isProgramOnInput(word: ShellWord, before: ShellWord | undefined): boolean {
  const [, attached] = FILE_OPTION.exec(word.value) ?? [];
  if (attached) return isFedIn({ ...word, value: attached });
  return FILE_OPTION.exec(before?.value ?? '')?.[1] === '' && isFedIn(word);
}

function feeds({ inside }: SimpleCommand): boolean {
  return inside.some((construct) => /^(pipeline|process_substitution|substitution)$/.test(construct));
}

/** Signs with which a shell puts names together. */
const COMPUTED = /[*?[\]\\"'$`{}~]/;

/** A file of the project and an answer of another machine are not looked at. A script file would not be, either. */
function passesKnownText({ name, args, redirections }: SimpleCommand): boolean {
  const bodies = redirections.flatMap((one) => (one.kind === 'here_doc' ? [one.body] : []));
  const isPlain = [...args.map(({ value }) => value), ...bodies].every((text) => !COMPUTED.test(text));
  const isLiteral = args.every(({ kind }) => kind === 'literal');
  switch (name?.value) {
    case 'curl':
    case 'wget':
      return true;
    case 'echo':
      return isPlain && isLiteral && args[0]?.value.startsWith('-') !== true;
    case 'printf':
      return isPlain && isLiteral && args.length === 1 && !args[0]?.value.includes('%');
    case 'cat':
      return isPlain && isLiteral;
    default:
      return false;
  }
}
