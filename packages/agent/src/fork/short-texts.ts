/** The short texts beside a conversation: a sentence about the last tool calls, and a suggestion for the next prompt. */
import { resultsOf, textOf, type ToolUseBlock, type UserMessage } from '@heddle/core';
import type { Fork } from './fork.ts';

const SUMMARY_PROMPT =
  'You describe what a coding agent has just done. Write one phrase in the past tense of at most twelve words, such as "Read the parser and ran its tests: 2 failures". Write nothing else.';
const SUMMARY_TOKENS = 100;
const SUMMARY_CHARACTERS = 160;
/** The small model sees the beginning of each input and result. */
const PREVIEW_CHARACTERS = 400;
const MOST_CALLS = 20;

export interface FinishedToolCall {
  readonly call: ToolUseBlock;
  readonly result: UserMessage;
}

/** Asks the small model for a sentence about these calls. Undefined if it has none. */
export async function describeCalls(
  fork: Fork,
  calls: readonly FinishedToolCall[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const question = calls.slice(0, MOST_CALLS).map(describeCall).join('\n\n');
  const answer = await fork.askSmall({
    systemPrompt: SUMMARY_PROMPT,
    question,
    maxTokens: SUMMARY_TOKENS,
    signal,
  });
  return answer.ok ? firstLine(answer.text, SUMMARY_CHARACTERS) : undefined;
}

function describeCall({ call, result }: FinishedToolCall): string {
  const own = resultsOf(result).find(({ tool_use_id: id }) => id === call.id);
  const output = own === undefined ? '' : textOf(own.content);
  const failed = own?.is_error === true ? ' (failed)' : '';
  return `Tool: ${call.name}${failed}\nInput: ${preview(JSON.stringify(call.input))}\nResult: ${preview(output)}`;
}

function preview(text: string): string {
  return text.length <= PREVIEW_CHARACTERS ? text : `${text.slice(0, PREVIEW_CHARACTERS)}…`;
}

const SUGGESTION_QUESTION =
  'Predict the next prompt that the user will most likely type, in the words of the user. Write only that prompt, on one line of at most twelve words. If nothing obvious follows, write NONE.';
const SUGGESTION_TOKENS = 60;
const SUGGESTION_CHARACTERS = 120;

/** Asks for the next prompt of the user, in a fork of the conversation. Undefined if nothing obvious follows. */
export async function suggestPrompt(fork: Fork, signal: AbortSignal): Promise<string | undefined> {
  const answer = await fork.ask({ question: SUGGESTION_QUESTION, maxTokens: SUGGESTION_TOKENS, signal });
  const line = answer.ok ? firstLine(answer.text, SUGGESTION_CHARACTERS) : undefined;
  return line === undefined || /^none\b/i.test(line) ? undefined : line;
}

/** Returns the first line without quotation marks. Undefined if it is empty or longer than the limit. */
function firstLine(text: string, limit: number): string | undefined {
  const [first = ''] = text.trim().split('\n');
  const line = first.trim().replaceAll(/^["'`]+|["'`]+$/g, '');
  return line === '' || line.length > limit ? undefined : line;
}
