/** A prompt that a hook of the host blocked. That is no failure: what the hook is there for has happened. */
import { randomUUID } from 'node:crypto';
import type { Agent, SdkMessage } from '@heddle/agent';
import { settledPrompt } from '../../without-turn.ts';

export function blockedPrompt(reason: string, agent: Agent): readonly SdkMessage[] {
  const content = `A hook blocked this prompt: ${reason}`;
  return [
    {
      type: 'system',
      subtype: 'informational',
      uuid: randomUUID(),
      session_id: agent.sessionId,
      content,
      level: 'warning',
      prevent_continuation: true,
    },
    settledPrompt(content, agent),
  ];
}
