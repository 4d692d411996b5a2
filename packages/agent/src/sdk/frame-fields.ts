/** Fields that several messages of the SDK protocol share. */
import type { ContentBlock } from '@heddle/core';
import * as z from 'zod';

export const strings = z.array(z.string()).readonly();
/** Blocks, events and inputs are those of the Messages API. The engine has checked them. */
export const blocks = z.array(z.custom<ContentBlock>()).readonly();
export const parent = z
  .string()
  .nullable()
  .describe('the call of the subagent that this message belongs to, or null');

/** Set on a message of a subagent. */
export const origin = {
  agent_id: z.string().exactOptional().describe('the subagent that this message belongs to'),
  subagent_type: z.string().exactOptional(),
  task_description: z.string().exactOptional(),
};

export const envelope = {
  uuid: z.string(),
  session_id: z.string(),
};

/** On the first answer and the result of a prompt whose host gave it an id. */
export const answered = {
  user_message_uuid: z.string().exactOptional().describe('the id of the prompt, if its host gave one'),
  user_message_uuids: strings.exactOptional(),
};
