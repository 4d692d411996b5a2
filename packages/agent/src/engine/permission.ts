/** Joins the pure decision with whoever can be asked, and remembers what was denied. */
import type { CanUseTool, EntryBody, Permission } from '@heddle/core';
import { authorize, NO_RULES } from '../permission/authorize.ts';
import type { PermissionDenial } from '../sdk/message.ts';
import type { AgentOptions } from './options.ts';

export function permissionOf(
  options: AgentOptions,
  record: { readonly store: (body: EntryBody) => void; readonly denials: PermissionDenial[] },
): CanUseTool {
  return async (tool, input, context, { toolUseId, hookDecision, signal }) => {
    const deny = (message: string, interrupt = false): Permission => {
      record.denials.push({ tool_name: tool.name, tool_use_id: toolUseId, tool_input: input });
      return { behavior: 'deny', message, ...(interrupt ? { interrupt } : {}) };
    };
    const request = { tool: tool.name, input, readOnly: tool.isReadOnly(input), hookDecision };
    const verdict = authorize(request, options.rules ?? NO_RULES, context.permissionMode);
    if (verdict.decision === 'allow') return { behavior: 'allow' };
    if (verdict.decision === 'deny') return deny(`Permission denied. ${verdict.reason}`);
    if (!options.canUseTool) return deny(`Permission denied. ${verdict.reason} There is nobody to ask.`);
    record.store({ type: 'ask', toolUseId, tool: tool.name, input });
    const question = { toolUseId, tool: tool.name, input, reason: verdict.reason };
    const { allow, message, updatedInput, interrupt } = await options.canUseTool(question, signal);
    const said = message === undefined ? {} : { message };
    record.store({ type: 'ask_answer', toolUseId, behavior: allow ? 'allow' : 'deny', ...said });
    if (!allow) return deny(message ?? 'The user denied this call.', interrupt);
    return updatedInput ? { behavior: 'allow', updatedInput } : { behavior: 'allow' };
  };
}
