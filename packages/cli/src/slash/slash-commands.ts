/** The slash commands of every surface, in one table. The code of a command is loaded when the command is used. */
import type { Prompt } from '@heddle/agent';
import type { SessionExtensions } from '@heddle/agent/extensions';
import type { SlashCommand } from './command.ts';
import { help, nearest } from './help.ts';

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'clear',
    also: ['new'],
    help: 'begin a new session',
    about: 'the session',
    headless: async (started) => (await import('./answers.ts')).clearAnswer(started),
    run: async (_words, chat) => (await import('./session.ts')).clear(chat),
  },
  {
    name: 'continue',
    help: 'continue the prompt that was cut off, where it stopped',
    about: 'the conversation',
    headless: 'engine',
    isPrompt: true,
    run: () => undefined,
  },
  {
    name: 'compact',
    hint: '[instructions]',
    help: 'replace the conversation by a summary of it',
    about: 'the conversation',
    headless: 'engine',
    run: async (words, chat) => (await import('./context.ts')).compactSlash(words, chat),
  },
  {
    name: 'uncompact',
    also: ['undo-compact'],
    help: 'put back what the last compaction replaced',
    about: 'the conversation',
    headless: async ({ agent }) => (await import('./answers.ts')).uncompactAnswer(agent),
    run: async (_words, chat) => (await import('./context.ts')).uncompact(chat),
  },
  {
    name: 'context',
    help: 'what fills the window',
    about: 'the conversation',
    anytime: true,
    headless: async ({ agent }) => (await import('./answers.ts')).contextAnswer(agent),
    run: async (_words, chat) => (await import('./context.ts')).context(chat),
  },
  {
    name: 'cost',
    also: ['usage'],
    help: 'what this session has cost',
    about: 'the conversation',
    anytime: true,
    headless: async ({ agent }) => (await import('./answers.ts')).costAnswer(agent),
    run: async (_words, chat) => (await import('./status.ts')).cost(chat),
  },
  {
    name: 'btw',
    hint: '[question]',
    help: 'ask something beside the work, also while it runs; the conversation does not change',
    about: 'the conversation',
    anytime: true,
    headless: async ({ agent }, words) => (await import('./answers.ts')).asideAnswer(agent, words),
    run: async (words, chat) => (await import('./context.ts')).aside(words, chat),
  },
  {
    name: 'status',
    help: 'session, model, mode, folder',
    about: 'the session',
    anytime: true,
    headless: 'text',
    run: async (_words, chat) => (await import('./status.ts')).status(chat),
  },
  {
    name: 'model',
    hint: '[name]',
    help: 'show or change the model',
    about: 'the model and its rights',
    headless: 'text',
    run: async (words, chat) => (await import('./pickers.ts')).modelSlash(words, chat),
  },
  {
    name: 'effort',
    hint: '[low|medium|high|xhigh|max]',
    help: 'how much work goes into an answer',
    about: 'the model and its rights',
    headless: 'text',
    run: async (words, chat) => (await import('./context.ts')).effort(words, chat),
  },
  {
    name: 'fast',
    hint: '[on|off]',
    help: 'whether a model that offers it answers faster, at a higher price',
    about: 'the model and its rights',
    headless: 'text',
    run: async (words, chat) => (await import('./context.ts')).fast(words, chat),
  },
  {
    name: 'thinking',
    hint: '[on|off|TOKENS]',
    help: 'whether the model thinks before it answers',
    about: 'the model and its rights',
    headless: 'text',
    run: async (words, chat) => (await import('./context.ts')).thinking(words, chat),
  },
  {
    name: 'mode',
    hint: '[mode]',
    help: 'show or change the permission mode',
    about: 'the model and its rights',
    anytime: true,
    headless: 'text',
    run: async (words, chat) => (await import('./permissions.ts')).mode(words, chat),
  },
  {
    name: 'permissions',
    hint: '[add|remove allow|ask|deny RULE]',
    help: 'show or change the rules',
    about: 'the model and its rights',
    headless: 'text',
    run: async (words, chat) => (await import('./permissions.ts')).permissionsSlash(words, chat),
  },
  {
    name: 'hooks',
    help: 'the hooks that run here, and those that do not',
    about: 'the model and its rights',
    anytime: true,
    headless: async (started) => (await import('./answers.ts')).hooksAnswer(started),
    run: async (_words, { started, say }) =>
      say((await import('../hooks/list-hooks.ts')).hookList(started.hooks.list())),
  },
  {
    name: 'memory',
    help: 'the instruction files that apply, and why',
    about: 'the conversation',
    anytime: true,
    headless: 'text',
    run: async (_words, chat) => (await import('./memory.ts')).memory(chat),
  },
  {
    name: 'mcp',
    hint: '[server]',
    help: 'the MCP servers, their state and tools',
    about: 'the model and its rights',
    anytime: true,
    headless: 'text',
    run: async (words, chat) => (await import('./status.ts')).mcp(words, chat),
  },
  {
    name: 'skills',
    help: 'the skills and commands from files',
    about: 'the conversation',
    anytime: true,
    headless: 'text',
    run: async (_words, chat) => (await import('./extension-lists.ts')).skills(chat),
  },
  {
    name: 'agents',
    help: 'the types of subagents that the model may start',
    about: 'the conversation',
    anytime: true,
    headless: 'text',
    run: async (_words, chat) => (await import('./extension-lists.ts')).agents(chat),
  },
  {
    name: 'init',
    hint: '[focus]',
    help: 'let the model write AGENTS.md for this project',
    about: 'the conversation',
    headless: 'engine',
    isPrompt: true,
    run: () => undefined,
  },
  {
    name: 'resume',
    hint: '[session|all]',
    help: 'continue another session; all lists those of all folders',
    about: 'the session',
    run: async (words, chat) => (await import('./session.ts')).resumeSlash(words, chat),
  },
  {
    name: 'sessions',
    help: 'the sessions of this folder',
    about: 'the session',
    anytime: true,
    headless: 'text',
    run: async (_words, chat) => (await import('./session.ts')).sessionsSlash(chat),
  },
  {
    name: 'rewind',
    hint: '[number [both|conversation|files]]',
    help: 'go back to an earlier prompt: conversation, files or both',
    about: 'the conversation',
    headless: 'text',
    run: async (words, chat) => (await import('./rewind.ts')).rewindSlash(words, chat),
  },
  {
    name: 'rename',
    hint: '[title]',
    help: 'give this session a name',
    about: 'the session',
    headless: 'text',
    run: async (words, chat) => (await import('./session.ts')).renameSlash(words, chat),
  },
  {
    name: 'export',
    hint: '[file]',
    help: 'write this conversation to a file',
    about: 'the session',
    headless: 'text',
    run: async (words, chat) => (await import('./session.ts')).exportTo(words, chat),
  },
  {
    name: 'output',
    hint: '[number]',
    help: 'the last result and thinking in full; 2 is the call before',
    about: 'the conversation',
    anytime: true,
    headless: 'text',
    run: async (words, chat) => (await import('./status.ts')).output(words, chat),
  },
  {
    name: 'help',
    also: ['?'],
    help: 'this list',
    about: 'the rest',
    anytime: true,
    headless: async () => (await import('./answers.ts')).helpAnswer(SLASH_COMMANDS),
    run: (_words, chat) => Promise.resolve(help(SLASH_COMMANDS, chat)),
  },
  {
    name: 'todos',
    help: 'the steps the model has in mind',
    about: 'the rest',
    anytime: true,
    headless: 'text',
    run: async (_words, chat) => (await import('./status.ts')).todos(chat),
  },
  {
    name: 'tasks',
    hint: '[[stop] id | background]',
    help: 'commands and agents in the background; what one wrote; its end',
    about: 'the rest',
    anytime: true,
    headless: 'text',
    run: async (words, chat) => (await import('./tasks.ts')).tasks(words, chat),
  },
  {
    name: 'loop',
    hint: '[steps]',
    help: 'the last decisions of the loop, and why',
    about: 'the rest',
    anytime: true,
    headless: 'text',
    run: async (words, chat) => (await import('./status.ts')).loop(words, chat),
  },
  {
    name: 'remember',
    hint: '[text]',
    help: 'add a line to an instruction file; the same as # and the text',
    about: 'the conversation',
    run: async (words, chat) => (await import('./memory.ts')).remember(words, chat),
  },
  {
    name: 'theme',
    hint: '[name]',
    help: 'the colors of the screen',
    about: 'the rest',
    run: async (words, chat) => (await import('./pickers.ts')).themeSlash(words, chat),
  },
  {
    name: 'keybindings',
    also: ['keys'],
    help: 'your own keys, the file that sets them, and the actions',
    about: 'the rest',
    anytime: true,
    run: async (_words, chat) => (await import('./status.ts')).keybindings(chat),
  },
  {
    name: 'doctor',
    help: 'look for what is wrong',
    about: 'the rest',
    run: async (_words, chat) => (await import('./status.ts')).doctorSlash(chat),
  },
  {
    name: 'exit',
    also: ['quit', 'q'],
    help: 'leave',
    about: 'the rest',
    anytime: true,
    run: (_words, { leave }) => leave(),
  },
];

