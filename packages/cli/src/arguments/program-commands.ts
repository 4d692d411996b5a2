import { editDistance } from './collect-flags.ts';

export const COMMAND_NAMES = [
  'answer',
  'attach',
  'completions',
  'config',
  'demo',
  'doctor',
  'fleet',
  'hooks',
  'import',
  'jobs',
  'logs',
  'mcp',
  'models',
  'permissions',
  'replay',
  'rewind',
  'run',
  'schedule',
  'sessions',
  'stop',
  'team',
  'view',
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];

export function isCommand(word: string): word is CommandName {
  return COMMAND_NAMES.some((name) => name === word);
}

/** The command that a mistyped word probably means. */
export function nearestCommand(word: string): string | undefined {
  if (!/^[a-z]{4,}$/i.test(word)) return undefined;
  const most = word.length < 6 ? 1 : 2;
  return COMMAND_NAMES.find((name) => editDistance(name, word.toLowerCase()) <= most);
}

const KEYS = 'keys are read from the environment: heddle models says which';
const CLONE = 'it is brought up to date where it was cloned: git pull && npm ci';
const READY = 'nothing needs to be set up: heddle doctor says whether all is there';

const PLUGINS = 'plugins are not installed by Heddle; enable one in the settings, or use --plugin-dir';
const PRINT = 'heddle -p "…" answers one prompt';

/** Commands of other agents, and what Heddle has instead. */
const FOREIGN: Readonly<Record<string, string>> = {
  auth: KEYS,
  login: KEYS,
  logout: KEYS,
  'setup-token': KEYS,
  plugin: PLUGINS,
  plugins: PLUGINS,
  marketplace: PLUGINS,
  agents: 'subagents are files in .claude/agents: docs/subagents.md',
  skills: 'heddle -p /skills lists skills and commands',
  exec: PRINT,
  update: CLONE,
  upgrade: CLONE,
  init: READY,
  install: READY,
  setup: READY,
  'migrate-installer': READY,
  serve: 'heddle mcp serve offers the tools to other programs',
  status: 'see heddle doctor, or /status in a conversation',
  chat: 'heddle alone starts a conversation',
  start: 'heddle alone starts a conversation',
  resume: 'heddle --resume continues a session',
  continue: 'heddle --continue continues the newest session',
  list: 'heddle sessions lists sessions, heddle models models',
  export: 'heddle sessions export ID',
};

/** Second words that make a command of a noun. `plugin list` is a command, `login page is broken` is a prompt. */
const SUBCOMMAND =
  /^(-.*|add|add-json|create|delete|disable|enable|get|help|install|list|login|logout|ls|marketplace|remove|rm|serve|set|show|status|test|uninstall|update|validate)$/;

/** The beginning of an id, of at least eight digits. */
const SESSION_ID = /^[0-9a-f]{8}[0-9a-f-]*$/;

/** The advice for a command that only other programs have. Undefined if the words are a prompt. */
export function foreignCommand([first = '', second]: readonly string[]): string | undefined {
  if (!Object.hasOwn(FOREIGN, first)) return undefined;
  const advice = FOREIGN[first];
  const isNoun = advice === KEYS || advice === PLUGINS || /^(agents|skills)$/.test(first);
  if (second === undefined || first === 'exec') return advice;
  if (first === 'resume' && SESSION_ID.test(second)) return advice;
  return isNoun && SUBCOMMAND.test(second) ? advice : undefined;
}
