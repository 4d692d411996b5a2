/** The `run_tools` effect, and the way from the executor to events: intents before calls, results in the order of the calls. */
import { untilAborted } from '../../abort.ts';
import { errorMessage } from '../../thrown.ts';
import type { ToolUseBlock } from '../../messages/blocks.ts';
import { withoutToolOutput } from '../../messages/message.ts';
import { type AfterTool, finishedCall, hasSameState, sessionStateOf } from '../../tools/tool.ts';
import type { StreamingToolExecutor, ToolUpdate } from '../../tools/executor.ts';
import type { Settled, Slot } from '../../tools/slot.ts';
import { addResult, type Answer, type AnsweredCall, callsWithResults, openCalls } from '../answer.ts';
import type { EffectEnd, MessageWriter, RunEnvironment, RunProgress } from '../environment.ts';
import type { LoopEvent } from '../events.ts';
import { omitUndefined } from '../../json.ts';

/** Gives each call of the answer its one result. */
export async function* runTools(
  env: RunEnvironment,
  given: Pick<RunProgress, 'answer' | 'executor' | 'context' | 'fallbacks'>,
): AsyncGenerator<LoopEvent, EffectEnd> {
  let { answer, context } = given;
  let stored = context;
  let hasChanged = false;
  const executor = given.executor ?? env.openExecutor(context);
  try {
    // Without an executor, no call started while the answer streamed, or the answer is from the log.
    if (!given.executor)
      for (const call of openCalls(answer)) executor.addTool(call, answer.badInputs.get(call.id));
    // Calls that finished during the stream are reported before any question about the other calls.
    let isStreaming = true;
    while (true) {
      // Progress of a call comes before its result.
      for (let arrival = env.inbox.poll(); arrival; arrival = env.inbox.poll()) {
        if (arrival.type !== 'ready' && arrival.type !== 'progress') continue;
        for (const event of announceUpdate(arrival, executor)) yield event;
      }
      const taken = takeResults(executor.takeResults(), answer, env.write);
      answer = taken.answer;
      const delivered = executor.deliveredContext;
      if (!hasSameState(stored, delivered)) {
        // Before the results: a run that is cut off after a result continues with the changes of that call.
        yield { type: 'stance', stance: sessionStateOf(delivered) };
        stored = delivered;
        hasChanged = true;
      }
      for (const event of taken.events) yield event;
      if (isStreaming) executor.finishStream();
      else if (executor.finished) break;
      else await env.inbox.arrival();
      isStreaming = false;
    }
    const answered = callsWithResults(answer);
    const batch = await askBatchHooks(env, answered);
    if (batch.additionalContext !== undefined) {
      const note = env.write.attachment({ kind: 'reminder', about: 'hook', text: batch.additionalContext });
      const [last] = answer.results.slice(-1);
      answer = addResult(answer, { toolUseId: last?.toolUseId ?? '', messages: [note] });
      yield { type: 'message', message: note };
    }
    const { model: previous } = context;
    context = executor.context;
    const { model } = context;
    // A skill chose another model. It does not fall back to itself, and may accept the thinking option.
    const fallbacks = given.fallbacks.filter((fallback) => fallback !== model);
    const modelChanges = model === previous ? {} : { fallbacks, leavesOutThinking: false };
    return {
      event: {
        type: 'tools_ran',
        calls: answered.map(({ call, result }) => finishedCall(call, result)),
        stoppedBy: executor.stoppedBy ?? batch.stop,
        contextChanged: hasChanged,
        aborted: env.aborted,
      },
      changed: { answer, executor, context, ...modelChanges },
    };
  } catch (thrown) {
    return { thrown, changed: { answer, executor, context } };
  }
}

/** The hooks after all calls of an answer. A hook that fails is reported to the model. */
async function askBatchHooks(
  { deps, signal }: RunEnvironment,
  answered: readonly AnsweredCall[],
): Promise<Omit<AfterTool, 'updatedResult'>> {
  const { toolHooks, redact } = deps;
  if (!toolHooks.afterBatch || signal.aborted) return {};
  const calls = answered.map(({ call: { id, name, input }, result }) => ({
    toolUseId: id,
    tool: name,
    input,
    content: result?.content ?? '',
  }));
  try {
    return redact(await untilAborted(toolHooks.afterBatch(calls, signal), signal, () => ({})));
  } catch (thrown) {
    return { additionalContext: `A hook after the calls failed: ${redact(errorMessage(thrown))}` };
  }
}

/** Yields progress and intents. A call starts when its intent was yielded. */
export function* announceUpdate(
  update: Exclude<ToolUpdate, { type: 'settled' }>,
  executor: StreamingToolExecutor | undefined,
): Generator<LoopEvent, void> {
  const { slot } = update;
  const { id: toolUseId, name: tool } = slot.block;
  // An update of a retracted attempt may arrive late. Its slot counts as delivered.
  if (update.type === 'progress') {
    if (slot.state !== 'delivered') yield { type: 'progress', toolUseId, tool, data: update.data };
    return;
  }
  if (slot.state !== 'ready') return;
  const { raw, effect } = update.call;
  yield {
    type: 'tool_intent',
    toolUseId,
    tool,
    input: raw,
    effect,
    workingDirectory: update.workingDirectory,
    ...omitUndefined({ details: slot.details, places: update.call.places }),
  };
  executor?.begin(slot);
}

interface Taken {
  readonly answer: Answer;
  readonly events: readonly LoopEvent[];
}

/** Adds the settled calls to the answer, in the order of the calls: the result, then the remarks of hooks. */
export function takeResults(slots: readonly Slot[], given: Answer, write: MessageWriter): Taken {
  const events: LoopEvent[] = [];
  let answer = given;
  for (const { block, settled, remarks } of slots) {
    if (!settled) continue;
    for (const { model, usage } of settled.spent ?? []) events.push({ type: 'spent', model, usage });
    const taken = closeCall(answer, block, settled, write, remarks);
    answer = taken.answer;
    events.push(...taken.events);
  }
  return { answer, events };
}

/** Adds the one result of a call to the answer. */
export function closeCall(
  answer: Answer,
  { id: toolUseId }: ToolUseBlock,
  { result, data }: Settled,
  write: MessageWriter,
  remarks: readonly string[] = [],
): Taken {
  const isError = result.isError === true;
  const { content } = result;
  const message = write.user({
    content: [
      { type: 'tool_result', tool_use_id: toolUseId, content, ...(isError ? { is_error: true } : {}) },
    ],
    ...omitUndefined({ toolUseResult: data }),
  });
  const notes = remarks.map((text) => write.attachment({ kind: 'reminder', about: 'hook', text }));
  return {
    answer: addResult(answer, { toolUseId, messages: [withoutToolOutput(message), ...notes] }),
    events: [
      { type: 'message', message, outcome: { toolUseId, isError } },
      ...notes.map((note) => ({ type: 'message', message: note }) as const),
    ],
  };
}
