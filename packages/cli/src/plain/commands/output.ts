/** `/output`: what came of a call in full, of which the conversation shows one line. */
import {
  isToolResult,
  isToolUse,
  type Message,
  textOf,
  type ToolResultBlock,
  type ToolUseBlock,
} from '@heddle/core';
import { harmless } from '../../terminal/harmless.ts';
import { callLine } from '../render/call.ts';
import type { Chat } from './command.ts';

/** `words`: which one, counted from the last; the last one where it says nothing. */
export function output(words: string, { started, say, style, cwd }: Chat): void {
  const messages = [...started.agent.messages];
  const results = messages.flatMap(resultsIn);
  if (results.length === 0) return say('No call has come to an end yet.');
  const result = /^\d*$/.test(words) ? results.at(-Math.max(1, Number(words))) : undefined;
  if (!result)
    return say(
      results.length === 1
        ? 'There is one call so far: /output shows it.'
        : `Type a number from 1, the last call, to ${results.length}.`,
    );
  const call = messages.flatMap(callsIn).find(({ id }) => id === result.tool_use_id);
  const title = call
    ? callLine(call.name, call.input, cwd)
    : 'A call that is not in this conversation any more';
  const lines = harmless(textOf(result.content)).trimEnd().split('\n');
  say([style.paint('bold', title), ...lines.map((line) => `  | ${line}`)].join('\n'));
}

function resultsIn(message: Message): ToolResultBlock[] {
  if (message.type !== 'user' || typeof message.content === 'string') return [];
  return message.content.filter(isToolResult);
}

function callsIn(message: Message): ToolUseBlock[] {
  return message.type === 'assistant' ? message.content.filter(isToolUse) : [];
}
