/** Adds the prompts and resources of servers that the text of a user names. */
import { errorMessage, isRecord, text, type ContentBlock, type UserMessage } from '@heddle/core';
import type { McpServer } from '../connection/server.ts';
import { cleanLine, cleanText } from '../server-text.ts';
import { readResource } from '../tools/resource-tools.ts';
import type { ResultDeps } from '../tools/result-content.ts';
import { toolName } from '../tools/tool-names.ts';
import { promptIn, resourcesIn, type TypedPrompt } from './server-mentions.ts';

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

/**
 * Returns the content with the text of the prompt or the resources that `typed` names. A problem becomes a note for the model.
 * The content may have texts of files, too. Their mentions are not read, because the server decides what a read does.
 */
export async function expandServerText(
  { content, typed }: TypedPrompt,
  servers: readonly McpServer[],
  deps: ResultDeps,
  signal: AbortSignal,
): Promise<Content> {
  const blocks: readonly ContentBlock[] = typeof content === 'string' ? [text(content)] : content;
  const named = promptIn(typed);
  const prompt = named && promptsOf(servers).find(({ command }) => command === named.command);
  if (prompt) return [...blocks, text(await promptText(prompt, named.words, signal))];
  const found: ContentBlock[] = [];
  for (const { server: name, uri } of resourcesIn(typed)) {
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
