/** Reads a call's input: is there such a tool, does the input fit, and what may happen when it runs? Never throws. */
import type { JsonObject } from '../json.ts';
import type { ToolUseContext } from './context.ts';
import type { ClassifiedCall } from './slot.ts';
import type { Issue, Tool } from './tool.ts';

export type Classified =
  | { readonly ok: true; readonly call: ClassifiedCall }
  | { readonly ok: false; readonly message: string };

export async function classify(name: string, raw: JsonObject, context: ToolUseContext): Promise<Classified> {
  const tool = context.tools.find((candidate) => candidate.name === name);
  if (!tool) {
    const known = context.tools.map((candidate) => candidate.name).join(', ');
    return { ok: false, message: `There is no tool named ${name}. Available tools: ${known || 'none'}.` };
  }
  try {
    return await read(tool, raw, context);
  } catch (thrown) {
    return { ok: false, message: `${name} could not check its input: ${messageOf(thrown)}` };
  }
}

async function read(tool: Tool, raw: JsonObject, context: ToolUseContext): Promise<Classified> {
  const schema = await tool.inputSchema();
  const parsed = schema.safeParse(raw);
  if (!parsed.success) {
    return {
      ok: false,
      message: `${tool.name} was called with an input it does not take. ${explain(parsed.error)}`,
    };
  }
  const input = parsed.data;
  const valid = await tool.validateInput?.(input, context);
  if (valid && !valid.ok) return { ok: false, message: valid.message };
  const readOnly = tool.isReadOnly(input);
  const safe = tool.isConcurrencySafe(input);
  const effect = readOnly ? 'read_only' : tool.isIdempotent?.(input) ? 'idempotent' : 'writing';
  return { ok: true, call: { tool, input, raw, safe, early: readOnly && safe, effect } };
}

function explain(error: { readonly message: string; readonly issues?: readonly Issue[] }): string {
  if (!error.issues || error.issues.length === 0) return error.message;
  return error.issues
    .map(({ path, message }) => `${path.map(String).join('.') || 'input'}: ${message}`)
    .join('; ');
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
