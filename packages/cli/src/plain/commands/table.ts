/** The slash commands. Those with more to say have a file of their own, loaded when they are used. */
import { isCommand } from '../../commands.ts';
import type { SlashCommand } from './command.ts';
import { nearest } from './nearest.ts';

export const COMMANDS: readonly SlashCommand[] = [
  {
    name: 'help',
    also: ['?'],
    help: 'this list',
    anytime: true,
    run: (_words, { say, style }) => say(helpLines(style.paint).join('\n')),
  },
  {
    name: 'clear',
    also: ['new'],
    help: 'begin a new session',
    run: async (_words, chat) => (await import('./session.ts')).clear(chat),
  },
  {
    name: 'compact',
    hint: '[instructions]',
    help: 'replace the conversation by a summary of it',
    run: async (words, chat) => (await import('./context.ts')).compact(words, chat),
  },
  {
    name: 'uncompact',
    also: ['undo-compact'],
    help: 'put back what the last compaction replaced',
    run: async (_words, chat) => (await import('./context.ts')).uncompact(chat),
  },
  {
    name: 'context',
    help: 'what fills the window',
    anytime: true,
    run: async (_words, chat) => (await import('./context.ts')).context(chat),
  },
  {
    name: 'cost',
    also: ['usage'],
    help: 'what this session has cost',
    anytime: true,
    run: async (_words, chat) => (await import('./status.ts')).cost(chat),
  },
  {
    name: 'status',
    help: 'session, model, mode, folder',
    anytime: true,
    run: async (_words, chat) => (await import('./status.ts')).status(chat),
  },
  {
    name: 'model',
    hint: '[name]',
    help: 'show or change the model',
    run: async (words, chat) => (await import('./model.ts')).model(words, chat),
  },
  {
    name: 'effort',
    hint: '[low|medium|high|xhigh|max]',
    help: 'how much work goes into an answer',
    run: async (words, chat) => (await import('./model.ts')).effort(words, chat),
  },
  {
    name: 'mode',
    hint: '[mode]',
    help: 'show or change the permission mode',
    anytime: true,
    run: async (words, chat) => (await import('./permissions.ts')).mode(words, chat),
  },
  {
    name: 'permissions',
    hint: '[add|remove allow|ask|deny RULE]',
    help: 'show or change the rules',
    run: async (words, chat) => (await import('./permissions.ts')).permissions(words, chat),
  },
  {
    name: 'resume',
    hint: '[session]',
    help: 'go on with another session',
    run: async (words, chat) => (await import('./session.ts')).resume(words, chat),
  },
  {
    name: 'sessions',
    help: 'the sessions of this folder',
    anytime: true,
    run: async (_words, chat) => (await import('./session.ts')).sessions(chat),
  },
  {
    name: 'rewind',
    hint: '[number]',
    help: 'go back to an earlier prompt: conversation, files or both',
    run: async (words, chat) => (await import('./rewind.ts')).rewind(words, chat),
  },
  {
    name: 'rename',
    hint: '[title]',
    help: 'give this session a name',
    run: async (words, chat) => (await import('./session.ts')).rename(words, chat),
  },
  {
    name: 'export',
    hint: '[file]',
    help: 'write this conversation to a file',
    run: async (words, chat) => (await import('./session.ts')).exportTo(words, chat),
  },
  {
    name: 'todos',
    help: 'the steps the model has in mind',
    anytime: true,
    run: async (_words, chat) => (await import('./work.ts')).todos(chat),
  },
  {
    name: 'tasks',
    help: 'commands in the background',
    anytime: true,
    run: async (_words, chat) => (await import('./work.ts')).tasks(chat),
  },
  ...(isCommand('doctor')
    ? [
        {
          name: 'doctor',
          help: 'look for what is wrong',
          run: async () => (await import('./work.ts')).doctor(),
        },
      ]
    : []),
  { name: 'exit', also: ['quit', 'q'], help: 'leave', anytime: true, run: (_words, { leave }) => leave() },
];

export type Slash =
  | { readonly kind: 'command'; readonly command: SlashCommand; readonly words: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** Undefined for what is no command: a path begins with a slash, too. */
export function readSlash(line: string): Slash | undefined {
  const [, name, words = ''] = /^\/([a-z?][\w:?-]*)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? [];
  if (name === undefined) return undefined;
  const wanted = name.toLowerCase();
  const command = COMMANDS.find((known) => known.name === wanted || known.also?.includes(wanted));
  if (command) return { kind: 'command', command, words: words.trim() };
  const near = nearest(
    wanted,
    COMMANDS.flatMap(({ name, also = [] }) => [name, ...also]),
  );
  const hint = near === undefined ? 'See /help.' : `Did you mean /${near}?`;
  return { kind: 'unknown', message: `There is no command /${name}. ${hint}` };
}

function helpLines(paint: (look: 'bold' | 'dim', text: string) => string): string[] {
  const left = COMMANDS.map(({ name, hint }) => (hint === undefined ? `/${name}` : `/${name} ${hint}`));
  const width = Math.min(24, Math.max(...left.map((text) => text.length)));
  const commands = COMMANDS.map(({ help }, index) => {
    const words = left[index] ?? '';
    return words.length > width
      ? `  ${words}\n  ${' '.repeat(width)}  ${help}`
      : `  ${words.padEnd(width)}  ${help}`;
  });
  return [
    ...commands,
    paint('dim', '  !command runs a shell command of your own; the model sees what came of it'),
    paint('dim', '  a backslash at the end of a line, or Ctrl-J, begins another line'),
    paint('dim', '  Ctrl-C interrupts; what you type while the model works joins it'),
  ];
}
