/** A tool of a server as a tool of the loop. */
import { isRecord, type Json, type ResultContent, type Schema, type Tool, omitUndefined } from '@heddle/core';
import type { CallProgress, McpServer } from '../connection/server.ts';
import { cleanLine, cleanParagraph } from '../server-text.ts';
import { readInputSchema } from './input-schema.ts';
import { readResult, type ResultDeps, textOf } from './result-content.ts';

/** A longer description is cut, because every request would contain it. */
const DESCRIPTION_LIMIT = 2_048;

const PROGRESS_INTERVAL_MS = 250;

/** Claims of the server, for display. They never decide about permission. */
export interface ToolAnnotations {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly openWorld?: boolean;
}

export interface ServerTool extends Tool<Record<string, unknown>, readonly ResultContent[]> {
  readonly server: string;
  /** The name that the server uses. */
  readonly ownName: string;
  readonly annotations: ToolAnnotations;
  /** It is part of every request, however many tools there are. */
  readonly alwaysLoad: boolean;
  /** The reason why the server's input schema was replaced. */
  readonly schemaProblem?: string;
}

export interface ServerToolDeps extends ResultDeps {
  /** Characters of a result beyond which it goes to a file. */
  readonly maxResultSize: number;
  /** Returns the server of this name after its configuration changed. Requests may still contain a tool of the earlier one. */
  readonly currentServer?: (name: string) => McpServer | undefined;
}

type Definition = Readonly<Record<string, unknown>>;

/** Undefined if the definition has no name. */
export function createServerTool(
  server: McpServer,
  definition: Definition,
  name: string,
  deps: ServerToolDeps,
): ServerTool | undefined {
  const { name: ownName, description, inputSchema, outputSchema: _, ...others } = definition;
  if (typeof ownName !== 'string' || ownName === '') return undefined;
  const { schema, problem } = readInputSchema(inputSchema);
  const meta = isRecord(definition['_meta']) ? definition['_meta'] : {};
  let validator: Promise<Schema<Record<string, unknown>>> | undefined;
  return {
    name,
    server: server.name,
    ownName,
    description: typeof description === 'string' ? cleanParagraph(description, DESCRIPTION_LIMIT) : '',
    inputJSONSchema: schema,
    annotations: annotationsOf(definition['annotations']),
    alwaysLoad: server.configured.config.alwaysLoad === true || meta['anthropic/alwaysLoad'] === true,
    ...omitUndefined({ schemaProblem: problem }),
    isFromServer: true,
    inputSchema: () => (validator ??= validatorOf(schema)),
    isReadOnly: () => false,
    isConcurrencySafe: () => false,
    maxResultSize: deps.maxResultSize,
    compactable: true,
    interruptBehavior: 'cancel',

    async call(input, { signal, toolUseId }, onProgress) {
      const current = deps.currentServer?.(server.name) ?? server;
      const result = await current.call({
        tool: ownName,
        input,
        definition: { ...others, name: ownName, inputSchema },
        toolUseId,
        signal,
        onProgress: throttle(onProgress),
      });
      const { content, isError } = await readResult(result, server.name, deps, signal);
      if (isError) throw new Error(textOf(content));
      return { data: content };
    },
    toResult: (content) => ({ content }),
  };
}

function annotationsOf(value: unknown): ToolAnnotations {
  if (!isRecord(value)) return {};
  const { readOnlyHint, destructiveHint, openWorldHint } = value;
  return {
    ...(typeof readOnlyHint === 'boolean' ? { readOnly: readOnlyHint } : {}),
    ...(typeof destructiveHint === 'boolean' ? { destructive: destructiveHint } : {}),
    ...(typeof openWorldHint === 'boolean' ? { openWorld: openWorldHint } : {}),
  };
}

/** A server may report progress thousands of times a second. */
function throttle(onProgress: (data: Json) => void): (progress: CallProgress) => void {
  let last = 0;
  return ({ progress, total, message }) => {
    const now = Date.now();
    if (now - last < PROGRESS_INTERVAL_MS) return;
    last = now;
    onProgress({
      progress,
      ...omitUndefined({ total }),
      ...(message === undefined ? {} : { message: cleanLine(message) }),
    });
  };
}

/** Checks inputs, so that a wrong one is explained or repaired before the server is called. */
async function validatorOf(schema: Tool['inputJSONSchema']): Promise<Schema<Record<string, unknown>>> {
  const { AjvJsonSchemaValidator } = await import('@modelcontextprotocol/client/validators/ajv');
  try {
    const validate = new AjvJsonSchemaValidator().getValidator<Record<string, unknown>>({ ...schema });
    return {
      safeParse(value) {
        const checked = validate(value);
        if (checked.valid) return { success: true, data: isRecord(value) ? value : {} };
        return { success: false, error: { message: checked.errorMessage } };
      },
    };
  } catch {
    // The validator does not support the schema. The server checks the input itself.
    return {
      safeParse: (value) =>
        isRecord(value)
          ? { success: true, data: value }
          : { success: false, error: { message: 'The input is not an object.' } },
    };
  }
}
