/** What each command does, for `--help` and for completions. The compiler wants an entry for every command. */
import type { CommandName } from '../commands.ts';

export interface CommandText {
  readonly text: string;
  /** The words that can follow it. */
  readonly words?: readonly string[];
}

export const COMMAND_TEXTS: Readonly<Record<CommandName, CommandText>> = {
  demo: { text: 'watch a whole run offline, recoveries included' },
  models: { text: 'the models you can use here, with window and price' },
  sessions: {
    text: 'list, show, search, rename, export, delete and prune sessions',
    words: ['list', 'show', 'search', 'rename', 'export', 'delete', 'prune'],
  },
  rewind: { text: 'put the files the agent changed back as they were before a message of a session' },
  replay: { text: 'run a session through the machine again and see each decision' },
  permissions: {
    text: 'what would be allowed and why; the rules',
    words: ['explain', 'list', 'add', 'remove', 'test', 'trust', 'help'],
  },
  config: {
    text: 'what is set, where it comes from, and changing it',
    words: ['list', 'get', 'set', 'unset', 'keys', 'path', 'help'],
  },
  doctor: { text: 'is everything there that Heddle needs?' },
  completions: { text: 'completions for your shell', words: ['bash', 'zsh', 'fish'] },
};
