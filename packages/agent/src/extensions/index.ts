/** Skills and slash commands from files. */
export type { ExtensionRoot, PromptFile } from './prompt-file.ts';
export { PromptIndex } from './prompt-index.ts';
export { type PromptCall, SessionExtensions, type ToolRules, type UseModel } from './session-extensions.ts';
