/** Converts a core request to the JSON body for the Messages API. */
import type { ModelRequest } from '@heddle/core';
import { omitUndefined } from '@heddle/core';

export type RequestBody = Readonly<Record<string, unknown>>;

export function bodyOf(request: ModelRequest): RequestBody {
  const { model, max_tokens, system, tools, options } = request;
  const { thinking, effort, taskBudget, metadata, fastMode } = options;
  const output = {
    ...omitUndefined({ effort }),
    ...(taskBudget === undefined ? {} : { task_budget: { type: 'tokens', ...taskBudget } }),
  };
  return {
    model,
    max_tokens,
    stream: true,
    ...(system.length === 0 ? {} : { system }),
    ...(tools.length === 0 ? {} : { tools }),
    ...omitUndefined({ thinking }),
    ...(Object.keys(output).length === 0 ? {} : { output_config: output }),
    ...omitUndefined({ metadata }),
    ...(fastMode === true ? { speed: 'fast' } : {}),
    messages: messagesOf(request),
  };
}

/** Returns the bytes of the `messages` array in one piece. */
export function messagesBytes(request: ModelRequest): Uint8Array {
  return Buffer.concat(request.messagesJson);
}

/** Parses the bytes, or returns the data if there are none. Throws if the bytes are not JSON. */
function messagesOf(request: ModelRequest): unknown {
  if (request.messagesJson.length === 0) return markedMessages(request);
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(messagesBytes(request)));
}

/** Returns the messages as data, with the marks on their blocks. */
export function markedMessages(request: ModelRequest): unknown {
  const marked = new Set(request.marks.map(({ message, block }) => `${message}.${block}`));
  const messages = [...request.messages].map(({ role, content }, message) => ({
    role,
    content: content.map((block, place) =>
      marked.has(`${message}.${place}`) ? { ...block, cache_control: { type: 'ephemeral' } } : block,
    ),
  }));
  return JSON.parse(JSON.stringify(messages));
}
