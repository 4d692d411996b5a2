/** The pipeline of one call: permission with its hooks, then the call with its hooks. Never throws. */
import { isRecord, type Json, type JsonObject, omitUndefined } from '../json.ts';
import type { HookMessage } from '../machine/effects.ts';
import { errorMessage } from '../thrown.ts';
import { coerceInput } from './coerce.ts';
import {
  type AuthorizeCall,
  type HookedCall,
  type Issue,
  type Permission,
  type PermissionCall,
  type Tool,
  toolError,
  type ToolHooks,
  type ToolResult,
  type ToolUseContext,
} from './tool.ts';
import type { ClassifiedCall, Settled, Slot } from './slot.ts';

export interface CallPipeline {
  readonly hooks: ToolHooks;
  readonly authorizeCall: AuthorizeCall;
  readonly redact: Redact;
}

/** Returns a copy without the secrets in its texts, or the same value if it contains none. */
export type Redact = <T>(value: T) => T;

type Permitted =
  | { readonly ok: true; readonly call: ClassifiedCall }
  | { readonly ok: false; readonly message: string; readonly interrupt?: boolean };

/**
 * Validates a call, runs its `PreToolUse` hooks, then has `authorizeCall` decide. Changed input is validated again.
 * With `isStale`, earlier calls may have changed the result of its classification, for example the working directory.
 */
export async function permitCall(
  slot: Slot,
  given: ClassifiedCall,
  pipeline: CallPipeline,
  context: ToolUseContext,
  isStale: boolean,
): Promise<Permitted> {
  const { id } = slot.block;
  const { signal } = slot.controller;
  try {
    const valid = await (isStale ? revalidate(given, given.raw, context) : validate(given, context));
    if (!valid.ok) return valid;
    let { call } = valid;
    const before = await pipeline.hooks.before(hookedCall(id, call, context), signal);
    storeHookOutput(slot, pipeline.redact(before));
    if (before.decision === 'deny')
      return { ok: false, message: before.message ?? 'A hook denied this call.' };
    if (before.updatedInput) {
      const again = await revalidate(call, before.updatedInput, context);
      if (!again.ok) return { ok: false, message: `A hook changed the input. ${again.message}` };
      call = again.call;
    }
    const { decision, message } = before;
    const hookReason = decision === 'ask' && message !== undefined ? { hookReason: message } : {};
    const asked: PermissionCall = { toolUseId: id, hookDecision: decision, ...hookReason, signal };
    const permission = await pipeline.authorizeCall(call.tool, call.raw, context, asked);
    if (permission.behavior === 'deny') return denied(permission);
    if (!permission.updatedInput || permission.updatedInput === call.raw) return permitted(call, permission);
    const again = await revalidate(call, permission.updatedInput, context);
    if (!again.ok)
      return { ok: false, message: `The input was changed when it was permitted. ${again.message}` };
    // The permitted input is not the one that will run, so the rules are checked again.
    const { tool, raw } = again.call;
    const ruled = await pipeline.authorizeCall(tool, raw, context, { ...asked, answered: permission });
    return ruled.behavior === 'deny' ? denied(ruled) : permitted(again.call, ruled);
  } catch (thrown) {
    return { ok: false, message: `Permission could not be decided: ${errorMessage(thrown)}` };
  }
}

function hookedCall(
  toolUseId: string,
  { tool, raw }: ClassifiedCall,
  { workingDirectory }: ToolUseContext,
): HookedCall {
  return { toolUseId, tool: tool.name, input: raw, workingDirectory };
}

function permitted(
  call: ClassifiedCall,
  { places, environment, readOnlyRun, fileLimits }: Extract<Permission, { behavior: 'allow' }>,
): Extract<Permitted, { ok: true }> {
  return { ok: true, call: { ...call, ...omitUndefined({ places, environment, readOnlyRun, fileLimits }) } };
}

/** A call sees the places and the environment that were permitted for it, and those of no other call. */
function contextFor({ places, environment }: ClassifiedCall, context: ToolUseContext): ToolUseContext {
  return { ...context, ...omitUndefined({ places, environment }) };
}

function denied({ message, interrupt }: Extract<Permission, { behavior: 'deny' }>): Permitted {
  return { ok: false, message, ...(interrupt ? { interrupt: true } : {}) };
}

/** The details of the intent beside the input. A tool that cannot describe its effect still gets an intent. */
export async function describe(
  call: ClassifiedCall,
  context: ToolUseContext,
): Promise<JsonObject | undefined> {
  try {
    return await call.tool.describeIntent?.(call.input, contextFor(call, context));
  } catch {
    return undefined;
  }
}

export async function runCall(
  slot: Slot,
  call: ClassifiedCall,
  pipeline: CallPipeline,
  context: ToolUseContext,
  onProgress: (data: Json) => void,
): Promise<Settled> {
  const { id } = slot.block;
  const { signal } = slot.controller;
  const { tool, readOnlyRun, fileLimits } = call;
  const hooked = hookedCall(id, call, context);
  let settled: Settled;
  try {
    const own = {
      ...contextFor(call, context),
      signal,
      toolUseId: id,
      ...omitUndefined({ readOnlyRun, fileLimits }),
    };
    const output = await tool.call(call.input, own, onProgress);
    const result = checkResult(tool.name, tool.toResult(output.data));
    const { newContext, spent } = output;
    settled = {
      ...pipeline.redact({ result, data: output.data }),
      ...(newContext ? { newContext } : {}),
      ...(spent ? { spent } : {}),
    };
  } catch (thrown) {
    settled = failedCall(pipeline.redact(errorMessage(thrown)) || `${tool.name} failed without a message.`);
  }
  try {
    const after = settled.result.isError
      ? await pipeline.hooks.afterFailure(hooked, textOfResult(settled), signal)
      : await pipeline.hooks.after(hooked, { ...settled.result, data: settled.data }, signal);
    storeHookOutput(slot, pipeline.redact(after));
    if (!after.updatedResult) return settled;
    return { ...settled, result: pipeline.redact(checkResult(tool.name, after.updatedResult)) };
  } catch (thrown) {
    slot.remarks.push(`A hook after ${tool.name} failed: ${pipeline.redact(errorMessage(thrown))}`);
    return settled;
  }
}

