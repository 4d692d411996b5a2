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
