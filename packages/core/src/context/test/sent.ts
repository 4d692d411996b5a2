/** What a model would be sent of a history, and what the API would have against it. */
import { bodyOf, explainViolations, validateRequest } from '@heddle/testing';
import type { MessageHistory } from '../../messages/message.ts';
import type { ModelRequest } from '../../model/port.ts';
import { buildRequest } from '../../request/builder.ts';
import { requestView } from '../../request/view.ts';
import { HEAD } from './rig.ts';

export function requestFor(messages: MessageHistory): ModelRequest {
  const view = requestView({ ...HEAD, model: 'scripted-1', maxOutputTokens: 100, tools: [] });
  return buildRequest(view, messages).request;
}

/** Empty: nothing. */
export function complaintsAbout(request: ModelRequest): string {
  return explainViolations(validateRequest(bodyOf(request)));
}
