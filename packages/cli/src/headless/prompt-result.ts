/** Results of prompts that started no turn. No model was called; the cost of earlier prompts stays in the total. */
import { type Agent, failedStart, type SdkResult, totalCost, newUuid } from '@heddle/agent';

/** The result of a prompt that was rejected. */
export function rejectedPrompt(why: string, { sessionId, spending }: Agent): SdkResult {
  return {
    ...failedStart(why, { uuid: newUuid(), session_id: sessionId }),
    total_cost_usd: totalCost(spending),
    modelUsage: spending.models,
  };
}

/** The result of a prompt that succeeded without a turn. */
export function settledPrompt(text: string, agent: Agent): SdkResult {
  const { errors: _errors, terminal_reason: _reason, ...line } = rejectedPrompt(text, agent);
  return { ...line, subtype: 'success', is_error: false, result: text };
}
