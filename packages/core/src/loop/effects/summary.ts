/** The short summary of the last tools: written by a small model while the next call streams, yielded once, never waited for. */
import { callsOf, resultsOf, type UserMessage } from '../../messages/message.ts';
import type { LoopEvent } from '../run/events.ts';
import type { PendingSummary, Run } from '../run/run.ts';

export async function* offerSummary(run: Run): AsyncGenerator<LoopEvent, void> {
  const { summary } = run;
  if (!summary?.text) return;
  run.summary = undefined;
  yield { type: 'tool_use_summary', summary: summary.text, toolUseIds: summary.toolUseIds };
}

/** Follows the machine's handle: a new one starts a summary, none drops the one under way. */
export function followSummary(run: Run, handle: string | undefined): void {
  if (handle === undefined) run.summary = undefined;
  else if (handle !== run.summaryHandle) begin(run);
  run.summaryHandle = handle;
}

function begin(run: Run): void {
  const { iteration, deps, scope } = run;
  const results = new Map<string, UserMessage>();
  for (const message of iteration.results)
    if (message.type === 'user')
      for (const { tool_use_id: id } of resultsOf(message)) results.set(id, message);
  const calls = callsOf(iteration.answer).flatMap((call) => {
    const result = results.get(call.id);
    return result ? [{ call, result }] : [];
  });
  const summary: PendingSummary = { toolUseIds: calls.map(({ call }) => call.id), text: undefined };
  run.summary = summary;
  void write(summary, () => deps.summariseTools(calls, scope.signal));
}

async function write(summary: PendingSummary, summarize: () => Promise<string | undefined>): Promise<void> {
  try {
    summary.text = await summarize();
  } catch {
    // A summary that fails is one that nobody reads: there is nothing to recover.
  }
}
