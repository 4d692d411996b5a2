/** Offers tools to an MCP client over standard input and output, in both revisions of the protocol. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  bareToolError,
  isRecord,
  type Json,
  type JsonObject,
  type ResultContent,
  type Tool,
  type ToolResult,
} from '@heddle/core';

export interface ServedTools {
  readonly version: string;
  /** A text for the model of the client. */
  readonly instructions: string;
  readonly tools: readonly Pick<Tool, 'name' | 'description' | 'inputJSONSchema'>[];
  /** Names of tools that never change anything. */
  readonly readOnly: ReadonlySet<string>;
  /** Never throws. A call that is not permitted has an error result. */
  readonly call: (call: ServedCall) => Promise<ToolResult>;
}

export interface ServedCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** Aborts when the client cancels the call, or ends. */
  readonly signal: AbortSignal;
  readonly onProgress: (data: Json) => void;
}

/** Serves until standard input ends or the signal aborts. Standard output belongs to the protocol. */
export async function serveTools(served: ServedTools, signal: AbortSignal): Promise<void> {
  const [{ McpServer }, { serveStdio }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  const { version, instructions, tools, readOnly } = served;
  const handle = serveStdio(() => {
    const info = { name: 'heddle', title: 'Heddle', version };
    const { server } = new McpServer(info, { instructions, capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({
      tools: tools.map(({ name, description, inputJSONSchema }) => ({
        name,
        description,
        inputSchema: { ...inputJSONSchema, type: 'object' as const },
        annotations: { readOnlyHint: readOnly.has(name) },
      })),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const token = params._meta?.progressToken;
      let steps = 0;
      const result = await served.call({
        tool: params.name,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed from JSON
        input: (params.arguments ?? {}) as JsonObject,
        signal: mcpReq.signal,
        onProgress: (data) => {
          if (token === undefined) return;
          const progress = { progressToken: token, progress: ++steps, message: progressText(data) };
          void mcpReq.notify({ method: 'notifications/progress', params: progress }).catch(() => undefined);
        },
      });
      return callResult(result);
    });
    return server;
  });
  await inputEnd(signal);
  await handle.close();
}

function inputEnd(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => resolve();
    if (signal.aborted) done();
    signal.addEventListener('abort', done, { once: true });
    process.stdin.once('end', done).once('close', done);
  });
}

/** Progress of a command is its last line of output. */
function progressText(data: Json): string {
  const output = isRecord(data) ? data['output'] : undefined;
  return typeof output === 'string' ? (output.trimEnd().split('\n').at(-1) ?? '') : '';
}

function callResult({ content, isError = false }: ToolResult): CallToolResult {
  const blocks: CallToolResult['content'] =
    typeof content === 'string' ? [{ type: 'text', text: bareToolError(content) }] : content.map(blockOf);
  return isError ? { content: blocks, isError } : { content: blocks };
}

function blockOf(part: ResultContent): CallToolResult['content'][number] {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return part.source.type === 'base64'
        ? { type: 'image', data: part.source.data, mimeType: part.source.media_type }
        : { type: 'text', text: '[An image that has no data was left out.]' };
    default:
      return { type: 'text', text: `[Content of the type ${String(part.type)} was left out.]` };
  }
}
