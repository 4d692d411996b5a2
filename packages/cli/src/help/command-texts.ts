/** The description of each command, for `--help` and completions. The type requires an entry for every command. */
import type { CandidateKind } from '../arguments/flag-kinds.ts';
import type { CommandName } from '../arguments/program-commands.ts';

export interface CommandText {
  readonly text: string;
  /** The subcommands. */
  readonly words?: readonly string[];
  /** The candidates after each subcommand. The key '' holds the candidates after the command itself. */
  readonly completes?: Readonly<Record<string, Candidates>>;
  /** The text that `--help` prints. A command without it prints its own help. */
  readonly usage?: string;
  /** Complete command lines. */
  readonly examples: readonly string[];
}

/** Fixed words, or the kind of a list that the program computes on request. */
export type Candidates = readonly string[] | CandidateKind;

const RULE_KINDS = ['allow', 'ask', 'deny'];

export const COMMAND_TEXTS: Readonly<Record<CommandName, CommandText>> = {
  demo: {
    text: 'watch a complete run without network, recoveries included',
    usage: 'heddle demo   fixes a failing test in a new temporary folder; needs no key and no network',
    examples: ['heddle demo'],
  },
  models: {
    text: 'the models you can use here, with window and price',
    usage: 'heddle models [PROVIDER] [--json]   all providers, or all models of one',
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
  import: {
    text: 'continue a session of codex, pi or opencode',
    usage:
      'heddle import [--all] [--json]   lists the sessions of other agents: of this folder, or all\n' +
      'heddle import ID                 converts a session, and says what could not be carried over\n' +
      'heddle import FILE               the same for a file, such as the output of opencode export',
    examples: ['heddle import', 'heddle import --all', 'heddle import 01a1e1a7'],
  },
  run: {
    text: 'run a prompt in the background, as a job that survives its terminal',
    usage:
      'heddle run --background "PROMPT" [flags of heddle -p]   starts a job with a session of its own\n' +
      'The job waits if it needs permission: heddle jobs shows the question, heddle answer answers it.',
    examples: ['heddle run --background "Fix the flaky test."'],
  },
  jobs: {
    text: 'list background jobs with their states, continue one that was cut off, remove one',
    words: ['resume', 'remove'],
    usage:
      'heddle jobs [--json]      lists jobs: running, waiting for an answer, done, failed\n' +
      'heddle jobs resume JOB    continues a job that was killed, where it stopped\n' +
      'heddle jobs remove JOB    removes a job that has ended; its session is kept\n' +
      'JOB is the id of a job, or the beginning of it.',
    examples: ['heddle jobs', 'heddle jobs --json'],
  },
  schedule: {
    text: 'run prompts at set times, each as a background job',
    words: ['add', 'list', 'remove', 'run', 'start', 'stop', 'serve', 'help'],
    examples: [
      'heddle schedule add --cron "0 9 * * 1-5" "Summarize the commits since yesterday."',
      'heddle schedule list',
    ],
  },
  team: {
    text: 'agents that share a task list and send each other messages',
    words: ['create', 'task', 'list', 'start', 'member', 'send', 'mail', 'remove', 'help'],
    examples: [
      'heddle team create docs',
      'heddle team task docs "Describe the flags."',
      'heddle team start docs ada bob',
    ],
  },
  attach: {
    text: 'follow a background job to its end',
    usage: 'heddle attach JOB   shows the log and the questions; an interrupt leaves the job running',
    examples: ['heddle attach 3f1c0a52'],
  },
  answer: {
    text: 'answer the question that a background job waits for',
    usage:
      'heddle answer JOB          shows the open questions\n' +
      'heddle answer JOB yes|no   answers the oldest one\n' +
      'heddle answer JOB TEXT     denies the call with a reason, or answers a question of the model',
    examples: ['heddle answer 3f1c0a52 yes', 'heddle answer 3f1c0a52 "use the test database"'],
  },
  logs: {
    text: 'show the log of a background job',
    usage: 'heddle logs JOB [--json]   as text, or as the lines of stream-json',
    examples: ['heddle logs 3f1c0a52'],
  },
  stop: {
    text: 'stop a background job',
    usage: 'heddle stop JOB   ends the job and its commands; its session can be resumed',
    examples: ['heddle stop 3f1c0a52'],
  },
  rewind: {
    text: 'restore the files that the agent changed after a message of a session',
    completes: { '': 'sessions' },
    usage:
      'heddle rewind SESSION                       lists the messages to rewind to\n' +
      'heddle rewind SESSION MESSAGE [--dry-run]   restores the files, or reports what it would do\n' +
      'The beginning of an id is enough. Files that were changed outside the session need --force.\n' +
      'Both take --json.',
    examples: ['heddle rewind 3f1c0a52', 'heddle rewind 3f1c0a52 9d5b5f0b --dry-run'],
  },
  view: {
    text: 'open a page that shows any session: timeline, window, money, decisions',
    completes: { '': 'sessions' },
    examples: ['heddle view', 'heddle view 3f1c0a52', 'heddle view 3f1c0a52 --export run.html'],
  },
  replay: {
    text: 'run a recorded session through the state machine again and show each decision',
    completes: { '': 'sessions' },
    examples: ['heddle replay 3f1c0a52', 'heddle replay 3f1c0a52 --from 5 --verbose'],
  },
  permissions: {
    text: 'explain permission decisions, and list or change the rules',
    words: ['explain', 'list', 'add', 'remove', 'test', 'trust', 'help'],
    completes: { add: RULE_KINDS, remove: RULE_KINDS },
    examples: [
      "heddle permissions explain 'git push --force'",
      'heddle permissions add allow "Bash(npm test)"',
    ],
  },
  hooks: {
    text: 'list the hooks, and run those of an event to see their answers',
    words: ['list', 'test', 'help'],
    completes: { list: 'hookEvents', test: 'hookEvents' },
    examples: ['heddle hooks list', `heddle hooks test PreToolUse --input '{"tool_name":"Write"}'`],
  },
  fleet: {
    text: 'run sessions on several workers, with their logs in PostgreSQL',
    words: [
      'up',
      'worker',
      'submit',
      'watch',
      'questions',
      'answer',
      'cancel',
      'list',
      'tenant',
      'serve',
      'openapi',
      'token',
      'tokens',
      'revoke',
      'drain',
      'export',
      'import',
      'migrate',
      'doctor',
      'prune',
      'help',
    ],
    completes: {},
    examples: ['heddle fleet up', 'heddle fleet submit fix-123 "Fix the flaky test." --watch'],
  },
  mcp: {
    text: 'list, add, remove and test MCP servers',
    words: ['list', 'get', 'add', 'add-json', 'remove', 'test', 'login', 'logout', 'serve', 'help'],
    examples: ['heddle mcp add notes -- npx -y @acme/notes-server', 'heddle mcp test notes'],
  },
  config: {
    text: 'show the settings with their sources, and change them',
    words: ['list', 'get', 'set', 'unset', 'keys', 'schema', 'path', 'help'],
    completes: { get: 'keys', set: 'keys', unset: 'keys' },
    examples: [
      'heddle config set model sonnet',
      'heddle config set sandbox.enabled true --scope project',
      'heddle config list',
    ],
  },
  doctor: {
    text: 'check that everything Heddle needs is present',
    usage: 'heddle doctor [--json]   exit code 1 if there is a problem',
    examples: ['heddle doctor', 'heddle doctor --json'],
  },
  completions: {
    text: 'print a completion script for your shell',
    words: ['bash', 'zsh', 'fish'],
    examples: ['source <(heddle completions bash)'],
  },
};
