/** ListMcpResourcesTool and ReadMcpResourceTool: the resources of all servers, for the model. */
import { isRecord, type ResultContent, type Schema, text, type Tool } from '@heddle/core';
import type { McpServer } from '../connection/server.ts';
import { cleanLine } from '../server-text.ts';
import { readContents, type ResultDeps } from './result-content.ts';
import { prefixOf } from './tool-names.ts';

export interface ResourceDeps extends ResultDeps {
  readonly maxResultSize: number;
  readonly servers: () => readonly McpServer[];
}

type Input = Readonly<Record<string, unknown>>;

/** A server may have thousands of resources. */
const MOST_LISTED = 200;

export function createResourceTools(deps: ResourceDeps): readonly Tool<Input, readonly ResultContent[]>[] {
  const common = {
    isFromServer: true,
    isConcurrencySafe: () => false,
    maxResultSize: deps.maxResultSize,
    compactable: true,
    interruptBehavior: 'cancel' as const,
    toResult: (content: readonly ResultContent[]) => ({ content }),
    // A rule for all tools of a server covers its resources.
    ruleNames: ({ server, uri = '' }: Input) =>
      (typeof server === 'string' ? [server] : deps.servers().map(({ name }) => name)).map((name) => ({
        tool: prefixOf(name),
        name: String(uri),
      })),
  };
  return [
    {
      ...common,
      name: 'ListMcpResourcesTool',
      description: 'Lists the resources of MCP servers, or of one of them.',
      inputJSONSchema: { type: 'object', properties: { server: { type: 'string' } } },
      inputSchema: () => textFields([], ['server']),
      isReadOnly: () => true,
      async call({ server: wanted }, { signal }) {
        const servers = deps.servers().filter(({ name }) => wanted === undefined || name === wanted);
        if (servers.length === 0) throw new Error(unknownServer(wanted, deps));
        const lists = await Promise.all(servers.map((server) => listOf(server, signal)));
        return { data: [text(lists.flat().join('\n') || 'There are no resources.')] };
      },
    },
    {
      ...common,
      name: 'ReadMcpResourceTool',
      description: 'Reads a resource of an MCP server by its URI.',
      inputJSONSchema: {
        type: 'object',
        properties: { server: { type: 'string' }, uri: { type: 'string' } },
        required: ['server', 'uri'],
      },
      inputSchema: () => textFields(['server', 'uri'], []),
      // The server decides what happens when a resource is read.
      isReadOnly: () => false,
      async call({ server: wanted, uri }, { signal }) {
        const server = deps.servers().find(({ name }) => name === wanted);
        if (!server) throw new Error(unknownServer(wanted, deps));
        return { data: await readResource(server, String(uri), deps, signal) };
      },
    },
  ];
}

/** Throws if the server does not have the resource. */
export async function readResource(
  server: McpServer,
  uri: string,
  deps: ResultDeps,
  signal: AbortSignal,
): Promise<readonly ResultContent[]> {
  const result = await server.request('resources/read', { uri }, signal);
  const contents: unknown = isRecord(result) ? result['contents'] : undefined;
  if (!Array.isArray(contents) || contents.length === 0) throw new Error(`The resource ${uri} is empty.`);
  const parts: ResultContent[] = [];
  for (const one of contents) parts.push(await readContents(one, deps));
  return parts.some((part) => part.type === 'image') ? deps.admitImages(parts, signal) : parts;
}

async function listOf(server: McpServer, signal: AbortSignal): Promise<string[]> {
  const found = [...(await server.list('resources', signal)), ...(await server.list('templates', signal))];
  const lines = found.slice(0, MOST_LISTED).map(({ uri, uriTemplate = uri, name, description }) => {
    const about = typeof description === 'string' ? `: ${cleanLine(description)}` : '';
    return `${server.name} ${cleanLine(String(uriTemplate), 500)} (${cleanLine(String(name))})${about}`;
  });
  const more = found.length - lines.length;
  return more > 0 ? [...lines, `${server.name} has ${more} more.`] : lines;
}

function unknownServer(wanted: unknown, { servers }: ResourceDeps): string {
  const names = servers().map(({ name }) => name);
  return `There is no MCP server ${cleanLine(String(wanted))} with resources. There are: ${names.join(', ') || 'none'}.`;
}

/** Accepts texts in these fields. */
function textFields(required: readonly string[], optional: readonly string[]): Schema<Input> {
  return {
    safeParse(value) {
      if (!isRecord(value)) return { success: false, error: { message: 'The input is not an object.' } };
      const missing = required.find((name) => typeof value[name] !== 'string');
      if (missing !== undefined) return { success: false, error: { message: `${missing} is not a text.` } };
      const names = new Set([...required, ...optional]);
      const kept = Object.entries(value).filter(
        ([name, field]) => names.has(name) && typeof field === 'string',
      );
      return { success: true, data: Object.fromEntries(kept) };
    },
  };
}
