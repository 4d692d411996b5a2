/** The small things on the way out of an iteration. Each does what its name says; which ones, and in what order, the machine decided. */
import type { Notice, Step } from '../machine/effect.ts';
import { isThinking, text } from '../messages/blocks.ts';
import {
  type AssistantMessage,
  callsOf,
  INTERRUPTED_STREAMING,
  INTERRUPTED_TOOLS,
} from '../messages/message.ts';
import type { ModelError } from '../messages/model-error.ts';
import type { TurnEndPort } from './run/deps.ts';
import type { LoopEvent } from './run/events.ts';
import { failedCall } from '../tools/call-pipeline.ts';
import { NOT_RUN, NOT_RUN_AFTER_ERROR } from '../tools/context.ts';
import {
  attachmentMessage,
  messageEvent,
  stamp,
  systemMessage,
  type Iteration,
  type Run,
} from './run/run.ts';
import { dropCut, retractMessages } from './effects/take-back.ts';
import * as texts from './run/texts.ts';
import { deliver, deliverResults } from './effects/tool-events.ts';

export async function* takeSteps(run: Run, steps: readonly Step[]): AsyncGenerator<LoopEvent, void> {
  for (const step of steps) yield* takeStep(run, step);
}

async function* takeStep(run: Run, step: Step): AsyncGenerator<LoopEvent, void> {
  const { iteration, deps } = run;
  switch (step.type) {
    case 'close_open_calls':
      return yield* closeOpenCalls(run, step.why);
    case 'drop_unfinished':
      return yield* dropCut(run);
    case 'keep_partial':
      return yield* keepPartial(run);
    case 'keep_interrupted':
      return yield* keepUnfinishedText(run, 'interrupted');
    case 'tombstone_attempt':
      return yield* retractMessages(run);
    case 'release':
      return yield* release(run);
    case 'fire_stop_failure':
      if (iteration.failure) startStopFailure(deps.turnEnd, iteration.failure);
      return;
    case 'say':
      return yield* say(run, step.what);
  }
}

/** Calls that ended of their own keep their real result; the others are told what became of them. */
async function* closeOpenCalls(run: Run, why: 'interrupted' | 'failed'): AsyncGenerator<LoopEvent, void> {
  const { iteration } = run;
  const notRun = why === 'failed' ? NOT_RUN_AFTER_ERROR : NOT_RUN;
  await iteration.executor?.close(notRun);
  yield* deliverResults(run);
  for (const call of callsOf(iteration.answer)) {
    if (!iteration.answered.has(call.id)) yield deliver(run, call, failedCall(notRun));
  }
}

/** What can be sent back of a cut answer stays, the beginning of its last text included. */
async function* keepPartial(run: Run): AsyncGenerator<LoopEvent, void> {
  const { iteration } = run;
  if (iteration.unfinishedText.trim() === '') return yield* retractMessages(run, sendableLength(iteration));
  yield* keepUnfinishedText(run, 'cut');
}

/** Yields the text of a block that never ended as a message of its own, marked with the reason. */
async function* keepUnfinishedText(
  run: Run,
  incomplete: NonNullable<AssistantMessage['incomplete']>,
): AsyncGenerator<LoopEvent, void> {
  const { iteration } = run;
  const rest = iteration.unfinishedText;
  if (rest.trim() === '') return;
  iteration.unfinishedText = '';
  const last = iteration.answer.at(-1);
  const message: AssistantMessage = {
    type: 'assistant',
    ...stamp(run),
    responseId: iteration.responseId || (last?.responseId ?? run.deps.ids.uuid()),
    model: last?.model ?? run.context.model,
    content: [text(rest)],
    incomplete,
  };
  iteration.answer.push(message);
  yield messageEvent(message);
}

/** Nothing recovered the answer. What was said of it stands, but a call that lacks its end never gets a result. */
async function* release(run: Run): AsyncGenerator<LoopEvent, void> {
  const { iteration } = run;
  const { cut, withheld } = iteration;
  if (cut && callsOf([cut]).length > 0) yield* dropCut(run);
  iteration.withheld = undefined;
  if (withheld) yield* sayError(run, withheld);
}

/** Up to the last block that is neither a thought, which something must follow, nor cut, unless it is text. */
function sendableLength({ answer, cut }: Iteration): number {
  const canEnd = (message: AssistantMessage): boolean =>
    message.content.every((block) => block.type === 'text' || (message !== cut && !isThinking(block)));
  return answer.findLastIndex(canEnd) + 1;
}

async function* say(run: Run, what: Notice): AsyncGenerator<LoopEvent, void> {
  switch (what.about) {
    case 'interrupted': {
      const content = what.during === 'tools' ? INTERRUPTED_TOOLS : INTERRUPTED_STREAMING;
      yield messageEvent({ type: 'user', ...stamp(run), content: [text(content)] });
      return;
    }
    case 'prompt_too_long':
      return yield* sayError(run, { type: 'model_error', class: 'overflow', message: texts.PROMPT_TOO_LONG });
    case 'thrown':
      return yield* sayError(run, { type: 'model_error', class: 'internal', message: what.message });
    case 'max_turns': {
      const { maxTurns, turnCount } = what;
      yield messageEvent(attachmentMessage(run, { kind: 'max_turns_reached', maxTurns, turnCount }));
      return;
    }
    case 'hook_stopped': {
      const { hook, message } = what;
      yield messageEvent(
        attachmentMessage(run, { kind: 'hook_stopped_continuation', hook, reason: message }),
      );
      return;
    }
    case 'stop_hook_prevented':
      yield messageEvent(systemMessage(run, 'informational', `${what.hook}: ${what.message}`, 'warning'));
      return;
    case 'repetition':
      yield messageEvent(systemMessage(run, 'informational', texts.repetitionEnd(what.calls), 'warning'));
      return;
  }
}

/** The run has failed already and says so: hooks that cannot even be started do not change why. */
function startStopFailure(turnEnd: TurnEndPort, error: ModelError): void {
  try {
    turnEnd.stopFailure(error);
  } catch {
    return;
  }
}

/** A failed call as a message that people see and that is never sent back. */
async function* sayError(run: Run, error: ModelError): AsyncGenerator<LoopEvent, void> {
  const message: AssistantMessage = {
    type: 'assistant',
    ...stamp(run),
    responseId: run.deps.ids.uuid(),
    model: SYNTHETIC_MODEL,
    content: [text(error.message)],
    apiError: error.class,
    ...(error.status === undefined ? {} : { apiErrorStatus: error.status }),
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
  };
  yield messageEvent(message);
}

export const SYNTHETIC_MODEL = '<synthetic>';
