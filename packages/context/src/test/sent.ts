/** What a model would be sent of a history, and what the API would have against it. */
import { buildRequest, type MessageHistory, type ModelRequest, requestView } from '@heddle/core';
import { bodyOf, explainViolations, validateRequest } from '@heddle/testing';
import { HEAD } from './rig.ts';

export function requestFor(messages: MessageHistory): ModelRequest {
  const view = requestView({ ...HEAD, model: 'scripted-1', maxOutputTokens: 100, tools: [] });
  return buildRequest(view, messages).request;
}

/** Empty: nothing. */
export function complaintsAbout(request: ModelRequest): string {
  return explainViolations(validateRequest(bodyOf(request)));
}
