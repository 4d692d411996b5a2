/**
 * Runs calls of an earlier run that was cut short: the same road, the same events, no model. Answers with the word of a hook
 * that wants no run to follow.
 */
import type { HookMessage } from '../machine/happened.ts';
import type { AssistantMessage } from '../messages/message.ts';
import type { LoopEvent } from './run/events.ts';
import { withImmediateReturn } from './run/leave.ts';
import type { QueryParams } from './run/params.ts';
import { beginRun, endRun } from './run/run.ts';
import { runTools } from './effects/run-tools.ts';

export function finishCalls(
  params: QueryParams,
  answer: readonly AssistantMessage[],
): AsyncGenerator<LoopEvent, HookMessage | undefined> {
  const leaving = new AbortController();
  return withImmediateReturn(finish(params, answer, leaving.signal), () => leaving.abort());
}

async function* finish(
  params: QueryParams,
  answer: readonly AssistantMessage[],
  leaving: AbortSignal,
): AsyncGenerator<LoopEvent, HookMessage | undefined> {
  const { config } = params;
  // Nothing streams, so the calls are handed to the executor all at once.
  const run = beginRun({
    ...params,
    config: { ...config, gates: { ...config.gates, streamingToolExecution: false } },
  });
  leaving.addEventListener('abort', () => void endRun(run));
  run.iteration.answer = [...answer];
  try {
    const happened = yield* runTools(run);
    return happened.type === 'tools_ran' ? happened.stoppedBy : undefined;
  } finally {
    await endRun(run);
  }
}
