/** The road of one call, stage by stage: permission with its hooks, then the call with its hooks. Never throws. */
import type { Json, JsonObject } from '../json.ts';
import type { ToolUseContext } from './context.ts';
import { checkResult } from './check-result.ts';
import { messageOf } from '../thrown.ts';
import { readAgain, validate } from './classify.ts';
import type { ToolHooks } from './hooks.ts';
import type { CanUseTool, Permission, PermissionCall } from './permission.ts';
import type { ClassifiedCall, Settled, Slot } from './slot.ts';
import { toolError } from './texts.ts';
import type { HookWord } from '../machine/happened.ts';

export interface Road {
  readonly hooks: ToolHooks;
  readonly canUseTool: CanUseTool;
  readonly redact: Redact;
}

/** The same value without the secrets in its texts. The value itself if it has none. */
export type Redact = <T>(value: T) => T;

export type Permitted =
  | { readonly ok: true; readonly call: ClassifiedCall }
  | { readonly ok: false; readonly message: string; readonly interrupt?: boolean };

/**
 * `isStale`: calls before it may have changed what was said of it when it came in; where the shell stands, what a repository
 * would run. Validation, `PreToolUse` hooks, then the permission of whoever stands around the loop. Changed input is
 * read again.
 */
export async function permit(
  slot: Slot,
  given: ClassifiedCall,
  road: Road,
  context: ToolUseContext,
  isStale: boolean,
): Promise<Permitted> {
  const { id } = slot.block;
  const { signal } = slot.controller;
  try {
    const valid = await (isStale ? readAgain(given, given.raw, context) : validate(given, context));
    if (!valid.ok) return valid;
    let { call } = valid;
    const before = await road.hooks.before({ toolUseId: id, tool: call.tool.name, input: call.raw }, signal);
    remember(slot, road.redact(before));
    if (before.decision === 'deny')
      return { ok: false, message: before.message ?? 'A hook denied this call.' };
    if (before.updatedInput) {
      const again = await readAgain(call, before.updatedInput, context);
      if (!again.ok) return { ok: false, message: `A hook changed the input. ${again.message}` };
      call = again.call;
    }
    const { decision, message } = before;
    const hookReason = decision === 'ask' && message !== undefined ? { hookReason: message } : {};
    const asked: PermissionCall = { toolUseId: id, hookDecision: decision, ...hookReason, signal };
    const permission = await road.canUseTool(call.tool, call.raw, context, asked);
    if (permission.behavior === 'deny') return denied(permission);
    if (!permission.updatedInput || permission.updatedInput === call.raw) return permitted(call, permission);
    const again = await readAgain(call, permission.updatedInput, context);
    if (!again.ok)
      return { ok: false, message: `The input was changed when it was permitted. ${again.message}` };
    // What was permitted is not what will run: the rules have their say on that, too.
    const { tool, raw } = again.call;
    const ruled = await road.canUseTool(tool, raw, context, { ...asked, answered: true });
    return ruled.behavior === 'deny' ? denied(ruled) : permitted(again.call, ruled);
  } catch (thrown) {
    return { ok: false, message: `Permission could not be decided: ${messageOf(thrown)}` };
  }
}

function permitted(
  call: ClassifiedCall,
  { places, readOnlyRun }: Extract<Permission, { behavior: 'allow' }>,
): Extract<Permitted, { ok: true }> {
  const given = { ...(places === undefined ? {} : { places }), ...(readOnlyRun ? { readOnlyRun } : {}) };
  return { ok: true, call: { ...call, ...given } };
}

/** A call sees the places that were permitted for it, and those of no other call. */
function contextFor({ places }: ClassifiedCall, context: ToolUseContext): ToolUseContext {
  return places === undefined ? context : { ...context, places };
}

function denied({ message, interrupt }: Extract<Permission, { behavior: 'deny' }>): Permitted {
  return { ok: false, message, ...(interrupt ? { interrupt: true } : {}) };
}

/** What the intent says beside the input. A tool that cannot describe its effect still gets one. */
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
  road: Road,
  context: ToolUseContext,
  onProgress: (data: Json) => void,
): Promise<Settled> {
  const { id } = slot.block;
  const { signal } = slot.controller;
  const { tool } = call;
  const hooked = { toolUseId: id, tool: tool.name, input: call.raw };
  let settled: Settled;
  try {
    const own = {
      ...contextFor(call, context),
      signal,
      toolUseId: id,
      ...(call.readOnlyRun ? { readOnlyRun: call.readOnlyRun } : {}),
    };
    const output = await tool.call(call.input, own, onProgress);
    const result = checkResult(tool.name, tool.toResult(output.data));
    const { newContext, spent } = output;
    settled = {
      ...road.redact({ result, data: output.data }),
      ...(newContext ? { newContext } : {}),
      ...(spent ? { spent } : {}),
    };
  } catch (thrown) {
    settled = failure(road.redact(messageOf(thrown)) || `${tool.name} failed without saying why.`);
  }
  try {
    const after = settled.result.isError
      ? await road.hooks.afterFailure(hooked, textOfResult(settled), signal)
      : await road.hooks.after(hooked, { ...settled.result, data: settled.data }, signal);
    remember(slot, road.redact(after));
    // What our own tools said stays as they said it; a server's word may be put into better words.
    if (!after.updatedResult || !tool.isFromServer) return settled;
    return { ...settled, result: road.redact(checkResult(tool.name, after.updatedResult)) };
  } catch (thrown) {
    slot.remarks.push(`A hook after ${tool.name} failed: ${road.redact(messageOf(thrown))}`);
    return settled;
  }
}

/** An error as a result: the model is told what went wrong and goes on. */
export function failure(message: string): Settled {
  return { result: { content: toolError(message), isError: true } };
}

function remember(slot: Slot, said: { readonly additionalContext?: string; readonly stop?: HookWord }): void {
  if (said.additionalContext) slot.remarks.push(said.additionalContext);
  slot.stoppedBy ??= said.stop;
}

function textOfResult({ result }: Settled): string {
  if (typeof result.content === 'string') return result.content;
  return result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
