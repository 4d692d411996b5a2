/** Finds prompts and resources of servers in the text of a user: `/mcp__server__prompt words` and `@server:uri`. Pure. */
import type { UserMessage } from '@heddle/core';

type Content = UserMessage['content'];

const COMMAND = /^\/(mcp__\S+)(?:\s+([\s\S]*))?$/;

/** The end of a sentence, and the quotes around an argument of a command, are not part of an address. */
const MENTION = /(?<=^|[\s"'])@([\w.-]+):([a-z][\w+.-]*:\/\/[^\s"]*[^\s"'.,;:!?)])/gi;

/** A prompt on its way to the model. */
export interface TypedPrompt {
  /** The prompt with the text of its command. */
  readonly content: Content;
  /** The part that the user wrote: only this part can name a prompt or a resource. */
  readonly typed: Content;
}

interface PromptMention {
  /** The name of the prompt, as a command without its slash. */
  readonly command: string;
  readonly words: string;
}

interface ResourceMention {
  readonly server: string;
  readonly uri: string;
}

/** Returns whether a text names a prompt or a resource, of any server. */
export function namesServer(content: Content): boolean {
  return promptIn(content) !== undefined || resourcesIn(content).length > 0;
}

/** The prompt that a text starts with. */
export function promptIn(content: Content): PromptMention | undefined {
  const typed = textIn(content);
  if (!typed.includes('/mcp__')) return undefined;
  const [, command, words = ''] = COMMAND.exec(typed.trim()) ?? [];
  return command === undefined ? undefined : { command, words };
}

export function resourcesIn(content: Content): readonly ResourceMention[] {
  const typed = textIn(content);
  if (!typed.includes('@')) return [];
  return Array.from(typed.matchAll(MENTION), ([, server = '', uri = '']) => ({ server, uri }));
}

function textIn(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
