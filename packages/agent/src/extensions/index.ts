/** Skills and slash commands from files. */
export type { ExtensionRoot } from './discover.ts';
export type { PromptFile } from './prompt-file.ts';
export { type PromptCall, SessionExtensions, type UseModel } from './session-extensions.ts';
