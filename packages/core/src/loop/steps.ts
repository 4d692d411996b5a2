/** Performs the small steps of a decision. The machine chose them and their order. */
import type { Notice, Step } from '../machine/effects.ts';
import { text } from '../messages/blocks.ts';
import { INTERRUPTED_STREAMING, INTERRUPTED_TOOLS, SYNTHETIC_MODEL } from '../messages/message.ts';
import type { ModelError } from '../messages/model-error.ts';
import { failedCall } from '../tools/call-pipeline.ts';
import { NOT_RUN, NOT_RUN_AFTER_ERROR } from '../tools/tool.ts';
import { addBlock, type AnswerStep, changeAnswer, openCalls } from './answer.ts';
import { closeCall, takeResults } from './effects/run-tools.ts';
import { messageEvent, type MessageWriter, type RunEnvironment, type RunProgress } from './environment.ts';
import type { LoopEvent, MessageEvent } from './events.ts';
import type { TurnEndPort } from './params.ts';
import * as texts from './texts.ts';
import { omitUndefined } from '../json.ts';

export async function* takeSteps(
  env: RunEnvironment,
  given: RunProgress,
  steps: readonly Step[],
): AsyncGenerator<LoopEvent, RunProgress> {
  let progress = given;
  for (const step of steps) {
    const { error } = progress.answer;
    switch (step.type) {
      case 'notify':
        yield noticeEvent(env.write, step.notice);
        break;
      case 'fire_stop_failure':
        if (error) startStopFailure(env.deps.turnEnd, error);
        break;
      case 'close_open_calls':
        progress = yield* closeOpenCalls(progress, env.write, step.why);
        break;
      default: {
        const failure = step.type === 'release' && error ? errorEvent(env.write, error) : undefined;
        progress = yield* applyToAnswer(env, progress, step.type);
        if (failure) yield failure;
      }
    }
  }
  return progress;
}

/** Changes the answer, and yields what the consumer must know of it. */
async function* applyToAnswer(
  { write, releaseExecutor }: RunEnvironment,
  progress: RunProgress,
  step: AnswerStep,
): AsyncGenerator<LoopEvent, RunProgress> {
  const { executor } = progress;
  const { answer, retracted, dropped, kept } = changeAnswer(progress.answer, step);
  if (dropped === 'all') {
    executor?.discard();
    releaseExecutor();
  } else for (const id of dropped) executor?.drop(id);
  if (retracted.length > 0) yield { type: 'tombstone', uuids: retracted };
  const changed = { ...progress, answer, executor: dropped === 'all' ? undefined : executor };
  if (!kept) return changed;
  const last = answer.blocks.at(-1);
  const message = write.assistant({
    responseId: answer.responseId || (last?.responseId ?? write.uuid()),
    model: last?.model ?? progress.context.model,
    content: [text(kept.text)],
    incomplete: kept.incomplete,
  });
  yield messageEvent(message);
  return { ...changed, answer: addBlock(answer, message) };
}

/** Calls that ended by themselves keep their result. The others get an error that names the reason. */
async function* closeOpenCalls(
  progress: RunProgress,
  write: MessageWriter,
  why: 'interrupted' | 'failed',
): AsyncGenerator<LoopEvent, RunProgress> {
  const notRun = why === 'failed' ? NOT_RUN_AFTER_ERROR : NOT_RUN;
  await progress.executor?.close(notRun);
  let { answer, events } = takeResults(progress.executor?.takeResults() ?? [], progress.answer, write);
  yield* events;
  for (const call of openCalls(answer)) {
    ({ answer, events } = closeCall(answer, call, failedCall(notRun), write));
    yield* events;
  }
  return { ...progress, answer };
}

function noticeEvent(write: MessageWriter, what: Notice): MessageEvent {
  switch (what.about) {
    case 'interrupted': {
      const content = what.during === 'tools' ? INTERRUPTED_TOOLS : INTERRUPTED_STREAMING;
      return messageEvent(write.user({ content: [text(content)] }));
    }
    case 'prompt_too_long':
      return errorEvent(write, { type: 'model_error', class: 'overflow', message: texts.PROMPT_TOO_LONG });
    case 'thrown':
      return errorEvent(write, { type: 'model_error', class: 'internal', message: what.message });
    case 'max_turns': {
      const { maxTurns, turnCount } = what;
      return messageEvent(write.attachment({ kind: 'max_turns_reached', maxTurns, turnCount }));
    }
    case 'hook_stopped': {
      const { hook, message: reason } = what;
      return messageEvent(write.attachment({ kind: 'hook_stopped_continuation', hook, reason }));
    }
    case 'stop_hook_prevented':
      return messageEvent(write.system('informational', `${what.hook}: ${what.message}`, 'warning'));
    case 'repetition':
      return messageEvent(write.system('informational', texts.repetitionEnd(what.calls), 'warning'));
  }
}

/** The run has already failed. Hooks that cannot start do not change the reason. */
function startStopFailure(turnEnd: TurnEndPort, error: ModelError): void {
  try {
    turnEnd.stopFailure(error);
  } catch {
    return;
  }
}

/** A failed call as a message for people. It is never sent to the model. */
function errorEvent(write: MessageWriter, error: ModelError): MessageEvent {
  return messageEvent(
    write.assistant({
      responseId: write.uuid(),
      model: SYNTHETIC_MODEL,
      content: [text(error.message)],
      apiError: error.class,
      ...omitUndefined({ apiErrorStatus: error.status, requestId: error.requestId }),
    }),
  );
}
