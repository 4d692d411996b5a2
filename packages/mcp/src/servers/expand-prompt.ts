/** Prompts and resources of servers in the text of a user: `/mcp__server__prompt words` and `@server:uri`. */
import { errorMessage, isRecord, text, type ContentBlock, type UserMessage } from '@heddle/core';
import type { McpServer } from '../connection/server.ts';
import { cleanLine, cleanText } from '../server-text.ts';
import { readResource } from '../tools/resource-tools.ts';
import type { ResultDeps } from '../tools/result-content.ts';
import { toolName } from '../tools/tool-names.ts';

type Content = UserMessage['content'];

export interface ServerPrompt {
  /** The name of the command, without its slash. */
  readonly command: string;
  readonly description: string;
  readonly argumentNames: readonly string[];
  readonly server: McpServer;
  readonly ownName: string;
}

export function promptsOf(servers: readonly McpServer[]): readonly ServerPrompt[] {
  return servers.flatMap((server) =>
    server.prompts.flatMap(({ name, description, arguments: given }) => {
      if (typeof name !== 'string' || name === '') return [];
      const fields: readonly unknown[] = Array.isArray(given) ? given : [];
      return [
        {
          command: toolName(server.name, name),
          description: typeof description === 'string' ? cleanLine(description) : '',
          argumentNames: fields.flatMap((field) => (isRecord(field) ? [String(field['name'])] : [])),
          server,
          ownName: name,
        },
      ];
    }),
  );
}

const COMMAND = /^\/(mcp__\S+)(?:\s+([\s\S]*))?$/;

/** The end of a sentence is not part of an address. */
const MENTION = /(?<=^|\s)@([\w.-]+):([a-z][\w+.-]*:\/\/\S*[^\s.,;:!?)])/gi;

/** Returns false for a text that certainly contains neither a prompt nor a resource of a server. */
export function namesServer(content: Content): boolean {
  const typed = typedText(content);
  return typed.includes('@') || typed.trimStart().startsWith('/');
}

/** The name of the server's prompt that a text starts with, as a command. */
export function commandIn(content: Content): string | undefined {
  return COMMAND.exec(typedText(content).trim())?.[1];
}

function typedText(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** Returns the content with the text of the prompt or the resources. A problem becomes a note for the model. */
export async function expandServerText(
  content: Content,
  servers: readonly McpServer[],
  deps: ResultDeps,
  signal: AbortSignal,
): Promise<Content> {
  const blocks: readonly ContentBlock[] = typeof content === 'string' ? [text(content)] : content;
  const typed = typedText(content);
  const [, command, words = ''] = COMMAND.exec(typed.trim()) ?? [];
  const prompt =
    command === undefined ? undefined : promptsOf(servers).find((one) => one.command === command);
  if (prompt) return [...blocks, text(await promptText(prompt, words, signal))];
  const found: ContentBlock[] = [];
  for (const [, name, uri = ''] of typed.matchAll(MENTION)) {
    const server = servers.find((one) => one.name === name);
    if (server) found.push(...(await mentioned(server, uri, deps, signal)));
  }
  return found.length === 0 ? content : [...blocks, ...found];
}

async function promptText(
  { server, ownName, argumentNames }: ServerPrompt,
  words: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const given = Object.fromEntries(
      argumentNames.map((name, at) => [name, wordAt(words, at, argumentNames.length)]),
    );
    const result = await server.request('prompts/get', { name: ownName, arguments: given }, signal);
    const messages: unknown = isRecord(result) ? result['messages'] : undefined;
    if (!Array.isArray(messages)) throw new Error('The server gave no messages.');
    return messages.map(messageText).join('\n\n');
  } catch (thrown) {
    return `[The prompt ${ownName} of the MCP server ${server.name} failed: ${cleanLine(errorMessage(thrown))}]`;
  }
}

/** Words in order. The last argument gets the rest. */
function wordAt(words: string, at: number, count: number): string {
  const all = words.trim().split(/\s+/);
  return at === count - 1 ? all.slice(at).join(' ') : (all[at] ?? '');
}

function messageText(message: unknown): string {
  const content: unknown = isRecord(message) ? message['content'] : undefined;
  const words: unknown = isRecord(content) ? content['text'] : undefined;
  return typeof words === 'string' ? cleanText(words) : '[Content that is not text was left out.]';
}

async function mentioned(
  server: McpServer,
  uri: string,
  deps: ResultDeps,
  signal: AbortSignal,
): Promise<readonly ContentBlock[]> {
  try {
    return await readResource(server, uri, deps, signal);
  } catch (thrown) {
    return [text(`[The resource ${cleanLine(uri, 500)} cannot be read: ${cleanLine(errorMessage(thrown))}]`)];
  }
}
