/** The start of a run, and of each iteration. A run that was cut off continues with what its log stored. */
import type { MachineEvent } from '../machine/effects.ts';
import { initialLoopState, type LoopState } from '../machine/state.ts';
import { History } from '../messages/history.ts';
import { callsOf, type MessageHistory } from '../messages/message.ts';
import { withTurnModel } from '../tools/tool.ts';
import { NO_ANSWER, storedAnswer } from './answer.ts';
import type { IterationProgress, RunEnvironment, RunProgress } from './environment.ts';
import type { QueryParams } from './params.ts';

interface RunStart {
  readonly progress: RunProgress;
  readonly loop: LoopState;
  readonly event: MachineEvent;
}

export function startRun(env: RunEnvironment): RunStart {
  const { params, deps, aborted } = env;
  const { resume, autoCompactTracking } = params;
  const progress = firstProgress(env);
  const loop = resume?.loop ?? initialLoopState({ startedAt: deps.clock.now(), autoCompactTracking });
  const { blocks } = progress.answer;
  if (!resume?.answer || blocks.length === 0) return { progress, loop, event: { type: 'began' } };
  // The answer was complete. The run continues with the end of its stream.
  const { ended } = resume.answer;
  const calls = callsOf(blocks).length;
  const event = { type: 'streamed', calls, ended, staged: deps.context.staged(), aborted } as const;
  return { progress, loop, event };
}

export function firstProgress({ params, signal }: RunEnvironment): RunProgress {
  const { toolUseContext, fallbackModel = [], resume } = params;
  const models = typeof fallbackModel === 'string' ? [fallbackModel] : fallbackModel;
  const fallbacks = [...new Set(models)].filter((model) => model !== toolUseContext.model);
  const used = resume?.fallbacksUsed ?? 0;
  const model = fallbacks[used - 1] ?? toolUseContext.model;
  const context = { ...toolUseContext, model, signal };
  const { turnModel } = resume ?? {};
  return {
    ...firstIteration(params),
    hasBegun: false,
    context: turnModel ? withTurnModel(context, turnModel) : context,
    fallbacks: fallbacks.slice(used).filter((fallback) => fallback !== turnModel?.model),
    leavesOutThinking: false,
    rejectedBlocks: new Set(params.refusedBlocks),
    summary: undefined,
    lastSent: undefined,
    outputTokens: resume?.outputTokens ?? 0,
    commands: resume?.commands ?? [],
    gathering: undefined,
  };
}

/** A continued run has the stored answer of its last iteration. It consists of all messages from the first block on. */
function firstIteration({ messages, resume }: QueryParams): IterationProgress {
  const all = History.of(messages);
  const stored = [...all];
  const start = stored.findIndex(({ uuid }) => uuid === resume?.answer?.firstBlock);
  if (!resume?.answer || start < 0) return startIteration(all);
  const { ended } = resume.answer;
  const error = ended.well ? undefined : ended.error;
  const answer = storedAnswer(stored.slice(start), error);
  return { ...startIteration(History.of(stored.slice(0, start))), answer };
}

export function startIteration(history: MessageHistory): IterationProgress {
  return {
    history,
    view: history,
    compacted: undefined,
    answer: NO_ANSWER,
    executor: undefined,
    attachments: [],
    hookErrors: [],
  };
}
