import { type Chat, COMMAND_GROUPS, type SlashCommand } from './command.ts';
import { editDistance } from '../arguments/collect-flags.ts';

/** A longer name gets a line of its own. */
const WIDEST_NAME = 24;

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ['Tab', 'completes a command or a path; @ lists the files of this folder'],
  ['Up, Down, Ctrl-R', 'earlier prompts; a search in them'],
  ['Ctrl-J, Alt-Enter', 'another line'],
  ['Shift-Tab', 'the next mode: default, acceptEdits, plan'],
  ['Ctrl-G', 'your own editor ($VISUAL, $EDITOR)'],
  ['Ctrl-C', 'interrupts; twice at the prompt, it leaves'],
  ['Esc', 'sends what you typed at once, or interrupts'],
];

const NOTES = [
  'a backslash at the end of a line begins another line',
  '!command runs a shell command of your own; the model sees what came of it',
  'what you type while the model works joins it',
];

export function help(commands: readonly SlashCommand[], { say, style: { paint }, readsKeys }: Chat): void {
  const groups = COMMAND_GROUPS.flatMap((group) => {
    const listed = commands.filter(({ about }) => about === group);
    const rows = listed.map(({ name, hint, help }) =>
      row(hint === undefined ? `/${name}` : `/${name} ${hint}`, help),
    );
    return [paint('bold', group)].concat(rows);
  });
  const keys = readsKeys ? [paint('bold', 'keys'), ...KEYS.map(([key, what]) => row(key, what))] : [];
  say([...groups, ...keys, ...NOTES.map((note) => paint('dim', `  ${note}`))].join('\n'));
}

function row(name: string, what: string): string {
  const gap = ' '.repeat(WIDEST_NAME + 4);
  return name.length > WIDEST_NAME ? `  ${name}\n${gap}${what}` : `  ${name.padEnd(WIDEST_NAME)}  ${what}`;
}

/** The word that was probably meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const begun = known.filter((candidate) => word.length > 1 && candidate.startsWith(word));
  if (begun.length === 1) return begun[0];
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(candidate, word) }))
    .sort((left, right) => left.distance - right.distance);
  const [first] = ranked;
  return first !== undefined && first.distance <= Math.max(1, word.length / 3) ? first.candidate : undefined;
}

/** The edit distance, in which two swapped adjacent letters count as one error. */
function distance(candidate: string, word: string): number {
  const swapped = Array.from(
    { length: Math.max(0, word.length - 1) },
    (_, at) => word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
  );
  return Math.min(
    editDistance(candidate, word),
    ...swapped.map((other) => 1 + editDistance(candidate, other)),
  );
}
