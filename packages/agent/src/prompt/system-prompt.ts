/** The system prompt: named sections in a stable order. Short, because every request carries it. */
import { SECTIONS } from './sections.ts';

export function defaultSystemPrompt(): readonly string[] {
  return [Object.values(SECTIONS).join('\n\n')];
}
