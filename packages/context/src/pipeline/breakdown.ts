/** Computes how the window is used, by category. `/context` shows it. */
import type { ContentBlock, Message, PromptHead, Tool } from '@heddle/core';
import { estimatePrompt, estimateTools } from '../estimate/head.ts';
import { estimateBlock, estimateMessage } from '../estimate/message.ts';
import { decodeMessage, isRequest } from '../history/decode-message.ts';
import { type Thresholds, type WindowState, windowState } from '../thresholds.ts';

export interface Breakdown {
  readonly window: number;
  /** Tokens reserved for the answer. */
  readonly reserved: number;
  readonly used: number;
  readonly free: number;
  readonly categories: readonly { readonly name: BreakdownCategory; readonly tokens: number }[];
  /** Tokens of calls and results by tool, the largest first. */
  readonly byTool: readonly { readonly tool: string; readonly tokens: number }[];
}

export type BreakdownCategory =
  | 'system prompt'
  | 'context'
  | 'tools'
  | 'hand-over and reminders'
  | 'user messages'
  | 'answers'
  | 'thinking'
  | 'tool calls'
  | 'tool results'
  | 'media';

export interface BreakdownInput {
  readonly head: PromptHead;
  readonly tools: readonly Tool[];
  readonly messages: Iterable<Message>;
  readonly thresholds: Thresholds;
}

export function breakdownOf({ head, tools, messages, thresholds }: BreakdownInput): Breakdown {
  const { system, user } = estimatePrompt(head);
  const sums = new Map<BreakdownCategory, number>();
  const byTool = new Map<string, number>();
  const names = new Map<string, string>();
  const add = (name: BreakdownCategory, tokens: number): void =>
    void sums.set(name, (sums.get(name) ?? 0) + tokens);
  add('system prompt', system);
  add('context', user);
  add('tools', estimateTools(tools));
  for (const message of messages) {
    let left = estimateMessage(message);
    if (left === 0) continue;
    for (const block of decodeMessage(message).blocks) {
      const category = categoryOf(block, message);
      const tokens = Math.min(left, estimateBlock(block));
      left -= tokens;
      add(category, tokens);
      if (block.type === 'tool_use') names.set(block.id, block.name);
      const id =
        block.type === 'tool_use' ? block.id : block.type === 'tool_result' ? block.tool_use_id : undefined;
      const tool = id === undefined ? undefined : names.get(id);
      if (tool !== undefined) byTool.set(tool, (byTool.get(tool) ?? 0) + tokens);
    }
    // Tokens around the blocks count for the author of the message.
    add(
      message.type === 'assistant'
        ? 'answers'
        : isRequest(message)
          ? 'user messages'
          : 'hand-over and reminders',
      left,
    );
  }
  const { window, blocking } = thresholds;
  const used = [...sums.values()].reduce((sum, tokens) => sum + tokens, 0);
  return {
    window,
    reserved: window - blocking,
    used,
    free: Math.max(0, blocking - used),
    categories: [...sums].map(([name, tokens]) => ({ name, tokens })),
    byTool: [...byTool].map(([tool, tokens]) => ({ tool, tokens })).sort((a, b) => b.tokens - a.tokens),
  };
}

function categoryOf(block: ContentBlock, message: Message): BreakdownCategory {
  switch (block.type) {
    case 'thinking':
    case 'redacted_thinking':
      return 'thinking';
    case 'tool_use':
      return 'tool calls';
    case 'tool_result':
      return 'tool results';
    case 'image':
    case 'document':
      return 'media';
    default:
      if (message.type === 'assistant') return 'answers';
      return isRequest(message) ? 'user messages' : 'hand-over and reminders';
  }
}

/** The categories are estimates and add up to `used`. `state.tokens` starts from the last count of the server. */
export interface ContextUsage extends Breakdown {
  readonly model: string;
  readonly thresholds: Thresholds;
  readonly state: WindowState;
}

export function contextUsageOf(
  input: BreakdownInput & { readonly model: string; readonly tokens: number },
): ContextUsage {
  const { model, thresholds, tokens } = input;
  return { ...breakdownOf(input), model, thresholds, state: windowState(tokens, thresholds) };
}
