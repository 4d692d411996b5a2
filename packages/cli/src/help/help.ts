/** `heddle --help`, and `--help` after a command. */
import type { CommandName } from '../arguments/program-commands.ts';
import { writeMessage } from '../terminal/write-message.ts';
import { COMMAND_TEXTS } from './command-texts.ts';
import { type FlagHelp, GROUPS } from '../arguments/flag-kinds.ts';
import { FLAGS } from '../arguments/flags.ts';

const START = `Heddle, a coding agent for the terminal

  heddle                      start a conversation in this folder
  heddle "prompt"             start a conversation with this prompt
  heddle -p "prompt"          run one prompt and print the answer
  git diff | heddle -p "review this"
                              piped input becomes part of the prompt
  heddle -c                   continue the last conversation
  heddle --allowed-tools Read Edit -- "prompt"
                              a list contains every word up to the next flag; -- ends it

No key yet? Try it offline: heddle demo, or heddle --model rehearsal
`;

/** `columns`: the width of the terminal, if there is one. */
export function helpText(columns: number = WIDTH): string {
  const width = Math.min(columns, WIDTH);
  const line = (left: string, text: string): string => entry(left, text, width);
  const commands = Object.entries(COMMAND_TEXTS).map(([name, { text }]) => line(`heddle ${name}`, text));
  const groups = GROUPS.map((group) => {
    const flags = Object.entries<FlagHelp>(FLAGS).filter(([, flag]) => flag.group === group);
    return [`${group}:`, ...flags.map(([name, flag]) => line(flagWords(name, flag), meaningOf(flag)))].join(
      '\n',
    );
  });
  return `${[START, ['Commands:', ...commands].join('\n'), '', groups.join('\n\n')].join('\n')}\n`;
}

/** `printOwnHelp` runs the command with `help`, for commands whose usage is not in the table. */
export async function commandHelp(name: CommandName, printOwnHelp: () => Promise<unknown>): Promise<number> {
  const { usage, examples } = COMMAND_TEXTS[name];
  if (usage === undefined) await printOwnHelp();
  else writeMessage(`${usage}\n`);
  writeMessage(`\n${['For example:', ...examples].join('\n  ')}\n`);
  return 0;
}

function flagWords(name: string, { value, words, aliases = [] }: FlagHelp): string {
  const short = aliases.filter((alias) => alias.length === 2);
  return [[...short, name].join(', '), value ?? (words && 'WORD')].filter(Boolean).join(' ');
}

function meaningOf({ text, words }: FlagHelp): string {
  return words ? `${text}: ${words.join(', ')}` : text;
}

const COLUMN = 30;
const WIDTH = 100;
/** If descriptions have fewer columns than this beside the names, they go below the names. */
const MIN_DESCRIPTION_WIDTH = 30;
const INDENT_BELOW = 6;

/** The description also goes below a name that is too long for its column. */
function entry(left: string, text: string, width: number): string {
  const start = `  ${left}`;
  const column = width - COLUMN < MIN_DESCRIPTION_WIDTH ? INDENT_BELOW : COLUMN;
  const indent = ' '.repeat(column);
  const meaning = wrapped(text, width - column).join(`\n${indent}`);
  return start.length < column ? `${start.padEnd(column)}${meaning}` : `${start}\n${indent}${meaning}`;
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
