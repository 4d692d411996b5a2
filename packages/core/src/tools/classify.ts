/**
 * Reads a call's input. Two questions at two times: is there such a tool, does the input fit, and what may happen when it runs,
 * as soon as the call is complete; does it make sense here, when its turn has come, for the calls before it may change the
 * answer (an edit wants its file to have been read). Nothing here throws.
 */
import type { JsonObject } from '../json.ts';
import { coerceInput } from './coerce.ts';
import { messageOf } from '../thrown.ts';
import type { ToolUseContext } from './context.ts';
import type { ClassifiedCall } from './slot.ts';
import type { Issue, Tool } from './tool.ts';

export type Classified =
  | { readonly ok: true; readonly call: ClassifiedCall }
  | { readonly ok: false; readonly message: string };

export async function classify(name: string, raw: JsonObject, context: ToolUseContext): Promise<Classified> {
  const tool = toolNamed(name, context.tools);
  if (!tool) {
    const known = context.tools.map((candidate) => candidate.name).join(', ');
    const finder = context.tools.find((candidate) => candidate.findsTools);
    const more = finder ? ` ${finder.name} loads others.` : '';
    return {
      ok: false,
      message: `There is no tool named ${name}. Available tools: ${known || 'none'}.${more}`,
    };
  }
  try {
    return await read(tool, raw, context);
  } catch (thrown) {
    return uncheckable(tool, thrown);
  }
}

/** The tool of this name. A name in other case is meant for the one tool that has it. */
function toolNamed(name: string, tools: readonly Tool[]): Tool | undefined {
  const exact = tools.find((candidate) => candidate.name === name);
  if (exact) return exact;
  const folded = name.toLowerCase();
  const similar = tools.filter((candidate) => candidate.name.toLowerCase() === folded);
  return similar.length === 1 ? similar[0] : undefined;
}

export async function validate(call: ClassifiedCall, context: ToolUseContext): Promise<Classified> {
  const { tool, input } = call;
  try {
    const valid = await tool.validateInput?.(input, context);
    return valid && !valid.ok ? { ok: false, message: valid.message } : { ok: true, call };
  } catch (thrown) {
    return uncheckable(tool, thrown);
  }
}

/** For input that was changed on the way. */
export async function readAgain(
  { tool }: ClassifiedCall,
  raw: JsonObject,
  context: ToolUseContext,
): Promise<Classified> {
  const classified = await classify(tool.name, raw, context);
  return classified.ok ? validate(classified.call, context) : classified;
}

async function read(tool: Tool, given: JsonObject, context: ToolUseContext): Promise<Classified> {
  const schema = await tool.inputSchema();
  const strict = schema.safeParse(given);
  const raw = strict.success ? given : coerceInput(tool.inputJSONSchema, given, tool.inputAliases);
  // A schema may count its failures, so an input that stays as it is must not be parsed twice.
  const isCoerced = !strict.success && JSON.stringify(raw) !== JSON.stringify(given);
  const parsed = isCoerced ? schema.safeParse(raw) : strict;
  if (!parsed.success) {
    const { error } = strict.success ? parsed : strict;
    return {
      ok: false,
      message: `${tool.name} was called with an input it does not take. ${explain(error)}`,
    };
  }
  const input = parsed.data;
  const readOnly = await tool.isReadOnly(input, context);
  const safe = await tool.isConcurrencySafe(input, context);
  const effect = readOnly ? 'read_only' : tool.isIdempotent?.(input) ? 'idempotent' : 'writing';
  return { ok: true, call: { tool, input, raw, safe, early: readOnly && safe, effect } };
}

function uncheckable(tool: Tool, thrown: unknown): Classified {
  return { ok: false, message: `${tool.name} could not check its input: ${messageOf(thrown)}` };
}

function explain(error: { readonly message: string; readonly issues?: readonly Issue[] }): string {
  if (!error.issues || error.issues.length === 0) return error.message;
  return error.issues
    .map(({ path, message }) => `${path.map(String).join('.') || 'input'}: ${message}`)
    .join('; ');
}
