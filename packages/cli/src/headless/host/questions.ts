/** Permission questions that the host answers. Several may be open; one that nobody waits for any more is withdrawn. */
import { randomUUID } from 'node:crypto';
import { type AskPermission, type PermissionAnswer, permissionUpdates } from '@heddle/agent';
import { isJsonObject, type Line, lineIn, textIn } from './json.ts';

export class Questions {
  readonly #send: (line: object) => void;
  readonly #open = new Map<string, (answer: PermissionAnswer) => void>();
  #isClosed = false;

  constructor(send: (line: object) => void) {
    this.#send = send;
  }

  readonly ask: AskPermission = (question, signal) => {
    if (this.#isClosed) return Promise.resolve(GONE);
    const { toolUseId, tool, input, reason, suggestions, rule, agentId } = question;
    const requestId = randomUUID();
    const request = {
      subtype: 'can_use_tool',
      tool_name: tool,
      input,
      tool_use_id: toolUseId,
      decision_reason: reason,
      ...(suggestions.length > 0 ? { permission_suggestions: suggestions } : {}),
      ...(rule === undefined ? {} : { matched_ask_rule: rule }),
      ...(agentId === undefined ? {} : { agent_id: agentId }),
    };
    return new Promise((resolve) => {
      const finish = (answer: PermissionAnswer): void => {
        this.#open.delete(requestId);
        signal.removeEventListener('abort', withdraw);
        resolve(answer);
      };
      const withdraw = (): void => {
        this.#send({ type: 'control_cancel_request', request_id: requestId });
        finish({ allow: false, message: 'The question was withdrawn.' });
      };
      this.#open.set(requestId, finish);
      signal.addEventListener('abort', withdraw, { once: true });
      this.#send({ type: 'control_request', request_id: requestId, request });
    });
  };

  /** The host's answer. An error in its place allows nothing. */
  settle(line: Line): void {
    const response = lineIn(line['response']);
    const answer = this.#open.get(textIn(response?.['request_id']) ?? '');
    if (!answer) return;
    const given = lineIn(response?.['response']);
    const updatedInput = given?.['updatedInput'];
    const message = textIn(given?.['message'] ?? response?.['error']);
    const updates = permissionUpdates(given?.['updatedPermissions']);
    answer({
      allow: response?.['subtype'] === 'success' && given?.['behavior'] === 'allow',
      ...(message === undefined ? {} : { message }),
      ...(isJsonObject(updatedInput) ? { updatedInput } : {}),
      ...(updates.length > 0 ? { updates } : {}),
      ...(given?.['interrupt'] === true ? { interrupt: true } : {}),
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const answer of this.#open.values()) answer(GONE);
  }
}

const GONE: PermissionAnswer = { allow: false, message: 'The host went away.' };
