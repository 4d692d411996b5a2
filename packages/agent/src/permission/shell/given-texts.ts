/** The texts that a program gets: what the shell makes of the words of its command, and of the text on its input. */
import type { ShellRedirection, ShellWord, SimpleCommand } from '@heddle/tools/shell';
import type { GivenTexts } from '../part.ts';
import { expandBraces } from './files/operands.ts';
import { unknownWord } from './files/touch.ts';
import { expandedTexts, type WordScope } from './possible-values.ts';
import { commandWords } from './runners.ts';
import { SOME_NUMBER } from './shell-state.ts';

/** The number of characters of texts that are collected in one step. */
const CHARACTERS_PER_STEP = 256;

/**
 * Returns the texts that are not written in the words of the command itself. `connects`: its program connects to hosts among its
 * words. An earlier command may make the files that a glob finds, so for such a program the glob itself counts as well.
 */
export function givenTexts(
  command: SimpleCommand,
  connects: boolean,
  scope: WordScope,
): Omit<GivenTexts, 'hosts'> {
  const known: string[] = [];
  const unknown: string[] = [];
  const words = [...commandWords(command), ...command.redirections.flatMap(inputWords)];
  // A later command uses an assigned variable. Its words count there, if the value is unknown.
  const assigned = command.assignments.flatMap(({ value }) => value ?? []);
  for (const word of [...words, ...assigned].filter(({ kind }) => kind !== 'literal')) {
    const values = valuesOf(word, scope);
    for (const value of values ?? [])
      (value.includes(SOME_NUMBER) ? unknown : known).push(value.replaceAll(SOME_NUMBER, '*'));
    const isOpen = values === undefined || (connects && word.kind === 'pattern');
    if (isOpen && !assigned.includes(word)) unknown.push(withStars(word.value));
  }
  known.push(...command.redirections.flatMap(inputTexts));
  const texts = { known: known.join('\n'), unknown: unknown.join('\n') };
  scope.world.spend?.(Math.ceil((texts.known.length + texts.unknown.length) / CHARACTERS_PER_STEP));
  return texts;
}

function inputTexts(redirection: ShellRedirection): readonly string[] {
  if (redirection.kind === 'here_doc') return [redirection.body];
  return redirection.kind === 'here_string' ? [redirection.target.value] : [];
}

/** The shell reads a here-document like a text in double quotes. Such a quote in it has no effect. */
function inputWords(redirection: ShellRedirection): readonly ShellWord[] {
  if (redirection.kind === 'here_string') return [redirection.target];
  if (redirection.kind !== 'here_doc' || !redirection.expands || !/[$`]/.test(redirection.body)) return [];
  return [unknownWord(`"${redirection.body.replaceAll('"', ' ')}"`)];
}

/** Undefined if a value of the word is unknown. */
function valuesOf(word: ShellWord, scope: WordScope): readonly string[] | undefined {
  const braces = expandBraces(word);
  if (braces.length !== 1 || braces[0] !== word) return braces.map(({ value }) => value);
  return expandedTexts(word, scope);
}

/** The beginning of something that the shell replaces. The brackets of the address `[::1]` are not a set of letters. */
const REPLACED = /\$\(|\$\{|`|\$[A-Za-z_]\w*|\$.|\{[^{}]*\}|\[(?![\da-f.]*:[\da-f:.]*\])[^\]]*\]|[*?]/gis;

/** Represents what the shell replaces by stars: `https://*.com` for `https://$(cat a).com`. */
function withStars(text: string): string {
  let starred = '';
  let at = 0;
  while (at < text.length) {
    REPLACED.lastIndex = at;
    const found = REPLACED.exec(text);
    if (found === null) break;
    starred += `${text.slice(at, found.index)}*`;
    at = endOfReplaced(text, found.index, found[0]);
  }
  return starred + text.slice(at);
}

/** An end that is not found is the end of the text. */
function endOfReplaced(text: string, start: number, found: string): number {
  if (found === '`') {
    const end = text.indexOf('`', start + 1);
    return end < 0 ? text.length : end + 1;
  }
  if (found !== '$(' && found !== '${') return start + found.length;
  const [open, close] = found === '$(' ? ['(', ')'] : ['{', '}'];
  let depth = 0;
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === open) depth++;
    if (text[at] === close && --depth === 0) return at + 1;
  }
  return text.length;
}