export type Slash =
  | { readonly kind: 'command'; readonly command: SlashCommand; readonly words: string }
  /** A command or skill from a file. The agent turns it into a prompt. */
  | { readonly kind: 'prompt' }
  | { readonly kind: 'unknown'; readonly message: string };

/** The commands from files. */
export type FileCommands = Pick<SessionExtensions, 'commandNamed' | 'files'>;

/** Undefined if the line is not a command: a path starts with a slash, too. A built-in command wins over a file. */
export function readSlash(line: string, fromFiles?: FileCommands): Slash | undefined {
  const [, name, words = ''] = /^\/([\w?][\w.:?-]*)(?:\s+([\s\S]*))?$/i.exec(line.trim()) ?? [];
  if (name === undefined) return undefined;
  const wanted = name.toLowerCase();
  const command = SLASH_COMMANDS.find((known) => known.name === wanted || known.also?.includes(wanted));
  if (command) return { kind: 'command', command, words: words.trim() };
  // Prompts of MCP servers come and go, so the agent decides whether there is one of this name.
  if (fromFiles?.commandNamed(name) || name.startsWith('mcp__')) return { kind: 'prompt' };
  const builtIn = SLASH_COMMANDS.flatMap(({ name, also = [] }) => [name].concat(also));
  const near = nearest(wanted, [...builtIn, ...(fromFiles?.files ?? []).map((file) => file.name)]);
  const hint = near === undefined ? 'See /help.' : `Did you mean /${near}?`;
  return { kind: 'unknown', message: `There is no command /${name}. ${hint}` };
}

/** The text of a prompt that may be a command. Undefined if the prompt is for the model in any case. */
export function slashText({ content, verbatim, isOfFile }: Prompt): string | undefined {
  if (verbatim || isOfFile) return undefined;
  const [only, ...others] =
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const text = only?.type === 'text' && others.length === 0 ? only.text.trim() : '';
  return text.startsWith('/') ? text : undefined;
}

/** The commands that also work without a terminal. */
export const HEADLESS_COMMANDS = SLASH_COMMANDS.filter(({ headless }) => headless !== undefined);
