/** The commands that read their own words. Each is loaded when it is called, and answers with the exit code. */
import { editDistance } from './flags.ts';

type Run = (argv: readonly string[]) => Promise<number>;

export const COMMANDS = {
  completions: async () => (await import('./completions/completions.ts')).completions,
  config: async () => (await import('./config/config.ts')).config,
  demo: async () => (await import('./demo/demo.ts')).runDemo,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  models: async () => (await import('./models/list.ts')).printModels,
  permissions: async () => (await import('./permissions/permissions.ts')).permissions,
  replay: async () => (await import('./replay/replay.ts')).replay,
  rewind: async () => (await import('./rewind/rewind.ts')).rewind,
  sessions: async () => (await import('./sessions/sessions.ts')).sessions,
} satisfies Readonly<Record<string, () => Promise<Run>>>;

export type CommandName = keyof typeof COMMANDS;

export function isCommand(word: string): word is CommandName {
  return Object.hasOwn(COMMANDS, word);
}

/** What somebody may have meant who wrote this word. */
export function nearestCommand(word: string): string | undefined {
  if (!/^[a-z]{4,}$/.test(word)) return undefined;
  const most = word.length < 6 ? 1 : 2;
  return Object.keys(COMMANDS).find((name) => editDistance(name, word) <= most);
}

const KEYS = 'keys are read from the environment: heddle models says which';
const CLONE = 'it is brought up to date where it was cloned: git pull && npm ci';
const READY = 'nothing needs to be set up: heddle doctor says whether all is there';

/** Commands of other programs of this kind, and what there is for them here. */
const FOREIGN: Readonly<Record<string, string>> = {
  auth: KEYS,
  login: KEYS,
  logout: KEYS,
  update: CLONE,
  upgrade: CLONE,
  init: READY,
  install: READY,
  setup: READY,
  mcp: 'MCP servers are not connected yet',
  plugin: 'plugins are not loaded yet',
  plugins: 'plugins are not loaded yet',
  agents: 'there are no subagents yet',
  status: 'see heddle doctor, or /status in a conversation',
  chat: 'heddle alone starts a conversation',
  start: 'heddle alone starts a conversation',
  resume: 'heddle --resume goes on with a session',
  continue: 'heddle --continue goes on with the newest session',
  list: 'heddle sessions lists sessions, heddle models models',
  export: 'heddle sessions export ID',
};

/** What to do here for a command that only other programs have. */
export function foreignCommand(word: string): string | undefined {
  return Object.hasOwn(FOREIGN, word) ? FOREIGN[word] : undefined;
}
