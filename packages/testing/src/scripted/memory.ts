/** The server's memory of its own responses: signatures, block types, and pauses. */
import type { ApiEvent } from '@heddle/core';
import type { Signatures } from '../validator/signatures.ts';
import type { Act } from './act.ts';

export interface Memory {
  /** Types of blocks that were sent and may come back. */
  readonly blockTypes: ReadonlySet<string>;
  /** The last complete response has paused: the request may continue from it. */
  paused(): boolean;
  remember(model: string, acts: readonly Act[]): void;
}

export function createMemory(signatures: Signatures): Memory {
  const blockTypes = new Set<string>();
  let paused = false;

  return {
    blockTypes,
    paused: () => paused,
    remember(model, acts) {
      const thoughts = new Map<number, string>();
      for (const act of acts) if (act.act === 'event') note(act.event, model, thoughts);
    },
  };

  function note(event: ApiEvent, model: string, thoughts: Map<number, string>): void {
    if (event.type === 'content_block_start') {
      const { content_block: block } = event;
      blockTypes.add(String(block.type));
      if (block.type === 'redacted_thinking') signatures.admit(block.data, model, block.data);
    } else if (event.type === 'content_block_delta') {
      const { delta, index } = event;
      const before = thoughts.get(index) ?? '';
      if (delta.type === 'thinking_delta') thoughts.set(index, before + delta.thinking);
      if (delta.type === 'signature_delta') signatures.admit(delta.signature, model, before);
    } else if (event.type === 'message_delta') {
      paused = event.delta.stop_reason === 'pause_turn';
    }
  }
}