/** An error as a result: the model reads it and continues. */
export function failedCall(message: string): Settled {
  return { result: { content: toolError(message), isError: true } };
}

function storeHookOutput(
  slot: Slot,
  output: { readonly additionalContext?: string; readonly stop?: HookMessage },
): void {
  if (output.additionalContext) slot.remarks.push(output.additionalContext);
  slot.stoppedBy ??= output.stop;
}

function textOfResult({ result }: Settled): string {
  if (typeof result.content === 'string') return result.content;
  return result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function checkResult(tool: string, result: ToolResult): ToolResult {
  const content: unknown = (result as Partial<ToolResult> | undefined)?.content;
  if (typeof content === 'string') return result;
  if (Array.isArray(content) && content.every(isPart) && isJson(content)) return result;
  throw new Error(`${tool} gave a result that is neither text nor a list of content blocks.`);
}

function isPart(part: unknown): boolean {
  return isRecord(part) && typeof part['type'] === 'string';
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

// An input is checked in two stages, and neither throws. `classifyCall` runs as soon as the call is complete: it finds the tool,
// checks the schema and determines the possible effects. `validate` runs when it is the call's turn, because earlier calls can
// change the result. An edit, for example, requires that its file was read.

type Classified =
  | { readonly ok: true; readonly call: ClassifiedCall }
  | { readonly ok: false; readonly message: string };

export async function classifyCall(
  name: string,
  raw: JsonObject,
  context: ToolUseContext,
  signal: AbortSignal = context.signal,
): Promise<Classified> {
  const wanted = context.toolAliases?.get(name) ?? name;
  const tool =
    toolNamed(wanted, context.tools) ??
    toolNamed(wanted, context.deferredTools?.() ?? []) ??
    (await findTool(wanted, context, signal));
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

/** Finds a tool by its name. A name that differs in case, or a former name, matches if only one tool has it. */
function toolNamed(name: string, tools: readonly Tool[]): Tool | undefined {
  const exact = tools.find((candidate) => candidate.name === name);
  if (exact) return exact;
  const folded = name.toLowerCase();
  const similar = tools.filter(
    (candidate) => candidate.name.toLowerCase() === folded || candidate.formerNames?.includes(name),
  );
  return similar.length === 1 ? similar[0] : undefined;
}

/** Returns undefined if the search fails. */
async function findTool(
  name: string,
  { findTool }: ToolUseContext,
  signal: AbortSignal,
): Promise<Tool | undefined> {
  try {
    return await findTool?.(name, signal);
  } catch {
    return undefined;
  }
}

async function validate(call: ClassifiedCall, context: ToolUseContext): Promise<Classified> {
  const { tool, input } = call;
  try {
    const valid = await tool.validateInput?.(input, context);
    return valid && !valid.ok ? { ok: false, message: valid.message } : { ok: true, call };
  } catch (thrown) {
    return uncheckable(tool, thrown);
  }
}

/** Checks an input that a hook or a permission answer changed. */
async function revalidate(
  { tool }: ClassifiedCall,
  raw: JsonObject,
  context: ToolUseContext,
): Promise<Classified> {
  const classified = await classifyCall(tool.name, raw, context);
  return classified.ok ? validate(classified.call, context) : classified;
}

async function read(tool: Tool, given: JsonObject, context: ToolUseContext): Promise<Classified> {
  const schema = await tool.inputSchema();
  const strict = schema.safeParse(given);
  const raw = strict.success ? given : coerceInput(tool.inputJSONSchema, given, tool.inputAliases);
  // A schema may count its failures, so an unchanged input must not be parsed twice.
  const isCoerced = !strict.success && JSON.stringify(raw) !== JSON.stringify(given);
  const parsed = isCoerced ? schema.safeParse(raw) : strict;
  if (!parsed.success) {
    return {
      ok: false,
      message: `${tool.name} was called with an invalid input. ${explain(parsed.error)}`,
    };
  }
  const input = parsed.data;
  const readOnly = await tool.isReadOnly(input, context);
  const safe = await tool.isConcurrencySafe(input, context);
  const effect = readOnly ? 'read_only' : tool.isIdempotent?.(input) ? 'idempotent' : 'writing';
  return { ok: true, call: { tool, input, raw, safe, early: readOnly && safe, effect } };
}

function uncheckable(tool: Tool, thrown: unknown): Classified {
  return { ok: false, message: `${tool.name} could not check its input: ${errorMessage(thrown)}` };
}

function explain(error: { readonly message: string; readonly issues?: readonly Issue[] }): string {
  if (!error.issues || error.issues.length === 0) return error.message;
  return error.issues
    .map(({ path, message }) => `${path.map(String).join('.') || 'input'}: ${message}`)
    .join('; ');
}
