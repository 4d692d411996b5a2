/**
 * Level 1 moves results to files: a result over the limit of its tool, and the largest results of a round over its budget.
 * It runs before a result is first sent, and the log stores the replacement. So a resumed session sends the same bytes.
 */
import { History, type Message } from '@heddle/core';
import { estimateMessage } from '../estimate/message.ts';
import { type LevelResult, untouched } from '../deps.ts';
import type { ResultBudgetOptions } from '../options.ts';
import type { HistoryReader, PlacedResult } from '../history/history-reader.ts';
import { resultText, withResults } from '../history/decode-message.ts';
import { isSpilled, spilledResult } from '../history/result-notes.ts';

export interface Spill {
  readonly toolUseId: string;
  readonly text: string;
}

export interface BudgetSettings extends ResultBudgetOptions {
  /** The most characters of a result of this tool. */
  readonly limitOf: (tool: string | undefined) => number;
}

/** Finds results from this round on: those over their limit, then the largest of a round over its budget. */
export function oversized(reader: HistoryReader, settings: BudgetSettings, fromRound = 0): readonly Spill[] {
  const spills: Spill[] = [];
  for (const results of byRound(reader.results, fromRound)) {
    const sizes = results
      .map(({ result, call }) => ({
        toolUseId: result.tool_use_id,
        text: resultText(result),
        tool: call?.name,
      }))
      .filter(({ text }) => !isSpilled(text, settings.preview))
      .sort((left, right) => right.text.length - left.text.length);
    let together = sizes.reduce((sum, { text }) => sum + text.length, 0);
    for (const { toolUseId, text, tool } of sizes) {
      if (text.length <= settings.limitOf(tool) && together <= settings.perRound) continue;
      if (text.length <= 2 * settings.preview) continue;
      spills.push({ toolUseId, text });
      together -= text.length - settings.preview;
    }
  }
  return spills;
}

/** `stored` maps a call to the path of its output, or to undefined if it could not be written. */
export function spillResults(
  messages: History<Message>,
  stored: ReadonlyMap<string, string | undefined>,
  { preview }: ResultBudgetOptions,
): LevelResult {
  if (stored.size === 0) return untouched(messages);
  const replaced: Message[] = [];
  let [before, after] = [0, 0];
  const next = [...messages].map((message): Message => {
    const spilled = withResults(message, (result) =>
      stored.has(result.tool_use_id) && !isSpilled(resultText(result), preview)
        ? spilledResult(result, stored.get(result.tool_use_id), preview)
        : result,
    );
    if (spilled === message) return message;
    replaced.push(spilled);
    before += estimateMessage(message);
    after += estimateMessage(spilled);
    return spilled;
  });
  if (replaced.length === 0) return untouched(messages);
  return {
    messages: History.of(next),
    tokensFreed: before - after,
    replaced,
    report: {
      level: 'tool_result_budget',
      tokensBefore: before,
      tokensAfter: after,
      // These results were never sent, so they were never cached.
      rewrotePrefix: false,
      details: {
        toolUseIds: [...stored.keys()],
        files: [...stored.values()].filter((path) => path !== undefined),
      },
    },
  };
}

function* byRound(results: readonly PlacedResult[], fromRound: number): Generator<readonly PlacedResult[]> {
  let start = results.length;
  while (start > 0 && (results[start - 1]?.round ?? 0) >= fromRound) start--;
  while (start < results.length) {
    const round = results[start]?.round;
    let end = start;
    while (end < results.length && results[end]?.round === round) end++;
    yield results.slice(start, end);
    start = end;
  }
}
