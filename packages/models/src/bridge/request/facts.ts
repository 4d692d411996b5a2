/** What an answer must know of the request that it answers. */
import type { ModelRequest } from '@heddle/core';

/** Which ids of calls the conversation has. Looked up only when a call comes. */
export function idsOf({ messages }: ModelRequest): (id: string) => boolean {
  let ids: Set<string> | undefined;
  return (id) => {
    ids ??= new Set(
      [...messages].flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
      ),
    );
    const isTaken = ids.has(id);
    ids.add(id);
    return isTaken;
  };
}

/** Four bytes a token, as everybody reckons who has no tokenizer. */
export function estimateOf({ system, tools, messagesJson }: ModelRequest): number {
  let bytes = JSON.stringify({ system, tools }).length;
  for (const piece of messagesJson) bytes += piece.byteLength;
  return Math.ceil(bytes / 4);
}
