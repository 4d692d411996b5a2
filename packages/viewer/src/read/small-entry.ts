/**
 * Reduces an entry to the values that the machine compares: calls, results and reports. Long texts are replaced by a hash, so that
 * a log of 100 MB is replayed in little memory. Pure.
 */
import { createHash } from 'node:crypto';
import type { ContentBlock, Entry, UserMessage } from '@heddle/core';

/** A longer block is replaced by a hash. */
const LONGEST_KEPT = 400;

export function smallEntry(entry: Entry): Entry {
  const { at } = entry;
  switch (entry.type) {
    case 'session': {
      const { cwd, model } = entry.snapshot;
      const snapshot = { cwd, model, systemPrompt: [], userContext: {}, systemContext: {} };
      return { type: 'session', at, snapshot };
    }
    case 'assistant': {
      const { message } = entry;
      const content = message.content.filter(({ type }) => type === 'tool_use').map(hashed);
      return { type: 'assistant', at, message: { ...message, content } };
    }
    case 'user':
      return { type: 'user', at, message: smallPrompt(entry.message) };
    case 'system':
      return { type: 'system', at, message: { ...entry.message, content: '' } };
    case 'attachment': {
      const attachment = { kind: 'reminder', about: 'other', text: '' } as const;
      return { type: 'attachment', at, message: { ...entry.message, attachment } };
    }
    case 'intent': {
      const { toolUseId, tool, effect } = entry;
      return { type: 'intent', at, toolUseId, tool, effect, input: {} };
    }
    case 'ask':
      return { type: 'ask', at, toolUseId: entry.toolUseId, tool: entry.tool, input: {} };
    case 'context': {
      // The history of a compaction is not part of a decision.
      const { report, messages } = entry;
      return messages ? { type: 'context', at, report, messages: [] } : { type: 'context', at, report };
    }
    case 'rewind':
      return { type: 'rewind', at, to: entry.to };
    case 'summary':
      return { type: 'summary', at, summary: '', toolUseIds: [] };
    default:
      return entry;
  }
}

function smallPrompt({ uuid, at, content, isMeta }: UserMessage): UserMessage {
  const small = typeof content === 'string' ? shortened(content) : content.map(hashed);
  return { type: 'user', uuid, at, content: small, ...(isMeta ? { isMeta } : {}) };
}

function hashed(block: ContentBlock): ContentBlock {
  const size = JSON.stringify(block).length;
  if (size <= LONGEST_KEPT) return block;
  switch (block.type) {
    case 'tool_use':
      return { ...block, input: { hash: hashOf(JSON.stringify(block.input)) } };
    case 'tool_result':
      return { ...block, content: hashOf(JSON.stringify(block.content)) };
    default:
      return { type: 'text', text: hashOf(JSON.stringify(block)) };
  }
}

function shortened(text: string): string {
  return text.length > LONGEST_KEPT ? hashOf(text) : text;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
