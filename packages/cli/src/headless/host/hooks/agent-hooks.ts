/** The host's callbacks as hooks of the engine: around calls, around compactions, and at the end of a turn. */
import { type AgentHooks, hostResult } from '@heddle/agent';
import { type AfterTool, bareToolError, type BeforeTool, type HookedCall } from '@heddle/core';
import type { HostCallbacks } from './registered.ts';
import { requiredFieldsIn, type HookResponse, ignoredFieldsIn } from './hook-response.ts';

/** `lastText`: what the model said last. */
export function agentHooks(callbacks: HostCallbacks, lastText: () => string): AgentHooks {
  const about = ({ tool, input, toolUseId }: HookedCall, signal: AbortSignal, more: object = {}) => ({
    what: tool,
    input: { tool_name: tool, tool_input: input, tool_use_id: toolUseId, ...more },
    toolUseId,
    signal,
  });
  return {
    tools: {
      before: async (call, signal) => wordBefore(await callbacks.call('PreToolUse', about(call, signal))),
      async after(call, { content, data }, signal) {
        // The same that a `user` line tells of it.
        const { toolUseId: id, tool, input } = call;
        const more = { tool_response: data === undefined ? content : hostResult({ id, tool, input }, data) };
        return wordAfter('PostToolUse', await callbacks.call('PostToolUse', about(call, signal, more)));
      },
      async afterFailure(call, error, signal) {
        const event = 'PostToolUseFailure';
        const more = { error: bareToolError(error) };
        return wordAfter(event, await callbacks.call(event, about(call, signal, more)));
      },
    },
    compaction: {
      async before({ trigger, instructions }, signal) {
        const input = { trigger: known(trigger), custom_instructions: instructions ?? null };
        const said = await callbacks.call('PreCompact', { what: known(trigger), input, signal });
        const { block, stop, context } = said;
        const forbid = block ?? stop ?? requiredFieldsIn(said);
        if (forbid !== undefined) return { forbid };
        return context === undefined ? {} : { instructions: context };
      },
      async after({ trigger, handOver }, signal) {
        const input = { trigger: known(trigger), compact_summary: handOver };
        // Nobody waits for what a host does with it.
        void callbacks.call('PostCompact', { what: known(trigger), input, signal });
      },
    },
    ...(callbacks.hears('Stop')
      ? {
          async stop({ stopHookActive, signal }) {
            const input = { stop_hook_active: stopHookActive, last_assistant_message: lastText() };
            const { block, stop, context } = await callbacks.call('Stop', { input, signal });
            if (stop !== undefined) return { prevent: stop };
            const more = block ?? context;
            return more === undefined ? {} : { block: more };
          },
        }
      : {}),
  };
}

/**
 * A hook stands guard: where it should have been heard and could not be, the call does not run. One that was heard and
 * failed has no say, unless the host wants it otherwise.
 */
function wordBefore(said: HookResponse): BeforeTool {
  const { decision, reason, updatedInput, context, stop } = said;
  const more = {
    ...(context === undefined ? {} : { additionalContext: context }),
    ...(stop === undefined ? {} : { stop: { hook: 'PreToolUse', message: stop } }),
  };
  const unheard = ignoredFieldsIn(said);
  if (unheard !== undefined)
    return { ...more, decision: 'deny', message: `A hook was to decide. ${unheard}` };
  if (stop !== undefined) return { ...more, decision: 'deny', message: stop };
  return {
    ...more,
    ...(decision === undefined ? {} : { decision }),
    ...(reason === undefined ? {} : { message: reason }),
    ...(updatedInput === undefined ? {} : { updatedInput }),
  };
}

/** The call has happened: what a hook has against it, the model is told. */
function wordAfter(hook: string, { context, block, stop }: HookResponse): AfterTool {
  const remarks = [block, context].filter((text) => text !== undefined).join('\n\n');
  return {
    ...(remarks === '' ? {} : { additionalContext: remarks }),
    ...(stop === undefined ? {} : { stop: { hook, message: stop } }),
  };
}

/** Hosts know two: one that an error asked for was not asked for by the user. */
function known(trigger: 'auto' | 'manual' | 'reactive'): 'auto' | 'manual' {
  return trigger === 'manual' ? 'manual' : 'auto';
}
