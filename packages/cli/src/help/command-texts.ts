/** What each command does, for `--help` and for completions. The compiler wants an entry for every command. */
import type { CandidateKind } from '../arguments/flag-kinds.ts';
import type { CommandName } from '../arguments/program-commands.ts';

export interface CommandText {
  readonly text: string;
  /** The words that can follow it. */
  readonly words?: readonly string[];
  /** What can follow those words; under '' what can follow the command itself. */
  readonly completes?: Readonly<Record<string, Candidates>>;
  /** What `--help` behind it prints; the others have a `help` of their own. */
  readonly usage?: string;
  /** Lines to try. */
  readonly examples: readonly string[];
}

/** Fixed words, or a list that the program makes when it is asked. */
export type Candidates = readonly string[] | CandidateKind;

const RULE_KINDS = ['allow', 'ask', 'deny'];

export const COMMAND_TEXTS: Readonly<Record<CommandName, CommandText>> = {
  demo: {
    text: 'watch a whole run offline, recoveries included',
    usage: 'heddle demo   fixes a failing test in a new temporary folder; needs no key, and no network',
    examples: ['heddle demo'],
  },
  models: {
    text: 'the models you can use here, with window and price',
    usage: 'heddle models [PROVIDER] [--json]   all providers, or all that is known of one',
    completes: { '': 'providers' },
    examples: ['heddle models', 'heddle models anthropic', 'heddle models --json'],
  },
  sessions: {
    text: 'list, show, search, rename, export, delete and prune sessions',
    words: ['list', 'show', 'search', 'rename', 'export', 'delete', 'prune'],
    completes: { show: 'sessions', rename: 'sessions', export: 'sessions', delete: 'sessions' },
    examples: [
      'heddle sessions --all',
      'heddle sessions show 3f1c0a52 --full',
      'heddle sessions export 3f1c0a52 --format html --output session.html',
      'heddle sessions prune --older-than 30d --dry-run',
    ],
  },
  rewind: {
    text: 'put the files the agent changed back as they were before a message of a session',
    completes: { '': 'sessions' },
    usage:
      'heddle rewind SESSION                       the messages one can go back to\n' +
      'heddle rewind SESSION MESSAGE [--dry-run]   puts the files back, or says what it would do\n' +
      'The beginning of an id will do. Files that somebody else has changed since are spared without --force.\n' +
      'Both take --json.',
    examples: ['heddle rewind 3f1c0a52', 'heddle rewind 3f1c0a52 9d5b5f0b --dry-run'],
  },
  replay: {
    text: 'run a session through the machine again and see each decision',
    completes: { '': 'sessions' },
    examples: ['heddle replay 3f1c0a52', 'heddle replay 3f1c0a52 --from 5 --verbose'],
  },
  permissions: {
    text: 'what would be allowed and why; the rules',
    words: ['explain', 'list', 'add', 'remove', 'test', 'trust', 'help'],
    completes: { add: RULE_KINDS, remove: RULE_KINDS },
    examples: [
      "heddle permissions explain 'git push --force'",
      'heddle permissions add allow "Bash(npm test)"',
    ],
  },
  config: {
    text: 'what is set, where it comes from, and changing it',
    words: ['list', 'get', 'set', 'unset', 'keys', 'path', 'help'],
    completes: { get: 'keys', set: 'keys', unset: 'keys' },
    examples: [
      'heddle config set model sonnet',
      'heddle config set sandbox.enabled true --scope project',
      'heddle config list',
    ],
  },
  doctor: {
    text: 'is everything there that Heddle needs?',
    usage: 'heddle doctor [--json]   exit code 1 where there is a problem',
    examples: ['heddle doctor', 'heddle doctor --json'],
  },
  completions: {
    text: 'completions for your shell',
    words: ['bash', 'zsh', 'fish'],
    examples: ['source <(heddle completions bash)'],
  },
};
