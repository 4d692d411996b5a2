/** Builds the request for a history, and lists the rules of the API that it breaks. */
import { buildRequest, type MessageHistory, type ModelRequest, requestSpec } from '@heddle/core';
import { bodyOf, explainViolations, validateRequest } from '@heddle/testing';
import { HEAD } from './rig.ts';

export function requestFor(messages: MessageHistory): ModelRequest {
  const view = requestSpec({ ...HEAD, model: 'scripted-1', maxOutputTokens: 100, tools: [] });
  return buildRequest(view, messages).request;
}

/** Returns an empty string for a valid request. */
export function complaintsAbout(request: ModelRequest): string {
  return explainViolations(validateRequest(bodyOf(request)));
}
