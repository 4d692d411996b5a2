/** Results of prompts for which no turn began: no model was asked, and what earlier ones have cost stays on the bill. */
import { randomUUID } from 'node:crypto';
import { type Agent, failedStart, type SdkResult, totalCost } from '@heddle/agent';

/** What was asked for did not happen. */
export function refusedPrompt(why: string, { sessionId, spending }: Agent): SdkResult {
  return {
    ...failedStart(why, { uuid: randomUUID(), session_id: sessionId }),
    total_cost_usd: totalCost(spending),
    modelUsage: spending.models,
  };
}

/** It did, without a turn. */
export function settledPrompt(text: string, agent: Agent): SdkResult {
  const { errors: _errors, terminal_reason: _reason, ...line } = refusedPrompt(text, agent);
  return { ...line, subtype: 'success', is_error: false, result: text };
}
