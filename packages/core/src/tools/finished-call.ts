/**
 * A call with its result, as the machine compares them: two that look the same to it did the same. The loop makes it of what
 * just happened, the replay of what was recorded; both must come to the same, or no replay would agree.
 */
import { fingerprint } from '../fingerprint.ts';
import type { FinishedCall } from '../machine/happened.ts';
import type { ToolResultBlock, ToolUseBlock } from '../messages/blocks.ts';
import { messageOf } from '../thrown.ts';

export function finishedCall(
  { name, input }: ToolUseBlock,
  result: ToolResultBlock | undefined,
): FinishedCall {
  // In a log that somebody changed any of them may be missing.
  const [tool = '', ...parts] = [name, jsonOf(input), jsonOf(result?.content ?? '')].map(String);
  return { tool, fingerprint: fingerprint([tool, ...parts]) };
}

/** Total: what JSON cannot hold (a circle) is named by the reason why. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    return messageOf(thrown);
  }
}
