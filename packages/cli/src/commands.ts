/** The commands that read their own words. Each is loaded when it is called, and answers with the exit code. */

type Run = (argv: readonly string[]) => Promise<number>;

export const COMMANDS = {
  demo: async () => (await import('./demo/demo.ts')).runDemo,
  models: async () => (await import('./models/list.ts')).printModels,
  permissions: async () => (await import('./permissions/permissions.ts')).permissions,
  rewind: async () => (await import('./rewind/rewind.ts')).rewind,
} satisfies Readonly<Record<string, () => Promise<Run>>>;

export type CommandName = keyof typeof COMMANDS;

export function isCommand(word: string): word is CommandName {
  return Object.hasOwn(COMMANDS, word);
}
