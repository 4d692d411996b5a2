/** Permission questions that the host answers. */
import {
  type AskPermission,
  type PermissionAnswer,
  type PermissionQuestion,
  permissionUpdates,
} from '@heddle/agent';
import { isJsonObject, type Line, textIn } from './json.ts';
import type { HostRequests } from './requests.ts';

/** However the host fails to answer, it has not allowed it. */
export function askThe(host: HostRequests): AskPermission {
  return async (question, signal) => {
    const reply = await host.ask(requestOf(question), { signal });
    return reply.ok ? answerIn(reply.response) : { allow: false, message: reply.message };
  };
}

function requestOf({
  toolUseId,
  tool,
  input,
  reason,
  suggestions,
  rule,
  agentId,
}: PermissionQuestion): object {
  return {
    subtype: 'can_use_tool',
    tool_name: tool,
    input,
    tool_use_id: toolUseId,
    decision_reason: reason,
    ...(suggestions.length > 0 ? { permission_suggestions: suggestions } : {}),
    ...(rule === undefined ? {} : { matched_ask_rule: rule }),
    ...(agentId === undefined ? {} : { agent_id: agentId }),
  };
}

function answerIn(given: Line): PermissionAnswer {
  const updatedInput = given['updatedInput'];
  const message = textIn(given['message']);
  const updates = permissionUpdates(given['updatedPermissions']);
  return {
    allow: given['behavior'] === 'allow',
    ...(message === undefined ? {} : { message }),
    ...(isJsonObject(updatedInput) ? { updatedInput } : {}),
    ...(updates.length > 0 ? { updates } : {}),
    ...(given['interrupt'] === true ? { interrupt: true } : {}),
  };
}
