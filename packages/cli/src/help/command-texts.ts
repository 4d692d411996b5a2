/** What each command does, for `--help` and for completions. The compiler wants an entry for every command. */
import type { CommandName } from '../commands.ts';

export interface CommandText {
  readonly text: string;
  /** The words that can follow it. */
  readonly words?: readonly string[];
  /** What `--help` behind it prints; the others have a `help` of their own. */
  readonly usage?: string;
}

export const COMMAND_TEXTS: Readonly<Record<CommandName, CommandText>> = {
  demo: {
    text: 'watch a whole run offline, recoveries included',
    usage: 'heddle demo   fixes a failing test in a new temporary folder; needs no key, and no network',
  },
  models: {
    text: 'the models you can use here, with window and price',
    usage: 'heddle models [PROVIDER] [--json]   all providers, or all that is known of one',
  },
  sessions: {
    text: 'list, show, search, rename, export, delete and prune sessions',
    words: ['list', 'show', 'search', 'rename', 'export', 'delete', 'prune'],
  },
  rewind: {
    text: 'put the files the agent changed back as they were before a message of a session',
    usage:
      'heddle rewind SESSION                       the messages one can go back to\n' +
      'heddle rewind SESSION MESSAGE [--dry-run]   puts the files back, or says what it would do',
  },
  replay: {
    text: 'run a session through the machine again and see each decision',
    usage: 'heddle replay SESSION [--json] [--from STEP] [--verbose]   nothing is run, and no model asked',
  },
  permissions: {
    text: 'what would be allowed and why; the rules',
    words: ['explain', 'list', 'add', 'remove', 'test', 'trust', 'help'],
  },
  config: {
    text: 'what is set, where it comes from, and changing it',
    words: ['list', 'get', 'set', 'unset', 'keys', 'path', 'help'],
  },
  doctor: {
    text: 'is everything there that Heddle needs?',
    usage: 'heddle doctor [--json]   exit code 1 where there is a problem',
  },
  completions: { text: 'completions for your shell', words: ['bash', 'zsh', 'fish'] },
};
