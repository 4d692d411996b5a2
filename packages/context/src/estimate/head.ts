/** Estimates the part of a request before the conversation: the system prompt, the contexts and the tools. */
import type { PromptHead, Tool } from '@heddle/core';
import { estimateText, MOST_PER_CHARACTER } from './text.ts';

/** Tokens of the text around a tool, and around the contexts. */
const TOOL_FRAME = 20;
const CONTEXT_FRAME = 60;

const known = new WeakMap<readonly Tool[], number>();

export function estimateTools(tools: readonly Tool[]): number {
  const before = known.get(tools);
  if (before !== undefined) return before;
  let tokens = 0;
  for (const { name, description, inputJSONSchema } of tools)
    tokens += TOOL_FRAME + estimateText(`${name} ${description} ${JSON.stringify(inputJSONSchema)}`);
  known.set(tools, tokens);
  return tokens;
}

interface PromptTokens {
  readonly system: number;
  readonly user: number;
}

const knownHeads = new WeakMap<PromptHead, PromptTokens>();

export function estimatePrompt(head: PromptHead): PromptTokens {
  const before = knownHeads.get(head);
  if (before !== undefined) return before;
  const { systemPrompt, systemContext, userContext } = head;
  const words = pairs(userContext);
  const tokens = {
    system: estimateText([...systemPrompt, ...pairs(systemContext)].join('\n')),
    user: words.length === 0 ? 0 : CONTEXT_FRAME + estimateText(words.join('\n')),
  };
  knownHeads.set(head, tokens);
  return tokens;
}

/** Returns an upper limit from the number of characters. An estimate would take milliseconds during start-up. */
export function mostTokens(
  { systemPrompt, systemContext, userContext }: PromptHead,
  tools: readonly Tool[],
): number {
  const prompt = [...systemPrompt, ...pairs(systemContext), ...pairs(userContext)].join('\n');
  const characters = prompt.length + charactersOf(tools);
  return Math.ceil(characters * MOST_PER_CHARACTER) + tools.length * TOOL_FRAME + CONTEXT_FRAME;
}

const lengths = new WeakMap<readonly Tool[], number>();

function charactersOf(tools: readonly Tool[]): number {
  const before = lengths.get(tools);
  if (before !== undefined) return before;
  let characters = 0;
  for (const { name, description, inputJSONSchema } of tools)
    characters += name.length + description.length + JSON.stringify(inputJSONSchema).length;
  lengths.set(tools, characters);
  return characters;
}

function pairs(context: Readonly<Record<string, string>>): string[] {
  return Object.entries(context).map(([key, value]) => `${key}: ${value}`);
}
